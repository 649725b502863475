//! Conversions: from handles and builders to prost's structs, and from these to builders. Generated code names the kind of each field;
//! the compiler finds the types on both sides.

use super::field::{Far, List, Map, Maybe, Numbers, Plain, Required};
use super::map::Entries;
use super::value::{Enum, Group, Message};
use super::wrapper::{Empty, Wrapper};
use crate::pool::ProtoString;
use crate::wire::{ProtoStr, kind};
use crate::wkt::google::protobuf as wkt;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A value that an accessor of a handle returns, or that a builder has, which becomes prost's value `T` of the kind `V`.
pub trait IntoProst<V, T> {
    /// Converts it.
    fn into_prost(self) -> T;
}

/// A value of prost, which becomes a builder's value `T` of the kind `V`.
pub trait IntoBuilder<V, T> {
    /// Converts it.
    fn into_builder(self) -> T;
}

/// A field: how the result of the accessor, or the field of a builder, becomes the field of prost's struct.
pub trait FieldIntoProst<A, T> {
    /// Converts it.
    fn prost(from: A) -> T;
}

/// A required field that a builder has: how it becomes the field of prost's struct.
pub trait BuiltIntoProst<A, T> {
    /// Converts it.
    fn built(from: A) -> T;
}

/// A field: how the field of prost's struct becomes that of the builder.
pub trait FieldIntoBuilder<P, T> {
    /// Converts it.
    fn builder(from: P) -> T;
}

macro_rules! numbers {
    ($($kind:ident $ty:ty;)*) => {$(
        impl IntoProst<kind::$kind, $ty> for $ty {
            #[inline]
            fn into_prost(self) -> $ty {
                self
            }
        }
        impl IntoProst<kind::$kind, $ty> for &$ty {
            #[inline]
            fn into_prost(self) -> $ty {
                *self
            }
        }
        impl IntoBuilder<kind::$kind, $ty> for $ty {
            #[inline]
            fn into_builder(self) -> $ty {
                self
            }
        }
    )*};
}

numbers! {
    Int32 i32; Int64 i64; Uint32 u32; Uint64 u64; Sint32 i32; Sint64 i64; Bool bool; Fixed32 u32; Sfixed32 i32; Float f32;
    Fixed64 u64; Sfixed64 i64; Double f64;
}

impl<E: Into<i32>, const FIRST: i32> IntoProst<Enum<FIRST>, i32> for E {
    #[inline]
    fn into_prost(self) -> i32 {
        self.into()
    }
}

impl<E: From<i32>, const FIRST: i32> IntoBuilder<Enum<FIRST>, E> for i32 {
    #[inline]
    fn into_builder(self) -> E {
        self.into()
    }
}

impl IntoProst<kind::Utf8, String> for &str {
    #[inline]
    fn into_prost(self) -> String {
        self.into()
    }
}

/// Ill-formed UTF-8 becomes U+FFFD: prost's strings are Rust's.
impl IntoProst<kind::Utf8, String> for &ProtoStr {
    fn into_prost(self) -> String {
        self.to_string()
    }
}

impl IntoProst<kind::Utf8, String> for String {
    #[inline]
    fn into_prost(self) -> String {
        self
    }
}

/// As for `&ProtoStr`; well-formed text is moved.
impl IntoProst<kind::Utf8, String> for ProtoString {
    fn into_prost(self) -> String {
        String::from_utf8(self.into()).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
    }
}

impl<T: From<String>> IntoBuilder<kind::Utf8, T> for String {
    #[inline]
    fn into_builder(self) -> T {
        self.into()
    }
}

impl<T: From<Vec<u8>>> IntoProst<kind::Bytes, T> for &[u8] {
    #[inline]
    fn into_prost(self) -> T {
        self.to_vec().into()
    }
}

impl<T: From<Vec<u8>>> IntoProst<kind::Bytes, T> for Vec<u8> {
    #[inline]
    fn into_prost(self) -> T {
        self.into()
    }
}

impl<T: Into<Vec<u8>>> IntoBuilder<kind::Bytes, Vec<u8>> for T {
    #[inline]
    fn into_builder(self) -> Vec<u8> {
        self.into()
    }
}

impl<C, T, H: IntoProst<C, T>> IntoProst<Message<C>, T> for H {
    #[inline]
    fn into_prost(self) -> T {
        self.into_prost()
    }
}

impl<C, T, H: IntoProst<C, T>, const END: u32> IntoProst<Group<C, END>, T> for H {
    #[inline]
    fn into_prost(self) -> T {
        self.into_prost()
    }
}

impl<C, T, P: IntoBuilder<C, T>> IntoBuilder<Message<C>, T> for P {
    #[inline]
    fn into_builder(self) -> T {
        self.into_builder()
    }
}

impl<C, T, P: IntoBuilder<C, T>, const END: u32> IntoBuilder<Group<C, END>, T> for P {
    #[inline]
    fn into_builder(self) -> T {
        self.into_builder()
    }
}

macro_rules! wrappers {
    ($($kind:ident $ty:ty, $handle:ident $builder:ident;)*) => {$(
        impl IntoProst<Wrapper<kind::$kind>, $ty> for wkt::$handle<'_> {
            #[inline]
            fn into_prost(self) -> $ty {
                IntoProst::<kind::$kind, $ty>::into_prost(self.value())
            }
        }
        impl IntoProst<Wrapper<kind::$kind>, $ty> for wkt::$builder {
            #[inline]
            fn into_prost(self) -> $ty {
                self.value
            }
        }
        impl IntoBuilder<Wrapper<kind::$kind>, wkt::$builder> for $ty {
            #[inline]
            fn into_builder(self) -> wkt::$builder {
                wkt::$builder { value: self, ..Default::default() }
            }
        }
    )*};
}

