//! Whole files into memory, gzipped or not.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use flate2::bufread::MultiGzDecoder;

use crate::{
    Error,
    limits::{RATIO, UNPACKED},
};

/// Whether gzipped files are read however much larger they are unpacked.
static ANY_RATIO: AtomicBool = AtomicBool::new(false);

/// From now on gzipped files are read however much larger they are unpacked. Otherwise one that is more than a hundred times
/// as large, and more than 256 MiB, is refused: a small file could fill any memory.
pub fn lift_ratio_cap() {
    ANY_RATIO.store(true, Ordering::Relaxed);
}

/// How many times as large as a gzipped file of text its contents are, at most, for room to be made for them at once.
const USUAL: u64 = 10;

/// The first bytes of every gzip stream (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The contents of a file, unpacked if it is a gzip stream whatever its name.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let failed = |cause: io::Error| {
        // The same words on every system.
        let cause = match cause.kind() {
            kind @ io::ErrorKind::IsADirectory => kind.into(),
            _ => cause,
        };
        Error::Read { path: path.to_owned(), cause }
    };
    let mut file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_or(0, |data| data.len());
    let promised = promised(&mut file).min(size.saturating_mul(USUAL));
    let mut file = BufReader::new(file);
    let zipped = file.fill_buf().map_err(failed)?.starts_with(&GZIP);
    let mut bytes = Vec::new();
    if zipped {
        bytes.reserve_exact(usize::try_from(promised).unwrap_or(0));
        // Several members in a row are one stream: parallel compressors write them so.
        let most = if ANY_RATIO.load(Ordering::Relaxed) {
            u64::MAX
        } else {
            size.saturating_mul(RATIO).max(UNPACKED)
        };
        let mut unpacked = MultiGzDecoder::new(file).take(most.saturating_add(1));
        unpacked.read_to_end(&mut bytes).map_err(|cause| gzip(path, cause))?;
        if bytes.len() as u64 > most {
            let expected = format!("a gzip stream of at most {most} bytes unpacked");
            return Err(Error::in_file(path, expected, "a longer one")
                .with_hint("pass `--any-ratio` if the file can be trusted"));
        }
    } else {
        file.read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok(utf8(bytes))
}

/// The bytes of a file as text, which is `expected`.
pub(crate) fn text<'a>(path: &Path, bytes: &'a [u8], expected: &str) -> Result<&'a str, Error> {
    str::from_utf8(bytes).map_err(|_| {
        Error::in_file(path, expected, "other bytes").with_hint("convert the file to UTF-8")
    })
}

/// The length that the last bytes of a gzip stream promise: that of its last member. It is only what room is made for.
fn promised(file: &mut File) -> u64 {
    let mut last = [0; 4];
    let read = file.seek(SeekFrom::End(-4)).and_then(|_| file.read_exact(&mut last));
    // What cannot be moved in has not been.
    let _ = file.rewind();
    read.map_or(0, |()| u32::from_le_bytes(last).into())
}

/// Text in UTF-16, as spreadsheets save "Unicode text", in UTF-8; anything else as it is.
fn utf8(bytes: Vec<u8>) -> Vec<u8> {
    let of = |number: fn([u8; 2]) -> u16| {
        let units: Vec<u16> =
            bytes[2..].chunks_exact(2).map(|pair| number([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units).into_bytes()
    };
    match bytes[..] {
        [0xff, 0xfe, ..] => of(u16::from_le_bytes),
        [0xfe, 0xff, ..] => of(u16::from_be_bytes),
        _ => bytes,
    }
}

fn gzip(path: &Path, cause: io::Error) -> Error {
    let found = match cause.kind() {
        io::ErrorKind::UnexpectedEof => "one that is cut short".to_owned(),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            format!("a damaged one ({cause})")
        }
        _ => {
            return Error::Read { path: path.to_owned(), cause };
        }
    };
    Error::in_file(path, "a complete gzip stream", found)
        .with_hint("copy or compress the file again")
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn read_back(bytes: &[u8]) -> (String, Result<Vec<u8>, Error>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("input");
        fs::write(&path, bytes).unwrap();
        (path.display().to_string(), read(&path))
    }

    #[test]
    fn plain_and_gzipped_files_give_the_same_bytes() {
        let text = b"a line\n".repeat(5000);
        assert_eq!(read_back(&text).1.unwrap(), text);
        assert_eq!(read_back(&zipped(&text)).1.unwrap(), text);
        let members = [zipped(&text), zipped(b"another")].concat();
        assert_eq!(read_back(&members).1.unwrap(), [&text[..], b"another"].concat());
        assert_eq!(read_back(b"").1.unwrap(), b"");
        assert_eq!(read_back(b"\x1f").1.unwrap(), b"\x1f");
    }

    #[test]
    fn text_in_utf_16_is_read() {
        let text = "a;é\n1;2\n";
        for (mark, bytes) in [
            ([0xff, 0xfe], text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()),
            ([0xfe, 0xff], text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        ] {
            assert_eq!(read_back(&[&mark[..], &bytes].concat()).1.unwrap(), text.as_bytes());
        }
        assert_eq!(read_back(b"\xff\xfe").1.unwrap(), b"");
    }

    #[test]
    fn a_stream_cut_anywhere_is_refused() {
        let whole = zipped(&b"some text to compress, ".repeat(40));
        for length in 2..whole.len() {
            let (path, bytes) = read_back(&whole[..length]);
            assert_eq!(
                bytes.unwrap_err().to_string(),
                format!(
                    "{path}: expected a complete gzip stream, found one that is cut short; \
                     copy or compress the file again"
                )
            );
        }
    }

    #[test]
    fn a_stream_that_unpacks_to_far_more_than_its_size_is_refused() {
        let bomb = zipped(&vec![b' '; UNPACKED as usize + 1]);
        let (path, bytes) = read_back(&bomb);
        assert_eq!(
            bytes.unwrap_err().to_string(),
            format!(
                "{path}: expected a gzip stream of at most {UNPACKED} bytes unpacked, found a longer one; \
                 pass `--any-ratio` if the file can be trusted"
            )
        );
    }

    #[test]
    fn a_damaged_stream_is_refused() {
        let mut bytes = zipped(&b"some text to compress, ".repeat(40));
        let checksum = bytes.len() - 8;
        bytes[checksum] ^= 1;
        let (path, bytes) = read_back(&bytes);
        let message = bytes.unwrap_err().to_string();
        assert!(
            message.starts_with(&format!(
                "{path}: expected a complete gzip stream, found a damaged one ("
            )),
            "{message}"
        );
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = read(Path::new("no/such/file")).unwrap_err().to_string();
        assert!(message.starts_with("no/such/file: cannot read the file: "), "{message}");
    }
}
