//! Which names are used, and their uses: types, values and files of each scope, and the members of a message.

use super::Module;
use crate::names::idents::{claim, snake, upper_camel, usable, usable_module};
use crate::plan::join;
use crate::plan::*;
use std::collections::{HashMap, HashSet};

/// The names in use, by scope of the schema.
pub(super) struct Naming<'p> {
    pub(super) plan: &'p Plan,
    pub(super) used: HashMap<Scope, Taken>,
    /// The names of messages and enums, by full name.
    pub(super) given: HashMap<String, String>,
    pub(super) files: HashSet<String>,
    pub(super) root: String,
    pub(super) notes: Notes,
    pub(super) writer_notes: Notes,
    pub(super) view_notes: Notes,
}

/// The renamings. Hidden names and files that are not generated are not reported.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) lines: Vec<String>,
    pub(super) muted: bool,
}

impl Notes {
    pub(super) fn renamed(&mut self, owner: &str, role: &str, wanted: &str, name: &str) {
        if wanted != name && !self.muted && !role.is_empty() {
            let note = format!(
                "{owner}: its {role} is called `{name}`, because `{wanted}` is already used or is not a valid name"
            );
            self.lines.push(note);
        }
    }
}

/// The `what` of hidden names.
pub(super) const HIDDEN: &str = "";

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    /// The module of a package; packages that differ in case share it.
    Package(Module),
    Message(String),
}

#[derive(Default)]
pub(super) struct Taken {
    pub(super) types: HashSet<String>,
    pub(super) values: HashSet<String>,
}

