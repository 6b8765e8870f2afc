//! The program as a process that is watched, and perhaps ended.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// When and how a run is ended from outside.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// Not at all.
    Free,
    /// As Ctrl-C does, after so long.
    Interrupt(Duration),
    /// At once, after so long.
    Kill(Duration),
}

/// What came of a run.
pub(super) struct Outcome {
    /// None where it was ended by a signal.
    pub(super) code: Option<i32>,
    pub(super) killed: bool,
    pub(super) hung: bool,
    pub(super) messages: String,
    /// The most memory that was seen, in bytes.
    pub(super) memory: u64,
}

/// Runs the program in a directory; what takes longer than `patience` is ended.
pub(super) fn watch(
    binary: &Path,
    arguments: &[String],
    directory: &Path,
    end: End,
    patience: Duration,
) -> Outcome {
    let messages = directory.join(".messages");
    let file = fs::File::create(&messages).expect("room for messages");
    let child = Command::new(binary)
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file)
        .spawn();
    let mut child = child.expect("the program was built");
    let clock = Instant::now();
    let (mut memory, mut killed, mut hung, mut asked) = (0, false, false, false);
    let code = loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break status.code();
        }
        memory = memory.max(resident(&child).unwrap_or(0));
        match end {
            End::Kill(after) if clock.elapsed() >= after && !killed => {
                killed = child.kill().is_ok();
            }
            End::Interrupt(after) if clock.elapsed() >= after && !asked => {
                asked = true;
                let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
            }
            _ => {}
        }
        if clock.elapsed() >= patience {
            hung = true;
            let _ = child.kill();
        }
        thread::sleep(Duration::from_millis(2));
    };
    let text = fs::read_to_string(&messages).unwrap_or_default();
    let _ = fs::remove_file(&messages);
    Outcome { code, killed, hung, messages: text, memory }
}

/// The high-water mark of the memory of a process, where Linux tells it.
fn resident(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
