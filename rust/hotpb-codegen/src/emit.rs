//! Faces: the registry, and the input of an emitter.
//!
//! Generated code is in the same modules as types whose names users choose. So emitters write the full path of
//! everything that is not a primitive type (`::core::option::Option::Some`, `::hotpb::…`), and get the names of items
//! and methods from [`crate::names`]. A type parameter begins with `__`, which is reserved (`usable_type`). Trait
//! methods are not called on a handle with a dot, because its own methods have the schema's names.

use crate::facts::Facts;
use crate::names::Names;
use crate::options::Options;
use crate::plan::*;
use crate::select_fields::Skipped;
use crate::{emit_build, emit_codec, emit_pool, emit_view, emit_visit, emit_writer};
#[cfg(feature = "testing")]
use crate::{emit_reencode, emit_reencode_view, emit_rewrite, emit_script};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;

/// The input of an emitter.
pub struct Context<'p> {
    /// The schema.
    pub plan: &'p Plan,
    /// The Rust names for it.
    pub names: &'p Names,
    /// The user's options.
    pub options: &'p Options,
    /// The messages to generate, including map entries, in the order of the plan.
    pub messages: &'p [MessageId],
    /// Which messages of the plan are by table, indexed by id.
    pub tables: &'p [bool],
    /// Properties that depend on other messages.
    pub facts: &'p Facts,
    /// The fields that `only=` and `skip=` leave out; they are not in `plan`.
    pub skipped: &'p BTreeMap<MessageId, Skipped>,
}

impl<'p> Context<'p> {
    /// Returns the fields of a message that are left out.
    pub fn skipped(&self, message: MessageId) -> &'p [Field] {
        self.skipped.get(&message).map_or(&[], |skipped| &skipped.fields)
    }

    /// Returns the feature that the items of a file need in the crate they ship with.
    pub fn feature(&self, file: FileId) -> Option<&'static str> {
        crate::names::feature(&self.plan[file].name).filter(|_| self.options.runtime)
    }

    /// Returns the attribute that excludes the items of a file if that crate is compiled without the feature.
    pub fn gate(&self, file: FileId) -> Option<TokenStream> {
        let feature = self.feature(file)?;
        Some(quote!(#[cfg(feature = #feature)]))
    }

    /// Returns those skipped fields whose records are not kept as unknown fields.
    pub fn dropped(&self, message: MessageId) -> &'p [Field] {
        if self.options.keep_skipped { &[] } else { self.skipped(message) }
    }
}

/// The items of one message.
#[derive(Default)]
pub struct Items {
    /// For the module of the message.
    pub here: TokenStream,
    /// For the module of the types nested in the message.
    pub nested: TokenStream,
}

/// A face, or an extra that extends one.
pub(crate) struct Face {
    /// The name in `faces=`.
    pub name: &'static str,
    /// The faces that an extra needs.
    pub requires: &'static [&'static str],
    /// Whether it is for tests only.
    pub for_tests: bool,
    /// Whether it encodes messages that were read: these must have all their fields.
    pub encodes: bool,
    /// Emits the items of one message.
    pub message: fn(&Context<'_>, MessageId) -> Items,
    /// Emits the items of one extension of a message, for the module that declares it.
    pub extension: fn(&Context<'_>, MessageId, &Extension) -> TokenStream,
    /// Emits the items that occur once, at the root of the module tree.
    pub unit: fn(&Context<'_>) -> TokenStream,
}

/// All faces of this version; the first is the default. Only generators with the feature `testing` have the faces for
/// hotpb's own tests, and error messages do not list these.
pub(crate) static FACES: &[Face] = &[
    Face {
        name: "pool",
        requires: &[],
        for_tests: false,
        encodes: false,
        message: emit_pool::message,
        extension: emit_pool::extension,
        unit: emit_pool::tables,
    },
    Face {
        name: "builder",
        requires: &["pool"],
        for_tests: false,
        encodes: true,
        message: emit_build::message,
        extension: |_, _, _| TokenStream::new(),
        unit: |_| TokenStream::new(),
    },
    Face {
        name: "visitor",
        requires: &["pool"],
        for_tests: false,
        encodes: false,
        message: emit_visit::message,
        extension: |_, _, _| TokenStream::new(),
        unit: |_| TokenStream::new(),
    },
    Face {
        name: "writer",
        requires: &[],
        for_tests: false,
        encodes: false,
        message: emit_writer::message,
        extension: emit_writer::extension,
        unit: |_| TokenStream::new(),
    },
    Face {
        name: "view",
        requires: &[],
        for_tests: false,
        encodes: false,
        message: emit_view::message,
        extension: emit_view::extension,
        unit: |_| TokenStream::new(),
    },
    Face {
        name: "codec",
        requires: &[],
        for_tests: false,
        encodes: false,
        message: emit_codec::message,
        extension: |_, _, _| TokenStream::new(),
        unit: emit_codec::unit,
    },
    #[cfg(feature = "testing")]
    Face {
        name: "reencode",
        requires: &["pool"],
        for_tests: true,
        encodes: true,
        message: emit_reencode::message,
        extension: |_, _, _| TokenStream::new(),
        unit: emit_reencode::table,
    },
    #[cfg(feature = "testing")]
    Face {
        name: "reencode_view",
        requires: &["view"],
        for_tests: true,
        encodes: true,
        message: |_, _| Items::default(),
        extension: |_, _, _| TokenStream::new(),
        unit: emit_reencode_view::table,
    },
    #[cfg(feature = "testing")]
    Face {
        name: "rewrite",
        requires: &["pool", "writer"],
        for_tests: true,
        encodes: true,
        message: |_, _| Items::default(),
        extension: |_, _, _| TokenStream::new(),
        unit: emit_rewrite::table,
    },
    #[cfg(feature = "testing")]
    Face {
        name: "script",
        requires: &["writer"],
        for_tests: true,
        encodes: false,
        message: |_, _| Items::default(),
        extension: |_, _, _| TokenStream::new(),
        unit: emit_script::table,
    },
];

/// The value of `faces=` when it is not given.
pub(crate) const DEFAULT_FACE: &str = FACES[0].name;

/// Returns the faces in a value of `faces=`, in the order of the registry; otherwise the error.
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
        if !face.requires.iter().all(|required| wanted.contains(required)) {
            let required = face.requires.join("+");
            return Err(format!("{0} needs {required}: write faces={required}+{0}", face.name));
        }
    }
    Ok(faces.iter().map(|f| f.name).collect())
}
