//! The arrays in an npz file, none unpacked further than its header promises.

use std::{
    io::{Cursor, Read},
    path::{Path, PathBuf},
};

use zip::{ZipArchive, result::ZipError};

use crate::{Error, npy::Array, quoted::beginning};

/// More than any header takes that SciPy writes; of every array this much is unpacked at once.
const HEADER: u64 = 1 << 16;

/// The first bytes of an archive with at least one member.
const MAGIC: &[u8] = b"PK\x03\x04";

/// An npz file.
pub(super) struct Archive<'a> {
    path: &'a Path,
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// Bytes of the file.
    length: u64,
}

/// An array of the file, of which no more than the header is read.
pub(super) struct Member {
    /// The name in the archive.
    name: String,
    /// The file and the name, for messages.
    path: PathBuf,
    /// The first bytes.
    start: Vec<u8>,
}

impl<'a> Archive<'a> {
    pub(super) fn new(path: &'a Path, bytes: &'a [u8]) -> Result<Self, Error> {
        if !bytes.starts_with(MAGIC) {
            let found = beginning(bytes, MAGIC);
            return Err(Error::in_file(path, "an npz file, which begins with PK", found));
        }
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|cause| damaged(path, &cause))?;
        Ok(Self { path, zip, length: bytes.len() as u64 })
    }

    pub(super) fn has(&self, array: &str) -> bool {
        self.zip.index_for_name(&format!("{array}.npy")).is_some()
    }

    /// Reads the header of an array.
    pub(super) fn member(&mut self, array: &str) -> Result<Member, Error> {
        let name = format!("{array}.npy");
        if !self.has(array) {
            let expected = format!("a sparse matrix with an array `{array}`");
            return Err(Error::in_file(self.path, expected, "an npz file without it")
                .with_hint("write the matrix with `scipy.sparse.save_npz`"));
        }
        let start = self.unpack(&name, HEADER)?;
        let path = self.path.join(&name);
        let member = Member { name, path, start };
        member.array()?;
        Ok(member)
    }

    /// Unpacks an array as far as its header says, and a byte more to see that it ends there.
    pub(super) fn whole(&mut self, member: &Member) -> Result<Member, Error> {
        let Member { name, path, start } = member;
        let array = member.array()?;
        let most = (start.len() - array.data().len()) as u128 + array.promised().unwrap_or(0) + 1;
        let bytes = self.unpack(name, u64::try_from(most).unwrap_or(u64::MAX))?;
        Ok(Member { name: name.clone(), path: path.clone(), start: bytes })
    }

    fn unpack(&mut self, name: &str, most: u64) -> Result<Vec<u8>, Error> {
        let path = self.path.join(name);
        let length = self.length;
        let file = self.zip.by_name(name).map_err(|cause| damaged(&path, &cause))?;
        // No more at once than the file itself takes, whatever its directory says.
        let stored = file.compressed_size().min(most).min(length);
        let mut bytes = Vec::with_capacity(stored as usize);
        file.take(most).read_to_end(&mut bytes).map_err(|cause| damaged(&path, &cause.into()))?;
        Ok(bytes)
    }
}

impl Member {
    /// The array; its entries are there if it comes from [`Archive::whole`].
    pub(super) fn array(&self) -> Result<Array<'_>, Error> {
        Array::parse(&self.path, &self.start)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

fn damaged(path: &Path, cause: &ZipError) -> Error {
    Error::in_file(path, "a complete zip archive", format!("a damaged one ({cause})"))
        .with_hint("copy or write the file again")
}
