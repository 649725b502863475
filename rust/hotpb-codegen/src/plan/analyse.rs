//! Descriptors → plan: first names are declared, then fields are resolved, then the graph is analysed.

use crate::descriptor::{EnumProto, FieldProto, FileProto, MessageProto};
use crate::error::SchemaError;
use crate::plan::features::{self, Resolved};
use crate::plan::fields;
use crate::plan::graph;
use crate::plan::services;
use crate::plan::tier;
use crate::plan::*;
use std::collections::{HashMap, HashSet};

const LAST_NUMBER: i64 = (1 << 29) - 1;
const LAST_SET_NUMBER: i64 = (1 << 31) - 1;

/// Returns the plan of the requested files, or of all files if `requested` is empty. The descriptors may be untrusted:
/// an unusable one is an error.
pub fn analyse(files: &[FileProto], requested: &[String]) -> Result<Plan, SchemaError> {
    let requested: HashSet<&str> = requested.iter().map(String::as_str).collect();
    let order = order(files, &requested)?;
    let mut builder =
        Builder { plan: Plan::default(), types: HashMap::new(), messages: Vec::new(), scopes: Vec::new() };
    for proto in &order {
        builder.declare_file(proto, requested.is_empty() || requested.contains(proto.name.as_str()))?;
    }
    builder.check_dependencies()?;
    fields::resolve(&mut builder)?;
    services::resolve(&mut builder);
    let mut plan = builder.plan;
    graph::analyse(&mut plan);
    tier::choose(&mut plan);
    Ok(plan)
}

/// Returns the requested files in the order of the set, then the others.
fn order<'p>(files: &'p [FileProto], requested: &HashSet<&str>) -> Result<Vec<&'p FileProto>, SchemaError> {
    let mut seen = HashSet::new();
    for file in files {
        let twice = !seen.insert(file.name.as_str());
        if twice || file.name.is_empty() {
            return Err(SchemaError {
                file: file.name.clone(),
                problem: if twice { "the set contains the file twice" } else { "a file of the set has no name" }.into(),
                fix: "pass a descriptor set that protoc wrote".into(),
                ..SchemaError::default()
            });
        }
    }
    if let Some(name) = requested.iter().filter(|name| !seen.contains(*name)).min() {
        return Err(SchemaError {
            file: name.to_string(),
            problem: "the file is requested, but is not in the descriptor set".into(),
            fix: "name a file of the set, or create the set with --include_imports".into(),
            ..SchemaError::default()
        });
    }
    let mut order: Vec<_> = files.iter().collect();
    order.sort_by_key(|file| !requested.contains(file.name.as_str()));
    Ok(order)
}

/// A plan under construction, with the descriptors of its parts.
pub(crate) struct Builder<'p> {
    pub plan: Plan,
    pub types: HashMap<String, TypeId>,
    /// Parallel to `plan.messages`.
    pub messages: Vec<Scope<'p, MessageProto>>,
    /// Parallel to `plan.files`.
    pub scopes: Vec<Scope<'p, FileProto>>,
}

#[derive(Clone, Copy)]
pub(crate) enum TypeId {
    Message(MessageId),
    Enum(EnumId),
}

/// The place where a file or message was declared.
pub(crate) struct Scope<'p, P> {
    pub proto: &'p P,
    pub file: &'p FileProto,
    pub features: Resolved,
    /// The path in `SourceCodeInfo`.
    pub path: Vec<i32>,
}

impl<P> Clone for Scope<'_, P> {
    fn clone(&self) -> Self {
        Scope { proto: self.proto, file: self.file, features: self.features, path: self.path.clone() }
    }
}

/// The field numbers of descriptor.proto that paths consist of.
pub(crate) mod at {
    pub const FILE_DEPENDENCY: i32 = 3;
    pub const FILE_MESSAGE: i32 = 4;
    pub const FILE_ENUM: i32 = 5;
    pub const FILE_SERVICE: i32 = 6;
    pub const FILE_EXTENSION: i32 = 7;
    pub const FILE_SYNTAX: i32 = 12;
    pub const FILE_EDITION: i32 = 14;
    pub const MESSAGE_FIELD: i32 = 2;
    pub const MESSAGE_NESTED: i32 = 3;
    pub const MESSAGE_ENUM: i32 = 4;
    pub const MESSAGE_EXTENSION: i32 = 6;
    pub const MESSAGE_ONEOF: i32 = 8;
    pub const ENUM_VALUE: i32 = 2;
    pub const SERVICE_METHOD: i32 = 2;
}

