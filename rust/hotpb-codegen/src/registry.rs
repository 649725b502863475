//! The registry: the emitter of each face.

use crate::emit::{Context, Items, build, codec, pool, view, visit, writer};
use crate::plan::{Extension, MessageId};
use proc_macro2::TokenStream;

/// The emitter of a face.
pub(crate) struct Emitter {
    /// The name of the face.
    pub face: &'static str,
    /// Emits the items of one message.
    pub message: fn(&Context<'_>, MessageId) -> Items,
    /// Emits the items of one extension of a message, for the module that declares it.
    pub extension: fn(&Context<'_>, MessageId, &Extension) -> TokenStream,
    /// Emits the items that occur once, at the root of the module tree.
    pub unit: fn(&Context<'_>) -> TokenStream,
}

/// The emitters, in the order in which their items are written: that of [`crate::faces::FACES`].
pub(crate) static EMITTERS: &[Emitter] = &[
    Emitter { face: "pool", message: pool::message, extension: pool::extension, unit: pool::tables },
    Emitter {
        face: "builder",
        message: build::message,
        extension: |_, _, _| TokenStream::new(),
        unit: |_| TokenStream::new(),
    },
    Emitter {
        face: "visitor",
        message: visit::message,
        extension: |_, _, _| TokenStream::new(),
        unit: |_| TokenStream::new(),
    },
    Emitter { face: "writer", message: writer::message, extension: writer::extension, unit: |_| TokenStream::new() },
    Emitter { face: "view", message: view::message, extension: view::extension, unit: |_| TokenStream::new() },
    Emitter { face: "codec", message: codec::message, extension: |_, _, _| TokenStream::new(), unit: codec::unit },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_face_has_an_emitter() {
        let faces = crate::faces::FACES.iter().map(|face| face.name);
        assert!(faces.eq(EMITTERS.iter().map(|emitter| emitter.face)));
    }
}
