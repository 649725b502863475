//! Faces: the registry, and what an emitter is given.
//!
//! Generated code stands beside types that users name. So emitters spell everything that is not a primitive type
//! by its full path (`::core::option::Option::Some`, `::hotpb::…`), and items and methods by [`crate::names`]. A parameter for
//! types begins with `__` and is reserved (`usable_type`). Traits' methods are not called on a handle with a dot: its own methods
//! have the schema's names.

use crate::facts::Facts;
use crate::names::Names;
use crate::options::Options;
use crate::plan::*;
use crate::{emit_build, emit_pool, emit_visit, emit_writer};
#[cfg(feature = "testing")]
use crate::{emit_reencode, emit_rewrite, emit_script};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;

/// What an emitter sees.
pub struct Context<'p> {
    /// The schema.
    pub plan: &'p Plan,
    /// Rust names for it.
    pub names: &'p Names,
    /// What the user asked for.
    pub options: &'p Options,
    /// The messages to generate, map entries included, in the order of the plan.
    pub messages: &'p [MessageId],
    /// Which messages of the plan are by table, by id.
    pub tables: &'p [bool],
    /// What depends on other messages.
    pub facts: &'p Facts,
    /// The fields that `only=` and `skip=` leave out; they are not in `plan`.
    pub skipped: &'p BTreeMap<MessageId, Vec<Field>>,
}

impl<'p> Context<'p> {
    /// The fields of a message that are left out.
    pub fn skipped(&self, message: MessageId) -> &'p [Field] {
        self.skipped.get(&message).map_or(&[], Vec::as_slice)
    }

    /// The feature that the items of a file need, in the crate that they ship with.
    pub fn feature(&self, file: FileId) -> Option<&'static str> {
        crate::names::feature(&self.plan[file].name).filter(|_| self.options.runtime)
    }

    /// What keeps the items of a file out where that crate is compiled without them.
    pub fn gate(&self, file: FileId) -> Option<TokenStream> {
        let feature = self.feature(file)?;
        Some(quote!(#[cfg(feature = #feature)]))
    }

    /// Those of them whose records are not kept as unknown fields.
    pub fn dropped(&self, message: MessageId) -> &'p [Field] {
        if self.options.keep_skipped { &[] } else { self.skipped(message) }
    }
}

/// Items of one message.
#[derive(Default)]
pub struct Items {
    /// For the module the message lives in.
    pub here: TokenStream,
    /// For the module of what is nested in the message.
    pub nested: TokenStream,
}

/// A face, or an extra of one.
pub(crate) struct Face {
    /// As in `faces=`.
    pub name: &'static str,
    /// The faces that an extra goes with.
    pub of: &'static [&'static str],
    /// Whether it serves tests only.
    pub for_tests: bool,
    /// Whether it writes messages that were read: they must have all their fields.
    pub encodes: bool,
    /// Items of one message.
    pub message: fn(&Context<'_>, MessageId) -> Items,
    /// Items of one extension of a message, for the module it is declared in.
    pub extension: fn(&Context<'_>, MessageId, &Extension) -> TokenStream,
    /// Items that stand once, at the root of the module tree.
    pub unit: fn(&Context<'_>) -> TokenStream,
}

/// All faces of this version; the first is the default. Those for tests of hotpb itself are in generators with the feature `testing`,
/// and nobody is told of them.
pub(crate) static FACES: &[Face] = &[
    Face {
        name: "pool",
        of: &[],
        for_tests: false,
        encodes: false,
        message: emit_pool::message,
        extension: emit_pool::extension,
        unit: emit_pool::tables,
    },
    Face {
        name: "builder",
        of: &["pool"],
        for_tests: false,
        encodes: true,
        message: emit_build::message,
        extension: |_, _, _| TokenStream::new(),
        unit: |_| TokenStream::new(),
    },
    Face {
        name: "visitor",
        of: &["pool"],
        for_tests: false,
        encodes: false,
        message: emit_visit::message,
        extension: |_, _, _| TokenStream::new(),
        unit: |_| TokenStream::new(),
    },
    Face {
        name: "writer",
        of: &[],
        for_tests: false,
        encodes: false,
        message: emit_writer::message,
        extension: emit_writer::extension,
        unit: |_| TokenStream::new(),
    },
    #[cfg(feature = "testing")]
    Face {
        name: "reencode",
        of: &["pool"],
        for_tests: true,
        encodes: true,
        message: emit_reencode::message,
        extension: |_, _, _| TokenStream::new(),
        unit: emit_reencode::table,
    },
    #[cfg(feature = "testing")]
    Face {
        name: "rewrite",
        of: &["pool", "writer"],
        for_tests: true,
        encodes: true,
        message: |_, _| Items::default(),
        extension: |_, _, _| TokenStream::new(),
        unit: emit_rewrite::table,
    },
    #[cfg(feature = "testing")]
    Face {
        name: "script",
        of: &["writer"],
        for_tests: true,
        encodes: false,
        message: |_, _| Items::default(),
        extension: |_, _, _| TokenStream::new(),
        unit: emit_script::table,
    },
];

/// What `faces=` is when it is not given.
pub(crate) const DEFAULT_FACE: &str = FACES[0].name;

/// The faces of a value of `faces=`, in the order of the registry; else what is wrong with it.
pub(crate) fn select(value: &str) -> Result<Vec<&'static str>, String> {
    let mut wanted = Vec::new();
    for name in value.split('+') {
        if !FACES.iter().any(|f| f.name == name) {
            let existing: Vec<_> = FACES.iter().filter(|f| !f.for_tests).map(|f| f.name).collect();
            return Err(format!(
                "the face {name:?} is not in this version of the Rust generator; it has {}",
                existing.join(", ")
            ));
        }
        if wanted.contains(&name) {
            return Err(format!("{name} is named twice"));
        }
        wanted.push(name);
    }
    let faces: Vec<_> = FACES.iter().filter(|f| wanted.contains(&f.name)).collect();
    for face in &faces {
        if !face.of.iter().all(|of| wanted.contains(of)) {
            let of = face.of.join("+");
            return Err(format!("{0} goes with {of}: faces={of}+{0} is allowed", face.name));
        }
    }
    Ok(faces.iter().map(|f| f.name).collect())
}
