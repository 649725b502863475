//! Rust names for the declarations of a schema: the module of each type, its name, and the path to it from elsewhere.
//!
//! The names are those of prost-build. Types are in upper camel case, fields in snake case. A package `a.B` is the module
//! `a::b`, and files without a package are in `no_package`. Declarations inside a message `Outer`, and the enums of its
//! oneofs, are in the module `outer` beside it. Keywords become raw identifiers. A trailing `_` is added to the keywords
//! that cannot be raw (`self`, `Self`, `super`, `extern`, `crate`, `_`), and to names that collide. Unlike prost-build's, so
//! do modules with the names of primitive types, and enums without a letter. [`Names::notes`] reports it.

use crate::externs::{self, ExternPath};
use crate::plan::join;
use crate::plan::*;
use crate::shipped::is_shipped;
use idents::{claim, usable_module};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::{HashMap, HashSet};

mod claims;
pub(crate) mod idents;
pub(crate) mod prost;
pub(crate) mod writer;

use claims::{HIDDEN, Members, Naming, Scope, table_name, with_inside};

pub use idents::{ident, snake, upper_camel, usable};
pub use writer::FieldNames;

/// A module: its segments from the root of the generated code.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Module {
    segments: Vec<String>,
}

impl Module {
    /// Returns the segments, before keywords are escaped.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// Returns a module inside this one.
    pub fn child(&self, name: &str) -> Module {
        let mut segments = self.segments.clone();
        segments.push(name.to_string());
        Module { segments }
    }
}

/// The root under which a type is found.
#[derive(Clone, Debug)]
enum Home {
    /// In this run's module tree, or in one that another run generates next to it.
    Tree(Module),
    /// Shipped with the runtime, where `hotpb::wkt` is the root of such a tree.
    Runtime(Module),
    /// In a module that `extern_path=` names, by its index.
    Extern(usize, String, Module),
}

/// The names of all types of a plan.
pub struct Names {
    messages: Vec<MessageNames>,
    enums: Vec<EnumNames>,
    files: Vec<(Module, String)>,
    extensions: HashMap<String, String>,
    extension_writers: HashMap<String, FieldNames>,
    notes: Vec<String>,
    writer_notes: Vec<String>,
    view_notes: Vec<String>,
    extension_views: HashMap<String, String>,
}

struct EnumNames {
    home: Home,
    plain: String,
    values: Vec<String>,
}

struct MessageNames {
    home: Home,
    /// The module of the types nested in it.
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
    codec: String,
    reuse: String,
    view: String,
    view_table: String,
    oneofs: Vec<String>,
    oneof_builders: Vec<String>,
    oneof_views: Vec<String>,
    members: Members,
}

impl MessageNames {
    /// Claims the derived names of a message, whose home is a module beside it and one inside.
    fn new(
        naming: &mut Naming<'_>,
        plan: &Plan,
        m: &Message,
        (home, inside): (Home, Home),
        table: String,
    ) -> MessageNames {
        let scope = naming.scope_of(m.parent, m.file);
        let (camel, upper) = (upper_camel(&m.short_name), snake(&m.short_name).to_uppercase());
        let oneof_enums: Vec<String> = m.oneofs.iter().map(|o| oneof_enum(plan, m, &o.name)).collect();
        let inside_scope = Scope::Message(m.name.clone());
        let names = MessageNames {
            home,
            inside,
            plain: naming.given(&m.name),
            row: naming.claim_type(&scope, &format!("{camel}Row"), HIDDEN, &m.name),
            pool: naming.claim_type(&scope, &format!("{camel}Pool"), "pool", &m.name),
            schema: naming.claim_value(&scope, &format!("{upper}_SCHEMA"), HIDDEN, &m.name),
            writer: naming.for_writer(|n| n.claim_type(&scope, &format!("{camel}Writer"), "writer", &m.name)),
            constants: naming
                .for_writer(|n| n.claim_type(&scope, &format!("{camel}Fields"), "table of fields", &m.name)),
            setters: naming.for_writer(|n| {
                writer::of_message(m, &mut |owner, role, wanted, name| n.notes.renamed(owner, role, wanted, name))
            }),
            table,
            oneofs: oneof_enums
                .iter()
                .zip(&m.oneofs)
                .map(|(wanted, o)| naming.claim_type(&inside_scope, wanted, "enum", &join(&m.name, &o.name)))
                .collect(),
            builder: naming.claim_type(&scope, &format!("{camel}Builder"), HIDDEN, &m.name),
            visitor: naming.claim_type(&scope, &format!("{camel}Visitor"), HIDDEN, &m.name),
            codec: naming.claim_type(&scope, &format!("{camel}Codec"), HIDDEN, &m.name),
            reuse: naming.claim_type(&scope, &format!("{camel}Reuse"), HIDDEN, &m.name),
            view: naming.for_view(|n| n.claim_type(&scope, &format!("{camel}View"), "view", &m.name)),
            view_table: naming.claim_value(&scope, &format!("{upper}_VIEW_TABLE"), HIDDEN, &m.name),
            oneof_views: oneof_enums
                .iter()
                .zip(&m.oneofs)
                .map(|(name, o)| {
                    let wanted = format!("{name}View");
                    naming.for_view(|n| n.claim_type(&inside_scope, &wanted, "enum", &join(&m.name, &o.name)))
                })
                .collect(),
            oneof_builders: oneof_enums
                .iter()
                .map(|name| naming.claim_type(&inside_scope, &format!("{name}Builder"), HIDDEN, &m.name))
                .collect(),
            members: Members::new(m, &mut naming.notes),
        };
        naming.for_view(|n| {
            let places = names.members.renamed_places.iter();
            places.for_each(|(owner, wanted, name)| n.notes.renamed(owner, "place of a value", wanted, name));
        });
        names
    }
}

