//! The content of a file.

use crate::files::Compression;
use hotpb_arrow::{Error, Options, ReadOptions, Table, Types};
use std::fmt;

/// How the messages of a file follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Each message has its length before it, as `writeDelimitedTo` writes it.
    #[default]
    Delimited,
    /// The file is one message. With [`Options::rows`], the elements of one of its fields are the rows.
    Whole,
}

/// The content of a file: a message type, how it becomes columns, and how messages follow each other.
#[derive(Clone)]
pub struct ProtoFormat {
    pub(crate) types: Types,
    pub(crate) message: String,
    pub(crate) options: Options,
    pub(crate) read: ReadOptions,
    pub(crate) framing: Framing,
    pub(crate) compression: Compression,
    pub(crate) filter_push_down: bool,
}

impl ProtoFormat {
    /// Creates the format of delimited files of a message, by its full name.
    pub fn new(types: Types, message: impl Into<String>) -> ProtoFormat {
        ProtoFormat {
            types,
            message: message.into(),
            options: Options::new(),
            read: ReadOptions::new(),
            framing: Framing::default(),
            compression: Compression::default(),
            filter_push_down: true,
        }
    }

    /// Sets how messages become columns.
    pub fn options(mut self, options: Options) -> ProtoFormat {
        self.options = options;
        self
    }

    /// Sets limits, and whether bad messages are skipped. The number of rows in a batch is the session's.
    pub fn read_options(mut self, read: ReadOptions) -> ProtoFormat {
        self.read = read;
        self
    }

    /// Sets how messages follow each other.
    pub fn framing(mut self, framing: Framing) -> ProtoFormat {
        self.framing = framing;
        self
    }

    /// Sets how files are compressed.
    pub fn compression(mut self, compression: Compression) -> ProtoFormat {
        self.compression = compression;
        self
    }

    /// Sets whether the table applies filters itself (ARW-64), which it does by default. The result is the same.
    pub fn filter_push_down(mut self, on: bool) -> ProtoFormat {
        self.filter_push_down = on;
        self
    }

    /// Compiles the table of all columns.
    pub(crate) fn table(&self) -> Result<Table, Error> {
        self.types.table(&self.message, &self.options)
    }

    /// Compiles the table of some of its fields.
    pub(crate) fn narrow(&self, fields: &[&str]) -> Result<Table, Error> {
        self.types.table(&self.message, &self.options.clone().narrow(fields))
    }
}

impl fmt::Debug for ProtoFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProtoFormat")
            .field("message", &self.message)
            .field("options", &self.options)
            .field("read", &self.read)
            .field("framing", &self.framing)
            .field("compression", &self.compression)
            .field("filter_push_down", &self.filter_push_down)
            .finish_non_exhaustive()
    }
}
