//! The plan: the resolved, language-neutral analysis of a schema (`spec/plan.md`), as emitters see it.
//!
//! The types mirror the JSON of `--emit_plan`. They also have the data that emitters need beyond it: links by index
//! instead of names, the messages of files that are only imported, the tree of nested types, and doc comments.
//! Messages, enums and files of the requested files come first, in the order of the JSON.

mod analyse;
mod defaults;
mod features;
mod fields;
pub(crate) mod graph;
mod json;
mod services;
mod tier;

pub use analyse::analyse;
pub(crate) use analyse::join;

use crate::error::SchemaError;
use std::ops::Index;

/// The index of a file in [`Plan::files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub usize);

/// The index of a message in [`Plan::messages`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub usize);

/// The index of an enum in [`Plan::enums`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub usize);

/// A resolved schema: all declarations of the requested files and of their imports.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The requested files in the order of the set, then all others in the order of the set.
    pub files: Vec<File>,
    /// In order of files, and in a file in order of declaration; each message is followed by its nested messages, depth
    /// first.
    pub messages: Vec<Message>,
    /// In order of files; the top-level ones first, then those of the messages.
    pub enums: Vec<Enum>,
    /// The extensions, by the full name of the extendee; those of one extendee in order of files, then of numbers.
    pub extensions: Vec<Extendee>,
    /// The services, in order of files, then of declaration. The plan's JSON does not have them: no face depends on them.
    pub services: Vec<Service>,
}

/// A service, for generators of RPC code ([`crate::Extension`]).
#[derive(Clone, Debug)]
pub struct Service {
    /// Full name without a leading dot.
    pub name: String,
    /// Last part of the name.
    pub short_name: String,
    /// The file that declares it.
    pub file: FileId,
    /// Its methods in order of declaration.
    pub methods: Vec<Method>,
    /// Why the service cannot be used. This is no error of the plan, because no face depends on services.
    pub fault: Option<SchemaError>,
    /// Leading and trailing comment, raw.
    pub doc: String,
}

/// A method of a service.
#[derive(Clone, Debug)]
pub struct Method {
    /// The name in the schema.
    pub name: String,
    /// The type of requests.
    pub input: MessageId,
    /// The type of responses.
    pub output: MessageId,
    /// Whether the client sends a stream.
    pub client_streaming: bool,
    /// Whether the server sends a stream.
    pub server_streaming: bool,
    /// Whether it is marked deprecated.
    pub deprecated: bool,
    /// Leading and trailing comment, raw.
    pub doc: String,
}

/// One `.proto` file.
#[derive(Clone, Debug)]
pub struct File {
    /// The name as in the descriptor: `a/b.proto`.
    pub name: String,
    /// The package, `""` if the file has none.
    pub package: String,
    /// Syntax of the file.
    pub syntax: Syntax,
    /// Imports, as in the descriptor.
    pub dependencies: Vec<String>,
    /// Imports for options only (edition 2024); they may be missing from the set.
    pub option_dependencies: Vec<String>,
    /// Whether the file was requested: only such files are printed and generated.
    pub requested: bool,
    /// Comment above the `syntax` or `edition` line, raw.
    pub doc: String,
}

/// The syntax or edition of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `syntax = "proto2"`, or none.
    Proto2,
    /// `syntax = "proto3"`.
    Proto3,
    /// `edition = "2023"`.
    Edition2023,
    /// `edition = "2024"`.
    Edition2024,
}