/// Returns the place of a module of a file: among the generated ones, in the runtime, or where one of `externs` has it.
fn home(plan: &Plan, generated: &[FileId], externs: &[ExternPath], file: FileId, module: &Module) -> Home {
    if generated.contains(&file) {
        return Home::Tree(module.clone());
    }
    if is_shipped(&plan[file].name) {
        return Home::Runtime(module.clone());
    }
    let Some(index) = externs::find(plan, file, externs) else { return Home::Tree(module.clone()) };
    let extern_path = &externs[index];
    let before = extern_path.package.split('.').filter(|part| !part.is_empty()).count();
    let segments = module.segments[before..].to_vec();
    Home::Extern(index, extern_path.path.clone(), Module { segments })
}

/// Claims the names of messages and enums: the user's own come first, in the order of the plan, those that change last;
/// derived names yield to them.
fn claim_own(naming: &mut Naming<'_>, plan: &Plan, generated: &[FileId]) {
    for converted in [false, true] {
        let turn = |short: &str| (upper_camel(short) != short) == converted;
        for m in plan.messages.iter().filter(|m| turn(&m.short_name)) {
            naming.notes.muted = !generated.contains(&m.file);
            naming.own_type(m.parent, m.file, &m.name, &m.short_name);
        }
        for e in plan.enums.iter().filter(|e| turn(&e.short_name)) {
            naming.notes.muted = !generated.contains(&e.file);
            naming.own_enum(e.parent, e.file, &e.name, &e.short_name);
        }
    }
}

