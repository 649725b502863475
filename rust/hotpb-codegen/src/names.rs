//! Rust names for what a schema declares: where each type lives, what it is called, how others reach it.
//!
//! Types keep the names of the schema. A package `a.b` is the module `a::b`, and no package is `no_package`; what
//! is nested in a message `Outer` (and the enums of its oneofs) lives in the module `outer` beside it. Keywords
//! become raw identifiers; what cannot be one (`self`, `Self`, `super`, `crate`, `_`), the names of primitive
//! types, enums without a capital, and names that collide get a trailing `_`, and [`Names::notes`] says so.

use crate::analyse::join;
use crate::idents::{claim, usable};
use crate::plan::*;
use crate::writer_names::{self, FieldNames};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::{HashMap, HashSet};

mod claims;

use claims::{HIDDEN, Members, Naming, Scope, table_name, with_inside};

pub use crate::idents::{ident, snake, upper_camel};

/// A module: its segments from the root of the generated code.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Module {
    segments: Vec<String>,
}

impl Module {
    /// The segments, as they are spelled before keywords are escaped.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// A module inside this one.
    pub fn child(&self, name: &str) -> Module {
        let mut segments = self.segments.clone();
        segments.push(name.to_string());
        Module { segments }
    }
}

/// Where a type is found.
#[derive(Clone, Debug)]
enum Home {
    /// In this run's module tree, or in one that another run generates beside it.
    Tree(Module),
    /// Shipped with the runtime, whose `hotpb::wkt` is the root of such a tree.
    Runtime(Module),
}

/// The names of all types of a plan.
pub struct Names {
    messages: Vec<MessageNames>,
    enums: Vec<(Home, String)>,
    files: Vec<(Module, String)>,
    tables: String,
    extensions: HashMap<String, String>,
    extension_writers: HashMap<String, FieldNames>,
    notes: Vec<String>,
    writer_notes: Vec<String>,
}

struct MessageNames {
    home: Home,
    /// The module of what is nested in it.
    inside: Home,
    plain: String,
    row: String,
    pool: String,
    schema: String,
    writer: String,
    constants: String,
    setters: Vec<FieldNames>,
    table: String,
    builder: String,
    visitor: String,
    oneofs: Vec<String>,
    oneof_builders: Vec<String>,
    members: Members,
}

/// Files of `google.protobuf` whose types the runtime ships.
const SHIPPED: [&str; 12] = [
    "google/protobuf/any.proto",
    "google/protobuf/api.proto",
    "google/protobuf/compiler/plugin.proto",
    "google/protobuf/descriptor.proto",
    "google/protobuf/duration.proto",
    "google/protobuf/empty.proto",
    "google/protobuf/field_mask.proto",
    "google/protobuf/source_context.proto",
    "google/protobuf/struct.proto",
    "google/protobuf/timestamp.proto",
    "google/protobuf/type.proto",
    "google/protobuf/wrappers.proto",
];

/// Whether the runtime ships this file's types as `hotpb::wkt`.
pub fn is_shipped(file: &str) -> bool {
    SHIPPED.contains(&file)
}

/// The feature of the crate hotpb that a file of these is behind, if any.
pub(crate) fn feature(file: &str) -> Option<&'static str> {
    match file {
        "google/protobuf/descriptor.proto" => Some("descriptor"),
        "google/protobuf/compiler/plugin.proto" => Some("plugin"),
        "google/protobuf/api.proto" | "google/protobuf/type.proto" => Some("api"),
        _ => None,
    }
}

