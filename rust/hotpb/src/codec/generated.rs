//! The macros that generated codecs consist of.

/// Defines the codec of a message: its comment, its name, that of its `Reuse`, the struct of prost, the unit's spare parts
/// and the place there, the schema table, and `recursive` if the message can contain messages of its own kind. Then for
/// each field its tag, its name in the struct, and what it is; after it `packed` and the tag of the other form, and a
/// default. For each oneof `oneof name [Enum] { tag Variant Value; … }`.
///
/// ```text
///   10 name Plain<Utf8>;   18 child Maybe<Message<Child>>;   24 ids Numbers<Int32>, packed 26;   32 level Plain<Enum> = 3;
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __codec {
    (
        $(#[$doc:meta])* $codec:ident $($reuse:ident)?, $of:ty, $unit:ty, $kept:ident, $schema:path, $recursive:literal;
        $($tag:literal $field:ident $shape:ty $(, packed $packed:literal)? $(= $default:expr)?;)*
        $(oneof $choice:ident [$enum:ty] $members:tt)*
        $(unset { $($unset:ident)* })?
    ) => {
        $(#[doc = ::core::concat!(" Decodes into [`", ::core::stringify!($of), "`] in place.")]
        pub type $reuse = $crate::codec::Reuse<$codec>;)?
        $(#[$doc])*
        #[allow(missing_debug_implementations)]
        pub enum $codec {}
        const _: () = {
            use $crate::codec::__rt::*;
            impl Codec<$unit> for $codec {
                type Of = $of;
                const RECURSIVE: bool = $recursive;
                const SCHEMA: &'static MessageSchema = &$schema;
                #[inline]
                fn take(spares: &mut $unit) -> $of {
                    spares.$kept.take()
                }
                #[inline]
                fn give(target: $of, spares: &mut $unit) {
                    spares.$kept.give(target);
                }
                #[allow(deprecated, unused_mut, unused_variables)]
                fn read<'a, U>(
                    d: &mut Decoder<'a>,
                    spares: &mut $unit,
                    target: &mut $of,
                    mut c: Cursor<'a>,
                    merge: bool,
                    group: u32,
                ) -> ::core::option::Option<Pos<'a>> {
                    $(
                        let mut $field = <$shape as Field<$unit, _>>::begin(d, spares, &mut target.$field, merge);
                        $(if !merge { Reset::reset(&mut target.$field, $default); })?
                    )*
                    $(let mut $choice = merge;)*
                    $($(if !merge { target.$unset = <$of as ::core::default::Default>::default().$unset; })*)?
                    let whole = 'records: loop {
                        if c.at_end() {
                            break group == 0;
                        }
                        let tag = c.next_tag();
                        // One place for all errors: without optimisation each `?` has room of its own on the stack.
                        let read = match tag {
                            $(
                                $tag => <$shape as Field<$unit, _>>::read::<$tag>(d, spares, &mut c, &mut target.$field, &mut $field),
                                $($packed => <$shape as Packed<_>>::packed(d, &mut c, &mut target.$field),)?
                            )*
                            _ => {
                                $(
                                    if $crate::__codec!(
                                        @member $unit, $enum, 'records [tag d spares c target] $choice $members $members
                                    ) {
                                        continue;
                                    }
                                )*
                                if group != 0 && tag == group {
                                    break true;
                                }
                                c.skip(tag, d.depth())
                            }
                        };
                        if read.is_none() {
                            break false;
                        }
                    };
                    // After an error, too: old content must not stay below a level that was used again (RCL-1).
                    $(<$shape as Field<$unit, _>>::end(d, spares, &mut target.$field, $field);)*
                    $(
                        if !$choice {
                            if let ::core::option::Option::Some(other) = target.$choice.take() {
                                $crate::__codec!(@keep $unit, $enum, other spares $members);
                            }
                        }
                    )*
                    whole.then(|| c.pos())
                }
            }
            impl Holder<$unit, $codec> for $of {
                const HEAP: usize = 0;
                #[inline(always)]
                fn get(&mut self) -> &mut $of {
                    self
                }
                #[inline]
                fn take(spares: &mut $unit) -> $of {
                    spares.$kept.take()
                }
                #[inline]
                fn give(self, spares: &mut $unit) {
                    spares.$kept.give(self);
                }
            }
            impl Holder<$unit, $codec> for Box<$of> {
                const HEAP: usize = ::core::mem::size_of::<$of>();
                #[inline(always)]
                fn get(&mut self) -> &mut $of {
                    self
                }
                #[inline]
                fn take(spares: &mut $unit) -> Box<$of> {
                    spares.$kept.take_box()
                }
                #[inline]
                fn give(self, spares: &mut $unit) {
                    spares.$kept.give_box(self);
                }
            }
            impl $crate::codec::Root for $codec {
                type Spares = $unit;
                type Struct = $of;
                fn root<'a, U>(
                    d: &mut Decoder<'a>,
                    spares: &mut $unit,
                    message: &mut $of,
                    cursor: Cursor<'a>,
                    merge: bool,
                ) -> ::core::option::Option<()> {
                    <$codec as Codec<$unit>>::read::<U>(d, spares, message, cursor, merge, 0)?;
                    ::core::option::Option::Some(())
                }
            }
        };
    };

    // Reads a record if it is a member of this oneof; returns whether it was.
    (@member $unit:ty, $enum:ty, $records:lifetime [$tag:ident $d:ident $spares:ident $c:ident $of:ident] $choice:ident {
        $($member_tag:literal $variant:ident $value:ty;)*
    } $members:tt) => {{
        type Choice = $enum;
        match $tag {
            $($member_tag => {
                if let ::core::option::Option::Some(Choice::$variant(value)) = &mut $of.$choice {
                    if <$value as Value<$unit, _>>::read($d, $spares, &mut $c, value, $choice).is_none() {
                        break $records false;
                    }
                } else {
                    if let ::core::option::Option::Some(other) = $of.$choice.take() {
                        $crate::__codec!(@keep $unit, $enum, other $spares $members);
                    }
                    let mut value = <$value as Value<$unit, _>>::take($spares);
                    if <$value as Value<$unit, _>>::read($d, $spares, &mut $c, &mut value, false).is_none() {
                        break $records false;
                    }
                    $of.$choice = ::core::option::Option::Some(Choice::$variant(value));
                }
                $choice = true;
                true
            })*
            _ => false,
        }
    }};
    // Keeps the value of a oneof.
    (@keep $unit:ty, $enum:ty, $other:ident $spares:ident { $($tag:literal $variant:ident $value:ty;)* }) => {{
        type Choice = $enum;
        match $other {
            $(Choice::$variant(value) => <$value as Value<$unit, _>>::give(value, $spares),)*
        }
    }};
    ($($other:tt)*) => {
        ::core::compile_error!("this code was generated for another version of the crate hotpb: generate it again, with the generator of the crate's version");
    };
}

