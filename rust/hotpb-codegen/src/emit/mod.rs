//! The emitters: a module for each face, and their input.
//!
//! Generated code is in the same modules as types whose names users choose. So emitters write the full path of
//! everything that is not a primitive type (`::core::option::Option::Some`, `::hotpb::…`), and get the names of items
//! and methods from [`crate::names`]. A type parameter begins with `__`, which is reserved (`usable_type`). Trait
//! methods are not called on a handle with a dot, because its own methods have the schema's names.

pub(crate) mod build;
pub(crate) mod codec;
pub(crate) mod enums;
pub(crate) mod facts;
pub(crate) mod pool;
pub(crate) mod view;
pub(crate) mod visit;
pub(crate) mod writer;

use crate::emit::facts::Facts;
use crate::names::Names;
use crate::options::Options;
use crate::plan::*;
use crate::selection::fields::Skipped;
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
        crate::shipped::feature(&self.plan[file].name).filter(|_| self.options.runtime)
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
