//! The macros that generated views consist of.

/// Defines a view: its comment, its name, its table, its full name and the number of words of its slots; `straight` if
/// it has a scan of its own; `extendable` if it can have extensions; then for each accessor its comment and `name how(…)`. Numbers are indices
/// into the table's fields.
///
/// ```text
///   value(index, Kind, type, default)   member(index, Kind, type, default)    followed by with(has_name)
///   message(index, Child, has_name)     member_message(index, Child, has_name)
///   repeated(index, Kind)               messages(index, Child)                map(index, Kind, Kind)
///   place(index, Kind)                  place_at(index, Kind)
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __view {
    (
        $(#[$doc:meta])* $name:ident<$a:lifetime>, $table:ident, $full:literal, $words:literal $($straight:ident)? [$($extendable:ident)?];
        $($(#[$about:meta])* $method:ident $how:ident $args:tt $($more:ident $with:tt)*;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name<$a> {
            level: $crate::view::__rt::Level<$a, $words>,
        }
        // SAFETY: generated: the accessors below read the slots as the table describes them.
        unsafe impl $crate::view::View for $name<'_> {
            type At<'a> = $name<'a>;
            const TABLE: &'static $crate::view::__rt::Table = &$table;
            #[inline]
            fn scan<'a>(raw: $crate::view::__rt::Raw<'a>) -> ::core::result::Result<$name<'a>, $crate::Error> {
                match $crate::__view!(@open $($straight)? raw $name $table) {
                    ::core::result::Result::Ok(level) => ::core::result::Result::Ok($name { level }),
                    ::core::result::Result::Err(error) => ::core::result::Result::Err(error),
                }
            }
            #[inline]
            fn raw(&self) -> &$crate::view::__rt::Raw<'_> {
                self.level.raw()
            }
        }
        /// The records as they came, in protobuf's text format, with enums as numbers.
        impl ::core::fmt::Debug for $name<'_> {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::view::__rt::debug(&self.level.raw(), &$table, f)
            }
        }
        #[allow(dead_code)]
        impl<$a> $name<$a> {
            $($crate::__view_accessor! { $how $args [$table $a $(#[$about])*] $method $($more $with)* })*
            /// The fields that the schema does not define, in their order.
            #[inline]
            pub fn unknown_fields(&self) -> $crate::view::UnknownFields<$a> {
                self.level.unknown(&$table)
            }
            $($crate::__view_accessor! { $extendable [$name $a] })?
        }
    };
    (@open $raw:ident $name:ident $table:ident) => { $crate::view::__rt::Level::open($raw, &$table) };
    (@open straight $raw:ident $name:ident $table:ident) => {
        $crate::view::__rt::Level::open_straight($raw, &$table, $name::__scan)
    };
    ($($other:tt)*) => {
        ::core::compile_error!("this code was generated for another version of the crate hotpb: generate it again, with the generator of the crate's version");
    };
}

/// Defines one accessor.
#[doc(hidden)]
#[macro_export]
macro_rules! __view_accessor {
    (value ($at:literal, $kind:ty, $ty:ty, $default:expr) [$table:ident $a:lifetime $($docs:tt)*] $method:ident $(with ($has:ident))?) => {
        $($docs)*
        #[inline]
        pub fn $method(&self) -> $ty {
            // SAFETY: generated: the kind is that of the field.
            unsafe { self.level.value::<$kind>(&$table, $at) }.unwrap_or($default)
        }
        $(
            /// Reports whether the field is present.
            #[inline]
            pub fn $has(&self) -> bool {
                self.level.has(&$table, $at)
            }
        )?
    };
    (member ($at:literal, $kind:ty, $ty:ty, $default:expr) [$table:ident $a:lifetime $($docs:tt)*] $method:ident with ($has:ident)) => {
        $($docs)*
        #[inline]
        pub fn $method(&self) -> $ty {
            // SAFETY: generated: the kind is that of the field.
            unsafe { self.level.member_value::<$kind>(&$table, $at) }.unwrap_or($default)
        }
        /// Reports whether this member is set.
        #[inline]
        pub fn $has(&self) -> bool {
            self.level.has_member(&$table, $at)
        }
    };
    (message ($at:literal, $child:ty, $has:ident) [$table:ident $a:lifetime $($docs:tt)*] $method:ident) => {
        $($docs)*
        #[inline]
        pub fn $method(&self) -> ::core::option::Option<$crate::view::Message<$a, $child>> {
            self.level.message(&$table, $at)
        }
        /// Reports whether the field is present.
        #[inline]
        pub fn $has(&self) -> bool {
            self.level.has(&$table, $at)
        }
    };
    (member_message ($at:literal, $child:ty, $has:ident) [$table:ident $a:lifetime $($docs:tt)*] $method:ident) => {
        $($docs)*
        #[inline]
        pub fn $method(&self) -> ::core::option::Option<$crate::view::Message<$a, $child>> {
            self.level.member_message(&$table, $at)
        }
        /// Reports whether this member is set.
        #[inline]
        pub fn $has(&self) -> bool {
            self.level.has_member(&$table, $at)
        }
    };
    (repeated ($at:literal, $kind:ty) [$table:ident $a:lifetime $($docs:tt)*] $method:ident) => {
        $($docs)*
        #[inline]
        pub fn $method(&self) -> $crate::view::Repeated<$a, $kind> {
            // SAFETY: generated: the kind is that of the field.
            unsafe { self.level.repeated(&$table, $at) }
        }
    };
    (messages ($at:literal, $child:ty) [$table:ident $a:lifetime $($docs:tt)*] $method:ident) => {
        $($docs)*
        #[inline]
        pub fn $method(&self) -> $crate::view::Messages<$a, $child> {
            self.level.messages(&$table, $at)
        }
    };
    (map ($at:literal, $key:ty, $value:ty) [$table:ident $a:lifetime $($docs:tt)*] $method:ident) => {
        $($docs)*
        #[inline]
        pub fn $method(&self) -> $crate::view::Map<$a, $key, $value> {
            // SAFETY: generated: the kinds are those of the map.
            unsafe { self.level.map(&$table, $at) }
        }
    };
    (place ($at:literal, $kind:ty) [$table:ident $a:lifetime $($docs:tt)*] $method:ident) => {
        $($docs)*
        pub fn $method(&self) -> $crate::view::Place<$kind> {
            self.level.place(&$table, $at)
        }
    };
    (place_at ($at:literal, $kind:ty) [$table:ident $a:lifetime $($docs:tt)*] $method:ident) => {
        $($docs)*
        pub fn $method(&self, index: usize) -> $crate::view::Place<$kind> {
            self.level.place_at(&$table, $at, index)
        }
    };
    (extendable [$name:ident $a:lifetime]) => {
        /// Decodes and checks an extension, whose records are among the unknown fields.
        pub fn extension<__K: $crate::view::extension::Kind>(
            &self,
            extension: &$crate::view::extension::Extension<$name<'static>, __K>,
        ) -> ::core::result::Result<__K::Output<$a>, $crate::Error> {
            extension.read(self.level.raw())
        }
        /// Reports whether the message has a record of an extension. It does not check the record's content.
        pub fn has_extension<__K: $crate::view::extension::Kind>(
            &self,
            extension: &$crate::view::extension::Extension<$name<'static>, __K>,
        ) -> bool {
            extension.is_in(self.unknown_fields())
        }
    };
}

/// Defines the accessor of a oneof: the view, its table, the slot, the comment, the method and the enum; then for each
/// member its number, its variant, its index and `value(Kind)` or `message(Child)`.
#[doc(hidden)]
#[macro_export]
macro_rules! __view_oneof {
    (
        $name:ident<$a:lifetime>, $table:ident, $slot:literal, $about:literal $method:ident, $oneof:ty;
        $($number:literal $variant:ident $at:literal $how:ident($kind:ty);)*
    ) => {
        impl<$a> $name<$a> {
            #[doc = ::core::concat!(" The oneof `", $about, "`: the member that is set.")]
            #[inline]
            pub fn $method(&self) -> ::core::option::Option<$oneof> {
                match self.level.which($slot) {
                    $($number => $crate::__view_oneof!(@$how self $table $at $kind).map(<$oneof>::$variant),)*
                    _ => ::core::option::Option::None,
                }
            }
        }
    };
    (@value $self:ident $table:ident $at:literal $kind:ty) => {
        // SAFETY: generated: the kind is that of the field.
        unsafe { $self.level.member_value::<$kind>(&$table, $at) }
    };
    (@message $self:ident $table:ident $at:literal $kind:ty) => {
        $self.level.member_message(&$table, $at)
    };
}

/// Creates an extension from its table. `unsafe` is in macros only: lints do not report it in the crates that use them,
/// so generated code compiles in crates that forbid it.
#[doc(hidden)]
#[macro_export]
macro_rules! __view_extension {
    ($table:ident) => {
        // SAFETY: generated: the kind is that of the field in the table.
        unsafe { $crate::view::extension::Extension::new(&$table) }
    };
}

/// Defines the table of a message: its name, its schema, the number of words of its slots, the numbers of fields whose
/// records are discarded, whether a required field can be absent, `entry` for a map's entry, and `[View]` if that view has a
/// scan of its own; then for each field its tag, its slot, its kind and its shape.
#[doc(hidden)]
#[macro_export]
macro_rules! __view_table {
    (
        $table:ident, $schema:ident, $words:literal, [$($dropped:literal),*], $needs:literal $($entry:ident)? $([$straight:ident])?;
        $($tag:literal $slot:literal $kind:ident $shape:ident $(. $more:ident $with:tt)*;)*
    ) => {
        $crate::__view_scan! { [$($straight)?] $table, $words; $($tag $slot $kind $shape;)* }
        #[doc(hidden)]
        pub static $table: $crate::view::__rt::Table = $crate::view::__rt::Table::new(
            &$schema,
            &[$(
                $crate::view::__rt::Field::new(
                    $tag,
                    $slot,
                    $crate::view::__rt::Kind::$kind,
                    $crate::view::__rt::Shape::$shape,
                )$(.$more $with)*
            ),*],
            &[$($dropped),*],
            $words,
            $needs,
        )$(.$entry())?;
    };
}