impl Names {
    /// Names everything. `generated` are the files of this run: a shipped file that is among them is its own.
    pub fn new(plan: &Plan, generated: &[FileId]) -> Names {
        let mut naming = Naming::new(plan);
        let mut files = Vec::new();
        for file in &plan.files {
            let module = naming.package_module(&file.package);
            let ident = naming.claim_file(&file.name);
            files.push((module, ident));
        }
        // The user's own names come first, in the order of the plan; made names give way to them.
        for m in &plan.messages {
            naming.notes.muted = !generated.contains(&m.file);
            naming.own_type(m.parent, m.file, &m.name, &m.short_name);
        }
        for e in &plan.enums {
            naming.notes.muted = !generated.contains(&e.file);
            naming.own_enum(e.parent, e.file, &e.name, &e.short_name);
        }
        let with_inside = with_inside(plan);
        let mut messages: Vec<MessageNames> = Vec::new();
        let mut modules: Vec<Module> = Vec::new();
        let mut tables = HashSet::new();
        for (index, m) in plan.messages.iter().enumerate() {
            let module = m.parent.map_or_else(|| files[m.file.0].0.clone(), |p| modules[p.0].clone());
            let scope = naming.scope_of(m.parent, m.file);
            naming.notes.muted = !generated.contains(&m.file);
            let mut inner = usable(&snake(&m.short_name));
            if with_inside.contains(&MessageId(index)) {
                inner = naming.claim_type(&scope, &snake(&m.short_name), "module", &m.name);
            }
            let inside = module.child(&inner);
            let inside_scope = Scope::Message(m.name.clone());
            let shipped = is_shipped(&plan[m.file].name) && !generated.contains(&m.file);
            messages.push(MessageNames {
                home: home(shipped, &module),
                inside: home(shipped, &inside),
                plain: naming.given(&scope, &m.short_name),
                row: naming.claim_type(&scope, &format!("{}Row", m.short_name), HIDDEN, &m.name),
                pool: naming.claim_type(&scope, &format!("{}Pool", m.short_name), "pool", &m.name),
                schema: naming.claim_value(
                    &scope,
                    &format!("{}_SCHEMA", snake(&m.short_name).to_uppercase()),
                    HIDDEN,
                    &m.name,
                ),
                writer: naming
                    .for_writer(|n| n.claim_type(&scope, &format!("{}Writer", m.short_name), "writer", &m.name)),
                constants: naming.for_writer(|n| {
                    n.claim_type(&scope, &format!("{}Fields", m.short_name), "table of fields", &m.name)
                }),
                setters: naming.for_writer(|n| {
                    writer_names::of_message(m, &mut |of, what, wanted, name| n.notes.renamed(of, what, wanted, name))
                }),
                table: claim(&mut tables, &table_name(plan, m)),
                oneofs: m
                    .oneofs
                    .iter()
                    .map(|o| naming.claim_type(&inside_scope, &upper_camel(&o.name), "enum", &join(&m.name, &o.name)))
                    .collect(),
                builder: naming.claim_type(&scope, &format!("{}Builder", m.short_name), HIDDEN, &m.name),
                visitor: naming.claim_type(&scope, &format!("{}Visitor", m.short_name), HIDDEN, &m.name),
                oneof_builders: m
                    .oneofs
                    .iter()
                    .map(|o| {
                        let wanted = format!("{}Builder", upper_camel(&o.name));
                        naming.claim_type(&inside_scope, &wanted, HIDDEN, &m.name)
                    })
                    .collect(),
                members: Members::new(m, &mut naming.notes),
            });
            modules.push(inside);
        }
        let enums = plan.enums.iter().map(|e| {
            let module = e.parent.map_or_else(|| files[e.file.0].0.clone(), |p| modules[p.0].clone());
            let scope = naming.scope_of(e.parent, e.file);
            let shipped = is_shipped(&plan[e.file].name) && !generated.contains(&e.file);
            (home(shipped, &module), naming.given(&scope, &e.short_name))
        });
        let enums = enums.collect();
        let mut extensions = HashMap::new();
        let mut extension_writers = HashMap::new();
        for x in plan.extensions.iter().flat_map(|e| &e.fields) {
            let scope = naming.scope_of(x.scope, x.file);
            let wanted = snake(&x.field.name).to_uppercase();
            naming.notes.muted = !generated.contains(&x.file);
            extensions.insert(x.name.clone(), naming.claim_value(&scope, &wanted, "constant", &x.name));
            let taken = &mut naming.taken.entry(scope).or_default().values;
            extension_writers.insert(x.name.clone(), writer_names::of_extension(&x.field, taken));
        }
        let (notes, writer_notes, tables) = (naming.notes.lines, naming.writer_notes.lines, naming.tables);
        Names { messages, enums, files, tables, extensions, extension_writers, notes, writer_notes }
    }

