//! Plays the scripts of `vectors/writer`: lists of calls on handles, which generated code makes.
//!
//! A script may call any handle at any time. Rust's handles nest, so a call on an outer handle ends the inner ones
//! first. A call that the compiler rejects (on a handle that has ended, or on an outer one inside a closure of an inner
//! one) is recorded.

use hotpb::writer::{Output, WriteError};
use hotpb_tests_corpus::{Value, unhex};

/// Plays a script on a message of one type in an output, optionally length-prefixed.
pub type Root = fn(&mut dyn Output, bool, &mut Player<'_>) -> Result<u64, WriteError>;

/// A call of a script.
#[derive(Clone, Copy)]
pub struct Call<'s>(&'s Value);

impl<'s> Call<'s> {
    /// Returns the name of the call.
    pub fn call(self) -> &'s str {
        self.0["call"].as_str().expect("a call has its name")
    }

    /// Returns the field of the call; `""` if there is none.
    pub fn field(self) -> &'s str {
        self.0["field"].as_str().unwrap_or("")
    }

    /// Returns the value.
    pub fn value(self) -> &'s Value {
        &self.0["value"]
    }

    /// Returns the key of a map entry.
    pub fn key(self) -> &'s Value {
        &self.0["key"]
    }

    fn on(self) -> Option<u64> {
        self.0["on"].as_u64()
    }

    fn handle(self) -> u64 {
        self.0["handle"].as_u64().expect("the handle that the call returns")
    }
}

/// Conversion of values from their form in scripts.
pub trait Scripted: Sized {
    /// Reads one value.
    fn read(value: &Value) -> Self;
}

/// Reads a value.
pub fn value<T: Scripted>(value: &Value) -> T {
    T::read(value)
}

/// Reads the values of a call.
pub fn values<T: Scripted>(call: Call<'_>) -> Vec<T> {
    call.0["values"].as_array().expect("values").iter().map(T::read).collect()
}

macro_rules! scripted {
    ($($type:ty: $value:ident => $read:expr;)*) => {$(
        impl Scripted for $type {
            fn read($value: &Value) -> $type {
                $read
            }
        }
    )*};
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

fn fixed<const N: usize>(value: &Value) -> [u8; N] {
    Vec::read(value).try_into().unwrap_or_else(|_| panic!("{value} is not {N} bytes"))
}

scripted! {
    i32: v => text(v).parse().expect("an i32");
    i64: v => text(v).parse().expect("an i64");
    u32: v => text(v).parse().expect("a u32");
    u64: v => text(v).parse().expect("a u64");
    bool: v => text(v).parse().expect("a bool");
    f32: v => f32::from_le_bytes(fixed(v));
    f64: v => f64::from_le_bytes(fixed(v));
    String: v => String::from_utf8(Vec::read(v)).expect("UTF-8");
    Vec<u8>: v => match v["repeat"].as_str() {
        None => unhex(text(v)),
        Some(piece) => unhex(piece).repeat(v["count"].as_u64().expect("a count") as usize),
    };
}

/// The position in a script.
pub struct Player<'s> {
    /// The lists of calls in progress, a closure's inside its caller's, each with the number of handles outside.
    lists: Vec<(std::slice::Iter<'s, Value>, usize)>,
    /// The open handles.
    open: Vec<u64>,
    refused: bool,
}

impl<'s> Player<'s> {
    /// Creates a player at the start of a script.
    pub fn new(calls: &'s [Value]) -> Player<'s> {
        Player { lists: vec![(calls.iter(), 0)], open: Vec::new(), refused: false }
    }

    /// Reports whether a call was one that does not compile.
    pub fn refused(&self) -> bool {
        self.refused
    }

    /// Returns the next call without a handle: on a message, or on the output. Rejects calls on handles that have
    /// ended.
    pub fn next_root(&mut self) -> Option<Call<'s>> {
        let call = Call(self.lists.last_mut()?.0.next()?);
        self.refused |= call.on().is_some();
        (!self.refused).then_some(call)
    }

    /// Returns the next call on the innermost handle; `None` when the handle ends.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Call<'s>> {
        let (list, outside) = self.lists.last_mut()?;
        let call = Call(list.clone().next()?);
        let place = call.on().and_then(|on| self.open.iter().position(|&handle| handle == on));
        let innermost = self.open.len() - 1;
        match (call.call(), place) {
            ("end" | "finish", Some(place)) if place == innermost => {
                list.next();
                None
            }
            (_, Some(place)) if place == innermost => {
                list.next();
                Some(call)
            }
            // Ends this handle; the call is on an outer one.
            (what, Some(place)) if place >= *outside && what != "end" => None,
            _ => {
                self.refused = true;
                None
            }
        }
    }

    /// The following calls are on the handle that this call returns.
    pub fn enter(&mut self, call: Call<'s>) {
        self.open.push(call.handle());
    }

    /// The same inside a closure.
    pub fn enter_with(&mut self, call: Call<'s>) {
        self.lists.push((call.0["calls"].as_array().expect("calls").iter(), self.open.len()));
        self.enter(call);
    }

    /// Returns to the outer handle.
    pub fn leave(&mut self) {
        self.open.pop();
        if self.lists.len() > 1 && self.lists.last().is_some_and(|(_, outside)| *outside == self.open.len()) {
            let (mut rest, _) = self.lists.pop().expect("a list");
            self.refused |= rest.next().is_some();
        }
        if self.refused {
            self.lists.iter_mut().for_each(|(list, _)| *list = [].iter());
        }
    }
}
