//! The types that an `Any` may hold.

use crate::Error;
use crate::pool::walk::{AnyMessage, Described, Description};
use crate::pool::{DecodeOptions, Message, Pool};
use alloc::vec::Vec;
use core::fmt;

/// Message types, by full name: those that `google.protobuf.Any` may hold in JSON. There is no global registry, so a
/// program that reads or writes `Any` lists them.
#[derive(Clone, Default)]
pub struct Types {
    all: Vec<Type>,
}

#[derive(Clone, Copy)]
struct Type {
    description: &'static Description,
    decode: Decode,
}

type Decode = fn(&[u8], &DecodeOptions, &mut dyn FnMut(AnyMessage<'_>)) -> Result<(), Error>;

impl fmt::Debug for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter().map(|entry| entry.description)).finish()
    }
}

impl Types {
    /// Creates a list without types.
    pub const fn new() -> Types {
        Types { all: Vec::new() }
    }

    /// Adds a type: `types.add::<Foo<'static>>()`.
    pub fn add<M: Message + Described>(mut self) -> Types {
        let decode: Decode = |bytes, options, then| {
            let mut pool = Pool::<M>::new();
            then(pool.decode_with(bytes, options)?.into());
            Ok(())
        };
        self.all.push(Type { description: M::DESCRIPTION, decode });
        self
    }

    fn find(&self, url: &str) -> Option<&Type> {
        let (_, name) = url.rsplit_once('/')?;
        self.all.iter().find(|entry| entry.description.name() == name)
    }

    pub(super) fn description(&self, url: &str) -> Option<&'static Description> {
        self.find(url).map(|entry| entry.description)
    }

    /// Decodes the content of an `Any`, in which messages may nest so deep; `None` if its type is unknown.
    pub(super) fn decode(
        &self,
        url: &str,
        bytes: &[u8],
        depth: u32,
        then: &mut dyn FnMut(AnyMessage<'_>),
    ) -> Option<Result<(), Error>> {
        let options = DecodeOptions { allow_partial: true, depth, ..DecodeOptions::default() };
        self.find(url).map(|entry| (entry.decode)(bytes, &options, then))
    }
}