/// A message, which may be a map entry.
#[derive(Clone, Debug)]
pub struct Message {
    /// Full name without a leading dot.
    pub name: String,
    /// Last part of the name.
    pub short_name: String,
    /// The file that declares it.
    pub file: FileId,
    /// The message it is nested in.
    pub parent: Option<MessageId>,
    /// Nested messages, including map entries, in order of declaration.
    pub nested: Vec<MessageId>,
    /// Nested enums, in order of declaration.
    pub enums: Vec<EnumId>,
    /// Whether it is the entry of a map field.
    pub map_entry: bool,
    /// Whether it has `message_set_wire_format`.
    pub message_set: bool,
    /// The number of its recursion component, 0 if it cannot contain itself.
    pub recursion: u32,
    /// The largest encoded size, if that is bounded.
    pub max_size: Option<u32>,
    /// The estimated size in memory (PLN-19).
    pub row_bytes: u64,
    /// The tier that the rule chooses for its code (PLN-32).
    pub tier: Tier,
    /// Extension ranges in order of declaration.
    pub extension_ranges: Vec<ExtensionRange>,
    /// The real oneofs in order of declaration.
    pub oneofs: Vec<Oneof>,
    /// The fields, in ascending order of numbers; the index is the slot.
    pub fields: Vec<Field>,
    /// Whether it is marked deprecated.
    pub deprecated: bool,
    /// Leading and trailing comment, raw.
    pub doc: String,
    /// The line of its declaration, counted from 1, if there is source info.
    pub line: Option<u32>,
}

/// Field numbers that are reserved for extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtensionRange {
    /// First number.
    pub start: u32,
    /// The number after the last one.
    pub end: u32,
}

/// A oneof that the schema declares (not the synthetic one of a proto3 `optional`).
#[derive(Clone, Debug)]
pub struct Oneof {
    /// Name as in the schema.
    pub name: String,
    /// Slots of its members, ascending.
    pub slots: Vec<usize>,
    /// Leading and trailing comment, raw.
    pub doc: String,
}

/// A field, or the value of an extension (then `slot`, `oneof`, `child_storage` and `next` are empty).
#[derive(Clone, Debug)]
pub struct Field {
    /// Name as in the schema.
    pub name: String,
    /// Field number.
    pub number: u32,
    /// Index among the fields of the message.
    pub slot: usize,
    /// Type; a proto2 group is [`Type::Message`] with `delimited`.
    pub ty: Type,
    /// The presence, which includes repeated.
    pub presence: Presence,
    /// Index in [`Message::oneofs`].
    pub oneof: Option<usize>,
    /// Whether writers pack it.
    pub packed: bool,
    /// Whether its strings are checked; `None` for other types.
    pub utf8: Option<Utf8>,
    /// Whether it is enclosed in start and end tags.
    pub delimited: bool,
    /// Wire type of one element, unpacked.
    pub wire_type: u8,
    /// The tag bytes as written (wire type 2 if packed). Empty for a message-set item above 2^29 − 1.
    pub tag: Vec<u8>,
    /// Size class of one element.
    pub size_class: SizeClass,
    /// Its message type.
    pub message: Option<MessageId>,
    /// Its enum type.
    pub enum_type: Option<EnumId>,
    /// Types of key and value of a map field; `message` is its entry.
    pub map: Option<(Type, Type)>,
    /// The default that the schema specifies.
    pub default: Option<DefaultValue>,
    /// The recommended storage of a message child; `None` for other types.
    pub child_storage: Option<ChildStorage>,
    /// The slots that may be expected after this field.
    pub next: Vec<usize>,
    /// The name in JSON, if it does not follow from `name`. It is no part of the plan's JSON.
    pub json_name: Option<String>,
    /// Whether it is marked deprecated.
    pub deprecated: bool,
    /// Leading and trailing comment, raw.
    pub doc: String,
    /// The line of its declaration, counted from 1, if there is source info.
    pub line: Option<u32>,
}

/// Types of values, with the names of the JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Type {
    Double,
    Float,
    Int64,
    Uint64,
    Int32,
    Fixed64,
    Fixed32,
    Bool,
    String,
    Message,
    Bytes,
    Uint32,
    Enum,
    Sfixed32,
    Sfixed64,
    Sint32,
    Sint64,
}

/// How a field represents whether it is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Presence {
    Implicit,
    Explicit,
    Required,
    Repeated,
}

/// Whether a string is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Utf8 {
    Verify,
    None,
}

/// The shape of one encoded element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SizeClass {
    Bool,
    Varint32,
    Varint64,
    Fix4,
    Fix8,
    Len,
    Group,
}

