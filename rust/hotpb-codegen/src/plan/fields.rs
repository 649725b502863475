//! Fields, oneofs, map entries and extensions, resolved (PLN-8 … PLN-16, PLN-25 … PLN-29).

use crate::descriptor::{FieldProto, FileProto};
use crate::error::SchemaError;
use crate::plan::analyse::{
    Builder, Declared, FEATURE, FROM_PROTOC, RENAME, at, is_identifier, join, last_number, refuse, step,
};
use crate::plan::defaults;
use crate::plan::features::Resolved;
use crate::plan::*;
use std::collections::{BTreeMap, HashMap, HashSet};

const GROUP: i32 = 10;
const LABEL_REQUIRED: i32 = 2;
const LABEL_REPEATED: i32 = 3;
const RESERVED: std::ops::RangeInclusive<i32> = 19000..=19999;

/// Runs the second pass, after all types are declared.
pub(crate) fn resolve(b: &mut Builder<'_>) -> Result<(), SchemaError> {
    let mut extensions = Vec::new();
    for index in 0..b.messages.len() {
        resolve_message(b, MessageId(index))?;
    }
    for (index, scope) in b.scopes.iter().enumerate() {
        let file = FileId(index);
        for (i, proto) in scope.proto.extensions.iter().enumerate() {
            let path = step(&[], at::FILE_EXTENSION, i);
            extensions.push(extension(b, file, None, proto, path, scope.features)?);
        }
        for id in b.plan.messages_of(file) {
            let scope = &b.messages[id.0];
            for (i, proto) in scope.proto.extensions.iter().enumerate() {
                let path = step(&scope.path, at::MESSAGE_EXTENSION, i);
                extensions.push(extension(b, file, Some(id), proto, path, scope.features)?);
            }
        }
    }
    link_maps(b)?;
    b.plan.extensions = by_extendee(&b.plan, extensions);
    Ok(())
}

/// A oneof as declared; `index` is its position among the real ones.
struct Member {
    index: Option<usize>,
    features: Resolved,
}

fn resolve_message(b: &mut Builder<'_>, id: MessageId) -> Result<(), SchemaError> {
    let scope = b.messages[id.0].clone();
    let name = b.plan[id].name.clone();
    if b.plan[id].message_set && !scope.proto.fields.is_empty() {
        let problem = "a message set must not have fields";
        return Err(refuse(scope.file, &scope.path, &name, problem, "move them into an extension"));
    }
    let members = oneofs(b, id)?;
    let mut fields = Vec::new();
    let mut numbers = HashMap::new();
    let mut names = HashSet::new();
    for (i, proto) in scope.proto.fields.iter().enumerate() {
        let declared = Declared {
            proto,
            file: scope.file,
            path: step(&scope.path, at::MESSAGE_FIELD, i),
            name: join(&name, &proto.name),
        };
        let member = match proto.oneof_index {
            None => None,
            Some(index) => Some(
                usize::try_from(index)
                    .ok()
                    .and_then(|i| members.get(i))
                    .ok_or_else(|| declared.refuse(format!("its oneof index {index} does not exist"), FROM_PROTOC))?,
            ),
        };
        if proto.extendee.is_some() {
            return Err(declared.refuse("a field that is not an extension names an extendee", FROM_PROTOC));
        }
        let place = Place { parent: Some(id), extendee: None, member };
        let field = field(b, &declared, &place, member.map_or(scope.features, |m| m.features))?;
        if let Some(other) = numbers.insert(field.number, &proto.name) {
            let problem = format!("the number {} already belongs to the field {other}", field.number);
            return Err(declared.refuse(problem, "choose a free number"));
        }
        if !names.insert(&proto.name) {
            return Err(declared.refuse("two fields of the message have this name", "rename one"));
        }
        fields.push(field);
    }
    fields.sort_by_key(|f| f.number);
    let last = fields.len().saturating_sub(1);
    let message = &mut b.plan.messages[id.0];
    for (slot, field) in fields.iter_mut().enumerate() {
        field.slot = slot;
        field.next = field.is_repeated().then_some(slot).into_iter().chain((slot < last).then_some(slot + 1)).collect();
        if let Some(oneof) = field.oneof {
            message.oneofs[oneof].slots.push(slot);
        }
    }
    message.fields = fields;
    Ok(())
}