impl<'p> Naming<'p> {
    pub(super) fn new(plan: &'p Plan) -> Naming<'p> {
        let mut naming = Naming {
            plan,
            used: HashMap::new(),
            given: HashMap::new(),
            files: HashSet::new(),
            root: "no_package".into(),
            notes: Notes::default(),
            writer_notes: Notes::default(),
            view_notes: Notes::default(),
        };
        // The modules of packages are fixed: `a.b` uses `b` in the package `a`.
        let packages: HashSet<&str> = plan.files.iter().map(|f| f.package.as_str()).collect();
        let modules: HashSet<Module> =
            packages.iter().filter(|p| !p.is_empty()).map(|package| naming.package_module(package)).collect();
        while modules.iter().any(|module| module.segments[0] == naming.root) {
            naming.root.push('_');
        }
        for module in modules {
            let mut outer = Module::default();
            for part in module.segments {
                let inside = outer.child(&part);
                naming.used.entry(Scope::Package(outer)).or_default().types.insert(part);
                outer = inside;
            }
        }
        naming
    }

    pub(super) fn package_module(&self, package: &str) -> Module {
        match package {
            "" => Module { segments: vec![self.root.clone()] },
            package => Module { segments: package.split('.').map(|part| usable_module(&snake(part))).collect() },
        }
    }

    pub(super) fn scope_of(&self, parent: Option<MessageId>, file: FileId) -> Scope {
        match parent {
            Some(parent) => Scope::Message(self.plan[parent].name.clone()),
            None => Scope::Package(self.package_module(&self.plan[file].package)),
        }
    }

    pub(super) fn own_type(&mut self, parent: Option<MessageId>, file: FileId, full: &str, short: &str) {
        let scope = self.scope_of(parent, file);
        let name = self.claim_type(&scope, &upper_camel(short), "type", full);
        self.given.insert(full.to_string(), name);
    }

    /// An enum is a tuple struct, which is also a value: no variable, function or constant can have its name. Variables
    /// have names without capitals, and none ends with `_`.
    pub(super) fn own_enum(&mut self, parent: Option<MessageId>, file: FileId, full: &str, short: &str) {
        let scope = self.scope_of(parent, file);
        let camel = upper_camel(short);
        let mut wanted = usable(&camel);
        if !wanted.contains(|c: char| c.is_ascii_uppercase()) && !wanted.ends_with('_') {
            wanted.push('_');
        }
        let Taken { types, values } = self.used.entry(scope).or_default();
        let mut name = claim(types, &wanted);
        while !values.insert(name.clone()) {
            name = claim(types, &wanted);
        }
        self.notes.renamed(full, "type", &camel, &name);
        self.given.insert(full.to_string(), name);
    }

    pub(super) fn given(&self, full: &str) -> String {
        self.given[full].clone()
    }

    pub(super) fn claim_module(&mut self, scope: &Scope, wanted: &str, owner: &str) -> String {
        let types = &mut self.used.entry(scope.clone()).or_default().types;
        let name = claim(types, &usable_module(wanted));
        self.notes.renamed(owner, "module", wanted, &name);
        name
    }

    pub(super) fn claim_type(&mut self, scope: &Scope, wanted: &str, role: &str, owner: &str) -> String {
        let types = &mut self.used.entry(scope.clone()).or_default().types;
        let name = claim(types, &usable(wanted));
        self.notes.renamed(owner, role, wanted, &name);
        name
    }

    pub(super) fn claim_value(&mut self, scope: &Scope, wanted: &str, role: &str, owner: &str) -> String {
        let values = &mut self.used.entry(scope.clone()).or_default().values;
        let name = claim(values, &usable(wanted));
        self.notes.renamed(owner, role, wanted, &name);
        name
    }

    /// Claims names that only the writer face uses.
    pub(super) fn for_writer<T>(&mut self, claims: impl FnOnce(&mut Self) -> T) -> T {
        let muted = self.notes.muted;
        std::mem::swap(&mut self.notes, &mut self.writer_notes);
        self.notes.muted = muted;
        let claimed = claims(self);
        std::mem::swap(&mut self.notes, &mut self.writer_notes);
        claimed
    }

    /// Claims names that only the view face uses.
    pub(super) fn for_view<T>(&mut self, claims: impl FnOnce(&mut Self) -> T) -> T {
        let muted = self.notes.muted;
        std::mem::swap(&mut self.notes, &mut self.view_notes);
        self.notes.muted = muted;
        let claimed = claims(self);
        std::mem::swap(&mut self.notes, &mut self.view_notes);
        claimed
    }

    pub(super) fn claim_file(&mut self, file: &str) -> String {
        let stem = file.strip_suffix(".proto").unwrap_or(file);
        let plain: String =
            stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
        claim(&mut self.files, &plain)
    }
}

/// Returns `pkg_outer_inner`, or `no_package_message`: always several words, so that it differs from every parameter
/// and from the other members of the tables.
pub(super) fn table_name(plan: &Plan, m: &Message) -> String {
    let package = if plan[m.file].package.is_empty() { "no_package." } else { "" };
    let name = snake(&format!("{package}{}", m.name).replace('.', "_"));
    // One underscore at a time, or the compiler warns about the name's style.
    let mut words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    if words.first().is_none_or(|word| word.starts_with(|c: char| c.is_ascii_digit())) {
        words.insert(0, "package");
    }
    if words.len() == 1 {
        words.push("message");
    }
    words.join("_")
}

/// Returns the messages with their own module: for nested types (including entries of maps), enums of oneofs, and
/// extensions declared in them.
pub(super) fn with_inside(plan: &Plan) -> HashSet<MessageId> {
    let nests = |m: &Message| !m.nested.is_empty() || !m.enums.is_empty() || !m.oneofs.is_empty();
    let messages = plan.messages.iter().enumerate().filter(|(_, m)| nests(m)).map(|(i, _)| MessageId(i));
    let scopes = plan.extensions.iter().flat_map(|e| &e.fields).filter_map(|x| x.scope);
    messages.chain(scopes).collect()
}

/// Returns the names of an enum's values: in upper camel case, without the enum's name as a prefix if a capital follows.
/// Names that the schema spells in this way take precedence, and aliases come last.
pub(super) fn values(e: &Enum, notes: &mut Notes) -> Vec<String> {
    let prefix = upper_camel(&e.short_name);
    let wanted = e.values.iter().map(|value| {
        let name = upper_camel(&value.name);
        let rest = name.strip_prefix(&prefix).filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
        rest.unwrap_or(&name).to_string()
    });
    let wanted: Vec<String> = wanted.collect();
    let mut numbers = HashSet::new();
    let aliases: Vec<bool> = e.values.iter().map(|value| !numbers.insert(value.number)).collect();
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&i| (aliases[i], wanted[i] != e.values[i].name));
    let (mut used, mut names) = (HashSet::new(), vec![String::new(); wanted.len()]);
    for i in order {
        names[i] = claim(&mut used, &usable(&wanted[i]));
        notes.renamed(&join(&e.name, &e.values[i].name), "constant", &wanted[i], &names[i]);
    }
    names
}

