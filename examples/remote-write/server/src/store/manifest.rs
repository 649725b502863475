//! The list of files, and where the log goes on: the one place that says what is in the store.
//!
//! A manifest is a file of its own, `manifest-NUMBER`, which is written whole, synced and renamed. The highest number
//! holds. It ends with a checksum.

use crate::generated::hotpb::remote_write::{FileBuilder, ManifestBuilder};
use hotpb::pool::{Builder, Encode};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// A Parquet file of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Relative to the folder of the files.
    pub path: String,
    /// The number of rows.
    pub rows: u64,
    /// The length in bytes.
    pub bytes: u64,
    /// The first time, in milliseconds since the epoch.
    pub min_time: i64,
    /// The last time.
    pub max_time: i64,
    /// The first request whose rows may be in the file.
    pub first: u64,
    /// The last request whose rows may be in the file.
    pub last: u64,
    /// The number of columns; 0 if it is not known.
    pub columns: u64,
}

/// What is in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The store's id, random, which its log carries, too.
    pub store: u128,
    /// The number of this manifest.
    pub number: u64,
    /// All requests below this sequence are in the files.
    pub low: u64,
    /// The files.
    pub files: Vec<File>,
}

impl Manifest {
    /// Reads the newest manifest; `None` if there is none. An error if it is damaged, which no crash does: the one before it
    /// would not name files that are there, and name some that are not.
    pub fn read(folder: &Path) -> io::Result<Option<Manifest>> {
        let Some((number, name)) = names(folder)?.into_iter().max() else { return Ok(None) };
        let path = folder.join(name);
        let manifest = Manifest::decode(&fs::read(&path)?).filter(|manifest| manifest.number == number);
        let damaged = || {
            let why = "the list of files is damaged. Restore it from a copy: with an older list, files that only this one \
                       names would be deleted";
            io::Error::other(format!("{}: {why}", path.display()))
        };
        manifest.map(Some).ok_or_else(damaged)
    }

    /// Writes the manifest under its number, so that it holds from now on, and deletes older ones except the last.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let (name, part) = (format!("manifest-{}", self.number), folder.join("manifest.part"));
        let mut file = fs::File::create(&part)?;
        file.write_all(&self.encode()?)?;
        file.sync_all()?;
        fs::rename(&part, folder.join(name))?;
        fs::File::open(folder)?.sync_all()?;
        for (number, name) in names(folder)? {
            if number + 1 < self.number {
                fs::remove_file(folder.join(name))?;
            }
        }
        Ok(())
    }

    /// Returns the bytes of the manifest, as its file has them.
    pub fn encode(&self) -> io::Result<Vec<u8>> {
        let files = self.files.iter().map(|file| FileBuilder {
            path: file.path.clone(),
            rows: file.rows,
            bytes: file.bytes,
            min_time: file.min_time,
            max_time: file.max_time,
            first_sequence: file.first,
            last_sequence: file.last,
            columns: file.columns,
            ..FileBuilder::default()
        });
        let message = ManifestBuilder {
            store_high: (self.store >> 64) as u64,
            store_low: self.store as u64,
            number: self.number,
            low_sequence: self.low,
            files: files.collect(),
            ..ManifestBuilder::default()
        };
        let mut bytes = message.encode_to_vec().map_err(io::Error::other)?;
        let crc = crc32c::crc32c(&bytes);
        bytes.extend_from_slice(&crc.to_le_bytes());
        Ok(bytes)
    }

    fn decode(bytes: &[u8]) -> Option<Manifest> {
        let (message, crc) = bytes.split_last_chunk::<4>()?;
        if crc32c::crc32c(message) != u32::from_le_bytes(*crc) {
            return None;
        }
        let message = ManifestBuilder::decode(message).ok()?;
        let files = message.files.into_iter().map(|file| File {
            path: file.path,
            rows: file.rows,
            bytes: file.bytes,
            min_time: file.min_time,
            max_time: file.max_time,
            first: file.first_sequence,
            last: file.last_sequence,
            columns: file.columns,
        });
        Some(Manifest {
            store: u128::from(message.store_high) << 64 | u128::from(message.store_low),
            number: message.number,
            low: message.low_sequence,
            files: files.collect(),
        })
    }
}

fn names(folder: &Path) -> io::Result<Vec<(u64, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some(number) = name.strip_prefix("manifest-").and_then(|number| number.parse().ok()) {
            found.push((number, name));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_manifest_holds_and_must_be_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert_eq!(Manifest::read(path).unwrap(), None);
        let file = File {
            path: "samples/x".to_owned(),
            rows: 3,
            min_time: -5,
            max_time: 9,
            first: 1,
            last: 2,
            bytes: 7,
            columns: 9,
        };
        let manifest = |number| Manifest { store: 5 << 70 | 9, number, low: number * 10, files: vec![file.clone(); 2] };
        for number in 1..5 {
            manifest(number).write(path).unwrap();
            assert_eq!(Manifest::read(path).unwrap(), Some(manifest(number)));
        }
        assert_eq!(names(path).unwrap().len(), 2);
        let newest = path.join("manifest-4");
        let whole = fs::read(&newest).unwrap();
        let refused = |bytes: &[u8], what: &str| {
            fs::write(&newest, bytes).unwrap();
            let error = Manifest::read(path).unwrap_err().to_string();
            assert!(error.contains("manifest-4: the list of files is damaged"), "{what}: {error}");
        };
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 4;
            refused(&damaged, &format!("byte {at}"));
            refused(&whole[..at], &format!("cut at {at}"));
        }
        refused(&manifest(3).encode().unwrap(), "another number");
        fs::write(&newest, &whole).unwrap();
        assert_eq!(Manifest::read(path).unwrap(), Some(manifest(4)));
    }
}
