//! Strings, bytes and enums, as accessors return them.

pub use crate::wire::ProtoStr;

use crate::wire::Span;
use core::fmt;
use core::marker::PhantomData;

/// Conversion of a span of an input to a value.
pub trait FromSpan<'a>: Sized {
    /// Returns the value.
    ///
    /// # Safety
    /// The span must come from decoding this same input, for a field of this type. For `&str`, that decode has checked
    /// that the bytes are UTF-8, and nothing checks them again.
    #[doc(hidden)]
    unsafe fn from_span(span: Span, input: &'a [u8]) -> Self;
}

impl<'a> FromSpan<'a> for &'a str {
    #[inline(always)]
    unsafe fn from_span(span: Span, input: &'a [u8]) -> &'a str {
        // SAFETY: the caller promises that the bytes were checked.
        unsafe { core::str::from_utf8_unchecked(span.bytes(input)) }
    }
}

impl<'a> FromSpan<'a> for &'a ProtoStr {
    #[inline(always)]
    unsafe fn from_span(span: Span, input: &'a [u8]) -> &'a ProtoStr {
        ProtoStr::new(span.bytes(input))
    }
}

impl<'a> FromSpan<'a> for &'a [u8] {
    #[inline(always)]
    unsafe fn from_span(span: Span, input: &'a [u8]) -> &'a [u8] {
        span.bytes(input)
    }
}

/// The elements of a repeated string or bytes field.
#[derive(Clone, Copy)]
pub struct Spans<'a, T> {
    spans: &'a [Span],
    input: &'a [u8],
    marker: PhantomData<T>,
}

impl<'a, T: FromSpan<'a>> Spans<'a, T> {
    /// For generated code.
    ///
    /// # Safety
    /// As for [`FromSpan::from_span`], for each span.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(spans: &'a [Span], input: &'a [u8]) -> Self {
        Spans { spans, input, marker: PhantomData }
    }

    /// Returns the number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Reports whether there are no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns one element.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<T> {
        let span = *self.spans.get(index)?;
        // SAFETY: the caller of `new` has promised it.
        Some(unsafe { T::from_span(span, self.input) })
    }

    /// Iterates over all elements in order.
    #[inline(always)]
    pub fn iter(&self) -> SpansIter<'a, T> {
        SpansIter { spans: self.spans.iter(), input: self.input, marker: PhantomData }
    }
}

impl<'a, T: FromSpan<'a>> IntoIterator for Spans<'a, T> {
    type Item = T;
    type IntoIter = SpansIter<'a, T>;
    #[inline(always)]
    fn into_iter(self) -> SpansIter<'a, T> {
        self.iter()
    }
}

/// Iterates over [`Spans`].
pub struct SpansIter<'a, T> {
    spans: core::slice::Iter<'a, Span>,
    input: &'a [u8],
    marker: PhantomData<T>,
}

impl<'a, T: FromSpan<'a>> Iterator for SpansIter<'a, T> {
    type Item = T;
    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        let span = *self.spans.next()?;
        // SAFETY: the caller of `Spans::new` has promised it; only `Spans` creates this iterator.
        Some(unsafe { T::from_span(span, self.input) })
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.spans.size_hint()
    }
}

impl<'a, T: FromSpan<'a>> ExactSizeIterator for SpansIter<'a, T> {}

/// The elements of a repeated enum field.
#[derive(Clone, Copy)]
pub struct Enums<'a, E> {
    values: &'a [i32],
    marker: PhantomData<E>,
}

impl<'a, E: From<i32>> Enums<'a, E> {
    /// Wraps numbers.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(values: &'a [i32]) -> Self {
        Enums { values, marker: PhantomData }
    }

    /// Returns the number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Reports whether there are no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns one element.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<E> {
        self.values.get(index).map(|&v| E::from(v))
    }

    /// Returns the numbers.
    #[inline(always)]
    pub fn numbers(&self) -> &'a [i32] {
        self.values
    }

    /// Iterates over all elements in order.
    #[inline(always)]
    pub fn iter(&self) -> EnumsIter<'a, E> {
        EnumsIter { values: self.values.iter(), marker: PhantomData }
    }
}

impl<'a, E: From<i32>> IntoIterator for Enums<'a, E> {
    type Item = E;
    type IntoIter = EnumsIter<'a, E>;
    #[inline(always)]
    fn into_iter(self) -> EnumsIter<'a, E> {
        self.iter()
    }
}

/// Iterates over [`Enums`].
pub struct EnumsIter<'a, E> {
    values: core::slice::Iter<'a, i32>,
    marker: PhantomData<E>,
}

impl<E: From<i32>> Iterator for EnumsIter<'_, E> {
    type Item = E;
    #[inline(always)]
    fn next(&mut self) -> Option<E> {
        self.values.next().map(|&v| E::from(v))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.values.size_hint()
    }
}

impl<E: From<i32>> ExactSizeIterator for EnumsIter<'_, E> {}

impl<'a, T: FromSpan<'a>> Clone for SpansIter<'a, T> {
    fn clone(&self) -> Self {
        SpansIter { spans: self.spans.clone(), ..*self }
    }
}

impl<'a, T: FromSpan<'a> + fmt::Debug> fmt::Debug for SpansIter<'a, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a, T: FromSpan<'a> + fmt::Debug> fmt::Debug for Spans<'a, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().fmt(f)
    }
}

impl<'a, T: FromSpan<'a> + PartialEq> PartialEq for Spans<'a, T> {
    fn eq(&self, rhs: &Self) -> bool {
        self.len() == rhs.len() && self.iter().eq(rhs.iter())
    }
}

impl<'a, T: FromSpan<'a> + Eq> Eq for Spans<'a, T> {}

impl<E> Clone for EnumsIter<'_, E> {
    fn clone(&self) -> Self {
        EnumsIter { values: self.values.clone(), marker: PhantomData }
    }
}

impl<E: From<i32> + fmt::Debug> fmt::Debug for EnumsIter<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a, E: From<i32> + fmt::Debug> fmt::Debug for Enums<'a, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().fmt(f)
    }
}

impl<E> PartialEq for Enums<'_, E> {
    fn eq(&self, rhs: &Self) -> bool {
        self.values == rhs.values
    }
}

impl<E> Eq for Enums<'_, E> {}