/// Returns `path` with one more step.
pub(crate) fn step(path: &[i32], number: i32, index: usize) -> Vec<i32> {
    let mut path = path.to_vec();
    path.extend([number, i32::try_from(index).unwrap_or(i32::MAX)]);
    path
}

/// Returns `InvalidSchema` at an element of a file.
pub(crate) fn refuse(
    file: &FileProto,
    path: &[i32],
    element: &str,
    problem: impl Into<String>,
    fix: &str,
) -> SchemaError {
    SchemaError {
        file: file.name.clone(),
        line: file.source.line(path),
        // A name that ends with a dot lacks its last part, so it cannot name the element.
        element: if element.ends_with('.') { String::new() } else { element.to_string() },
        problem: problem.into(),
        fix: fix.to_string(),
    }
}

/// Reports whether protoc's grammar accepts a name. Emitters rely on this, because names go into generated code.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

pub(crate) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_string() } else { format!("{scope}.{name}") }
}

pub(crate) const RENAME: &str = "use letters, digits and _";
pub(crate) const FEATURE: &str = "use a value of google.protobuf.FeatureSet";
pub(crate) const FROM_PROTOC: &str = "pass a descriptor set that protoc wrote";

impl<'p> Builder<'p> {
    fn declare_file(&mut self, proto: &'p FileProto, requested: bool) -> Result<(), SchemaError> {
        let id = FileId(self.plan.files.len());
        let path = [if proto.edition == 0 { at::FILE_SYNTAX } else { at::FILE_EDITION }];
        let (syntax, features) = features::of_file(proto)
            .map_err(|problem| refuse(proto, &path, "", problem, "use proto2, proto3, or edition 2023 or 2024"))?;
        if !proto.package.is_empty() && !proto.package.split('.').all(is_identifier) {
            return Err(refuse(proto, &[2], "", format!("{:?} is not a valid package name", proto.package), RENAME));
        }
        self.plan.files.push(File {
            name: proto.name.clone(),
            package: proto.package.clone(),
            syntax,
            dependencies: proto.dependency.clone(),
            option_dependencies: proto.option_dependency.clone(),
            requested,
            doc: proto.source.comment(&path),
        });
        let scope = Scope { proto, file: proto, features, path: Vec::new() };
        self.scopes.push(scope.clone());
        for (i, e) in proto.enums.iter().enumerate() {
            self.declare_enum(id, None, e, step(&[], at::FILE_ENUM, i), &scope)?;
        }
        let first = self.messages.len();
        for (i, m) in proto.messages.iter().enumerate() {
            self.declare_message(id, None, m, step(&[], at::FILE_MESSAGE, i), features)?;
        }
        // The enums of messages come after all top-level ones, in the order of the messages (PLN-23).
        for index in first..self.messages.len() {
            let scope = self.messages[index].clone();
            for (i, e) in scope.proto.enums.iter().enumerate() {
                let path = step(&scope.path, at::MESSAGE_ENUM, i);
                let enum_id = self.declare_enum(id, Some(MessageId(index)), e, path, &scope)?;
                self.plan.messages[index].enums.push(enum_id);
            }
        }
        Ok(())
    }

    fn declare_message(
        &mut self,
        file: FileId,
        parent: Option<MessageId>,
        proto: &'p MessageProto,
        path: Vec<i32>,
        features: Resolved,
    ) -> Result<(), SchemaError> {
        let from = self.scopes[file.0].proto;
        let id = MessageId(self.messages.len());
        let name = self.declare_name(file, parent, &proto.name, &path, TypeId::Message(id))?;
        let fail = |problem: String, fix| refuse(from, &path, &name, problem, fix);
        let features = features.merged(&proto.features).map_err(|problem| fail(problem, FEATURE))?;
        let last = last_number(proto.message_set);
        let mut extension_ranges = Vec::new();
        for &(start, end) in &proto.ranges {
            if start < 1 || end <= start || i64::from(end) - 1 > last {
                let range = format!("extension range {start} to {} is not within 1 to {last}", i64::from(end) - 1);
                return Err(fail(range, "choose numbers in that range"));
            }
            extension_ranges.push(ExtensionRange { start: start as u32, end: end as u32 });
        }
        self.plan.messages.push(Message {
            name,
            short_name: proto.name.clone(),
            file,
            parent,
            nested: Vec::new(),
            enums: Vec::new(),
            map_entry: proto.map_entry,
            message_set: proto.message_set,
            recursion: 0,
            max_size: None,
            row_bytes: 0,
            tier: Tier::Straight,
            extension_ranges,
            oneofs: Vec::new(),
            fields: Vec::new(),
            deprecated: proto.deprecated,
            doc: from.source.comment(&path),
            line: from.source.line(&path),
        });
        self.messages.push(Scope { proto, file: from, features, path: path.clone() });
        if let Some(parent) = parent {
            self.plan.messages[parent.0].nested.push(id);
        }
        for (i, nested) in proto.nested.iter().enumerate() {
            self.declare_message(file, Some(id), nested, step(&path, at::MESSAGE_NESTED, i), features)?;
        }
        Ok(())
    }

