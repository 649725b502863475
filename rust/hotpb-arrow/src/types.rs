//! Message types, from a descriptor set.

use crate::compile::compile;
use crate::error::Error;
use crate::options::{Options, ReadOptions};
use crate::reader::Reader;
use crate::stream::Delimited;
use crate::table::Inner;
use arrow_schema::SchemaRef;
use hotpb_codegen::plan::Plan;
use std::io::Read;
use std::sync::Arc;

/// The message types of a descriptor set.
#[derive(Clone)]
pub struct Types {
    plan: Arc<Plan>,
}

impl Types {
    /// Reads a `FileDescriptorSet` with all imports, as `protoc --include_imports --descriptor_set_out` writes it: proto2,
    /// proto3, editions 2023 and 2024. The set may come from outside: one that cannot be used is `InvalidSchema`.
    pub fn read(descriptor_set: &[u8]) -> Result<Types, Error> {
        let files = hotpb_codegen::descriptor::read_set(descriptor_set).map_err(schema_error)?;
        let plan = hotpb_codegen::analyse(&files, &[]).map_err(schema_error)?;
        Ok(Types { plan: Arc::new(plan) })
    }

    /// Returns the full names of the messages, without map entries.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.plan.messages.iter().filter(|message| !message.map_entry).map(|message| message.name.as_str())
    }

    /// Compiles the table of a message, by its full name.
    pub fn table(&self, message: &str, options: &Options) -> Result<Table, Error> {
        let id = self.plan.find_message(message).ok_or_else(|| {
            let last = message.rsplit('.').next().unwrap_or(message);
            let similar: Vec<&str> = self.messages().filter(|name| name.rsplit('.').next() == Some(last)).collect();
            let problem = match similar[..] {
                [] => "the descriptor set has no such message".to_string(),
                _ => format!("the descriptor set has no such message, but {}", similar.join(", ")),
            };
            Error::schema(message, problem)
        })?;
        Ok(Table { inner: Arc::new(compile(&self.plan, id, options)?) })
    }
}

fn schema_error(e: hotpb_codegen::SchemaError) -> Error {
    let text = e.to_string();
    Error::schema("", text.strip_prefix("InvalidSchema: ").unwrap_or(&text))
}

/// A message type as a table: its Arrow schema, and how to read and write its rows. It can be shared between threads.
#[derive(Clone)]
pub struct Table {
    pub(crate) inner: Arc<Inner>,
}

impl Table {
    /// Returns the schema of the batches. Its metadata has the name of the rows' message under the key `message`; that of
    /// each column has the field number under the key `PARQUET:field_id`.
    pub fn schema(&self) -> SchemaRef {
        self.inner.schema.clone()
    }

    /// Returns the full name of the message that is read.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// Returns the full name of the message whose fields are the columns: with [`Options::rows`], an element.
    pub fn row_message(&self) -> &str {
        &self.inner.row_message
    }

    /// Creates a reader for messages that come one at a time, such as payloads of Kafka records.
    pub fn reader(&self, options: ReadOptions) -> Reader {
        Reader::new(self.inner.clone(), options)
    }

    /// Reads the messages of a delimited stream; a slice is one, too.
    pub fn read_delimited<R: Read>(&self, source: R, options: ReadOptions) -> Delimited<R> {
        Delimited::new(source, self.reader(options))
    }
}