/// Defines the spare parts of a unit: their name, then for each message a name and the struct of prost.
#[doc(hidden)]
#[macro_export]
macro_rules! __spares {
    ($unit:ident; $($kept:ident $of:ty;)*) => {
        #[doc(hidden)]
        #[allow(missing_debug_implementations, non_snake_case)]
        #[derive(Default)]
        pub struct $unit {
            texts: $crate::codec::__rt::Kept<$crate::codec::__rt::String>,
            blobs: $crate::codec::__rt::Kept<$crate::codec::__rt::Vec<u8>>,
            $(pub(crate) $kept: $crate::codec::__rt::Kept<$of>,)*
        }
        impl $crate::codec::__rt::Unit for $unit {
            #[inline(always)]
            fn texts(&mut self) -> &mut $crate::codec::__rt::Kept<$crate::codec::__rt::String> {
                &mut self.texts
            }
            #[inline(always)]
            fn blobs(&mut self) -> &mut $crate::codec::__rt::Kept<$crate::codec::__rt::Vec<u8>> {
                &mut self.blobs
            }
        }
    };
}

/// Converts a handle to the struct of prost: the codec, the struct, the handle, and `local` if the message does not ship
/// with the runtime. Then for each field its name in the struct, that of the accessor, and what it is, as in `__codec`;
/// `has` with the accessor of its presence, or `required`. For each oneof its names, and the variants of both sides.
#[doc(hidden)]
#[macro_export]
macro_rules! __from_handle {
    (
        $codec:ty, $of:path, $handle:ty $(, $local:ident)?;
        $($field:ident $accessor:ident $shape:ty $(, has $has:ident)? $(, required $required:literal)?;)*
        $([$choice:ident $chosen:ident] { $($variant:path, $own:path, $value:ty;)* })*
        $({ $($unset:ident)* })?
    ) => {
        const _: () = {
            use $crate::codec::__rt::*;
            impl IntoProst<$codec, $of> for $handle {
                #[inline]
                #[allow(deprecated)]
                fn into_prost(self) -> $of {
                    $of {
                        $($field: <$shape as FieldIntoProst<_, _>>::prost($crate::__from_handle!(@get self $accessor $($has)?)),)*
                        $($choice: self.$chosen().map(|value| match value {
                            $($own(value) => $variant(IntoProst::<$value, _>::into_prost(value)),)*
                        }),)*
                        $($($unset: <$of as ::core::default::Default>::default().$unset,)*)?
                    }
                }
            }
            impl IntoProst<$codec, Box<$of>> for $handle {
                #[inline]
                fn into_prost(self) -> Box<$of> {
                    Box::new(IntoProst::<$codec, $of>::into_prost(self))
                }
            }
            $crate::__from_handle!(@from [$($local)?] $codec, $of, $handle);
        };
    };
    (@get $m:ident $accessor:ident) => { $m.$accessor() };
    (@get $m:ident $accessor:ident $has:ident) => { if $m.$has() { ::core::option::Option::Some($m.$accessor()) } else { ::core::option::Option::None } };
    (@from [local] $codec:ty, $of:path, $handle:ty) => {
        impl ::core::convert::From<$handle> for $of {
            #[inline]
            fn from(handle: $handle) -> $of {
                IntoProst::<$codec, $of>::into_prost(handle)
            }
        }
    };
    (@from [] $codec:ty, $of:path, $handle:ty) => {};
}