/// The recommended storage of a message child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ChildStorage {
    Value,
    Pointer,
}

/// The kind of code that a message gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Tier {
    Straight,
    Table,
}

/// A default that the schema specifies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefaultValue {
    /// Signed integers.
    Int(i64),
    /// Unsigned integers.
    Uint(u64),
    /// `bool`.
    Bool(bool),
    /// `float`, IEEE bits.
    Float(u32),
    /// `double`, IEEE bits.
    Double(u64),
    /// `string`, as it is in the descriptor (not always UTF-8).
    String(Vec<u8>),
    /// `bytes`, unescaped.
    Bytes(Vec<u8>),
    /// Enum value.
    Enum {
        /// Name of the value.
        name: String,
        /// Its number.
        number: i32,
    },
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Full name without a leading dot.
    pub name: String,
    /// Last part of the name.
    pub short_name: String,
    /// The file that declares it.
    pub file: FileId,
    /// The message it is nested in.
    pub parent: Option<MessageId>,
    /// Whether undefined values are unknown fields.
    pub closed: bool,
    /// Values in order of declaration, never empty.
    pub values: Vec<EnumValue>,
    /// Whether it is marked deprecated.
    pub deprecated: bool,
    /// Leading and trailing comment, raw.
    pub doc: String,
    /// The line of its declaration, counted from 1, if there is source info.
    pub line: Option<u32>,
}

/// A value of an enum.
#[derive(Clone, Debug)]
pub struct EnumValue {
    /// Name as in the schema.
    pub name: String,
    /// Number.
    pub number: i32,
    /// Whether it is marked deprecated.
    pub deprecated: bool,
    /// Leading and trailing comment, raw.
    pub doc: String,
}

/// The extensions of one message.
#[derive(Clone, Debug)]
pub struct Extendee {
    /// The message they extend.
    pub message: MessageId,
    /// In order of files as in the plan, then of numbers.
    pub fields: Vec<Extension>,
}

/// An extension.
#[derive(Clone, Debug)]
pub struct Extension {
    /// Full name without a leading dot.
    pub name: String,
    /// The file that declares it.
    pub file: FileId,
    /// The message that declares it, if it is nested.
    pub scope: Option<MessageId>,
    /// Whether it extends a message set, as one item per value.
    pub message_set_item: bool,
    /// Name, number, type and so on.
    pub field: Field,
}

impl Index<FileId> for Plan {
    type Output = File;
    fn index(&self, id: FileId) -> &File {
        &self.files[id.0]
    }
}

impl Index<MessageId> for Plan {
    type Output = Message;
    fn index(&self, id: MessageId) -> &Message {
        &self.messages[id.0]
    }
}

impl Index<EnumId> for Plan {
    type Output = Enum;
    fn index(&self, id: EnumId) -> &Enum {
        &self.enums[id.0]
    }
}

impl Plan {
    /// Returns the ids of the messages of one file, in order.
    pub fn messages_of(&self, file: FileId) -> impl Iterator<Item = MessageId> + use<> {
        // Messages are in order of files.
        let start = self.messages.partition_point(|m| m.file < file);
        let end = self.messages.partition_point(|m| m.file <= file);
        (start..end).map(MessageId)
    }

    /// Returns the ids of the enums of one file, in order.
    pub fn enums_of(&self, file: FileId) -> impl Iterator<Item = EnumId> + use<> {
        let start = self.enums.partition_point(|e| e.file < file);
        let end = self.enums.partition_point(|e| e.file <= file);
        (start..end).map(EnumId)
    }

    /// Returns the message with this full name.
    pub fn find_message(&self, name: &str) -> Option<MessageId> {
        self.messages.iter().position(|m| m.name == name).map(MessageId)
    }