impl Names {
    /// Names everything. `generated` are the files of this run: a shipped file among them gets its own types.
    /// `externs` are the paths of `extern_path=`.
    pub fn new(plan: &Plan, generated: &[FileId], externs: &[ExternPath]) -> Names {
        let home = |file: FileId, module: &Module| home(plan, generated, externs, file, module);
        let mut naming = Naming::new(plan);
        let mut files = Vec::new();
        for file in &plan.files {
            let module = naming.package_module(&file.package);
            let ident = naming.claim_file(&file.name);
            files.push((module, ident));
        }
        claim_own(&mut naming, plan, generated);
        // The derived names of messages; a message's module comes before those inside.
        let with_inside = with_inside(plan);
        let mut messages: Vec<MessageNames> = Vec::new();
        let mut modules: Vec<Module> = Vec::new();
        let mut tables = HashSet::new();
        for (index, m) in plan.messages.iter().enumerate() {
            let module = m.parent.map_or_else(|| files[m.file.0].0.clone(), |p| modules[p.0].clone());
            naming.notes.muted = !generated.contains(&m.file);
            let inner = snake(&m.short_name);
            let inner = match with_inside.contains(&MessageId(index)) {
                true => naming.claim_module(&naming.scope_of(m.parent, m.file), &inner, &m.name),
                false => usable_module(&inner),
            };
            let inside = module.child(&inner);
            let homes = (home(m.file, &module), home(m.file, &inside));
            let table = claim(&mut tables, &table_name(plan, m));
            messages.push(MessageNames::new(&mut naming, plan, m, homes, table));
            modules.push(inside);
        }
        let enums = plan.enums.iter().map(|e| {
            let module = e.parent.map_or_else(|| files[e.file.0].0.clone(), |p| modules[p.0].clone());
            naming.notes.muted = !generated.contains(&e.file);
            let values = claims::values(e, &mut naming.notes);
            EnumNames { home: home(e.file, &module), plain: naming.given(&e.name), values }
        });
        let enums = enums.collect();
        // Extensions, in the scopes that declare them.
        let mut extensions = HashMap::new();
        let mut extension_writers = HashMap::new();
        let mut extension_views = HashMap::new();
        for x in plan.extensions.iter().flat_map(|e| &e.fields) {
            let scope = naming.scope_of(x.scope, x.file);
            let wanted = snake(&x.field.name).to_uppercase();
            naming.notes.muted = !generated.contains(&x.file);
            extensions.insert(x.name.clone(), naming.claim_value(&scope, &wanted, "constant", &x.name));
            let wanted = format!("{wanted}_VIEW");
            let view = naming.for_view(|n| n.claim_value(&scope, &wanted, "constant", &x.name));
            extension_views.insert(x.name.clone(), view);
            let used = &mut naming.used.entry(scope).or_default().values;
            extension_writers.insert(x.name.clone(), writer::of_extension(&x.field, used));
        }
        let (notes, writer_notes) = (naming.notes.lines, naming.writer_notes.lines);
        let view_notes = naming.view_notes.lines;
        Names {
            messages,
            enums,
            files,
            extensions,
            extension_writers,
            notes,
            writer_notes,
            view_notes,
            extension_views,
        }
    }

    /// Removes the names of a message's members that are not generated; the other members keep their names.
    pub(crate) fn keep(&mut self, id: MessageId, field: impl Fn(usize) -> bool, oneofs: &[usize]) {
        let names = &mut self.messages[id.0];
        for of_fields in
            [&mut names.members.fields, &mut names.members.has, &mut names.members.variants, &mut names.members.places]
        {
            let mut slot = 0..;
            of_fields.retain(|_| slot.next().is_some_and(&field));
        }
        let mut slot = 0..;
        names.setters.retain(|_| slot.next().is_some_and(&field));
        let oneof_types = [&mut names.oneofs, &mut names.oneof_builders, &mut names.oneof_views];
        for of_oneofs in oneof_types.into_iter().chain([&mut names.members.oneofs]) {
            let mut at = 0..;
            of_oneofs.retain(|_| at.next().is_some_and(|at| oneofs.contains(&at)));
        }
    }

    /// Returns the renamings, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the renamings that concern only the writer face.
    pub fn writer_notes(&self) -> &[String] {
        &self.writer_notes
    }

    /// Returns the renamings that concern only the view face.
    pub fn view_notes(&self) -> &[String] {
        &self.view_notes
    }

    /// Returns the module of a file's top-level types.
    pub fn file_module(&self, file: FileId) -> &Module {
        &self.files[file.0].0
    }

    /// Returns the file's name in snake case, unique among all files: for items that occur once per file.
    pub fn file_ident(&self, file: FileId) -> &str {
        &self.files[file.0].1
    }

    /// Returns the module of a message.
    pub fn module(&self, message: MessageId) -> &Module {
        self.messages[message.0].home.module()
    }

    /// Returns the module of the declarations inside a message: nested types and the enums of its oneofs.
    pub fn inside(&self, message: MessageId) -> &Module {
        self.messages[message.0].inside.module()
    }

    /// Returns the module of an enum.
    pub fn enum_module(&self, id: EnumId) -> &Module {
        self.enums[id.0].home.module()
    }