/// Declares a message's real oneofs. A oneof is synthetic if all of its members are proto3 `optional` fields (PLN-25).
fn oneofs(b: &mut Builder<'_>, id: MessageId) -> Result<Vec<Member>, SchemaError> {
    let scope = b.messages[id.0].clone();
    // For each oneof: the number of its members, and of those that are proto3 `optional` fields.
    let mut counts = vec![(0, 0); scope.proto.oneofs.len()];
    for field in &scope.proto.fields {
        let count = field.oneof_index.and_then(|i| counts.get_mut(usize::try_from(i).ok()?));
        if let Some((all, optional)) = count {
            *all += 1;
            *optional += usize::from(field.proto3_optional);
        }
    }
    // The pass over the fields rejects such a field by name.
    let out_of_range =
        |f: &FieldProto| f.oneof_index.is_some_and(|i| usize::try_from(i).is_ok_and(|i| i >= counts.len()) || i < 0);
    let mut members = Vec::new();
    let mut names = HashSet::new();
    for (i, proto) in scope.proto.oneofs.iter().enumerate() {
        let path = step(&scope.path, at::MESSAGE_ONEOF, i);
        let name = join(&b.plan[id].name, &proto.name);
        let fail = |problem: &str, fix| refuse(scope.file, &path, &name, problem, fix);
        if !is_identifier(&proto.name) || !names.insert(&proto.name) {
            return Err(fail("the oneof's name is not valid, or another oneof of the message has it", "rename it"));
        }
        let features = scope.features.merged(&proto.features).map_err(|problem| fail(&problem, FEATURE))?;
        let (all, optional) = counts[i];
        if all == 0 && !scope.proto.fields.iter().any(out_of_range) {
            return Err(fail("the oneof has no members", "give it one or remove it"));
        }
        let oneofs = &mut b.plan.messages[id.0].oneofs;
        let real = optional < all;
        members.push(Member { index: real.then_some(oneofs.len()), features });
        if real {
            oneofs.push(Oneof { name: proto.name.clone(), slots: Vec::new(), doc: scope.file.source.comment(&path) });
        }
    }
    Ok(members)
}

fn extension(
    b: &Builder<'_>,
    file: FileId,
    scope: Option<MessageId>,
    proto: &FieldProto,
    path: Vec<i32>,
    features: Resolved,
) -> Result<(MessageId, Extension), SchemaError> {
    let from: &FileProto = b.scopes[file.0].proto;
    let name = join(scope.map_or(&from.package, |id| &b.plan[id].name), &proto.name);
    let declared = Declared { proto, file: from, path, name };
    let extendee = proto.extendee.as_deref().unwrap_or("");
    let Some(id) = b.message(extendee) else {
        let problem = format!("it extends {extendee:?}, which is not a message of the set");
        return Err(declared.refuse(problem, "create the set with --include_imports"));
    };
    if proto.oneof_index.is_some() {
        return Err(declared.refuse("an extension cannot be a member of a oneof", "take it out of the oneof"));
    }
    let place = Place { parent: scope, extendee: Some(id), member: None };
    let field = field(b, &declared, &place, features)?;
    let extendee = &b.plan[id];
    if field.presence == Presence::Required {
        return Err(declared.refuse("an extension cannot be required", "make it optional"));
    }
    if !extendee.extension_ranges.iter().any(|r| (r.start..r.end).contains(&field.number)) {
        let problem = format!("{} has no extension range with the number {}", extendee.name, field.number);
        return Err(declared.refuse(problem, "declare the range or choose a number within one"));
    }
    let message_set_item = extendee.message_set;
    if message_set_item && (field.ty != Type::Message || field.is_repeated()) {
        let problem = "an extension of a message set must be an optional message";
        return Err(declared.refuse(problem, "wrap the value in a message"));
    }
    Ok((id, Extension { name: declared.name, file, scope, message_set_item, field }))
}

/// Returns extendees in order of the bytes of their names; the extensions of each in order of files, then of numbers
/// (PLN-28).
fn by_extendee(plan: &Plan, extensions: Vec<(MessageId, Extension)>) -> Vec<Extendee> {
    let mut groups: BTreeMap<&str, Extendee> = BTreeMap::new();
    for (id, extension) in extensions {
        let group = groups.entry(&plan[id].name).or_insert_with(|| Extendee { message: id, fields: Vec::new() });
        group.fields.push(extension);
    }
    groups
        .into_values()
        .map(|mut group| {
            group.fields.sort_by_key(|x| (x.file, x.field.number));
            group
        })
        .collect()
}

/// The place of a field or extension: `parent` declares it, `extendee` is the message that an extension extends.
struct Place<'m> {
    parent: Option<MessageId>,
    extendee: Option<MessageId>,
    member: Option<&'m Member>,
}

