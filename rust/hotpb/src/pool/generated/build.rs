//! Builders: one line for each field.

/// Defines the builder of a message. The arguments are its comment and `NameBuilder, Handle, [Clone]`, without `Clone`
/// if it can contain builders of its own kind; then for each field its comment and `tag name how(…);`, for each member
/// of a oneof `tag oneof member(Enum::Variant, how(…));`; for each oneof `oneof "its name" name Enum`, with `nested` if
/// builders of the same kind nest in it; for each closed enum `closed`, the number of its field and its values;
/// `dropped` with the numbers of discarded fields; and `required` with the checks for absent fields.
///
/// ```text
///   value(Type), number(Enum)     followed by has_name with explicit presence     child(Builder), boxed(Builder), with `group` between tags
///   run(Type), numbers(Enum), with `packed` when it is written packed             list(Builder), nested_list(Builder), with `group`
///   map(tag Key, tag how(…)), nested_map(tag Key, tag child(Builder))             how: value(Type), number(Enum), child(Builder)
/// ```
///
/// A builder that can contain builders of its own kind is filled in place, and a separate function fills each field
/// that such builders nest in: so the stack does not hold another whole builder for each level.
#[doc(hidden)]
#[macro_export]
macro_rules! __builder {
    (
        $(#[$doc:meta])* $name:ident, $handle:ident, [$($clone:ident)?];
        $($($(#[$about:meta])+ $tag:literal $field:ident $how:ident $args:tt)? $($member_tag:literal $member_of:ident $member:ident $variant:tt)?;)*
        $(oneof $(#[$own:meta])* $oneof:literal $choice:ident $chosen:ty $(, $nested:ident)?;)*
        $(closed $closed:literal $defined:tt;)*
        $(dropped $dropped:tt;)?
        $(required [$($too_deep:ident)?]; $($absent:literal $find:ident $place:tt;)*)?
    ) => {
        $(#[$doc])*
        #[derive($($clone,)? Debug, Default, PartialEq)]
        pub struct $name {
            $($($(#[$about])+ pub $field: $crate::__owned!($how $args),)?)*
            $(
                #[doc = ::core::concat!(" The member that is set in the oneof `", $oneof, "`.")]
                $(#[$own])*
                pub $choice: ::core::option::Option<$chosen>,
            )*
            /// The fields that the schema does not define, including extensions.
            pub unknown_fields: $crate::pool::UnknownSet<$handle<'static>>,
        }
        $crate::__build! { @from [$($clone)?] $name $handle [$($([$field $how $args])?)*] [$([$choice $chosen $(, $nested)?])*] }
        $crate::__serde_builder! { $name }
        impl $crate::pool::Encode for $name {
            type Of = $handle<'static>;
            #[inline]
            fn write<'m>(&'m self, e: &mut $crate::pool::__rt::Encoder<'m>) {
                self.write_all::<()>(e);
            }
            $(
                #[inline]
                fn absent(&self, stack: &$crate::pool::__rt::Stack) -> ::core::result::Result<(), $crate::pool::__rt::Missing> {
                    use $crate::pool::Encode as _;
                    let (b, _) = (self, stack);
                    $(
                        if stack.is_used_up() {
                            return ::core::result::Result::Err($crate::pool::__rt::Missing::$too_deep());
                        }
                    )?
                    $($crate::__absent! { $find $place (b stack) $absent })*
                    ::core::result::Result::Ok(())
                }
            )?
        }
        $crate::__merge! {
            $name $handle [$($clone)?] closed [$([$closed $defined])*] dropped $($dropped)? fields
            $([$($tag $field $how $args)? $($member_tag $member_of $member $variant)?])*
        }
        $crate::__build! {
            @reversed [$name [$($clone)?]] [] []
            $([$($tag $field $how $args)? $($member_tag $member_of $member $variant)?])*
        }
    };
}

/// Defines a oneof of a builder: its comment, `Enum, Enum of the handle, [copy]` if builders of the same kind nest in
/// it; then for each member its comment and `Variant how(…)`, where `how` is as for a field.
#[doc(hidden)]
#[macro_export]
macro_rules! __oneof_builder {
    (
        $(#[$doc:meta])* $name:ident, $shown:ident $(<$a:lifetime>)?, [$($copy:ident)?];
        $($(#[$about:meta])* $variant:ident $how:ident $args:tt;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $($(#[$about])* $variant($crate::__owned!(@one $how $args)),)*
        }
        impl $name {
            pub(crate) fn own<__OnUse>(v: $shown $(<$a>)?) -> $name {
                match v {
                    $($shown::$variant(v) => $name::$variant($crate::__own!($how $args v)),)*
                }
            }
            $crate::__oneof_builder! { @copy [$($copy)?] $name $([$variant $how $args])* }
        }
    };
    (@copy [] $($rest:tt)*) => {};
    (@copy [copy] $name:ident $([$variant:ident $how:ident $args:tt])*) => {
        pub(crate) fn copy<__OnUse>(&self) -> $name {
            match self {
                $($name::$variant(v) => $name::$variant($crate::__copied!($how $args v)),)*
            }
        }
    };
}

/// The type of a field; with `@one`, the type of a member or of one value.
#[doc(hidden)]
#[macro_export]
macro_rules! __owned {
    (value ($ty:ident)) => { $crate::__owned!(@one value ($ty)) };
    (value ($ty:ident, $has:ident)) => { ::core::option::Option<$crate::__owned!(@one value ($ty))> };
    (number ($ty:ty)) => { $ty };
    (number ($ty:ty, $has:ident)) => { ::core::option::Option<$ty> };
    (child $args:tt) => { ::core::option::Option<$crate::__owned!(@one child $args)> };
    (boxed $args:tt) => { ::core::option::Option<$crate::__owned!(@one boxed $args)> };
    (run ($ty:ident $(, $packed:ident)?)) => { $crate::pool::__rt::Vec<$crate::__owned!(@one value ($ty))> };
    (map ($key_tag:literal $key:ident, $tag:literal $how:ident $args:tt)) => {
        $crate::pool::__rt::BTreeMap<$crate::__owned!(@one value ($key)), $crate::__owned!(@one $how $args)>
    };
    (nested_map $args:tt) => { $crate::__owned!(map $args) };
    (@one child ($ty:ty $(, $group:ident)?)) => { $ty };
    (@one boxed ($ty:ty $(, $group:ident)?)) => { $crate::pool::__rt::Box<$ty> };
    (@one number ($ty:ty)) => { $ty };
    (@one value (Utf8)) => { $crate::pool::__rt::String };
    (@one value (Text)) => { $crate::pool::ProtoString };
    (@one value (Bytes)) => { $crate::pool::__rt::Vec<u8> };
    (@one value (Int32)) => { i32 };
    (@one value (Sint32)) => { i32 };
    (@one value (Sfixed32)) => { i32 };
    (@one value (Int64)) => { i64 };
    (@one value (Sint64)) => { i64 };
    (@one value (Sfixed64)) => { i64 };
    (@one value (Uint32)) => { u32 };
    (@one value (Fixed32)) => { u32 };
    (@one value (Uint64)) => { u64 };
    (@one value (Fixed64)) => { u64 };
    (@one value (Float)) => { f32 };
    (@one value (Double)) => { f64 };
    (@one value (Bool)) => { bool };
    // numbers, list, nested_list
    ($how:ident ($ty:ty $(, $flag:ident)?)) => { $crate::pool::__rt::Vec<$ty> };
}

/// Converts the result of an accessor to the value that a builder stores.
#[doc(hidden)]
#[macro_export]
macro_rules! __own {
    (value (Utf8) $v:expr) => { ::core::convert::Into::into($v) };
    (value (Text) $v:expr) => { ::core::convert::Into::into($v) };
    (value (Bytes) $v:expr) => { ::core::convert::Into::into($v) };
    (child $args:tt $v:expr) => { ::core::convert::Into::into($v) };
    (boxed $args:tt $v:expr) => { $crate::__build!(@boxed $args fill $v) };
    // value, number
    ($how:ident $args:tt $v:expr) => { $v };
}

/// Copies a value that a builder stores.
#[doc(hidden)]
#[macro_export]
macro_rules! __copied {
    (boxed $args:tt $v:expr) => { $crate::__build!(@boxed $args copy $v) };
    ($how:ident $args:tt $v:expr) => { ::core::clone::Clone::clone($v) };
}

/// Defines how builders are created, copied and encoded.
#[doc(hidden)]
#[macro_export]
macro_rules! __build {
    (@from [Clone] $name:ident $handle:ident [$([$field:ident $how:ident $args:tt])*] [$([$choice:ident $chosen:ty])*]) => {
        impl ::core::convert::From<$handle<'_>> for $name {
            #[inline]
            fn from(m: $handle<'_>) -> $name {
                $name {
                    $($field: $crate::__build!(@own $how $args m $field),)*
                    $($choice: m.$choice().map(<$chosen>::own::<()>),)*
                    unknown_fields: ::core::convert::Into::into(m.unknown_fields()),
                }
            }
        }
    };
    (@from [] $name:ident $handle:ident [$([$field:ident $how:ident $args:tt])*] [$([$choice:ident $chosen:ty $(, $nested:ident)?])*]) => {
        impl ::core::convert::From<$handle<'_>> for $name {
            #[inline]
            fn from(m: $handle<'_>) -> $name {
                let mut made = <$name as ::core::default::Default>::default();
                made.fill::<()>(m);
                made
            }
        }
        impl ::core::clone::Clone for $name {
            #[inline]
            fn clone(&self) -> $name {
                let mut made = <$name as ::core::default::Default>::default();
                made.copy::<()>(self);
                made
            }
        }
        impl $name {
            /// Copies the content of a message.
            pub(crate) fn fill<__OnUse>(&mut self, m: $handle<'_>) {
                self.fill_plain::<()>(m);
                let b = self;
                $($crate::__fill! { $how $args nested ($name $handle b m) $field })*
                $($crate::__fill! { @oneof $($nested)? nested ($name $handle b m) $choice $chosen })*
            }
            fn fill_plain<__OnUse>(&mut self, m: $handle<'_>) {
                let b = self;
                $($crate::__fill! { $how $args plain ($name $handle b m) $field })*
                $($crate::__fill! { @oneof $($nested)? plain ($name $handle b m) $choice $chosen })*
                b.unknown_fields = ::core::convert::Into::into(m.unknown_fields());
            }
            /// Becomes a copy of `from`; the builder must have its default value.
            pub(crate) fn copy<__OnUse>(&mut self, from: &$name) {
                self.copy_plain::<()>(from);
                let b = self;
                $($crate::__copy! { $how $args nested ($name b from) $field })*
                $($crate::__copy! { @oneof $($nested)? nested ($name b from) $choice $chosen })*
            }
            fn copy_plain<__OnUse>(&mut self, from: &$name) {
                let b = self;
                $($crate::__copy! { $how $args plain ($name b from) $field })*
                $($crate::__copy! { @oneof $($nested)? plain ($name b from) $choice $chosen })*
                b.unknown_fields = ::core::clone::Clone::clone(&from.unknown_fields);
            }
        }
    };

    // Converts a field of a message to the value that a builder stores.
    (@own value ($ty:ident) $m:ident $field:ident) => { $crate::__own!(value ($ty) $m.$field()) };
    (@own value ($ty:ident, $has:ident) $m:ident $field:ident) => { $m.$has().then(|| $crate::__own!(value ($ty) $m.$field())) };
    (@own number ($ty:ty) $m:ident $field:ident) => { $m.$field() };
    (@own number ($ty:ty, $has:ident) $m:ident $field:ident) => { $m.$has().then(|| $m.$field()) };
    (@own child $args:tt $m:ident $field:ident) => { $m.$field().map(|v| ::core::convert::Into::into(v)) };
    (@own run (Utf8) $m:ident $field:ident) => { $crate::__build!(@own list () $m $field) };
    (@own run (Text) $m:ident $field:ident) => { $crate::__build!(@own list () $m $field) };
    (@own run (Bytes) $m:ident $field:ident) => { $crate::__build!(@own list () $m $field) };
    (@own run $args:tt $m:ident $field:ident) => { $m.$field().to_vec() };
    (@own numbers $args:tt $m:ident $field:ident) => { $m.$field().iter().collect() };
    (@own list $args:tt $m:ident $field:ident) => { $m.$field().iter().map(|v| ::core::convert::Into::into(v)).collect() };
    (@own map $args:tt $m:ident $field:ident) => {
        $m.$field().iter().map(|(k, v)| (::core::convert::Into::into(k), ::core::convert::Into::into(v))).collect()
    };

    // Creates a builder of the same kind from a message or builder, with the named method.
    (@boxed ($ty:ty $(, $group:ident)?) $fill:ident $v:expr) => {{
        let mut made = $crate::pool::__rt::Box::<$ty>::default();
        made.$fill::<()>($v);
        made
    }};

    // Writes all fields, the last one first. Unoptimised builds need stack for each field; to limit it, each function
    // writes at most 32 fields of a very large message. A macro can recurse only some hundred times, so it handles many
    // fields at a time.
    (
        @reversed $to:tt [$($parts:tt)*] []
        $a0:tt $a1:tt $a2:tt $a3:tt $a4:tt $a5:tt $a6:tt $a7:tt $b0:tt $b1:tt $b2:tt $b3:tt $b4:tt $b5:tt $b6:tt $b7:tt
        $c0:tt $c1:tt $c2:tt $c3:tt $c4:tt $c5:tt $c6:tt $c7:tt $d0:tt $d1:tt $d2:tt $d3:tt $d4:tt $d5:tt $d6:tt $d7:tt $($left:tt)+
    ) => {
        $crate::__build! {
            @reversed $to [
                [
                    $d7 $d6 $d5 $d4 $d3 $d2 $d1 $d0 $c7 $c6 $c5 $c4 $c3 $c2 $c1 $c0
                    $b7 $b6 $b5 $b4 $b3 $b2 $b1 $b0 $a7 $a6 $a5 $a4 $a3 $a2 $a1 $a0
                ]
                $($parts)*
            ] [] $($left)*
        }
    };
    (@reversed $to:tt $parts:tt [$($done:tt)*] $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt $h:tt $($left:tt)*) => {
        $crate::__build! { @reversed $to $parts [$h $g $f $e $d $c $b $a $($done)*] $($left)* }
    };
    (@reversed $to:tt $parts:tt [$($done:tt)*] $a:tt $($left:tt)*) => { $crate::__build! { @reversed $to $parts [$a $($done)*] $($left)* } };
    (@reversed [$name:ident $clone:tt] [] [$([$tag:literal $field:ident $how:ident $args:tt])*]) => {
        impl $name {
            fn write_all<'m, __OnUse>(&'m self, e: &mut $crate::pool::__rt::Encoder<'m>) {
                use $crate::pool::Encode as _;
                $crate::__build!(@room $clone e);
                e.raw(self.unknown_fields.as_bytes());
                let b = self;
                $($crate::__put! { $how $args (b e) $tag $field })*
            }
        }
    };
    (@reversed [$name:ident $clone:tt] [$($part:tt)*] $last:tt) => {
        impl $name {
            fn write_all<'m, __OnUse>(&'m self, e: &mut $crate::pool::__rt::Encoder<'m>) {
                $crate::__build!(@room $clone e);
                e.raw(self.unknown_fields.as_bytes());
                let b = self;
                $crate::__build! { @part $name b e $last }
                $($crate::__build! { @part $name b e $part })*
            }
        }
    };
    (@part $name:ident $b:ident $e:ident [$([$tag:literal $field:ident $how:ident $args:tt])*]) => {{
        #[inline]
        fn part<'m>($b: &'m $name, $e: &mut $crate::pool::__rt::Encoder<'m>) {
            use $crate::pool::Encode as _;
            $($crate::__put! { $how $args ($b $e) $tag $field })*
        }
        part($b, $e);
    }};
    // Ends an encoder if the stack has no room for a message that can contain messages of its own kind.
    (@room [Clone] $e:ident) => {};
    (@room [] $e:ident) => {
        if $e.is_too_deep() {
            return;
        }
    };
}

/// Fills a field of a builder that can contain its own kind: among the `plain` fields, or in a separate function if
/// builders of the same kind nest in the field.
#[doc(hidden)]
#[macro_export]
macro_rules! __fill {
    (boxed $args:tt nested $at:tt $field:ident) => {
        $crate::__fill! { @part $at b m {
            if let ::core::option::Option::Some(v) = m.$field() {
                b.$field = ::core::option::Option::Some($crate::__build!(@boxed $args fill v));
            }
        } }
    };
    (nested_list $args:tt nested $at:tt $field:ident) => {
        $crate::__fill! { @part $at b m {
            let all = m.$field();
            b.$field.resize_with(all.len(), ::core::default::Default::default);
            for (made, v) in b.$field.iter_mut().zip(all.iter()) {
                made.fill::<()>(v);
            }
        } }
    };
    (nested_map $args:tt nested $at:tt $field:ident) => {
        $crate::__fill! { @part $at b m {
            for (k, v) in m.$field().iter() {
                b.$field.entry(::core::convert::Into::into(k)).or_default().fill::<()>(v);
            }
        } }
    };
    (@oneof nested nested $at:tt $choice:ident $chosen:ty) => {
        $crate::__fill! { @part $at b m { b.$choice = m.$choice().map(<$chosen>::own::<()>); } }
    };
    (@oneof plain ($name:ident $handle:ident $b:ident $m:ident) $choice:ident $chosen:ty) => {
        $b.$choice = $m.$choice().map(<$chosen>::own::<()>);
    };
    (@oneof $($elsewhere:tt)*) => {};
    (boxed $args:tt plain $($elsewhere:tt)*) => {};
    (nested_list $args:tt plain $($elsewhere:tt)*) => {};
    (nested_map $args:tt plain $($elsewhere:tt)*) => {};
    ($how:ident $args:tt plain ($name:ident $handle:ident $b:ident $m:ident) $field:ident) => {
        $b.$field = $crate::__build!(@own $how $args $m $field);
    };
    ($how:ident $args:tt nested $($elsewhere:tt)*) => {};
    (@part ($name:ident $handle:ident $b:ident $m:ident) $to:ident $from:ident $body:block) => {{
        #[inline]
        fn part($to: &mut $name, $from: $handle<'_>) $body
        part($b, $m);
    }};
}

/// The same for a copy.
#[doc(hidden)]
#[macro_export]
macro_rules! __copy {
    (boxed $args:tt nested $at:tt $field:ident) => {
        $crate::__copy! { @part $at b from {
            if let ::core::option::Option::Some(v) = &from.$field {
                b.$field = ::core::option::Option::Some($crate::__build!(@boxed $args copy v));
            }
        } }
    };
    (nested_list $args:tt nested $at:tt $field:ident) => {
        $crate::__copy! { @part $at b from {
            b.$field.resize_with(from.$field.len(), ::core::default::Default::default);
            for (made, v) in b.$field.iter_mut().zip(from.$field.iter()) {
                made.copy::<()>(v);
            }
        } }
    };
    (nested_map $args:tt nested $at:tt $field:ident) => {
        $crate::__copy! { @part $at b from {
            for (k, v) in from.$field.iter() {
                b.$field.entry(::core::clone::Clone::clone(k)).or_default().copy::<()>(v);
            }
        } }
    };
    (@oneof nested nested $at:tt $choice:ident $chosen:ty) => {
        $crate::__copy! { @part $at b from { b.$choice = from.$choice.as_ref().map(<$chosen>::copy::<()>); } }
    };
    (@oneof plain ($name:ident $b:ident $from:ident) $choice:ident $chosen:ty) => {
        $b.$choice = ::core::clone::Clone::clone(&$from.$choice);
    };
    (@oneof $($elsewhere:tt)*) => {};
    (boxed $args:tt plain $($elsewhere:tt)*) => {};
    (nested_list $args:tt plain $($elsewhere:tt)*) => {};
    (nested_map $args:tt plain $($elsewhere:tt)*) => {};
    ($how:ident $args:tt plain ($name:ident $b:ident $from:ident) $field:ident) => {
        $b.$field = ::core::clone::Clone::clone(&$from.$field);
    };
    ($how:ident $args:tt nested $($elsewhere:tt)*) => {};
    (@part ($name:ident $b:ident $from:ident) $to:ident $of:ident $body:block) => {{
        #[inline]
        fn part($to: &mut $name, $of: &$name) $body
        part($b, $from);
    }};
}

/// Writes a field of a builder if it is present. The arguments are the kind of the field, the builder and the encoder,
/// the tag and the name.
#[doc(hidden)]
#[macro_export]
macro_rules! __put {
    (value (Utf8) ($b:ident $e:ident) $tag:literal $field:ident) => {
        if !$b.$field.is_empty() {
            $e.bytes::<$tag>($b.$field.as_bytes());
        }
    };
    (value (Text) $at:tt $tag:literal $field:ident) => { $crate::__put! { value (Utf8) $at $tag $field } };
    (value (Bytes) ($b:ident $e:ident) $tag:literal $field:ident) => {
        if !$b.$field.is_empty() {
            $e.bytes::<$tag>(&$b.$field);
        }
    };
    (value ($ty:ident) ($b:ident $e:ident) $tag:literal $field:ident) => {
        let v = $b.$field;
        if $crate::__is_set!(v $ty) {
            $crate::__write_scalar!($e v $ty $tag);
        }
    };
    (number ($ty:ty) ($b:ident $e:ident) $tag:literal $field:ident) => {
        let v = $b.$field.0;
        if v != 0 {
            $crate::__write_scalar!($e v Enum $tag);
        }
    };
    (run ($ty:ident, packed) ($b:ident $e:ident) $tag:literal $field:ident) => {
        $crate::__put! { @packed $ty $e $tag $b.$field, $b.$field.iter().rev().copied() }
    };
    (numbers ($ty:ty, packed) ($b:ident $e:ident) $tag:literal $field:ident) => {
        $crate::__put! { @packed Enum $e $tag $b.$field, $b.$field.iter().rev().map(|v| v.0) }
    };
    (@packed $ty:ident $e:ident $tag:literal $values:expr, $reversed:expr) => {
        if !$values.is_empty() {
            let end = $e.mark();
            for v in $reversed {
                $crate::__write_scalar!($e v $ty 0);
            }
            $e.close::<$tag>(end);
        }
    };
    (run ($ty:ident) $at:tt $tag:literal $field:ident) => { $crate::__put! { @each value ($ty) $at $tag $field } };
    (numbers ($ty:ty) $at:tt $tag:literal $field:ident) => { $crate::__put! { @each number ($ty) $at $tag $field } };
    (list $args:tt $at:tt $tag:literal $field:ident) => { $crate::__put! { @each child $args $at $tag $field } };
    (nested_list $args:tt $at:tt $tag:literal $field:ident) => { $crate::__put! { @each child $args $at $tag $field } };
    (@each $how:ident $args:tt ($b:ident $e:ident) $tag:literal $field:ident) => {
        for v in $b.$field.iter().rev() {
            $crate::__put!(@one $how $args v $e $tag);
        }
    };
    (map ($key_tag:literal $key:ident, $value_tag:literal $how:ident $args:tt) ($b:ident $e:ident) $tag:literal $field:ident) => {
        for (k, v) in $b.$field.iter().rev() {
            let entry = $e.mark();
            $crate::__put!(@one $how $args v $e $value_tag);
            $crate::__put!(@one value ($key) k $e $key_tag);
            $e.close::<$tag>(entry);
        }
    };
    (nested_map $args:tt $at:tt $tag:literal $field:ident) => { $crate::__put! { map $args $at $tag $field } };
    (member ($variant:path, $how:ident $args:tt) ($b:ident $e:ident) $tag:literal $choice:ident) => {
        if let ::core::option::Option::Some($variant(v)) = &$b.$choice {
            $crate::__put!(@one $how $args v $e $tag);
        }
    };

    // One element, given as a reference, with its tag.
    (@one value (Utf8) $v:ident $e:ident $tag:literal) => { $e.bytes::<$tag>($v.as_bytes()) };
    (@one value (Text) $v:ident $e:ident $tag:literal) => { $e.bytes::<$tag>($v.as_bytes()) };
    (@one value (Bytes) $v:ident $e:ident $tag:literal) => { $e.bytes::<$tag>($v) };
    (@one value ($ty:ident $(, $has:ident)?) $v:ident $e:ident $tag:literal) => {{
        let v = *$v;
        $crate::__write_scalar!($e v $ty $tag);
    }};
    (@one number ($ty:ty $(, $has:ident)?) $v:ident $e:ident $tag:literal) => {{
        let v = $v.0;
        $crate::__write_scalar!($e v Enum $tag);
    }};
    (@one $how:ident ($ty:ty, group) $v:ident $e:ident $tag:literal) => {{
        $e.tag::<{ $tag + 1 }>();
        $v.write($e);
        $e.tag::<$tag>();
    }};
    // child, boxed
    (@one $how:ident ($ty:ty) $v:ident $e:ident $tag:literal) => {{
        let end = $e.mark();
        $v.write($e);
        $e.close::<$tag>(end);
    }};

    // With explicit presence: value, number, child, boxed
    (value ($ty:ident, $has:ident) $at:tt $tag:literal $field:ident) => { $crate::__put! { @some value ($ty) $at $tag $field } };
    (number ($ty:ty, $has:ident) $at:tt $tag:literal $field:ident) => { $crate::__put! { @some number ($ty) $at $tag $field } };
    (child $args:tt $at:tt $tag:literal $field:ident) => { $crate::__put! { @some child $args $at $tag $field } };
    (boxed $args:tt $at:tt $tag:literal $field:ident) => { $crate::__put! { @some boxed $args $at $tag $field } };
    (@some $how:ident $args:tt ($b:ident $e:ident) $tag:literal $field:ident) => {
        if let ::core::option::Option::Some(v) = &$b.$field {
            $crate::__put!(@one $how $args v $e $tag);
        }
    };
}

/// Looks for absent fields. The arguments are the place, the builder and the room on the stack, and the name of the
/// field.
#[doc(hidden)]
#[macro_export]
macro_rules! __absent {
    (own ($field:ident) ($b:ident $stack:ident) $name:literal) => {
        if $b.$field.is_none() {
            return ::core::result::Result::Err($crate::pool::__rt::Missing::field($name));
        }
    };
    (child ($field:ident) ($b:ident $stack:ident) $name:literal) => {
        if let ::core::option::Option::Some(m) = &$b.$field {
            m.absent($stack).map_err(|m| m.inside($name))?;
        }
    };
    (list ($field:ident) ($b:ident $stack:ident) $name:literal) => {
        for (i, m) in $b.$field.iter().enumerate() {
            m.absent($stack).map_err(|m| m.at($name, i))?;
        }
    };
    (map ($field:ident, $inside:literal) ($b:ident $stack:ident) $name:literal) => {
        for (i, m) in $b.$field.values().enumerate() {
            m.absent($stack).map_err(|m| m.inside($inside).at($name, i))?;
        }
    };
    (member ($choice:ident, $variant:path) ($b:ident $stack:ident) $name:literal) => {
        if let ::core::option::Option::Some($variant(m)) = &$b.$choice {
            m.absent($stack).map_err(|m| m.inside($name))?;
        }
    };
}
