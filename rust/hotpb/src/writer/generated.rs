//! The macros that generated writers consist of: one line per field.

/// Defines a writer. The arguments are its comment, `NameWriter, NameFields, "full name";`, then for each field its
/// comment and `CONSTANT = number "name", setter how(…);`. A writer has the methods of `Writer` as its own, but not those
/// that a field has the name of: `built_in [new …]` then names the others.
///
/// ```text
///   value(tag, method, type)   number(tag, enum)   text(tag, parts), bytes(tag, parts)   packed(tag, from, open, type as Element)
///   child(tag, [Writer], open, raw)     group(number, …), item(number, …)
///   map(tag, [key], [value])            map_of(tag, [key], [Writer], open, raw)     [text], [bytes], [type as Element]
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __writer {
    (
        $(#[$doc:meta])* $name:ident, $fields:ident, $full:literal $(, built_in $kept:tt)?;
        $($(#[$about:meta])* $constant:ident = $number:literal $field:literal, $set:ident $how:ident $args:tt;)*
    ) => {
        $(#[$doc])*
        pub struct $name<'a> {
            raw: $crate::writer::__rt::MessageWriter<'a>,
        }
        #[allow(dead_code, deprecated)]
        impl<'a> $name<'a> {
            $($crate::__setter! { $how $args [method] [$(#[$about])*] $set })*
        }
        $crate::__built_in! { $name $($kept)? }
        #[allow(deprecated)]
        impl<'a> $crate::writer::Writer<'a> for $name<'a> {
            #[inline(always)]
            fn from_raw(raw: $crate::writer::__rt::MessageWriter<'a>) -> Self {
                $name { raw }
            }
            #[inline(always)]
            fn raw(&mut self) -> &mut $crate::writer::__rt::MessageWriter<'a> {
                &mut self.raw
            }
            #[inline(always)]
            fn raw_ref(&self) -> &$crate::writer::__rt::MessageWriter<'a> {
                &self.raw
            }
            #[inline(always)]
            fn into_raw(self) -> $crate::writer::__rt::MessageWriter<'a> {
                self.raw
            }
        }
        #[doc = ::core::concat!(" The fields of `", $full, "`: numbers and names.")]
        pub struct $fields;
        #[allow(dead_code)]
        impl $fields {
            $(
                #[doc = ::core::concat!(" `", $field, "` = ", $number)]
                pub const $constant: $crate::FieldInfo = $crate::FieldInfo { number: $number, name: $field };
            )*
        }
    };
}

/// Defines the methods that a writer has besides its setters: all of them, or those that are named.
#[doc(hidden)]
#[macro_export]
macro_rules! __built_in {
    ($name:ident) => { $crate::__built_in! { $name [new delimited finish status append_raw] } };
    ($name:ident [$($kept:ident)*]) => {
        #[allow(dead_code, deprecated)]
        impl<'a> $name<'a> {
            $($crate::__built_in! { @$kept })*
        }
    };
    (@new) => {
        /// Begins a message in an output.
        #[inline(always)]
        pub fn new<__O: $crate::writer::Output + ?::core::marker::Sized>(output: &'a mut __O) -> Self {
            <Self as $crate::writer::Writer<'a>>::new(output)
        }
    };
    (@delimited) => {
        /// Begins a message that follows its length (a delimited stream).
        pub fn delimited<__O: $crate::writer::Output + ?::core::marker::Sized>(output: &'a mut __O) -> Self {
            <Self as $crate::writer::Writer<'a>>::delimited(output)
        }
    };
    (@finish) => {
        /// Ends the message; returns its length or its error.
        #[inline(always)]
        pub fn finish(self) -> ::core::result::Result<u64, $crate::writer::WriteError> {
            self.raw.finish()
        }
    };
    (@status) => {
        /// Returns the length of the message so far, or its error.
        #[inline]
        pub fn status(&self) -> ::core::result::Result<u64, $crate::writer::WriteError> {
            self.raw.status()
        }
    };
    (@append_raw) => {
        /// Appends encoded fields of this message unchanged.
        #[inline]
        pub fn append_raw(&mut self, fields: &[u8]) -> &mut Self {
            self.raw.append_raw(fields);
            self
        }
    };
}

/// Defines the functions of an extension. The arguments are `[writer of the extended message];`, then its comment and
/// `function how(…);` as above.
#[doc(hidden)]
#[macro_export]
macro_rules! __extension_writer {
    ([$($of:tt)*]; $(#[$about:meta])* $set:ident $how:ident $args:tt;) => {
        $crate::__setter! { $how $args [$($of)*] [$(#[$about])*] $set }
    };
}

/// Defines the functions that write a field: methods of its writer, or functions whose first argument is the writer.
#[doc(hidden)]
#[macro_export]
macro_rules! __setter {
    (value ($tag:literal, $method:ident, $ty:ty) $of:tt $docs:tt $set:ident) => {
        $crate::__setter! { @set $of $docs $set (value: $ty) $method::<$tag>(value) }
    };
    (number ($tag:literal, $ty:ty) $of:tt $docs:tt $set:ident) => {
        $crate::__setter! { @set $of $docs $set (value: $ty) int32::<$tag>(i32::from(value)) }
    };
    (text ($tag:literal, $parts:ident) $of:tt $docs:tt $set:ident) => {
        $crate::__setter! { @set $of $docs $set (value: &str) bytes::<$tag>(value.as_bytes()) }
        $crate::__setter! { @parts $of $parts $tag &str }
    };
    (bytes ($tag:literal, $parts:ident) $of:tt $docs:tt $set:ident) => {
        $crate::__setter! { @set $of $docs $set (value: impl ::core::convert::AsRef<[u8]>) bytes::<$tag>(value.as_ref()) }
        $crate::__setter! { @parts $of $parts $tag impl ::core::convert::AsRef<[u8]> }
    };
    (@parts $of:tt $parts:ident $tag:literal $ty:ty) => {
        $crate::__setter! { @set $of [
            /// The same from several pieces, which are written one after the other.
        ] $parts (pieces: &[$ty]) parts::<$tag>(pieces) }
    };
    (packed ($tag:literal, $from:ident, $open:ident, $ty:ty as $element:ident) $of:tt $docs:tt $set:ident) => {
        $crate::__setter! { @set $of $docs $set (values: &[$ty]) packed::<$tag, $crate::__part!(@element $ty as $element)>(values) }
        $crate::__setter! { @set $of [
            /// The same from an iterator, whose values are encoded in place.
        ] $from (values: impl ::core::iter::IntoIterator<Item = $ty>)
            packed_from::<$tag, $crate::__part!(@element $ty as $element)>(values.into_iter()) }
        $crate::__setter! { @guard $of [
            /// The same, one value at a time: dropping the guard ends the field.
        ] $open () Packed, [$crate::__part!(@element $ty as $element)] open_packed::<$tag, $crate::__part!(@element $ty as $element)>() }
    };
    (child ($tag:literal, $child:tt, $open:ident, $raw:ident) $of:tt $docs:tt $set:ident) => {
        $crate::__setter! { @child $of $docs $set $child $open $raw $tag nested open bytes }
    };
    (group ($number:literal, $child:tt, $open:ident, $raw:ident) $of:tt $docs:tt $set:ident) => {
        $crate::__setter! { @child $of $docs $set $child $open $raw $number group open_group group_raw }
    };
    (item ($number:literal, $child:tt, $open:ident, $raw:ident) $of:tt $docs:tt $set:ident) => {
        $crate::__setter! { @child $of $docs $set $child $open $raw $number item open_item item_raw }
    };
    (
        @child $of:tt $docs:tt $set:ident [$($child:tt)*] $open:ident $raw:ident
        $place:literal $nested:ident $opened:ident $encoded:ident
    ) => {
        $crate::__setter! { @set $of $docs $set (write: impl ::core::ops::FnOnce(&mut $($child)*<'_>))
            $nested::<$place, $($child)*<'_>>(write) }
        $crate::__setter! { @child_guard $of $open () [$($child)*] $opened::<$place, _>() }
        $crate::__setter! { @raw $of $raw (encoded: &[u8]) $encoded::<$place>(encoded) }
    };
    (map ($tag:literal, [$($key:tt)*], [$($value:tt)*]) $of:tt $docs:tt $set:ident) => {
        $crate::__setter! { @set $of $docs $set (key: $crate::__part!(@type $($key)*), value: $crate::__part!(@type $($value)*))
            entry::<$tag>($crate::__part!(@part 1 key, $($key)*), $crate::__part!(@part 2 value, $($value)*)) }
    };
    (map_of ($tag:literal, [$($key:tt)*], [$($child:tt)*], $open:ident, $raw:ident) $of:tt $docs:tt $set:ident) => {
        $crate::__setter! { @set $of $docs $set
            (key: $crate::__part!(@type $($key)*), write: impl ::core::ops::FnOnce(&mut $($child)*<'_>))
            entry_with::<$tag, $($child)*<'_>>($crate::__part!(@part 1 key, $($key)*), write) }
        $crate::__setter! { @child_guard $of $open (key: $crate::__part!(@type $($key)*)) [$($child)*]
            open_entry::<$tag, _>($crate::__part!(@part 1 key, $($key)*)) }
        $crate::__setter! { @raw $of $raw (key: $crate::__part!(@type $($key)*), encoded: &[u8])
            entry::<$tag>($crate::__part!(@part 1 key, $($key)*), $crate::writer::__rt::Part::bytes(2, encoded)) }
    };

    (@child_guard $of:tt $open:ident $arguments:tt [$($child:tt)*] $($call:tt)*) => {
        $crate::__setter! { @guard $of [
            /// The same with a guard: dropping it ends the child.
        ] $open $arguments Child, [$($child)*] $($call)* }
    };
    (@raw $of:tt $raw:ident $arguments:tt $($call:tt)*) => {
        $crate::__setter! { @set $of [
            /// The same from an encoded message.
        ] $raw $arguments $($call)* }
    };

    // Functions that write; methods return the writer.
    (@set [method] [$($docs:tt)*] $name:ident ($($argument:ident: $ty:ty),*) $($call:tt)*) => {
        $($docs)*
        #[inline]
        pub fn $name(&mut self, $($argument: $ty),*) -> &mut Self {
            self.raw.$($call)*;
            self
        }
    };
    (@set [$($of:tt)*] [$($docs:tt)*] $name:ident ($($argument:ident: $ty:ty),*) $($call:tt)*) => {
        $($docs)*
        #[allow(dead_code, deprecated)]
        #[inline]
        pub fn $name(writer: &mut $($of)*<'_>, $($argument: $ty),*) {
            $crate::writer::Writer::raw(writer).$($call)*;
        }
    };

    // Functions that return a guard.
    (@guard [method] [$($docs:tt)*] $name:ident ($($argument:ident: $ty:ty),*) Child, [$($child:tt)*] $($call:tt)*) => {
        $($docs)*
        #[inline]
        pub fn $name(&mut self, $($argument: $ty),*) -> $crate::writer::Child<'_, $($child)*<'_>> {
            self.raw.$($call)*
        }
    };
    (@guard [method] [$($docs:tt)*] $name:ident () Packed, [$element:ty] $($call:tt)*) => {
        $($docs)*
        #[inline]
        pub fn $name(&mut self) -> $crate::writer::Packed<'_, $element> {
            self.raw.$($call)*
        }
    };
    (@guard [$($of:tt)*] [$($docs:tt)*] $name:ident ($($argument:ident: $ty:ty),*) Child, [$($child:tt)*] $($call:tt)*) => {
        $($docs)*
        #[allow(dead_code, deprecated)]
        #[inline]
        pub fn $name<'c>(writer: &'c mut $($of)*<'_>, $($argument: $ty),*) -> $crate::writer::Child<'c, $($child)*<'c>> {
            $crate::writer::Writer::raw(writer).$($call)*
        }
    };
    (@guard [$($of:tt)*] [$($docs:tt)*] $name:ident () Packed, [$element:ty] $($call:tt)*) => {
        $($docs)*
        #[allow(dead_code, deprecated)]
        #[inline]
        pub fn $name<'c>(writer: &'c mut $($of)*<'_>) -> $crate::writer::Packed<'c, $element> {
            $crate::writer::Writer::raw(writer).$($call)*
        }
    };
}

/// Maps the type of a key, value or element to a setter's argument, its encoding, and the runtime's name of the type.
#[doc(hidden)]
#[macro_export]
macro_rules! __part {
    (@type text) => { &str };
    (@type bytes) => { impl ::core::convert::AsRef<[u8]> };
    (@type $ty:ty as $element:ident) => { $ty };
    (@part $number:literal $value:ident, text) => { $crate::writer::__rt::Part::bytes($number, $value.as_bytes()) };
    (@part $number:literal $value:ident, bytes) => { $crate::writer::__rt::Part::bytes($number, $value.as_ref()) };
    (@part $number:literal $value:ident, $ty:ty as $element:ident) => {
        $crate::writer::__rt::Part::scalar::<$crate::__part!(@element $ty as $element)>($number, $value)
    };
    (@element $ty:ty as Enum) => { $crate::writer::element::Enum<$ty> };
    (@element $ty:ty as $element:ident) => { $crate::writer::element::$element };
}