wrappers! {
    Double f64, DoubleValue DoubleValueBuilder;
    Float f32, FloatValue FloatValueBuilder;
    Int64 i64, Int64Value Int64ValueBuilder;
    Uint64 u64, UInt64Value UInt64ValueBuilder;
    Int32 i32, Int32Value Int32ValueBuilder;
    Uint32 u32, UInt32Value UInt32ValueBuilder;
    Bool bool, BoolValue BoolValueBuilder;
    Utf8 String, StringValue StringValueBuilder;
    Bytes Vec<u8>, BytesValue BytesValueBuilder;
}

impl IntoProst<Empty, ()> for wkt::Empty<'_> {
    fn into_prost(self) {}
}

impl IntoProst<Empty, ()> for wkt::EmptyBuilder {
    fn into_prost(self) {}
}

impl IntoBuilder<Empty, wkt::EmptyBuilder> for () {
    fn into_builder(self) -> wkt::EmptyBuilder {
        Default::default()
    }
}

impl<A: IntoProst<V, T>, V, T> FieldIntoProst<A, T> for Plain<V> {
    #[inline]
    fn prost(from: A) -> T {
        from.into_prost()
    }
}

impl<P: IntoBuilder<V, T>, V, T> FieldIntoBuilder<P, T> for Plain<V> {
    #[inline]
    fn builder(from: P) -> T {
        from.into_builder()
    }
}

impl<A: IntoProst<V, T>, V, T> BuiltIntoProst<A, T> for Plain<V> {
    #[inline]
    fn built(from: A) -> T {
        from.into_prost()
    }
}

impl<A: IntoProst<V, T>, V, T> BuiltIntoProst<A, T> for Required<V> {
    #[inline]
    fn built(from: A) -> T {
        from.into_prost()
    }
}

impl<A: IntoProst<V, T>, V, T: Default> FieldIntoProst<Option<A>, T> for Required<V> {
    #[inline]
    fn prost(from: Option<A>) -> T {
        from.map(IntoProst::into_prost).unwrap_or_default()
    }
}

impl<P: IntoBuilder<V, T>, V, T> FieldIntoBuilder<P, T> for Required<V> {
    #[inline]
    fn builder(from: P) -> T {
        from.into_builder()
    }
}

impl<A: IntoProst<V, T>, V, T> FieldIntoProst<Option<A>, Option<T>> for Maybe<V> {
    #[inline]
    fn prost(from: Option<A>) -> Option<T> {
        from.map(IntoProst::into_prost)
    }
}

impl<P: IntoBuilder<V, T>, V, T> FieldIntoBuilder<Option<P>, Option<T>> for Maybe<V> {
    #[inline]
    fn builder(from: Option<P>) -> Option<T> {
        from.map(IntoBuilder::into_builder)
    }
}

impl<A: IntoIterator<Item: IntoProst<V, T>>, V, T> FieldIntoProst<A, Vec<T>> for List<V> {
    #[inline]
    fn prost(from: A) -> Vec<T> {
        from.into_iter().map(IntoProst::into_prost).collect()
    }
}

impl<P: IntoBuilder<V, T>, V, T> FieldIntoBuilder<Vec<P>, Vec<T>> for List<V> {
    #[inline]
    fn builder(from: Vec<P>) -> Vec<T> {
        from.into_iter().map(IntoBuilder::into_builder).collect()
    }
}

impl<A: IntoIterator<Item: IntoProst<K, T>>, K, T> FieldIntoProst<A, Vec<T>> for Numbers<K> {
    #[inline]
    fn prost(from: A) -> Vec<T> {
        from.into_iter().map(IntoProst::into_prost).collect()
    }
}

impl<P: IntoBuilder<K, T>, K, T> FieldIntoBuilder<Vec<P>, Vec<T>> for Numbers<K> {
    #[inline]
    fn builder(from: Vec<P>) -> Vec<T> {
        from.into_iter().map(IntoBuilder::into_builder).collect()
    }
}

impl<A, B, C, K, V, M> FieldIntoProst<A, M> for Map<K, V>
where
    A: IntoIterator<Item = (B, C)>,
    B: IntoProst<K, M::Key>,
    C: IntoProst<V, M::Value>,
    M: Entries + Default,
{
    fn prost(from: A) -> M {
        let mut map = M::default();
        for (key, value) in from {
            map.add(key.into_prost(), value.into_prost());
        }
        map
    }
}

impl<A, B, C, K, V, M> FieldIntoBuilder<A, M> for Map<K, V>
where
    A: IntoIterator<Item = (B, C)>,
    B: IntoBuilder<K, M::Key>,
    C: IntoBuilder<V, M::Value>,
    M: Entries + Default,
{
    fn builder(from: A) -> M {
        let mut map = M::default();
        for (key, value) in from {
            map.add(key.into_builder(), value.into_builder());
        }
        map
    }
}

impl<A, T, F: FieldIntoProst<A, T>> FieldIntoProst<A, T> for Far<F> {
    #[inline]
    fn prost(from: A) -> T {
        F::prost(from)
    }
}

impl<P, T, F: FieldIntoBuilder<P, T>> FieldIntoBuilder<P, T> for Far<F> {
    #[inline]
    fn builder(from: P) -> T {
        F::builder(from)
    }
}

impl<H: IntoProst<V, T>, V, T> IntoProst<Far<V>, T> for H {
    #[inline]
    fn into_prost(self) -> T {
        self.into_prost()
    }
}

impl<P: IntoBuilder<V, T>, V, T> IntoBuilder<Far<V>, T> for P {
    #[inline]
    fn into_builder(self) -> T {
        self.into_builder()
    }
}
