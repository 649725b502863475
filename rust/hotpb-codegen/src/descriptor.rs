//! Descriptors, as far as the plan needs them, read by hand with [`hotpb::wire`].
//!
//! The descriptor types of other crates lose edition features or cannot read newer editions. The numbers in the matches
//! below are the field numbers of `descriptor.proto` and `plugin.proto`. Fields that the plan does not need, and all
//! custom options, are skipped, after a check that they are well-formed.

use crate::error::SchemaError;
use hotpb::wire::Reader;
use std::collections::HashMap;

/// Messages nested deeper than this are rejected; protoc itself stops at 32.
const MAX_DEPTH: u32 = 100;

/// The request that a protoc plugin receives.
#[derive(Debug, Default)]
pub struct Request {
    /// The names of the files to generate.
    pub file_to_generate: Vec<String>,
    /// The options, as one string.
    pub parameter: String,
    /// The files and all their imports, imports first.
    pub files: Vec<FileProto>,
}

/// `FileDescriptorProto`.
#[derive(Debug, Default)]
pub struct FileProto {
    /// The name, as in imports.
    pub name: String,
    pub(crate) package: String,
    pub(crate) syntax: String,
    pub(crate) edition: i32,
    pub(crate) dependency: Vec<String>,
    pub(crate) option_dependency: Vec<String>,
    pub(crate) messages: Vec<MessageProto>,
    pub(crate) enums: Vec<EnumProto>,
    pub(crate) extensions: Vec<FieldProto>,
    pub(crate) services: Vec<ServiceProto>,
    pub(crate) features: Features,
    pub(crate) source: Source,
}

#[derive(Debug, Default)]
pub(crate) struct ServiceProto {
    pub name: String,
    pub methods: Vec<MethodProto>,
}

#[derive(Debug, Default)]
pub(crate) struct MethodProto {
    pub name: String,
    pub input: String,
    pub output: String,
    pub client_streaming: bool,
    pub server_streaming: bool,
    pub deprecated: bool,
}

#[derive(Debug, Default)]
pub(crate) struct MessageProto {
    pub name: String,
    pub fields: Vec<FieldProto>,
    pub nested: Vec<MessageProto>,
    pub enums: Vec<EnumProto>,
    pub extensions: Vec<FieldProto>,
    pub ranges: Vec<(i32, i32)>,
    pub oneofs: Vec<OneofProto>,
    pub map_entry: bool,
    pub message_set: bool,
    pub deprecated: bool,
    pub features: Features,
}

#[derive(Debug, Default)]
pub(crate) struct FieldProto {
    pub name: String,
    pub number: i32,
    pub label: i32,
    pub ty: i32,
    pub type_name: String,
    pub extendee: Option<String>,
    pub default: Option<Vec<u8>>,
    pub oneof_index: Option<i32>,
    pub proto3_optional: bool,
    pub json_name: Option<String>,
    pub packed: Option<bool>,
    pub deprecated: bool,
    pub features: Features,
}

#[derive(Debug, Default)]
pub(crate) struct OneofProto {
    pub name: String,
    pub features: Features,
}

#[derive(Debug, Default)]
pub(crate) struct EnumProto {
    pub name: String,
    pub values: Vec<EnumValueProto>,
    pub deprecated: bool,
    pub features: Features,
}

#[derive(Debug, Default)]
pub(crate) struct EnumValueProto {
    pub name: String,
    pub number: i32,
    pub deprecated: bool,
}

/// The features that affect the encoding; 0 inherits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Features {
    pub field_presence: i32,
    pub enum_type: i32,
    pub repeated_field_encoding: i32,
    pub utf8_validation: i32,
    pub message_encoding: i32,
}

/// `SourceCodeInfo`: the positions and comments of elements, by path.
#[derive(Debug, Default)]
pub(crate) struct Source {
    locations: HashMap<Vec<i32>, Location>,
}

#[derive(Debug, Default)]
struct Location {
    path: Vec<i32>,
    span: Vec<i32>,
    leading: String,
    trailing: String,
}

