//! The list of files, and where the log goes on: the one place that says what is in the store.
//!
//! A manifest is a file of its own, `manifest-NUMBER`, which is written whole, synced and renamed. The highest number
//! holds. It ends with a checksum. The superblock has its number and checksum, too ([`crate::superblock`]).

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
    /// The checksums; none in files of older servers.
    pub sums: Option<Sums>,
}

/// The checksums of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// CRC-32C of the file.
    pub whole: u32,
    /// The length of what follows the last page: indexes of pages and the footer.
    pub tail_bytes: u64,
    /// CRC-32C of that.
    pub tail: u32,
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
    /// Whether the store has a superblock.
    pub superblocks: bool,
}

impl Manifest {
    /// Reads the manifest with the highest number; `None` if there is none. An error if it is damaged, which no crash does: the
    /// one before it would not name files that are there, and name some that are not.
    pub fn read(folder: &Path) -> io::Result<Option<Manifest>> {
        let Some((number, name)) = names(folder)?.into_iter().max() else { return Ok(None) };
        let path = folder.join(name);
        let damaged = || io::Error::other(format!("{}: the list of files is damaged", path.display()));
        Manifest::read_one(folder, number)?.map(Some).ok_or_else(damaged)
    }

    /// Reads the manifest with a number; `None` if it is not whole.
    pub fn read_one(folder: &Path, number: u64) -> io::Result<Option<Manifest>> {
        let bytes = fs::read(folder.join(format!("manifest-{number}")))?;
        Ok(Manifest::decode(&bytes).filter(|manifest| manifest.number == number))
    }

    /// Writes the manifest under its number.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let (name, part) = (format!("manifest-{}", self.number), folder.join("manifest.part"));
        let mut file = fs::File::create(&part)?;
        file.write_all(&self.encode()?)?;
        file.sync_all()?;
        fs::rename(&part, folder.join(name))?;
        fs::File::open(folder)?.sync_all()
    }

    /// Deletes older manifests except the last.
    pub fn remove_older(&self, folder: &Path) -> io::Result<()> {
        for (number, name) in names(folder)? {
            if number + 1 < self.number {
                fs::remove_file(folder.join(name))?;
            }
        }
        Ok(())
    }

    /// Returns the checksum with which its bytes end; 0 if it cannot be written.
    pub fn checksum(&self) -> u32 {
        let bytes = self.encode().unwrap_or_default();
        bytes.last_chunk().map_or(0, |crc| u32::from_le_bytes(*crc))
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
            checksum: file.sums.map_or(0, |sums| sums.whole),
            tail_bytes: file.sums.map_or(0, |sums| sums.tail_bytes),
            tail_checksum: file.sums.map_or(0, |sums| sums.tail),
            ..FileBuilder::default()
        });
        let message = ManifestBuilder {
            store_high: (self.store >> 64) as u64,
            store_low: self.store as u64,
            number: self.number,
            low_sequence: self.low,
            files: files.collect(),
            superblocks: self.superblocks,
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
            sums: (file.tail_bytes > 0).then_some(Sums {
                whole: file.checksum,
                tail_bytes: file.tail_bytes,
                tail: file.tail_checksum,
            }),
        });
        Some(Manifest {
            store: u128::from(message.store_high) << 64 | u128::from(message.store_low),
            number: message.number,
            low: message.low_sequence,
            files: files.collect(),
            superblocks: message.superblocks,
        })
    }
}

/// Returns the numbers and names of all manifests in a folder.
pub fn names(folder: &Path) -> io::Result<Vec<(u64, String)>> {
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
            sums: Some(Sums { whole: 1 << 31, tail_bytes: 5, tail: 3 }),
        };
        let files = vec![file.clone(), File { sums: None, ..file }];
        let manifest = |number| {
            let (files, low) = (files.clone(), number * 10);
            Manifest { store: 5 << 70 | 9, number, low, files, superblocks: number > 2 }
        };
        for number in 1..5 {
            manifest(number).write(path).unwrap();
            manifest(number).remove_older(path).unwrap();
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