    /// Returns the extensions that a file declares, with the messages they extend, in the order of the plan.
    pub fn extensions_of(&self, file: FileId) -> impl Iterator<Item = (MessageId, &Extension)> + '_ {
        self.extensions
            .iter()
            .flat_map(|e| e.fields.iter().map(move |x| (e.message, x)))
            .filter(move |(_, x)| x.file == file)
    }

    /// Returns the key and value fields of a map entry, which is the `message` of the map field.
    pub fn map_fields(&self, entry: MessageId) -> (&Field, &Field) {
        let fields = &self[entry].fields;
        (&fields[0], &fields[1])
    }
}

impl Type {
    /// Returns the name in the JSON and in a `.proto` file.
    pub fn name(self) -> &'static str {
        match self {
            Type::Double => "double",
            Type::Float => "float",
            Type::Int64 => "int64",
            Type::Uint64 => "uint64",
            Type::Int32 => "int32",
            Type::Fixed64 => "fixed64",
            Type::Fixed32 => "fixed32",
            Type::Bool => "bool",
            Type::String => "string",
            Type::Message => "message",
            Type::Bytes => "bytes",
            Type::Uint32 => "uint32",
            Type::Enum => "enum",
            Type::Sfixed32 => "sfixed32",
            Type::Sfixed64 => "sfixed64",
            Type::Sint32 => "sint32",
            Type::Sint64 => "sint64",
        }
    }

    /// Reports whether repeated fields of this type can be packed.
    pub fn is_packable(self) -> bool {
        !matches!(self, Type::String | Type::Bytes | Type::Message)
    }

    /// Returns the size class of one element (PLN-15); `delimited` matters for messages only.
    pub fn size_class(self, delimited: bool) -> SizeClass {
        match self {
            Type::Bool => SizeClass::Bool,
            Type::Uint32 | Type::Sint32 => SizeClass::Varint32,
            Type::Int32 | Type::Int64 | Type::Uint64 | Type::Sint64 | Type::Enum => SizeClass::Varint64,
            Type::Fixed32 | Type::Sfixed32 | Type::Float => SizeClass::Fix4,
            Type::Fixed64 | Type::Sfixed64 | Type::Double => SizeClass::Fix8,
            Type::Message if delimited => SizeClass::Group,
            Type::String | Type::Bytes | Type::Message => SizeClass::Len,
        }
    }
}

impl SizeClass {
    /// Returns the name in the JSON.
    pub fn name(self) -> &'static str {
        match self {
            SizeClass::Bool => "bool",
            SizeClass::Varint32 => "varint32",
            SizeClass::Varint64 => "varint64",
            SizeClass::Fix4 => "fix4",
            SizeClass::Fix8 => "fix8",
            SizeClass::Len => "len",
            SizeClass::Group => "group",
        }
    }

    /// Returns the wire type of one element.
    pub fn wire_type(self) -> u8 {
        match self {
            SizeClass::Bool | SizeClass::Varint32 | SizeClass::Varint64 => 0,
            SizeClass::Fix8 => 1,
            SizeClass::Len => 2,
            SizeClass::Group => 3,
            SizeClass::Fix4 => 5,
        }
    }
}

impl Presence {
    /// Returns the name in the JSON.
    pub fn name(self) -> &'static str {
        match self {
            Presence::Implicit => "implicit",
            Presence::Explicit => "explicit",
            Presence::Required => "required",
            Presence::Repeated => "repeated",
        }
    }
}

impl Syntax {
    /// Returns `syntax` of the JSON.
    pub fn name(self) -> &'static str {
        match self {
            Syntax::Proto2 => "proto2",
            Syntax::Proto3 => "proto3",
            Syntax::Edition2023 | Syntax::Edition2024 => "editions",
        }
    }

    /// Returns `edition` of the JSON.
    pub fn edition(self) -> &'static str {
        match self {
            Syntax::Proto2 | Syntax::Proto3 => "",
            Syntax::Edition2023 => "2023",
            Syntax::Edition2024 => "2024",
        }
    }
}

impl Field {
    /// Reports whether it is repeated, which includes maps.
    pub fn is_repeated(&self) -> bool {
        self.presence == Presence::Repeated
    }

    /// Reports whether it is a map.
    pub fn is_map(&self) -> bool {
        self.map.is_some()
    }
}