/// The names of a message's members.
pub(super) struct Members {
    pub(super) fields: Vec<String>,
    pub(super) has: Vec<String>,
    pub(super) oneofs: Vec<String>,
    pub(super) variants: Vec<String>,
    /// The methods of views that return where a value is.
    pub(super) places: Vec<String>,
    /// The renamings of `places`: what is renamed, the wish and the name.
    pub(super) renamed_places: Vec<(String, String, String)>,
}

/// The name that no field has: handles and views have it as a method, builders as a field, visitors as a method.
const RESERVED: [&str; 1] = ["unknown_fields"];

impl Members {
    /// Claims the names of fields and oneofs, in snake case. The fields of prost's struct come first, without the members of
    /// oneofs; names that the schema spells in this way take precedence over converted names, and all over derived ones.
    pub(super) fn new(message: &Message, notes: &mut Notes) -> Members {
        let mut used: HashSet<String> = RESERVED.iter().map(|s| s.to_string()).collect();
        let mut claim_noted = |used: &mut HashSet<String>, wanted: &str, role: &str, member: &str| {
            let name = claim(used, &usable(wanted));
            notes.renamed(&join(&message.name, member), role, wanted, &name);
            name
        };
        let fields = message.fields.iter().map(|f| (&f.name, f.oneof.is_some()));
        let names: Vec<(&String, bool)> = fields.chain(message.oneofs.iter().map(|o| (&o.name, false))).collect();
        let mut given = vec![String::new(); names.len()];
        for turn in [(false, false), (false, true), (true, false), (true, true)] {
            for (i, (name, of_oneof)) in names.iter().enumerate() {
                let wanted = snake(name);
                if (*of_oneof, wanted != **name) == turn {
                    given[i] = claim_noted(&mut used, &wanted, "accessor", name);
                }
            }
        }
        let oneofs = given.split_off(message.fields.len());
        let mut has = Vec::new();
        for (name, field) in given.iter().zip(&message.fields) {
            let wanted = format!("has_{name}");
            has.push(match field.presence {
                Presence::Explicit | Presence::Required => {
                    claim_noted(&mut used, &wanted, "test for presence", &field.name)
                }
                Presence::Implicit | Presence::Repeated => wanted,
            });
        }
        let mut variants_taken = vec![HashSet::new(); message.oneofs.len()];
        let mut variants = Vec::new();
        for field in &message.fields {
            variants.push(match field.oneof {
                Some(oneof) => {
                    claim_noted(&mut variants_taken[oneof], &upper_camel(&field.name), "variant", &field.name)
                }
                None => String::new(),
            });
        }
        let (mut places, mut renamed_places) = (Vec::new(), Vec::new());
        for (name, field) in given.iter().zip(&message.fields) {
            let wanted = format!("overwrite_{name}");
            let place = claim(&mut used, &usable(&wanted));
            if place != wanted {
                renamed_places.push((join(&message.name, &field.name), wanted, place.clone()));
            }
            places.push(place);
        }
        Members { fields: given, has, oneofs, variants, places, renamed_places }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values_of(enum_name: &str, names: &[&str]) -> (Vec<String>, Vec<String>) {
        let value = |(at, name): (usize, &&str)| EnumValue {
            name: name.trim_end_matches('=').to_string(),
            number: if name.ends_with('=') { 0 } else { at as i32 },
            deprecated: false,
            doc: String::new(),
        };
        let e = Enum {
            name: enum_name.into(),
            short_name: enum_name.into(),
            file: FileId(0),
            parent: None,
            closed: false,
            values: names.iter().enumerate().map(value).collect(),
            deprecated: false,
            doc: String::new(),
            line: None,
        };
        let mut notes = Notes::default();
        (values(&e, &mut notes), notes.lines)
    }

    #[test]
    fn the_name_of_the_enum_is_left_out_where_a_capital_follows() {
        let (names, notes) =
            values_of("METRICType", &["METRIC_TYPE_UNKNOWN", "METRICTYPE_1", "METRIC_TYPES", "COUNTER"]);
        assert_eq!(names, ["Unknown", "Metrictype1", "MetricTypes", "Counter"]);
        assert!(notes.is_empty());
    }

    #[test]
    fn values_that_collide_are_reported_and_aliases_come_last() {
        let (names, notes) = values_of("Enum", &["ENUM_A", "ENUM_B=", "a", "A", "self"]);
        assert_eq!(names, ["A_", "B", "A__", "A", "Self_"]);
        assert_eq!(notes.len(), 3);
        assert_eq!(
            notes[0],
            "Enum.ENUM_A: its constant is called `A_`, because `A` is already used or is not a valid name"
        );
    }
}
