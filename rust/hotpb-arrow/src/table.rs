//! A compiled table: for each message, what to do with each tag; for each column, where its values are.

use crate::check::Check;
use crate::store::Stores;
use arrow_schema::{FieldRef, SchemaRef, TimeUnit};
use hotpb_codegen::plan::Type;

/// Stands for "none" in indices.
pub(crate) const NONE: u32 = u32::MAX;

/// The decoder's action for a record; `store` is the index in the arena of that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// Nothing: the table does not know the tag.
    Skip,
    /// The elements of a packed record; `element` says of which kind.
    Packed,
    /// int32, uint32: the low bits.
    Int32,
    /// int64, uint64.
    Int64,
    Sint32,
    Sint64,
    Bool,
    Fixed4,
    Fixed8,
    /// A string that is checked.
    Text,
    /// A string whose ill-formed sequences are replaced.
    Lossy,
    Bytes,
    /// The number of an enum.
    EnumNumber,
    /// The key of an enum's name; `more` is the dictionary.
    EnumName,
    /// A string that is checked, as a key; `more` is the dictionary.
    TextKey,
    /// The same, with ill-formed sequences replaced.
    LossyKey,
    /// A timestamp or duration.
    Time,
    /// A message; `more` is its node. Singular: `store` are the rows in which it is present, if that matters.
    Message,
    /// The same for elements of two checked strings with the numbers 1 and 2, such as labels.
    Pair,
    /// A wrapper; `more` is its node, `store` the column.
    Wrapper,
    /// A map entry; `more` is its node, `store` is 1 if its value is a closed enum.
    Entry,
    /// A message as bytes; `more` is its index in the check.
    Opaque,
    /// A oneof member that nobody asked for: it only clears the others.
    Hidden,
}

/// A tag that a node knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub tag: u32,
    pub does: Does,
    /// The same for one element, if `does` is `Packed`.
    pub element: Does,
    pub store: u32,
    pub more: u32,
    /// The list, if it is repeated.
    pub list: u32,
    pub oneof: u32,
    /// The column: the member of its oneof.
    pub column: u32,
    /// The cost of an element: the bytes of a row of its columns.
    pub width: u32,
    pub enumeration: u32,
}

/// A message at one place of the table.
#[derive(Default)]
pub(crate) struct Node {
    pub ops: Vec<Op>,
    /// The action for each small tag.
    small: Vec<Found>,
    pub required: Vec<u32>,
    /// The columns with messages that have required fields somewhere below.
    pub below: Vec<u32>,
    /// The bytes of a row of its columns, without those of lists.
    pub width: u32,
}

/// Tags below this are found by index: numbers up to 255.
const SMALL: u32 = 2048;

/// The action for a tag, and the index of its op: the decoder can branch before it has the op.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub does: Does,
    pub op: u16,
}

const SKIP: Found = Found { does: Does::Skip, op: 0 };

impl Node {
    pub fn index(&mut self) {
        self.ops.sort_by_key(|op| op.tag);
        let largest = self.ops.iter().map(|op| op.tag).filter(|&tag| tag < SMALL).max();
        self.small = vec![SKIP; largest.map_or(0, |tag| tag as usize + 1)];
        for (i, op) in self.ops.iter().enumerate().filter(|(_, op)| op.tag < SMALL) {
            self.small[op.tag as usize] = Found { does: op.does, op: i as u16 };
        }
    }

    #[inline(always)]
    pub fn find(&self, tag: u32) -> Found {
        match self.small.get(tag as usize) {
            Some(found) => *found,
            None => self.large(tag),
        }
    }

    #[inline(never)]
    fn large(&self, tag: u32) -> Found {
        let at = if tag < SMALL { Err(0) } else { self.ops.binary_search_by_key(&tag, |op| op.tag) };
        at.map_or(SKIP, |at| Found { does: self.ops[at].does, op: at as u16 })
    }
}

/// Where the values of a column are.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    W4(u32),
    W8(u32),
    Bool(u32),
    /// Utf8 or Binary.
    Blob(u32),
    Time(u32),
    /// An enum's names: keys, dictionary, enum.
    EnumName(u32, u32, u32),
    /// A dictionary of strings: keys, dictionary.
    TextKey(u32, u32),
    /// Children, and the rows in which it is present, if it may be absent.
    Struct(Vec<u32>, u32),
    /// List, and the column of elements.
    List(u32, u32),
    /// List, and the column of entries, which is a struct of key and value.
    Map(u32, u32),
    /// A oneof: its members.
    Union(Vec<u32>),
}

/// How a column is written as a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Plain,
    Wrapper,
    /// A message's bytes.
    Opaque,
}

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub field: FieldRef,
    pub kind: Kind,
    pub shape: Shape,
    /// The field number; 0 of a union.
    pub number: u32,
    pub ty: Type,
    /// The type inside a wrapper.
    pub inner: Type,
    /// Whether a zero is absent.
    pub implicit: bool,
    pub required: bool,
    pub packed: bool,
    pub delimited: bool,
    /// The name in error paths.
    pub name: String,
    /// The node of its message.
    pub node: u32,
}

/// An enum.
#[derive(Clone, Debug)]
pub(crate) struct EnumTable {
    pub closed: bool,
    /// Name and number of each value, without aliases, in order of declaration.
    pub values: Vec<(String, i32)>,
    /// All names, aliases included.
    pub names: Vec<(String, i32)>,
    /// By number: the index in `values`.
    sorted: Vec<(i32, u32)>,
    /// The indices of the numbers from 0 on, `NONE` where there is none.
    small: Vec<u32>,
}

impl EnumTable {
    pub fn new(closed: bool, names: Vec<(String, i32)>) -> EnumTable {
        let mut table = EnumTable { closed, values: Vec::new(), names, sorted: Vec::new(), small: vec![NONE; 64] };
        for (name, number) in &table.names {
            if let Err(at) = table.sorted.binary_search_by_key(number, |v| v.0) {
                let index = table.values.len() as u32;
                table.sorted.insert(at, (*number, index));
                table.values.push((name.clone(), *number));
                if let Some(small) = usize::try_from(*number).ok().and_then(|n| table.small.get_mut(n)) {
                    *small = index;
                }
            }
        }
        table
    }

    /// Returns the index of a number.
    #[inline]
    pub fn index(&self, number: i32) -> Option<u32> {
        match self.small.get(number as u32 as usize) {
            Some(&index) => Some(index).filter(|&index| index != NONE),
            None => self.sorted.binary_search_by_key(&number, |v| v.0).ok().map(|at| self.sorted[at].1),
        }
    }
}

/// A compiled table.
pub(crate) struct Inner {
    pub message: String,
    pub row_message: String,
    pub schema: SchemaRef,
    pub nodes: Vec<Node>,
    pub columns: Vec<Column>,
    pub enums: Vec<EnumTable>,
    /// The columns of the root message.
    pub root: Vec<u32>,
    /// The columns of the batch.
    pub out: Vec<u32>,
    /// The list whose elements are the rows.
    pub rows: u32,
    /// The empty stores that a reader starts with.
    pub stores: Stores,
    pub check: Check,
    /// Whether a required field is among the columns.
    pub required: bool,
    pub unit: TimeUnit,
}

/// The node of the root message.
pub(crate) const ROOT: u32 = 0;