impl Source {
    /// Returns the line of an element, counted from 1.
    pub fn line(&self, path: &[i32]) -> Option<u32> {
        let first = *self.locations.get(path)?.span.first()?;
        u32::try_from(first).ok().map(|line| line + 1)
    }

    /// Returns the leading comment of an element, or the trailing one if there is no other.
    pub fn comment(&self, path: &[i32]) -> String {
        let Some(at) = self.locations.get(path) else { return String::new() };
        let text = if at.leading.trim().is_empty() { &at.trailing } else { &at.leading };
        text.trim_end().to_string()
    }
}

/// Reads an encoded `FileDescriptorSet`.
pub fn read_set(bytes: &[u8]) -> Result<Vec<FileProto>, SchemaError> {
    let mut files = Vec::new();
    fields(bytes, |number, value| {
        if let (1, Value::Bytes(b)) = (number, value) {
            files.push(file(b)?);
        }
        Ok(())
    })
    .map_err(|e| e.into_error("FileDescriptorSet"))?;
    Ok(files)
}

/// Reads an encoded `CodeGeneratorRequest`.
pub fn read_request(bytes: &[u8]) -> Result<Request, SchemaError> {
    let mut request = Request::default();
    fields(bytes, |number, value| {
        match (number, value) {
            (1, Value::Bytes(b)) => request.file_to_generate.push(text(b)?),
            (2, Value::Bytes(b)) => request.parameter = text(b)?,
            (15, Value::Bytes(b)) => request.files.push(file(b)?),
            _ => {}
        }
        Ok(())
    })
    .map_err(|e| e.into_error("CodeGeneratorRequest"))?;
    Ok(request)
}

/// Why a descriptor cannot be read.
enum Unreadable {
    Wire(hotpb::Error),
    TooDeep,
    NotText,
}

impl Unreadable {
    fn into_error(self, subject: &str) -> SchemaError {
        let why = match self {
            Unreadable::Wire(e) => e.code().name().to_string(),
            Unreadable::TooDeep => format!("messages are nested deeper than {MAX_DEPTH}"),
            Unreadable::NotText => "a name is not UTF-8".to_string(),
        };
        SchemaError {
            problem: format!("the input is not a readable {subject}: {why}"),
            fix: "pass a descriptor set that protoc wrote".to_string(),
            ..SchemaError::default()
        }
    }
}

type Read<T> = Result<T, Unreadable>;

enum Value<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
}

/// Calls `on` with each varint and length-delimited field; checks and skips the others.
fn fields<'a>(bytes: &'a [u8], mut on: impl FnMut(u32, Value<'a>) -> Read<()>) -> Read<()> {
    let mut reader = Reader::new(bytes);
    while let Some(tag) = reader.tag().map_err(Unreadable::Wire)? {
        match tag & 7 {
            0 => on(tag >> 3, Value::Varint(reader.varint().map_err(Unreadable::Wire)?))?,
            2 => on(tag >> 3, Value::Bytes(reader.bytes().map_err(Unreadable::Wire)?))?,
            _ => reader.skip(tag).map_err(Unreadable::Wire)?,
        }
    }
    Ok(())
}

fn text(bytes: &[u8]) -> Read<String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Unreadable::NotText)
}

fn file(bytes: &[u8]) -> Read<FileProto> {
    let mut f = FileProto::default();
    fields(bytes, |number, value| {
        match (number, value) {
            (1, Value::Bytes(b)) => f.name = text(b)?,
            (2, Value::Bytes(b)) => f.package = text(b)?,
            (3, Value::Bytes(b)) => f.dependency.push(text(b)?),
            (4, Value::Bytes(b)) => f.messages.push(message(b, 0)?),
            (5, Value::Bytes(b)) => f.enums.push(enumeration(b)?),
            (6, Value::Bytes(b)) => f.services.push(service(b)?),
            (7, Value::Bytes(b)) => f.extensions.push(field(b)?),
            (8, Value::Bytes(b)) => fields(b, |number, value| {
                if let (50, Value::Bytes(b)) = (number, value) {
                    features(b, &mut f.features)?;
                }
                Ok(())
            })?,
            (9, Value::Bytes(b)) => source(b, &mut f.source)?,
            (12, Value::Bytes(b)) => f.syntax = text(b)?,
            (14, Value::Varint(v)) => f.edition = v as i32,
            (15, Value::Bytes(b)) => f.option_dependency.push(text(b)?),
            _ => {}
        }
        Ok(())
    })?;
    Ok(f)
}

