//! The store: rows in memory, files, and the list of files.

pub mod check;
pub mod columns;
pub mod files;
mod footprint;
pub mod gather;
pub mod head;
pub mod list;
pub mod manifest;
pub mod merge;
pub mod parquet_file;
pub mod snapshot;
pub mod superseded;