    fn declare_enum<P>(
        &mut self,
        file: FileId,
        parent: Option<MessageId>,
        proto: &'p EnumProto,
        path: Vec<i32>,
        scope: &Scope<'p, P>,
    ) -> Result<EnumId, SchemaError> {
        let id = EnumId(self.plan.enums.len());
        let name = self.declare_name(file, parent, &proto.name, &path, TypeId::Enum(id))?;
        let fail = |path: &[i32], problem: String, fix| refuse(scope.file, path, &name, problem, fix);
        let features = scope.features.merged(&proto.features).map_err(|problem| fail(&path, problem, FEATURE))?;
        if proto.values.is_empty() {
            return Err(fail(&path, "the enum has no values".into(), "give it at least one"));
        }
        let mut values = Vec::new();
        for (i, value) in proto.values.iter().enumerate() {
            let path = step(&path, at::ENUM_VALUE, i);
            if !is_identifier(&value.name) {
                return Err(fail(&path, format!("{:?} is not a valid name of an enum value", value.name), RENAME));
            }
            values.push(EnumValue {
                name: value.name.clone(),
                number: value.number,
                deprecated: value.deprecated,
                doc: scope.file.source.comment(&path),
            });
        }
        self.plan.enums.push(Enum {
            name,
            short_name: proto.name.clone(),
            file,
            parent,
            closed: features.closed(),
            values,
            deprecated: proto.deprecated,
            doc: scope.file.source.comment(&path),
            line: scope.file.source.line(&path),
        });
        Ok(id)
    }

    /// Returns the full name of a new type, and checks that no other type of the set has it.
    fn declare_name(
        &mut self,
        file: FileId,
        parent: Option<MessageId>,
        name: &str,
        path: &[i32],
        id: TypeId,
    ) -> Result<String, SchemaError> {
        let proto = self.scopes[file.0].proto;
        let scope = parent.map_or(&proto.package, |parent| &self.plan[parent].name);
        let full = join(scope, name);
        if !is_identifier(name) {
            return Err(refuse(proto, path, &full, format!("{name:?} is not a valid name of a type"), RENAME));
        }
        if self.types.insert(full.clone(), id).is_some() {
            let problem = "the type is declared twice in the set";
            return Err(refuse(proto, path, &full, problem, "rename one, or remove one of the files"));
        }
        Ok(full)
    }

    fn check_dependencies(&self) -> Result<(), SchemaError> {
        let names: HashSet<_> = self.plan.files.iter().map(|f| f.name.as_str()).collect();
        for scope in &self.scopes {
            for (i, name) in scope.proto.dependency.iter().enumerate() {
                if !names.contains(name.as_str()) {
                    let problem = format!("it imports {name:?}, which is not in the descriptor set");
                    let path = step(&[], at::FILE_DEPENDENCY, i);
                    return Err(refuse(scope.proto, &path, "", problem, "create the set with --include_imports"));
                }
            }
        }
        Ok(())
    }

    /// Returns the message of this name, which has a leading dot as in fields.
    pub fn message(&self, name: &str) -> Option<MessageId> {
        match self.types.get(name.strip_prefix('.')?)? {
            TypeId::Message(id) => Some(*id),
            TypeId::Enum(_) => None,
        }
    }

    /// Returns the enum of this name.
    pub fn enumeration(&self, name: &str) -> Option<EnumId> {
        match self.types.get(name.strip_prefix('.')?)? {
            TypeId::Enum(id) => Some(*id),
            TypeId::Message(_) => None,
        }
    }
}

/// Returns the largest number of a field, or of an extension of a message set.
pub(crate) fn last_number(message_set: bool) -> i64 {
    if message_set { LAST_SET_NUMBER } else { LAST_NUMBER }
}

/// The descriptor of a field, with the place where it was declared.
pub(crate) struct Declared<'p> {
    pub proto: &'p FieldProto,
    pub file: &'p FileProto,
    pub path: Vec<i32>,
    /// The full name.
    pub name: String,
}

impl Declared<'_> {
    pub fn refuse(&self, problem: impl Into<String>, fix: &str) -> SchemaError {
        refuse(self.file, &self.path, &self.name, problem, fix)
    }
}
