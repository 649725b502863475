//! The store: rows in memory, files, and the list of files.

pub mod columns;
pub mod gather;
pub mod files;
pub mod manifest;
pub mod head;