    /// Forgets the members of a message that are not generated; those that are keep their names.
    pub(crate) fn keep(&mut self, id: MessageId, field: impl Fn(usize) -> bool, oneofs: &[usize]) {
        let names = &mut self.messages[id.0];
        for of_fields in [&mut names.members.fields, &mut names.members.has, &mut names.members.variants] {
            let mut slot = 0..;
            of_fields.retain(|_| slot.next().is_some_and(&field));
        }
        let mut slot = 0..;
        names.setters.retain(|_| slot.next().is_some_and(&field));
        for of_oneofs in [&mut names.members.oneofs, &mut names.oneofs, &mut names.oneof_builders] {
            let mut at = 0..;
            of_oneofs.retain(|_| at.next().is_some_and(|at| oneofs.contains(&at)));
        }
    }

    /// What was renamed, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The same of names that only the writer face has.
    pub fn writer_notes(&self) -> &[String] {
        &self.writer_notes
    }

    /// The module of a file's top-level types.
    pub fn file_module(&self, file: FileId) -> &Module {
        &self.files[file.0].0
    }

    /// A name of the file's own, in snake case, unique among all files: for items that stand once per file.
    pub fn file_ident(&self, file: FileId) -> &str {
        &self.files[file.0].1
    }

    /// The module a message lives in.
    pub fn module(&self, message: MessageId) -> &Module {
        self.messages[message.0].home.module()
    }

    /// The module of what is nested in a message: nested types and the enums of its oneofs.
    pub fn inside(&self, message: MessageId) -> &Module {
        self.messages[message.0].inside.module()
    }

    /// The module an enum lives in.
    pub fn enum_module(&self, id: EnumId) -> &Module {
        self.enums[id.0].0.module()
    }

