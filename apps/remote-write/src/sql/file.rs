//! Files of a snapshot, for any number of readers at a time.

use crate::store::snapshot::Snapshot;
use bytes::Bytes;
use datafusion::error::{DataFusionError, Result};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// An open file. Readers name the byte that they read, so they do not move each other's place.
pub struct StoreFile(Arc<File>);

/// Opens a file of a snapshot.
pub fn open(snapshot: &Snapshot, path: &str) -> Result<StoreFile> {
    let at = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", snapshot.data.join(path).display()));
    Ok(StoreFile(snapshot.open(path).map_err(|e| DataFusionError::IoError(at(e)))?))
}

impl Length for StoreFile {
    fn len(&self) -> u64 {
        self.0.metadata().map_or(0, |metadata| metadata.len())
    }
}

impl ChunkReader for StoreFile {
    type T = BufReader<At>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::new(At { file: Arc::clone(&self.0), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        // Before there is memory for it.
        if start.checked_add(length as u64).is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF(format!("{length} bytes at byte {start} are not there")));
        }
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, start)?;
        Ok(bytes.into())
    }
}

/// A place in a file.
pub struct At {
    file: Arc<File>,
    at: u64,
}

impl Read for At {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(bytes, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