fn field(b: &Builder<'_>, d: &Declared<'_>, place: &Place<'_>, features: Resolved) -> Result<Field, SchemaError> {
    let proto = d.proto;
    let features = features.merged(&proto.features).map_err(|problem| d.refuse(problem, FEATURE))?;
    if !is_identifier(&proto.name) {
        return Err(d.refuse(format!("{:?} is not a valid name of a field", proto.name), RENAME));
    }
    let in_set = place.extendee.is_some_and(|id| b.plan[id].message_set);
    let number = check_number(d, in_set)?;
    let (ty, message, enum_type) = resolve_type(b, d)?;
    let is_group = proto.ty == GROUP;
    let repeated = proto.label == LABEL_REPEATED;
    // Maps and groups.
    let is_map = message.is_some_and(|id| b.plan[id].map_entry);
    let of_entry = place.extendee.is_none() && place.parent.is_some_and(|id| b.plan[id].map_entry);
    let own_entry =
        !is_group && repeated && place.extendee.is_none() && message.and_then(|id| b.plan[id].parent) == place.parent;
    if is_map && !own_entry {
        let problem =
            format!("{} is a map entry, which only its own repeated field can have as its type", proto.type_name);
        return Err(d.refuse(problem, "use map<key, value>"));
    }
    if is_group && of_entry {
        return Err(d.refuse("a map's key or value cannot be a group", "use a message"));
    }
    let presence = presence(d, place, &features, ty)?;
    // The form on the wire.
    let delimited = ty == Type::Message && !is_map && !of_entry && (is_group || features.delimited());
    let packed = repeated && ty.is_packable() && features.packed(proto.packed);
    let size_class = ty.size_class(delimited);
    // The value of a message-set item is length-delimited inside the item (PLN-29).
    let wire_type = if in_set { 2 } else { size_class.wire_type() };
    let parsed = proto.default.as_ref().map(|text| {
        let no_value = || {
            let text = String::from_utf8_lossy(text);
            d.refuse(
                format!("its default {text:?} is not a value of its type {}", ty.name()),
                "write a value of that type",
            )
        };
        defaults::parse(ty, enum_type.map(|id| &b.plan[id]), text).ok_or_else(no_value)
    });
    let default = parsed.transpose()?;
    Ok(Field {
        name: proto.name.clone(),
        number,
        slot: 0,
        ty,
        presence,
        oneof: place.member.and_then(|m| m.index),
        packed,
        utf8: (ty == Type::String).then(|| features.utf8()),
        delimited,
        wire_type,
        tag: tag_bytes(number, if packed { 2 } else { wire_type }),
        size_class,
        message,
        enum_type,
        map: None,
        default,
        child_storage: None,
        next: Vec::new(),
        json_name: proto.json_name.clone().filter(|json| *json != json_name(&proto.name)),
        deprecated: proto.deprecated,
        doc: d.file.source.comment(&d.path),
        line: d.file.source.line(&d.path),
    })
}

fn presence(d: &Declared<'_>, place: &Place<'_>, features: &Resolved, ty: Type) -> Result<Presence, SchemaError> {
    let proto = d.proto;
    let presence = if proto.label == LABEL_REPEATED {
        Presence::Repeated
    } else if proto.label == LABEL_REQUIRED || features.required() {
        Presence::Required
    } else if ty == Type::Message
        || place.member.is_some_and(|m| m.index.is_some())
        || place.extendee.is_some()
        || proto.proto3_optional
        || features.explicit()
    {
        Presence::Explicit
    } else {
        Presence::Implicit
    };
    if place.member.is_some() && matches!(presence, Presence::Repeated | Presence::Required) {
        let problem = format!("a member of a oneof cannot be {}", presence.name());
        return Err(d.refuse(problem, "take it out of the oneof or make it optional"));
    }
    Ok(presence)
}

/// Returns the name in JSON that follows from a field's name.
fn json_name(name: &str) -> String {
    let mut json = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        if c == '_' {
            upper = true;
        } else {
            json.push(if upper { c.to_ascii_uppercase() } else { c });
            upper = false;
        }
    }
    json
}

fn check_number(d: &Declared<'_>, in_set: bool) -> Result<u32, SchemaError> {
    let number = d.proto.number;
    let last = last_number(in_set);
    if number < 1 || i64::from(number) > last {
        return Err(d.refuse(format!("number {number} is not within 1 to {last}"), "choose a number in that range"));
    }
    if RESERVED.contains(&number) {
        let problem = format!("number {number} is within 19000 to 19999, which protobuf reserves");
        return Err(d.refuse(problem, "choose another"));
    }
    Ok(number as u32)
}

