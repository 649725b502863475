//! The command line.

use crate::output::Format;
use clap::{ArgGroup, Parser};
use hotpb_arrow::{Options, ReadOptions};
use hotpb_datafusion::{Compression, Framing, ProtoFormat};
use std::num::NonZero;
use std::path::PathBuf;

/// SQL over files of Protocol Buffers messages.
///
/// A path in quotes is a table: select count(*) from 'orders/*.pb.gz'.
#[derive(Parser)]
#[command(name = "protosql", version, max_term_width = 100, group = ArgGroup::new("schema").required(true))]
pub struct Args {
    /// The schema, as a .proto file of proto2 or proto3
    #[arg(long, value_name = "FILE", group = "schema")]
    pub proto: Option<PathBuf>,
    /// A folder of the .proto file and of its imports; by default the folder that the file is in. May be repeated
    #[arg(short = 'I', long = "proto_path", value_name = "FOLDER", requires = "proto")]
    pub proto_path: Vec<PathBuf>,
    /// The schema, as protoc --include_imports --descriptor_set_out=FILE writes it
    #[arg(long = "descriptor_set", value_name = "FILE", group = "schema")]
    pub descriptor_set: Option<PathBuf>,
    /// The message of the paths in the query, and of tables without one of their own: its full name
    #[arg(long, value_name = "MESSAGE")]
    pub message: Option<String>,
    /// A table: NAME=PATH or NAME:MESSAGE=PATH; PATH is a file, a folder, or a pattern. May be repeated
    #[arg(long = "table", value_name = "NAME=PATH", value_parser = Table::read)]
    pub tables: Vec<Table>,
    /// Each file is one message, instead of messages with their lengths before them
    #[arg(long)]
    whole: bool,
    /// The rows are the elements of this repeated message field
    #[arg(long, value_name = "FIELD.FIELD")]
    rows: Option<String>,
    /// Only these columns exist: names as in `customer.name`
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    columns: Vec<String>,
    /// How files are compressed, instead of what their names end in
    #[arg(long, value_name = "none|gzip|zstd", value_parser = compression)]
    compression: Option<Compression>,
    /// Skips bad messages, and says how many there were
    #[arg(long = "skip_bad")]
    skip_bad: bool,
    /// The most bytes of a message
    #[arg(long = "max_size", value_name = "BYTES")]
    max_size: Option<usize>,
    /// How to print rows: table, csv, json (a line for each row); by default a table, or what --out ends in
    #[arg(long = "format", value_name = "FORMAT", value_parser = Format::read)]
    pub output: Option<Format>,
    /// Writes the rows to a file: .parquet, .arrow, .csv, .json
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The most rows that are printed as a table
    #[arg(long = "max_rows", value_name = "ROWS", default_value = "1000")]
    pub max_rows: usize,
    /// The number of threads; by default one for each core
    #[arg(long, value_name = "THREADS")]
    pub threads: Option<NonZero<usize>>,
    /// The query
    pub query: String,
}

/// A table with a name.
#[derive(Clone)]
pub struct Table {
    pub name: String,
    pub message: Option<String>,
    pub path: String,
}

impl Table {
    fn read(text: &str) -> Result<Table, String> {
        let (left, path) = text.split_once('=').ok_or("it is NAME=PATH or NAME:MESSAGE=PATH")?;
        let (name, message) = match left.split_once(':') {
            Some((name, message)) => (name, Some(message.to_string())),
            None => (left, None),
        };
        if name.is_empty() || path.is_empty() {
            return Err("it is NAME=PATH or NAME:MESSAGE=PATH".to_string());
        }
        Ok(Table { name: name.to_string(), message, path: path.to_string() })
    }
}

fn compression(text: &str) -> Result<Compression, String> {
    match text {
        "none" => Ok(Compression::None),
        "gzip" => Ok(Compression::Gzip),
        "zstd" => Ok(Compression::Zstd),
        _ => Err("it is none, gzip or zstd".to_string()),
    }
}

impl Args {
    /// Adds what the command line says of all files.
    pub fn format(&self, format: ProtoFormat) -> ProtoFormat {
        let options = Options::new().columns(&self.columns).rows(self.rows.as_deref().unwrap_or_default());
        let mut read = ReadOptions::new();
        if self.skip_bad {
            read = read.skip_bad();
        }
        if let Some(bytes) = self.max_size {
            read = read.max_size(bytes);
        }
        let framing = if self.whole { Framing::Whole } else { Framing::Delimited };
        let compression = self.compression.unwrap_or_default();
        format.options(options).read_options(read).framing(framing).compression(compression)
    }
}
