//! How messages become columns.

use crate::select::split;
use arrow_schema::TimeUnit;

/// How messages become columns; `spec/arrow.md` has the whole mapping.
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Option<String>,
    pub(crate) dictionaries: Vec<String>,
    pub(crate) enum_numbers: bool,
    pub(crate) unions: bool,
    pub(crate) unchecked: Unchecked,
    pub(crate) recursion: Option<u32>,
    pub(crate) unit: TimeUnit,
    pub(crate) extensions: bool,
}

/// The form of strings that the schema does not check (proto2, editions with `utf8_validation = NONE`). A column of
/// Arrow's type Utf8 cannot hold ill-formed text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unchecked {
    /// Ill-formed sequences become U+FFFD.
    #[default]
    Replace,
    /// Ill-formed text is the error `InvalidUtf8`.
    Refuse,
    /// The column is Binary and holds the bytes as they are.
    Binary,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            columns: Vec::new(),
            rows: None,
            dictionaries: Vec::new(),
            enum_numbers: false,
            unions: false,
            unchecked: Unchecked::default(),
            recursion: Some(0),
            unit: TimeUnit::Nanosecond,
            extensions: false,
        }
    }
}

impl Options {
    /// Creates the default: all columns.
    pub fn new() -> Options {
        Options::default()
    }

    /// Reads only these columns: dotted names from the root of the rows, such as `resource.name`. The name of a message
    /// field stands for all of its fields. The decoder skips all other fields without decoding them (ARW-20).
    pub fn columns(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Options {
        self.columns.extend(columns.into_iter().map(Into::into));
        self
    }

    /// Keeps of the columns only these: names from the root of the rows, without dots. What [`columns`](Options::columns)
    /// chose below them stays chosen. A query engine narrows a table to the columns of one query this way.
    pub fn narrow(mut self, fields: impl IntoIterator<Item = impl AsRef<str>>) -> Options {
        let mut kept = Vec::new();
        for field in fields {
            let field = field.as_ref();
            let chosen = self.columns.iter().filter(|name| split(name)[0] == field).cloned();
            let before = kept.len();
            kept.extend(chosen);
            if kept.len() == before {
                kept.push(field.to_string());
            }
        }
        self.columns = kept;
        self
    }

    /// Makes the elements of this repeated message field the rows: `timeseries`, or `resource_logs.scope_logs`.
    pub fn rows(mut self, path: impl Into<String>) -> Options {
        self.rows = Some(path.into()).filter(|path| !path.is_empty());
        self
    }

    /// Makes these string fields dictionaries: dotted names as for [`columns`](Options::columns), or `*` for all strings.
    pub fn dictionaries(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Options {
        self.dictionaries.extend(columns.into_iter().map(Into::into));
        self
    }

    /// Makes enums Int32 columns of their numbers, instead of dictionaries of their names.
    pub fn enum_numbers(mut self) -> Options {
        self.enum_numbers = true;
        self
    }

    /// Makes each oneof one column, a sparse union, instead of one nullable column per member.
    pub fn unions(mut self) -> Options {
        self.unions = true;
        self
    }

    /// Sets how to read strings that the schema does not check.
    pub fn unchecked_strings(mut self, unchecked: Unchecked) -> Options {
        self.unchecked = unchecked;
        self
    }

    /// Sets how often a message is spelled out inside itself, 0 by default. A field that would do so once more is a
    /// Binary column of the message's bytes.
    pub fn recursion(mut self, levels: u32) -> Options {
        self.recursion = Some(levels);
        self
    }

    /// Refuses a message that contains itself, as `InvalidSchema`.
    pub fn refuse_recursion(mut self) -> Options {
        self.recursion = None;
        self
    }

    /// Sets the unit of `google.protobuf.Timestamp` and `Duration`, nanoseconds by default. A coarser unit rounds
    /// toward the past.
    pub fn time_unit(mut self, unit: TimeUnit) -> Options {
        self.unit = unit;
        self
    }

    /// Makes extensions that the descriptor set declares columns, too, named `[package.extension]`.
    pub fn extensions(mut self) -> Options {
        self.extensions = true;
        self
    }
}

/// The limits of a reader, and the size of its batches.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    pub(crate) batch_rows: usize,
    pub(crate) batch_bytes: usize,
    pub(crate) depth: u32,
    pub(crate) size: usize,
    pub(crate) memory: Option<usize>,
    pub(crate) allow_partial: bool,
    pub(crate) skip_bad: bool,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            batch_rows: 8192,
            batch_bytes: 64 << 20,
            depth: hotpb::wire::MAX_DEPTH,
            size: hotpb::wire::MAX_SIZE,
            memory: None,
            allow_partial: false,
            skip_bad: false,
        }
    }
}

impl ReadOptions {
    /// Creates the default: batches of 8192 rows, every limit at its default, and an error for the first bad message.
    pub fn new() -> ReadOptions {
        ReadOptions::default()
    }

    /// Sets the number of rows after which a batch is full. A message is never split: with [`Options::rows`], a batch may
    /// have more rows than this.
    pub fn batch_rows(mut self, rows: usize) -> ReadOptions {
        self.batch_rows = rows.max(1);
        self
    }

    /// Sets the number of bytes, of messages and of their rows in columns of fixed width, after which a batch is full:
    /// 64 MiB by default, and 1 GiB at most.
    pub fn batch_bytes(mut self, bytes: usize) -> ReadOptions {
        self.batch_bytes = bytes.clamp(1, 1 << 30);
        self
    }

    /// Sets the depth limit (LIM-1).
    pub fn depth(mut self, depth: u32) -> ReadOptions {
        self.depth = depth.min(hotpb::wire::DEPTH_CEILING);
        self
    }

    /// Sets the size limit of a message (LIM-2).
    pub fn max_size(mut self, bytes: usize) -> ReadOptions {
        self.size = bytes.min(hotpb::wire::MAX_SIZE);
        self
    }

    /// Sets the limit of the memory that the rows of one message take in the columns; by default 1 MiB, or 32 times the
    /// length of the message if that is more (ARW-24).
    pub fn max_memory(mut self, bytes: usize) -> ReadOptions {
        self.memory = Some(bytes);
        self
    }

    /// Accepts messages without their required fields: the columns have defaults there.
    pub fn allow_partial(mut self) -> ReadOptions {
        self.allow_partial = true;
        self
    }

    /// Skips and counts bad messages ([`Reader::skipped`](crate::Reader::skipped)) instead of returning their error.
    pub fn skip_bad(mut self) -> ReadOptions {
        self.skip_bad = true;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_table_keeps_what_was_chosen_below_a_field() {
        let options = Options::new().columns(["a.b", "[x.y].c", "d", "a.e"]).narrow(["a", "[x.y]"]);
        assert_eq!(options.columns, ["a.b", "a.e", "[x.y].c"]);
        assert_eq!(Options::new().narrow(["d", "a"]).columns, ["d", "a"]);
    }
}
