//! Spare parts: values that one message does not need and the next one may.

use super::MOST_SPARES;
use super::decoder::Decoder;
use crate::wire::check::MessageSchema;
use crate::wire::{Cursor, Pos};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// Spare values of one type. They still have their old content: whoever takes one replaces it.
pub struct Kept<T> {
    plain: Vec<T>,
    boxed: Vec<Box<T>>,
}

impl<T> Default for Kept<T> {
    fn default() -> Kept<T> {
        Kept { plain: Vec::new(), boxed: Vec::new() }
    }
}

impl<T: Default> Kept<T> {
    /// Takes the value that was kept last, or creates one.
    #[inline]
    pub fn take(&mut self) -> T {
        self.plain.pop().unwrap_or_default()
    }

    /// Keeps a value.
    #[inline]
    pub fn give(&mut self, value: T) {
        if self.plain.len() < MOST_SPARES {
            self.plain.push(value);
        }
    }

    /// Takes a boxed value.
    #[inline]
    pub fn take_box(&mut self) -> Box<T> {
        self.boxed.pop().unwrap_or_default()
    }

    /// Keeps a boxed value.
    #[inline]
    pub fn give_box(&mut self, value: Box<T>) {
        if self.boxed.len() < MOST_SPARES {
            self.boxed.push(value);
        }
    }
}

/// The spare parts of all messages of a generated unit.
pub trait Unit {
    /// Spare strings.
    fn texts(&mut self) -> &mut Kept<String>;
    /// Spare bytes.
    fn blobs(&mut self) -> &mut Kept<Vec<u8>>;
}

/// A message of a unit with the spare parts `S`: a type without values that generated code defines, because the struct
/// itself may belong to another crate.
pub trait Codec<S> {
    /// The struct that prost-build generates.
    type Of;
    /// Whether the message can contain messages of its own kind.
    const RECURSIVE: bool;
    /// The schema, for the cold decoder.
    const SCHEMA: &'static MessageSchema;

    /// Takes a spare struct, or creates one. It may have old content.
    fn take(spares: &mut S) -> Self::Of;
    /// Keeps a struct.
    fn give(target: Self::Of, spares: &mut S);
    /// Decodes records up to the end of the cursor's range or, if `group` is not 0, up to that end tag. Unless `merge`,
    /// it replaces the old content. The type parameter makes the function generic, so that crates compile only those
    /// that they use.
    fn read<'a, U>(
        d: &mut Decoder<'a>,
        spares: &mut S,
        target: &mut Self::Of,
        cursor: Cursor<'a>,
        merge: bool,
        group: u32,
    ) -> Option<Pos<'a>>;
}

/// A place of a message: its struct, or a `Box` of it. Generated code implements the trait for both.
pub trait Holder<S, C: Codec<S>> {
    /// The bytes of memory of its own that it needs.
    const HEAP: usize;
    /// Returns the struct.
    fn get(&mut self) -> &mut C::Of;
    /// Takes a spare one, or creates one. It may have old content.
    fn take(spares: &mut S) -> Self;
    /// Keeps it.
    fn give(self, spares: &mut S);
}
