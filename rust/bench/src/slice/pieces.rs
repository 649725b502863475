//! The ways to hold a piece of a request.

use bytes::{Buf, Bytes};
use hotpb::wire::__rt::Span; // what a pool's rows have for a string

use super::Place;

/// A string of the request.
pub trait Piece: Sized {
    /// The request, as this kind of piece needs it.
    type Input;
    const NOTE: &'static str;
    /// Whether a piece has a reference count: one change when it is created, and one when it is dropped.
    const COUNTS: bool = false;
    fn input(bytes: &'static [u8]) -> Self::Input;
    /// Replaces the pieces of the operation before.
    fn cut_all(input: &Self::Input, places: &[Place], pieces: &mut Vec<Self>) -> Result<(), String>;
    fn get<'a>(&'a self, request: &'a [u8]) -> &'a [u8];
    /// Reports whether anything but `input` refers to the request.
    fn is_shared(_input: &Self::Input) -> bool {
        false
    }
}

/// Returns a copy of the bytes as a server has them: allocated, so that its `Bytes` counts references.
fn body(bytes: &[u8]) -> Bytes {
    let body = Bytes::from(bytes.to_vec());
    drop(body.clone()); // the first clone allocates the count
    body
}

/// Calls `cut` with the range of each place.
#[inline(always)]
fn each(places: &[Place], mut cut: impl FnMut(usize, usize)) {
    let mut at = 0;
    for place in places {
        at += place.gap as usize;
        let end = at + place.len as usize;
        cut(at, end);
        at = end;
    }
}

/// `Bytes::slice`.
impl Piece for Bytes {
    type Input = Bytes;
    const NOTE: &'static str = "Bytes::slice of the request";
    const COUNTS: bool = true;
    fn input(bytes: &'static [u8]) -> Bytes {
        body(bytes)
    }
    #[inline]
    fn cut_all(input: &Bytes, places: &[Place], pieces: &mut Vec<Self>) -> Result<(), String> {
        pieces.clear();
        each(places, |start, end| pieces.push(input.slice(start..end)));
        Ok(())
    }
    fn get<'a>(&'a self, _: &'a [u8]) -> &'a [u8] {
        self
    }
    fn is_shared(input: &Bytes) -> bool {
        !input.is_unique()
    }
}

/// prost's call for a field of type `Bytes`: `Buf::copy_to_bytes`, which does not copy when the input is a `Bytes`.
pub struct SplitOff(Bytes);

impl Piece for SplitOff {
    type Input = Bytes;
    const NOTE: &'static str = "copy_to_bytes of a Bytes, as prost reads a field of this type; it shares the request";
    const COUNTS: bool = true;
    fn input(bytes: &'static [u8]) -> Bytes {
        body(bytes)
    }
    #[inline]
    fn cut_all(input: &Bytes, places: &[Place], pieces: &mut Vec<Self>) -> Result<(), String> {
        pieces.clear();
        let mut rest = input.clone();
        for place in places {
            rest.advance(place.gap as usize);
            pieces.push(SplitOff(rest.copy_to_bytes(place.len as usize)));
        }
        Ok(())
    }
    fn get<'a>(&'a self, _: &'a [u8]) -> &'a [u8] {
        &self.0
    }
    fn is_shared(input: &Bytes) -> bool {
        !input.is_unique()
    }
}

/// The same when the input is a slice: it does copy.
pub struct Copied(Bytes);

impl Piece for Copied {
    type Input = &'static [u8];
    const NOTE: &'static str = "copy_to_bytes of a &[u8]: a Bytes with its own memory";
    fn input(bytes: &'static [u8]) -> &'static [u8] {
        bytes
    }
    #[inline]
    fn cut_all(input: &&'static [u8], places: &[Place], pieces: &mut Vec<Self>) -> Result<(), String> {
        pieces.clear();
        let mut rest = *input;
        for place in places {
            rest.advance(place.gap as usize);
            pieces.push(Copied(rest.copy_to_bytes(place.len as usize)));
        }
        Ok(())
    }
    fn get<'a>(&'a self, _: &'a [u8]) -> &'a [u8] {
        &self.0
    }
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|e| e.to_string())
}

/// A fresh `String`, as prost makes it.
impl Piece for String {
    type Input = &'static [u8];
    const NOTE: &'static str = "a fresh String, checked for UTF-8";
    fn input(bytes: &'static [u8]) -> &'static [u8] {
        bytes
    }
    #[inline]
    fn cut_all(input: &&'static [u8], places: &[Place], pieces: &mut Vec<Self>) -> Result<(), String> {
        pieces.clear();
        let mut failed = None;
        each(places, |start, end| match text(&input[start..end]) {
            Ok(text) => pieces.push(text.into()),
            Err(why) => failed = Some(why),
        });
        failed.map_or(Ok(()), Err)
    }
    fn get<'a>(&'a self, _: &'a [u8]) -> &'a [u8] {
        self.as_bytes()
    }
}

/// A `String` that keeps its memory, as in structs that are used again.
#[derive(Default)]
pub struct Reused(String);

impl Piece for Reused {
    type Input = &'static [u8];
    const NOTE: &'static str = "a String that keeps its memory, checked for UTF-8";
    fn input(bytes: &'static [u8]) -> &'static [u8] {
        bytes
    }
    #[inline]
    fn cut_all(input: &&'static [u8], places: &[Place], pieces: &mut Vec<Self>) -> Result<(), String> {
        pieces.resize_with(places.len(), Reused::default);
        let (mut old, mut failed) = (pieces.iter_mut(), None);
        each(places, |start, end| match (old.next(), text(&input[start..end])) {
            (Some(Reused(kept)), Ok(text)) => {
                kept.clear();
                kept.push_str(text);
            }
            (_, Err(why)) => failed = Some(why),
            (None, _) => {}
        });
        failed.map_or(Ok(()), Err)
    }
    fn get<'a>(&'a self, _: &'a [u8]) -> &'a [u8] {
        self.0.as_bytes()
    }
}

/// A pointer and a length. The compiler knows nothing about the request that must outlive it.
pub struct Pointer(*const u8, usize);

impl Piece for Pointer {
    type Input = &'static [u8];
    const NOTE: &'static str = "a pointer and a length of 16 bytes; unsafe to read";
    fn input(bytes: &'static [u8]) -> &'static [u8] {
        bytes
    }
    #[inline]
    fn cut_all(input: &&'static [u8], places: &[Place], pieces: &mut Vec<Self>) -> Result<(), String> {
        pieces.clear();
        each(places, |start, end| {
            let piece = &input[start..end];
            pieces.push(Pointer(piece.as_ptr(), piece.len()));
        });
        Ok(())
    }
    fn get<'a>(&'a self, _: &'a [u8]) -> &'a [u8] {
        // SAFETY: pointer and length are those of a part of the input, which is never freed.
        unsafe { std::slice::from_raw_parts(self.0, self.1) }
    }
}

/// A string in a row of hotpb's pool: offset and length. A handle reads it with the request, whose borrow it has.
pub struct Borrowed(Span);

impl Piece for Borrowed {
    type Input = &'static [u8];
    const NOTE: &'static str = "the span of a pool's row, 8 bytes; the handle that reads it borrows the request";
    fn input(bytes: &'static [u8]) -> &'static [u8] {
        bytes
    }
    #[inline]
    fn cut_all(input: &&'static [u8], places: &[Place], pieces: &mut Vec<Self>) -> Result<(), String> {
        pieces.clear();
        each(places, |start, end| {
            debug_assert!(end <= input.len());
            pieces.push(Borrowed(Span::new(start as u32, (end - start) as u32)));
        });
        Ok(())
    }
    fn get<'a>(&'a self, request: &'a [u8]) -> &'a [u8] {
        &request[self.0.start()..self.0.end()]
    }
}