/// Returns the tag bytes, or none if the number is too large for a tag (items of message sets only).
fn tag_bytes(number: u32, wire_type: u8) -> Vec<u8> {
    let mut tag = Vec::new();
    if i64::from(number) <= last_number(false) {
        hotpb::wire::append_varint(&mut tag, u64::from(number) << 3 | u64::from(wire_type));
    }
    tag
}

type Resolution = (Type, Option<MessageId>, Option<EnumId>);

fn resolve_type(b: &Builder<'_>, d: &Declared<'_>) -> Result<Resolution, SchemaError> {
    const INCLUDE: &str = "create the set with --include_imports";
    let proto = d.proto;
    let name = proto.type_name.as_str();
    let ty = match proto.ty {
        1 => Type::Double,
        2 => Type::Float,
        3 => Type::Int64,
        4 => Type::Uint64,
        5 => Type::Int32,
        6 => Type::Fixed64,
        7 => Type::Fixed32,
        8 => Type::Bool,
        9 => Type::String,
        GROUP | 11 => Type::Message,
        12 => Type::Bytes,
        13 => Type::Uint32,
        14 => Type::Enum,
        15 => Type::Sfixed32,
        16 => Type::Sfixed64,
        17 => Type::Sint32,
        18 => Type::Sint64,
        0 => return Err(d.refuse("it has no type", FROM_PROTOC)),
        other => return Err(d.refuse(format!("its type number {other} is unknown"), FROM_PROTOC)),
    };
    match ty {
        Type::Message => match b.message(name) {
            Some(id) => Ok((ty, Some(id), None)),
            None => Err(d.refuse(format!("its type {name:?} is not a message of the set"), INCLUDE)),
        },
        Type::Enum => match b.enumeration(name) {
            Some(id) => Ok((ty, None, Some(id))),
            None => Err(d.refuse(format!("its type {name:?} is not an enum of the set"), INCLUDE)),
        },
        _ if !name.is_empty() => {
            Err(d.refuse(format!("it has the type {}, but also names the type {name:?}", ty.name()), FROM_PROTOC))
        }
        _ => Ok((ty, None, None)),
    }
}

/// Checks that every map entry is valid and that exactly one field uses it, and assigns the entry's types to that field.
fn link_maps(b: &mut Builder<'_>) -> Result<(), SchemaError> {
    let mut users: HashMap<MessageId, (MessageId, usize)> = HashMap::new();
    for (index, message) in b.plan.messages.iter().enumerate() {
        for field in &message.fields {
            let Some(entry) = field.message.filter(|&id| b.plan[id].map_entry) else { continue };
            if users.insert(entry, (MessageId(index), field.slot)).is_some() {
                let scope = &b.messages[index];
                let name = join(&message.name, &field.name);
                let problem = format!("{} is the map entry of another field", b.plan[entry].name);
                return Err(refuse(scope.file, &scope.path, &name, problem, "use map<key, value>"));
            }
        }
    }
    for index in 0..b.plan.messages.len() {
        let (entry, scope) = (&b.plan.messages[index], &b.messages[index]);
        if !entry.map_entry {
            continue;
        }
        if let Some(problem) = entry_problem(entry, !scope.proto.extensions.is_empty()) {
            let problem = format!("it is marked as a map entry, but is not valid: {problem}");
            return Err(refuse(scope.file, &scope.path, &entry.name, problem, "use map<key, value>"));
        }
        let map = (entry.fields[0].ty, entry.fields[1].ty);
        if let Some((user, slot)) = users.get(&MessageId(index)) {
            b.plan.messages[user.0].fields[*slot].map = Some(map);
        }
    }
    Ok(())
}

fn entry_problem(entry: &Message, declares_extensions: bool) -> Option<&'static str> {
    let [key, value] = entry.fields.as_slice() else { return Some("it does not have exactly two fields") };
    if (key.number, key.name.as_str(), value.number, value.name.as_str()) != (1, "key", 2, "value") {
        return Some("its fields are not key = 1 and value = 2");
    }
    if key.is_repeated() || value.is_repeated() {
        return Some("its key or value is repeated");
    }
    if matches!(key.ty, Type::Float | Type::Double | Type::Bytes | Type::Message | Type::Enum) {
        return Some("its key has a type that map keys cannot have");
    }
    let more = !entry.oneofs.is_empty() || !entry.nested.is_empty() || !entry.enums.is_empty();
    if entry.parent.is_none() || entry.message_set || !entry.extension_ranges.is_empty() || declares_extensions || more
    {
        return Some("it has more than a key and a value, or is not nested in a message");
    }
    None
}
