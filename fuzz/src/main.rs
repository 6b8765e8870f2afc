//! A target under libFuzzer. `GRAMFOLD_FUZZ` names it, or is `list`; `cargo xtask fuzz` sets it.

#![no_main]

use std::{cell::OnceCell, env, fs, path::Path, process::exit};

use gramfold_fuzz::{Scratch, Target, target, targets};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static CHOSEN: OnceCell<(Target, Scratch)> = const { OnceCell::new() };
}

fuzz_target!(init: set_up(), |bytes: &[u8]| {
    CHOSEN.with(|chosen| {
        let (target, scratch) = chosen.get_or_init(|| (named(), Scratch::new()));
        (target.run)(bytes, scratch.path());
    });
});

fn name() -> String {
    env::var("GRAMFOLD_FUZZ").expect("GRAMFOLD_FUZZ names the target")
}

fn named() -> Target {
    target(&name()).expect("there is such a target")
}

/// Does what is asked for instead of a run, if anything: lists the targets, or writes the seeds and the words of one.
#[allow(clippy::exit, clippy::print_stdout)] // libFuzzer has the main function.
fn set_up() {
    if name() == "list" {
        targets().iter().for_each(|target| println!("target {}", target.name));
        exit(0);
    }
    if let (Some(seeds), Some(words)) =
        (env::var_os("GRAMFOLD_FUZZ_SEEDS"), env::var_os("GRAMFOLD_FUZZ_WORDS"))
    {
        let target = named();
        for (number, seed) in (target.seeds)().iter().enumerate() {
            fs::write(Path::new(&seeds).join(format!("seed-{number}")), seed)
                .expect("room for a seed");
        }
        let quoted = |word: &&str| {
            let bytes: String = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
            format!("\"{bytes}\"\n")
        };
        let text: String = target.words.iter().map(quoted).collect();
        fs::write(words, text).expect("room for the words");
        exit(0);
    }
}
