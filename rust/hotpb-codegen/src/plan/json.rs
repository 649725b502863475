//! The plan as canonical JSON: the generators of all languages print the same bytes (PLN-21 … PLN-29).

use crate::plan::{ChildStorage, DefaultValue, Enum, Extension, Field, Message, MessageId, Plan, Tier, Type, Utf8};

impl Plan {
    /// Returns the output of `--emit_plan`. The result is bytes, because names of the schema are copied unchanged.
    pub fn to_json(&self) -> Vec<u8> {
        let files = self.files.iter().filter(|f| f.requested);
        let messages = self.messages.iter().filter(|m| self[m.file].requested);
        let enums = self.enums.iter().filter(|e| self[e.file].requested);
        let json = object([
            ("plan_version", int(2)),
            (
                "files",
                list(files.map(|f| {
                    object([
                        ("name", text(&f.name)),
                        ("package", text(&f.package)),
                        ("syntax", text(f.syntax.name())),
                        ("edition", text(f.syntax.edition())),
                        ("dependencies", list(f.dependencies.iter().map(|d| text(d)))),
                        ("option_dependencies", list(f.option_dependencies.iter().map(|d| text(d)))),
                    ])
                })),
            ),
            ("messages", list(messages.map(|m| self.message_json(m)))),
            ("enums", list(enums.map(|e| self.enum_json(e)))),
            ("extensions", list(self.extensions.iter().filter_map(|e| self.extendee_json(e.message, &e.fields)))),
        ]);
        let mut out = Vec::new();
        json.print(0, &mut out);
        out.push(b'\n');
        out
    }

    fn message_json(&self, m: &Message) -> Json {
        object([
            ("name", text(&m.name)),
            ("file", text(&self[m.file].name)),
            ("map_entry", Json::Bool(m.map_entry)),
            ("message_set", Json::Bool(m.message_set)),
            ("recursion", int(m.recursion)),
            ("max_size", m.max_size.map_or(Json::Null, int)),
            ("row_bytes", Json::Int(m.row_bytes as i64)),
            ("tier", text(if m.tier == Tier::Straight { "straight" } else { "table" })),
            (
                "extension_ranges",
                list(m.extension_ranges.iter().map(|r| object([("start", int(r.start)), ("end", int(r.end))]))),
            ),
            (
                "oneofs",
                list(m.oneofs.iter().map(|o| {
                    let numbers = o.slots.iter().map(|&slot| int(m.fields[slot].number));
                    object([("name", text(&o.name)), ("fields", list(numbers))])
                })),
            ),
            ("fields", list(m.fields.iter().map(|f| self.field_json(f)))),
        ])
    }

    fn field_json(&self, f: &Field) -> Json {
        object([
            ("name", text(&f.name)),
            ("number", int(f.number)),
            ("slot", Json::Int(f.slot as i64)),
            ("type", text(f.ty.name())),
            ("presence", text(f.presence.name())),
            ("oneof", Json::Int(f.oneof.map_or(-1, |i| i as i64))),
            ("packed", Json::Bool(f.packed)),
            ("utf8", text(utf8_name(f.utf8))),
            ("delimited", Json::Bool(f.delimited)),
            ("wire_type", int(f.wire_type)),
            ("tag", text(&hex(&f.tag))),
            ("size_class", text(f.size_class.name())),
            ("message", self.message_name(f)),
            ("enum", self.enum_name(f)),
            ("map", f.map.map_or(Json::Null, map_json)),
            ("default", f.default.as_ref().map_or(Json::Null, default_json)),
            ("child_storage", text(storage_name(f.child_storage))),
            ("next", list(f.next.iter().map(|&slot| Json::Int(slot as i64)))),
        ])
    }

    fn enum_json(&self, e: &Enum) -> Json {
        object([
            ("name", text(&e.name)),
            ("file", text(&self[e.file].name)),
            ("closed", Json::Bool(e.closed)),
            ("values", list(e.values.iter().map(|v| object([("name", text(&v.name)), ("number", int(v.number))])))),
        ])
    }

    fn extendee_json(&self, extendee: MessageId, fields: &[Extension]) -> Option<Json> {
        let fields: Vec<_> = fields.iter().filter(|x| self[x.file].requested).map(|x| self.extension_json(x)).collect();
        if fields.is_empty() {
            return None;
        }
        Some(object([("extendee", text(&self[extendee].name)), ("fields", Json::List(fields))]))
    }