    /// A message's handle: `Foo`.
    pub fn message(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].plain)
    }

    /// Its row: `FooRow`.
    pub fn row(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].row)
    }

    /// Its pool: `FooPool`.
    pub fn pool(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].pool)
    }

    /// Its builder: `FooBuilder`.
    pub fn builder(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].builder)
    }

    /// Its visitor: `FooVisitor`.
    pub fn visitor(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].visitor)
    }

    /// The enum of a oneof in a builder; it lives in [`Names::inside`] of its message.
    pub fn oneof_builder(&self, message: MessageId, oneof: usize) -> Ident {
        ident(&self.messages[message.0].oneof_builders[oneof])
    }

    /// The static with its schema: `FOO_SCHEMA`.
    pub fn schema(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].schema)
    }

    /// Its writer: `FooWriter`.
    pub fn writer(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].writer)
    }

    /// The numbers and names of its fields: `FooFields`.
    pub fn constants(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].constants)
    }

    /// What the field in a slot is written with.
    pub fn setters(&self, id: MessageId, slot: usize) -> &FieldNames {
        &self.messages[id.0].setters[slot]
    }

    /// What an extension is written with; the functions stand where the extension is declared.
    pub fn extension_writer(&self, extension: &Extension) -> Option<&FieldNames> {
        self.extension_writers.get(&extension.name)
    }

    /// The tables of the unit; they stand at the root, beside the modules of packages.
    pub fn tables(&self) -> Ident {
        ident(&self.tables)
    }

    /// The member of the tables of a unit that holds its rows: `pkg_outer_inner`.
    pub fn table(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].table)
    }

    /// Accessor of the field in a slot.
    pub fn method(&self, id: MessageId, slot: usize) -> Ident {
        ident(&self.messages[id.0].members.fields[slot])
    }

    /// `has_x` of the field in a slot, for fields with explicit presence and required ones.
    pub fn has(&self, id: MessageId, slot: usize) -> Ident {
        ident(&self.messages[id.0].members.has[slot])
    }

    /// Accessor of a oneof.
    pub fn oneof_method(&self, id: MessageId, oneof: usize) -> Ident {
        ident(&self.messages[id.0].members.oneofs[oneof])
    }

    /// Variant of a oneof's enum for the field in a slot.
    pub fn oneof_variant(&self, id: MessageId, slot: usize) -> Ident {
        ident(&self.messages[id.0].members.variants[slot])
    }

    /// An enum's type.
    pub fn enum_type(&self, id: EnumId) -> Ident {
        ident(&self.enums[id.0].1)
    }

    /// The enum type of a oneof; it lives in [`Names::inside`] of its message.
    pub fn oneof_enum(&self, message: MessageId, oneof: usize) -> Ident {
        ident(&self.messages[message.0].oneofs[oneof])
    }

    /// The constant of an extension; it lives where the extension is declared.
    pub fn extension(&self, extension: &Extension) -> Ident {
        ident(self.extensions.get(&extension.name).map_or("_", String::as_str))
    }

    /// The module an extension's constant lives in.
    pub fn extension_module(&self, extension: &Extension) -> &Module {
        extension.scope.map_or_else(|| self.file_module(extension.file), |scope| self.inside(scope))
    }

    /// Path, as seen from a module, of what stands in a message's module: its handle, row, pool or schema.
    pub fn path(&self, from: &Module, message: MessageId, name: &Ident) -> TokenStream {
        path(from, &self.messages[message.0].home, name)
    }

    /// Path of what stands at the root of this run's module tree.
    pub fn root_path(&self, from: &Module, name: &Ident) -> TokenStream {
        path(from, &Home::Tree(Module::default()), name)
    }

    /// Whether the runtime ships this message and this run does not generate it.
    pub fn is_shipped(&self, message: MessageId) -> bool {
        matches!(self.messages[message.0].home, Home::Runtime(_))
    }

    /// Path of an enum as seen from a module.
    pub fn enum_path(&self, from: &Module, id: EnumId) -> TokenStream {
        path(from, &self.enums[id.0].0, &self.enum_type(id))
    }

    /// Path of a oneof's enum as seen from a module.
    pub fn oneof_path(&self, from: &Module, message: MessageId, oneof: usize) -> TokenStream {
        self.inside_path(from, message, &self.oneof_enum(message, oneof))
    }

    /// Path of what stands in [`Names::inside`] of a message.
    pub fn inside_path(&self, from: &Module, message: MessageId, name: &Ident) -> TokenStream {
        path(from, &self.messages[message.0].inside, name)
    }
}

fn home(shipped: bool, module: &Module) -> Home {
    if shipped { Home::Runtime(module.clone()) } else { Home::Tree(module.clone()) }
}

impl Home {
    fn module(&self) -> &Module {
        match self {
            Home::Tree(module) | Home::Runtime(module) => module,
        }
    }
}

fn path(from: &Module, home: &Home, name: &Ident) -> TokenStream {
    match home {
        Home::Runtime(module) => {
            let segments = module.segments.iter().map(|s| ident(s));
            quote!(::hotpb::wkt::#(#segments::)*#name)
        }
        Home::Tree(module) => {
            let common = from.segments.iter().zip(&module.segments).take_while(|(a, b)| a == b).count();
            let up = from.segments[common..].iter().map(|_| quote!(super));
            let down = module.segments[common..].iter().map(|s| ident(s));
            quote!(#(#up::)*#(#down::)*#name)
        }
    }
}