    /// Returns the name of a message's handle: `Foo`.
    pub fn message(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].plain)
    }

    /// Returns the name of its row: `FooRow`.
    pub fn row(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].row)
    }

    /// Returns the name of its pool: `FooPool`.
    pub fn pool(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].pool)
    }

    /// Returns the name of its builder: `FooBuilder`.
    pub fn builder(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].builder)
    }

    /// Returns the name of its codec: `FooCodec`.
    pub fn codec(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].codec)
    }

    /// Returns the name of the type that decodes into prost's struct: `FooReuse`.
    pub fn reuse(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].reuse)
    }

    /// Returns the name of its visitor: `FooVisitor`.
    pub fn visitor(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].visitor)
    }

    /// Returns the name of its view: `FooView`.
    pub fn view(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].view)
    }

    /// Returns the name of the static that describes its view: `FOO_VIEW_TABLE`.
    pub fn view_table(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].view_table)
    }

    /// Returns the name of a oneof's enum in a view; it is in [`Names::inside`] of its message.
    pub fn oneof_view(&self, message: MessageId, oneof: usize) -> Ident {
        ident(&self.messages[message.0].oneof_views[oneof])
    }

    /// Returns the method of a view that returns where the value of the field in a slot is.
    pub fn place(&self, id: MessageId, slot: usize) -> Ident {
        ident(&self.messages[id.0].members.places[slot])
    }

    /// Returns the constant of an extension for views; it is in the module that declares the extension.
    pub fn extension_view(&self, extension: &Extension) -> Ident {
        ident(self.extension_views.get(&extension.name).map_or("_", String::as_str))
    }

    /// Returns the name of a oneof's enum in a builder; it is in [`Names::inside`] of its message.
    pub fn oneof_builder(&self, message: MessageId, oneof: usize) -> Ident {
        ident(&self.messages[message.0].oneof_builders[oneof])
    }

    /// Returns the name of the static with its schema: `FOO_SCHEMA`.
    pub fn schema(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].schema)
    }

    /// Returns the name of its writer: `FooWriter`.
    pub fn writer(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].writer)
    }

    /// Returns the name of the struct with its fields' numbers and names: `FooFields`.
    pub fn constants(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].constants)
    }

    /// Returns the names of the functions that write the field in a slot.
    pub fn setters(&self, id: MessageId, slot: usize) -> &FieldNames {
        &self.messages[id.0].setters[slot]
    }

    /// Returns the names of the functions that write an extension; they are in the module that declares the extension.
    pub fn extension_writer(&self, extension: &Extension) -> Option<&FieldNames> {
        self.extension_writers.get(&extension.name)
    }

    /// Returns the name of the unit's tables; they are at the root, next to the modules of packages.
    pub fn tables(&self) -> Ident {
        ident("Tables")
    }

    /// Returns the name of the spare parts of the unit.
    pub fn spares(&self) -> Ident {
        ident("Spares")
    }

    /// Returns the name of the unit's table that holds its rows: `pkg_outer_inner`.
    pub fn table(&self, id: MessageId) -> Ident {
        ident(&self.messages[id.0].table)
    }

    /// Returns the accessor of the field in a slot.
    pub fn method(&self, id: MessageId, slot: usize) -> Ident {
        ident(&self.messages[id.0].members.fields[slot])
    }

    /// Returns `has_x` of the field in a slot, for fields with explicit presence and required ones.
    pub fn has(&self, id: MessageId, slot: usize) -> Ident {
        ident(&self.messages[id.0].members.has[slot])
    }

    /// Reports whether a field or oneof has an accessor of this name.
    pub(crate) fn has_member(&self, id: MessageId, m: &Message, name: &str) -> bool {
        let members = &self.messages[id.0].members;
        let has = members.has.iter().zip(&m.fields);
        let mut has =
            has.filter(|(_, f)| matches!(f.presence, Presence::Explicit | Presence::Required)).map(|(has, _)| has);
        members.fields.iter().chain(&members.oneofs).any(|n| n == name) || has.any(|n| n == name)
    }

    /// Returns the accessor of a oneof.
    pub fn oneof_method(&self, id: MessageId, oneof: usize) -> Ident {
        ident(&self.messages[id.0].members.oneofs[oneof])
    }

    /// Returns the variant of a oneof's enum for the field in a slot.
    pub fn oneof_variant(&self, id: MessageId, slot: usize) -> Ident {
        ident(&self.messages[id.0].members.variants[slot])
    }

    /// Returns an enum's type.
    pub fn enum_type(&self, id: EnumId) -> Ident {
        ident(&self.enums[id.0].plain)
    }

    /// Returns the constants of an enum's values, before keywords are escaped.
    pub(crate) fn values(&self, id: EnumId) -> &[String] {
        &self.enums[id.0].values
    }

    /// Returns the enum type of a oneof; it is in [`Names::inside`] of its message.
    pub fn oneof_enum(&self, message: MessageId, oneof: usize) -> Ident {
        ident(&self.messages[message.0].oneofs[oneof])
    }

    /// Returns the constant of an extension; it is in the module that declares the extension.
    pub fn extension(&self, extension: &Extension) -> Ident {
        ident(self.extensions.get(&extension.name).map_or("_", String::as_str))
    }

    /// Returns the module of an extension's constant.
    pub fn extension_module(&self, extension: &Extension) -> &Module {
        extension.scope.map_or_else(|| self.file_module(extension.file), |scope| self.inside(scope))
    }

    /// Returns the path, from a module, of an item in a message's module: its handle, row, pool or schema.
    pub fn path(&self, from: &Module, message: MessageId, name: &Ident) -> TokenStream {
        path(from, &self.messages[message.0].home, name)
    }

    /// Returns the path of an item at the root of this run's module tree.
    pub fn root_path(&self, from: &Module, name: &Ident) -> TokenStream {
        path(from, &Home::Tree(Module::default()), name)
    }

    /// Reports whether the runtime ships this message and this run does not generate it.
    pub fn is_shipped(&self, message: MessageId) -> bool {
        matches!(self.messages[message.0].home, Home::Runtime(_))
    }

    /// Returns the name that the unit's tables have for the tables of another unit, if this message belongs to one:
    /// `wkt`, or `x1` for the first path of `extern_path=`. Names of tables have several words, so all names differ.
    pub fn foreign(&self, message: MessageId) -> Option<Ident> {
        match &self.messages[message.0].home {
            Home::Tree(_) => None,
            Home::Runtime(_) => Some(ident("wkt")),
            Home::Extern(index, ..) => Some(ident(&format!("x{}", index + 1))),
        }
    }

    /// Returns the path of an enum from a module.
    pub fn enum_path(&self, from: &Module, id: EnumId) -> TokenStream {
        path(from, &self.enums[id.0].home, &self.enum_type(id))
    }

    /// Returns the path of a oneof's enum from a module.
    pub fn oneof_path(&self, from: &Module, message: MessageId, oneof: usize) -> TokenStream {
        self.inside_path(from, message, &self.oneof_enum(message, oneof))
    }

    /// Returns the path of an item in [`Names::inside`] of a message.
    pub fn inside_path(&self, from: &Module, message: MessageId, name: &Ident) -> TokenStream {
        path(from, &self.messages[message.0].inside, name)
    }
}

