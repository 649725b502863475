//! Messages into batches.

use crate::decode::{Decoder, Fault, cut};
use crate::error::ReadError;
use crate::finish;
use crate::missing::missing;
use crate::options::ReadOptions;
use crate::store::Stores;
use crate::table::{Inner, ROOT};
use arrow_array::RecordBatch;
use hotpb::Code;
use hotpb::wire::__rt::{Limits, Spent};
use std::collections::VecDeque;
use std::sync::Arc;

/// Reads messages, one after the other, into record batches.
///
/// A bad message leaves no trace in the columns. After its error the reader goes on with the next message.
pub struct Reader {
    table: Arc<Inner>,
    options: ReadOptions,
    stores: Stores,
    /// The messages in the stores.
    messages_here: usize,
    bytes_here: usize,
    ready: VecDeque<RecordBatch>,
    messages: u64,
    skipped: u64,
    first_skipped: Option<ReadError>,
}

impl Reader {
    pub(crate) fn new(table: Arc<Inner>, options: ReadOptions) -> Reader {
        let stores = table.stores.clone();
        Reader {
            table,
            options,
            stores,
            messages_here: 0,
            bytes_here: 0,
            ready: VecDeque::new(),
            messages: 0,
            skipped: 0,
            first_skipped: None,
        }
    }

    /// Reads a message. Returns a batch if one is full; `finish` returns the rest.
    pub fn push(&mut self, message: &[u8]) -> Result<Option<RecordBatch>, ReadError> {
        self.push_at(message, 0)
    }

    /// Reads a message of a stream, at this offset.
    pub(crate) fn push_at(&mut self, message: &[u8], offset: usize) -> Result<Option<RecordBatch>, ReadError> {
        // The offsets of strings have 32 bits, so a batch has room for less than 2 GiB of messages.
        if self.bytes_here + message.len() > i32::MAX as usize {
            self.end_batch();
        }
        let index = self.messages;
        self.messages += 1;
        match self.decode(message) {
            Ok(()) => {
                self.messages_here += 1;
                // A row takes memory even when its message is empty.
                self.bytes_here += message.len() + self.table.nodes[ROOT as usize].width as usize;
                if self.rows() >= self.options.batch_rows || self.bytes_here >= self.options.batch_bytes {
                    self.end_batch();
                }
            }
            Err(error) => self.bad(ReadError { message: index, error: error.shifted(offset) })?,
        }
        Ok(self.ready.pop_front())
    }

    /// Counts a bad message, or returns its error.
    fn bad(&mut self, error: ReadError) -> Result<(), ReadError> {
        if !self.options.skip_bad {
            return Err(error);
        }
        self.skipped += 1;
        self.first_skipped.get_or_insert(error);
        Ok(())
    }

    /// Returns the rows that no batch has yet, and a batch that `push` had no occasion to return. Call it until it
    /// returns `None`.
    pub fn finish(&mut self) -> Option<RecordBatch> {
        if self.ready.is_empty() {
            self.end_batch();
        }
        self.ready.pop_front()
    }

    /// Returns the number of rows that wait for the next batch.
    pub fn rows(&self) -> usize {
        match self.stores.lists.get(self.table.rows as usize) {
            Some(list) => list.rows,
            None => self.messages_here,
        }
    }

    /// Returns the number of messages that were read, bad ones included.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Returns the number of bad messages that were skipped.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Returns the error of the first message that was skipped.
    pub fn first_skipped(&self) -> Option<&ReadError> {
        self.first_skipped.as_ref()
    }

    /// Returns the size limit of a message ([`ReadOptions::max_size`]).
    pub fn max_size(&self) -> usize {
        self.options.size
    }

    pub(crate) fn schema(&self) -> arrow_schema::SchemaRef {
        self.table.schema.clone()
    }

    fn end_batch(&mut self) {
        if self.rows() > 0 {
            self.ready.push_back(finish::batch(&self.table, &mut self.stores, self.messages_here));
        } else if self.messages_here > 0 {
            // Messages without a row: their lists are empty.
            drop(finish::batch(&self.table, &mut self.stores, self.messages_here));
        }
        (self.messages_here, self.bytes_here) = (0, 0);
    }

    fn decode(&mut self, message: &[u8]) -> Result<(), hotpb::Error> {
        let options = &self.options;
        if message.len() > options.size {
            return Err(hotpb::Error::new(Code::SizeExceeded, 0));
        }
        for dictionary in &mut self.stores.dictionaries {
            dictionary.mark = dictionary.values.len();
        }
        let row = self.messages_here;
        let limits = Limits { depth: options.depth, size: options.size, ..Limits::default() };
        let memory = options.memory.unwrap_or_else(|| (1 << 20).max(message.len().saturating_mul(32)));
        let mut decoder = Decoder::new(&self.table, &mut self.stores, message, limits, memory);
        let result = match decoder.root(row) {
            None => Err(decoder.fault),
            Some(()) => Ok(()),
        };
        let error = match result {
            Ok(()) if options.allow_partial || !self.table.required => return Ok(()),
            Ok(()) => match missing(&self.table, &self.stores, row) {
                None => return Ok(()),
                Some(path) => hotpb::Error::new(Code::MissingRequired, message.len()).with_path(&path),
            },
            Err(fault) => self.why(message, &limits, fault),
        };
        self.roll_back(row);
        Err(error)
    }

    /// Finds the error of a message that the fast decoder refused.
    #[cold]
    fn why(&self, message: &[u8], limits: &Limits, fault: Option<Fault>) -> hotpb::Error {
        let spent = match fault {
            Some(Fault::Memory(at) | Fault::Time(at)) => Some(Spent::Memory(at)),
            None => None,
        };
        match (self.table.check.run(ROOT as usize, message, limits, spent), fault) {
            (Err(error), Some(Fault::Time(_))) if error.code() == Code::CountExceeded => {
                hotpb::Error::new(Code::TypeMismatch, error.offset()).with_path(error.path())
            }
            (Err(error), _) => error,
            // A message whose root, or whose text, has no room.
            (Ok(()), _) => hotpb::Error::new(Code::CountExceeded, 0),
        }
    }

    #[cold]
    fn roll_back(&mut self, row: usize) {
        for &column in &self.table.root {
            cut(&self.table.columns, &mut self.stores, column, row);
        }
        self.stores.dictionaries.iter_mut().for_each(|dictionary| dictionary.roll_back());
    }
}