fn service(bytes: &[u8]) -> Read<ServiceProto> {
    let mut s = ServiceProto::default();
    fields(bytes, |number, value| {
        match (number, value) {
            (1, Value::Bytes(b)) => s.name = text(b)?,
            (2, Value::Bytes(b)) => s.methods.push(method(b)?),
            _ => {}
        }
        Ok(())
    })?;
    Ok(s)
}

fn method(bytes: &[u8]) -> Read<MethodProto> {
    let mut m = MethodProto::default();
    fields(bytes, |number, value| {
        match (number, value) {
            (1, Value::Bytes(b)) => m.name = text(b)?,
            (2, Value::Bytes(b)) => m.input = text(b)?,
            (3, Value::Bytes(b)) => m.output = text(b)?,
            (4, Value::Bytes(b)) => fields(b, |number, value| {
                if let (33, Value::Varint(v)) = (number, value) {
                    m.deprecated = v != 0;
                }
                Ok(())
            })?,
            (5, Value::Varint(v)) => m.client_streaming = v != 0,
            (6, Value::Varint(v)) => m.server_streaming = v != 0,
            _ => {}
        }
        Ok(())
    })?;
    Ok(m)
}

fn message(bytes: &[u8], depth: u32) -> Read<MessageProto> {
    if depth > MAX_DEPTH {
        return Err(Unreadable::TooDeep);
    }
    let mut m = MessageProto::default();
    fields(bytes, |number, value| {
        match (number, value) {
            (1, Value::Bytes(b)) => m.name = text(b)?,
            (2, Value::Bytes(b)) => m.fields.push(field(b)?),
            (3, Value::Bytes(b)) => m.nested.push(message(b, depth + 1)?),
            (4, Value::Bytes(b)) => m.enums.push(enumeration(b)?),
            (5, Value::Bytes(b)) => m.ranges.push(range(b)?),
            (6, Value::Bytes(b)) => m.extensions.push(field(b)?),
            (7, Value::Bytes(b)) => fields(b, |number, value| {
                match (number, value) {
                    (1, Value::Varint(v)) => m.message_set = v != 0,
                    (3, Value::Varint(v)) => m.deprecated = v != 0,
                    (7, Value::Varint(v)) => m.map_entry = v != 0,
                    (12, Value::Bytes(b)) => features(b, &mut m.features)?,
                    _ => {}
                }
                Ok(())
            })?,
            (8, Value::Bytes(b)) => m.oneofs.push(oneof(b)?),
            _ => {}
        }
        Ok(())
    })?;
    Ok(m)
}

fn range(bytes: &[u8]) -> Read<(i32, i32)> {
    let mut range = (0, 0);
    fields(bytes, |number, value| {
        match (number, value) {
            (1, Value::Varint(v)) => range.0 = v as i32,
            (2, Value::Varint(v)) => range.1 = v as i32,
            _ => {}
        }
        Ok(())
    })?;
    Ok(range)
}