/// Returns the name of the enum of a oneof, before names that collide change: as in prost, `KindOneOf` beside a type `Kind`
/// that is nested in the message.
pub(crate) fn oneof_enum(plan: &Plan, m: &Message, oneof: &str) -> String {
    let name = upper_camel(oneof);
    let messages = m.nested.iter().map(|&id| &plan[id].short_name);
    let used = messages.chain(m.enums.iter().map(|&id| &plan[id].short_name)).any(|short| upper_camel(short) == name);
    if used { format!("{name}OneOf") } else { name }
}

impl Home {
    fn module(&self) -> &Module {
        match self {
            Home::Tree(module) | Home::Runtime(module) | Home::Extern(_, _, module) => module,
        }
    }
}

fn path(from: &Module, home: &Home, name: &Ident) -> TokenStream {
    match home {
        Home::Runtime(module) => {
            let segments = module.segments.iter().map(|s| ident(s));
            quote!(::hotpb::wkt::#(#segments::)*#name)
        }
        Home::Extern(_, root, module) => {
            let root: TokenStream = root.parse().expect("extern_path= was checked");
            let segments = module.segments.iter().map(|s| ident(s));
            quote!(#root::#(#segments::)*#name)
        }
        Home::Tree(module) => {
            let common = from.segments.iter().zip(&module.segments).take_while(|(a, b)| a == b).count();
            let up = from.segments[common..].iter().map(|_| quote!(super));
            let down = module.segments[common..].iter().map(|s| ident(s));
            quote!(#(#up::)*#(#down::)*#name)
        }
    }
}