    fn extension_json(&self, x: &Extension) -> Json {
        let f = &x.field;
        object([
            ("name", text(&x.name)),
            ("file", text(&self[x.file].name)),
            ("number", int(f.number)),
            ("type", text(f.ty.name())),
            ("presence", text(f.presence.name())),
            ("packed", Json::Bool(f.packed)),
            ("utf8", text(utf8_name(f.utf8))),
            ("delimited", Json::Bool(f.delimited)),
            ("wire_type", int(f.wire_type)),
            ("tag", text(&hex(&f.tag))),
            ("size_class", text(f.size_class.name())),
            ("message", self.message_name(f)),
            ("enum", self.enum_name(f)),
            ("default", f.default.as_ref().map_or(Json::Null, default_json)),
        ])
    }

    fn message_name(&self, f: &Field) -> Json {
        text(f.message.map_or("", |id| &self[id].name))
    }

    fn enum_name(&self, f: &Field) -> Json {
        text(f.enum_type.map_or("", |id| &self[id].name))
    }
}

fn map_json((key, value): (Type, Type)) -> Json {
    object([("key", text(key.name())), ("value", text(value.name()))])
}

fn utf8_name(utf8: Option<Utf8>) -> &'static str {
    match utf8 {
        Some(Utf8::Verify) => "verify",
        Some(Utf8::None) => "none",
        None => "",
    }
}

fn storage_name(storage: Option<ChildStorage>) -> &'static str {
    match storage {
        Some(ChildStorage::Value) => "value",
        Some(ChildStorage::Pointer) => "pointer",
        None => "",
    }
}

fn default_json(default: &DefaultValue) -> Json {
    match default {
        DefaultValue::Int(v) => text(&v.to_string()),
        DefaultValue::Uint(v) => text(&v.to_string()),
        DefaultValue::Bool(v) => text(&v.to_string()),
        DefaultValue::Float(bits) => text(&format!("{bits:08x}")),
        DefaultValue::Double(bits) => text(&format!("{bits:016x}")),
        DefaultValue::String(v) => Json::Text(v.clone()),
        DefaultValue::Bytes(v) => text(&hex(v)),
        DefaultValue::Enum { name, .. } => text(name),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

enum Json {
    Null,
    Bool(bool),
    Int(i64),
    Text(Vec<u8>),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

fn text(s: &str) -> Json {
    Json::Text(s.as_bytes().to_vec())
}

fn int(n: impl Into<i64>) -> Json {
    Json::Int(n.into())
}

fn list(items: impl Iterator<Item = Json>) -> Json {
    Json::List(items.collect())
}

fn object<const N: usize>(members: [(&'static str, Json); N]) -> Json {
    Json::Object(members.into())
}

impl Json {
    fn print(&self, indent: usize, out: &mut Vec<u8>) {
        match self {
            Json::Null => out.extend(b"null"),
            Json::Bool(b) => out.extend(b.to_string().bytes()),
            Json::Int(n) => out.extend(n.to_string().bytes()),
            Json::Text(s) => print_text(s, out),
            Json::List(items) => print_lines(b"[]", indent, items, out, |item, out| item.print(indent + 1, out)),
            Json::Object(members) => print_lines(b"{}", indent, members, out, |(key, value), out| {
                print_text(key.as_bytes(), out);
                out.extend(b": ");
                value.print(indent + 1, out);
            }),
        }
    }
}

fn print_lines<T>(brackets: &[u8; 2], indent: usize, items: &[T], out: &mut Vec<u8>, print: impl Fn(&T, &mut Vec<u8>)) {
    let line = |indent: usize, out: &mut Vec<u8>| {
        out.push(b'\n');
        out.extend(std::iter::repeat_n(b' ', 2 * indent));
    };
    out.push(brackets[0]);
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        line(indent + 1, out);
        print(item, out);
    }
    if !items.is_empty() {
        line(indent, out);
    }
    out.push(brackets[1]);
}

fn print_text(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &b in bytes {
        match b {
            b'"' | b'\\' => out.extend([b'\\', b]),
            0..0x20 => out.extend(format!("\\u{b:04x}").bytes()),
            _ => out.push(b),
        }
    }
    out.push(b'"');
}