fn oneof(bytes: &[u8]) -> Read<OneofProto> {
    let mut o = OneofProto::default();
    fields(bytes, |number, value| {
        match (number, value) {
            (1, Value::Bytes(b)) => o.name = text(b)?,
            (2, Value::Bytes(b)) => fields(b, |number, value| {
                if let (1, Value::Bytes(b)) = (number, value) {
                    features(b, &mut o.features)?;
                }
                Ok(())
            })?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(o)
}

fn field(bytes: &[u8]) -> Read<FieldProto> {
    let mut f = FieldProto::default();
    fields(bytes, |number, value| {
        match (number, value) {
            (1, Value::Bytes(b)) => f.name = text(b)?,
            (2, Value::Bytes(b)) => f.extendee = Some(text(b)?),
            (3, Value::Varint(v)) => f.number = v as i32,
            (4, Value::Varint(v)) => f.label = v as i32,
            (5, Value::Varint(v)) => f.ty = v as i32,
            (6, Value::Bytes(b)) => f.type_name = text(b)?,
            (7, Value::Bytes(b)) => f.default = Some(b.to_vec()),
            (8, Value::Bytes(b)) => fields(b, |number, value| {
                match (number, value) {
                    (2, Value::Varint(v)) => f.packed = Some(v != 0),
                    (3, Value::Varint(v)) => f.deprecated = v != 0,
                    (21, Value::Bytes(b)) => features(b, &mut f.features)?,
                    _ => {}
                }
                Ok(())
            })?,
            (9, Value::Varint(v)) => f.oneof_index = Some(v as i32),
            (10, Value::Bytes(b)) => f.json_name = Some(text(b)?),
            (17, Value::Varint(v)) => f.proto3_optional = v != 0,
            _ => {}
        }
        Ok(())
    })?;
    Ok(f)
}

fn enumeration(bytes: &[u8]) -> Read<EnumProto> {
    let mut e = EnumProto::default();
    fields(bytes, |number, value| {
        match (number, value) {
            (1, Value::Bytes(b)) => e.name = text(b)?,
            (2, Value::Bytes(b)) => e.values.push(enum_value(b)?),
            (3, Value::Bytes(b)) => fields(b, |number, value| {
                match (number, value) {
                    (3, Value::Varint(v)) => e.deprecated = v != 0,
                    (7, Value::Bytes(b)) => features(b, &mut e.features)?,
                    _ => {}
                }
                Ok(())
            })?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(e)
}

fn enum_value(bytes: &[u8]) -> Read<EnumValueProto> {
    let mut e = EnumValueProto::default();
    fields(bytes, |number, value| {
        match (number, value) {
            (1, Value::Bytes(b)) => e.name = text(b)?,
            (2, Value::Varint(v)) => e.number = v as i32,
            (3, Value::Bytes(b)) => fields(b, |number, value| {
                if let (1, Value::Varint(v)) = (number, value) {
                    e.deprecated = v != 0;
                }
                Ok(())
            })?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(e)
}

/// Reads features into `f`: several records of one options message merge.
fn features(bytes: &[u8], f: &mut Features) -> Read<()> {
    fields(bytes, |number, value| {
        match (number, value) {
            (1, Value::Varint(v)) => f.field_presence = v as i32,
            (2, Value::Varint(v)) => f.enum_type = v as i32,
            (3, Value::Varint(v)) => f.repeated_field_encoding = v as i32,
            (4, Value::Varint(v)) => f.utf8_validation = v as i32,
            (5, Value::Varint(v)) => f.message_encoding = v as i32,
            _ => {}
        }
        Ok(())
    })
}

fn source(bytes: &[u8], s: &mut Source) -> Read<()> {
    fields(bytes, |number, value| {
        if let (1, Value::Bytes(b)) = (number, value) {
            let at = location(b)?;
            // If several locations have the same path, the first is the element itself.
            s.locations.entry(at.path.clone()).or_insert(at);
        }
        Ok(())
    })
}

fn location(bytes: &[u8]) -> Read<Location> {
    let mut at = Location::default();
    fields(bytes, |number, value| {
        match (number, value) {
            (1, value) => ints(value, &mut at.path)?,
            (2, value) => ints(value, &mut at.span)?,
            // Comments are only for people, so invalid bytes in them are no reason to stop.
            (3, Value::Bytes(b)) => at.leading = String::from_utf8_lossy(b).into_owned(),
            (4, Value::Bytes(b)) => at.trailing = String::from_utf8_lossy(b).into_owned(),
            _ => {}
        }
        Ok(())
    })?;
    Ok(at)
}

/// Reads repeated int32, packed or not.
fn ints(value: Value<'_>, to: &mut Vec<i32>) -> Read<()> {
    match value {
        Value::Varint(v) => to.push(v as i32),
        Value::Bytes(b) => {
            let mut reader = Reader::new(b);
            while reader.offset() < b.len() {
                to.push(reader.varint().map_err(Unreadable::Wire)? as i32);
            }
        }
    }
    Ok(())
}
