//! The state of one decode: its input, and the rest of its limits.

use super::DecodeOptions;
use crate::wire::check::Spent;
use crate::wire::{Cursor, DEPTH_CEILING, Input, Stack};

/// The state of one decode, which generated decoders pass down.
pub struct Decoder<'a> {
    input: Input<'a>,
    depth: u32,
    memory: usize,
    stack: Stack,
    /// The resource that ran out, and the anchor of the record that needed it.
    spent: Option<Spent>,
    /// The owner of the input, which fields of type `Bytes` share.
    #[cfg(feature = "bytes")]
    owner: Option<&'a bytes::Bytes>,
}

impl<'a> Decoder<'a> {
    /// Creates the state for one input.
    pub(super) fn new(input: &'a [u8], options: &DecodeOptions) -> Decoder<'a> {
        Decoder {
            input: Input::new(input),
            depth: options.depth.min(DEPTH_CEILING),
            memory: options.memory_for(input.len()),
            stack: Stack::new(options.stack),
            spent: None,
            #[cfg(feature = "bytes")]
            owner: None,
        }
    }

    /// Creates the state for an input that fields share.
    #[cfg(feature = "bytes")]
    pub(super) fn of_owner(input: &'a bytes::Bytes, options: &DecodeOptions) -> Decoder<'a> {
        Decoder { owner: Some(input), ..Decoder::new(input, options) }
    }

    /// Returns a part of the input as `Bytes`: shared if the input has an owner, else copied.
    #[cfg(feature = "bytes")]
    pub(super) fn shared(&self, part: &'a [u8]) -> bytes::Bytes {
        match self.owner {
            Some(owner) => owner.slice_ref(part),
            None => bytes::Bytes::copy_from_slice(part),
        }
    }

    pub(super) fn input(&self) -> Input<'a> {
        self.input
    }

    pub(super) fn spent(&self) -> Option<Spent> {
        self.spent
    }

    /// Returns the number of levels that may still open.
    #[inline(always)]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Goes down one level, to a record whose payload begins at the cursor. An error ends the decode, so only success
    /// needs [`Decoder::leave`]. `RECURSIVE` says that the message can contain messages of its own kind.
    #[inline(always)]
    pub(super) fn enter<const RECURSIVE: bool>(&mut self, c: &Cursor<'a>) -> Option<()> {
        if RECURSIVE && self.stack.is_used_up() {
            self.spent = Some(Spent::Stack(c.offset(self.input) as usize));
            return None;
        }
        self.depth = self.depth.checked_sub(1)?;
        Some(())
    }

    /// Goes back up one level.
    #[inline(always)]
    pub(super) fn leave(&mut self) {
        self.depth += 1;
    }

    /// Charges the memory of an element whose anchor is at the cursor ([`crate::wire::check::check_part`]).
    #[inline(always)]
    pub(super) fn charge(&mut self, bytes: usize, c: &Cursor<'a>) -> Option<()> {
        match self.memory.checked_sub(bytes) {
            Some(left) => {
                self.memory = left;
                Some(())
            }
            None => {
                self.spent = Some(Spent::Memory(c.offset(self.input) as usize));
                None
            }
        }
    }
}