/// The same for builders, in both directions.
#[doc(hidden)]
#[macro_export]
macro_rules! __to_builder {
    (
        $codec:ty, $of:path, $builder:path $(, $local:ident)?;
        $($field:ident $own:ident $shape:ty $(, has $has:ident)? $(, required $required:literal)?;)*
        $([$choice:ident $chosen:ident] { $($variant:path, $own_variant:path, $value:ty;)* })*
    ) => {
        const _: () = {
            use $crate::codec::__rt::*;
            impl IntoBuilder<$codec, $builder> for $of {
                #[inline]
                #[allow(deprecated)]
                fn into_builder(self) -> $builder {
                    $builder {
                        $($own: $crate::__to_builder!(@set $($required,)? <$shape as FieldIntoBuilder<_, _>>::builder(self.$field)),)*
                        $($chosen: self.$choice.map(|value| match value {
                            $($variant(value) => $own_variant(IntoBuilder::<$value, _>::into_builder(value)),)*
                        }),)*
                        unknown_fields: ::core::default::Default::default(),
                    }
                }
            }
            impl IntoBuilder<$codec, Box<$builder>> for $of {
                #[inline]
                fn into_builder(self) -> Box<$builder> {
                    Box::new(IntoBuilder::<$codec, $builder>::into_builder(self))
                }
            }
            impl IntoBuilder<$codec, $builder> for Box<$of> {
                #[inline]
                fn into_builder(self) -> $builder {
                    IntoBuilder::<$codec, $builder>::into_builder(*self)
                }
            }
            impl IntoBuilder<$codec, Box<$builder>> for Box<$of> {
                #[inline]
                fn into_builder(self) -> Box<$builder> {
                    IntoBuilder::<$codec, Box<$builder>>::into_builder(*self)
                }
            }
            impl IntoProst<$codec, $of> for $builder {
                #[inline]
                #[allow(deprecated)]
                fn into_prost(self) -> $of {
                    $of {
                        $($field: $crate::__to_builder!(@get self $own $shape $(, $required $of, $field)?),)*
                        $($choice: self.$chosen.map(|value| match value {
                            $($own_variant(value) => $variant(IntoProst::<$value, _>::into_prost(value)),)*
                        }),)*
                    }
                }
            }
            impl IntoProst<$codec, Box<$of>> for $builder {
                #[inline]
                fn into_prost(self) -> Box<$of> {
                    Box::new(IntoProst::<$codec, $of>::into_prost(self))
                }
            }
            impl IntoProst<$codec, $of> for Box<$builder> {
                #[inline]
                fn into_prost(self) -> $of {
                    IntoProst::<$codec, $of>::into_prost(*self)
                }
            }
            impl IntoProst<$codec, Box<$of>> for Box<$builder> {
                #[inline]
                fn into_prost(self) -> Box<$of> {
                    IntoProst::<$codec, Box<$of>>::into_prost(*self)
                }
            }
            $crate::__to_builder!(@from [$($local)?] $codec, $of, $builder);
        };
    };
    (@get $b:ident $own:ident $shape:ty) => { <$shape as FieldIntoProst<_, _>>::prost($b.$own) };
    // A required field that is absent has the default of the schema, as prost's struct has it.
    (@get $b:ident $own:ident $shape:ty, $required:literal $of:path, $field:ident) => {
        match $b.$own {
            ::core::option::Option::Some(value) => <$shape as BuiltIntoProst<_, _>>::built(value),
            ::core::option::Option::None => <$of as ::core::default::Default>::default().$field,
        }
    };
    (@set $required:literal, $value:expr) => { ::core::option::Option::Some($value) };
    (@set $value:expr) => { $value };
    (@from [local] $codec:ty, $of:path, $builder:path) => {
        impl ::core::convert::From<$of> for $builder {
            #[inline]
            fn from(message: $of) -> $builder {
                IntoBuilder::<$codec, $builder>::into_builder(message)
            }
        }
        impl ::core::convert::From<$builder> for $of {
            #[inline]
            fn from(builder: $builder) -> $of {
                IntoProst::<$codec, $of>::into_prost(builder)
            }
        }
    };
    (@from [] $codec:ty, $of:path, $builder:path) => {};
}
