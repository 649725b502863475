//! Accessors of handles: one line for each.

/// Defines the accessors of a message, and its description: for each accessor its comment and `name how(…)`.
///
/// ```text
///   value(slot, type)   text(slot, type)   number(slot, enum)      followed by with(has_name, word mask), or(default)
///   rows(slot, Child), map(slot, Entry), child(slot, Child, has_name)     followed by in(wkt) where it ships with the runtime
///   run(slot, runs, type)     spans(slot, type)     enums(slot, enum)
///   member(case number slot, how Type, type, has_name, default)     child_member(case number slot, Child, has_name)
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __accessors {
    (
        $name:ident<$a:lifetime>, $row:ident, $tables:ty, $schema:ident, [$($json:tt)*]
        {$($(#[$doc:meta])* $method:ident $how:ident $args:tt $($more:ident $with:tt)*;)*}
    ) => {
        #[allow(dead_code)]
        impl<$a> $name<$a> {
            /// The fields that the schema does not define, in their order.
            #[inline]
            pub fn unknown_fields(self) -> $crate::pool::UnknownFields<$a> {
                $crate::pool::UnknownFields::new(&self.t.side, self.input, self.row.side)
            }
            $($crate::__accessor! { $how $args [$row $a $(#[$doc])*] $method $($more $with)* })*
        }
        $crate::__walk! {
            $name<$a>, $row, $tables, $schema, [$($json)*],
            $($how $args $($more $with)*,)*
        }
    };
}

/// Defines one accessor.
#[doc(hidden)]
#[macro_export]
macro_rules! __accessor {
    ($how:ident ($slot:ident, $ty:ty) [$row:ident $a:lifetime $($docs:tt)*] $method:ident with ($has:ident, $word:literal $mask:literal) or ($default:expr)) => {
        $($docs)*
        #[inline]
        pub fn $method(self) -> $ty {
            if self.row.has[$word] & $mask != 0 { $crate::__shown!($how self, self.row.$slot, $row, $ty) } else { $default }
        }
        /// Reports whether the field is present.
        #[inline]
        pub fn $has(self) -> bool {
            self.row.has[$word] & $mask != 0
        }
    };
    ($how:ident ($slot:ident, $ty:ty) [$row:ident $a:lifetime $($docs:tt)*] $method:ident with ($has:ident, $word:literal $mask:literal)) => {
        $($docs)*
        #[inline]
        pub fn $method(self) -> $ty {
            $crate::__shown!($how self, self.row.$slot, $row, $ty)
        }
        /// Reports whether the field is present.
        #[inline]
        pub fn $has(self) -> bool {
            self.row.has[$word] & $mask != 0
        }
    };
    (rows ($slot:ident, $child:path) [$row:ident $a:lifetime $($docs:tt)*] $method:ident $(in ($home:ident))?) => {
        $($docs)*
        #[inline]
        pub fn $method(self) -> $crate::pool::Rows<$a, $child> {
            $crate::pool::Rows::new(&(*self.t)$(.$home)?, self.input, self.row.$slot)
        }
    };
    (map ($slot:ident, $child:path) [$row:ident $a:lifetime $($docs:tt)*] $method:ident $(in ($home:ident))?) => {
        $($docs)*
        #[inline]
        pub fn $method(self) -> $crate::pool::Map<$a, $child> {
            $crate::pool::Map::new(&(*self.t)$(.$home)?, self.input, self.row.$slot)
        }
    };
    (child ($slot:ident, $child:path, $has:ident) [$row:ident $a:lifetime $($docs:tt)*] $method:ident $(in ($home:ident))?) => {
        $($docs)*
        #[inline]
        pub fn $method(self) -> ::core::option::Option<$child> {
            $crate::pool::__rt::child(&(*self.t)$(.$home)?, self.input, self.row.$slot)
        }
        /// Reports whether the field is present.
        #[inline]
        pub fn $has(self) -> bool {
            self.row.$slot != 0
        }
    };
    (run ($slot:ident, $runs:ident, $ty:ty) [$row:ident $a:lifetime $($docs:tt)*] $method:ident) => {
        $($docs)*
        #[inline]
        pub fn $method(self) -> &$a [$ty] {
            self.t.scalars.$runs.get(self.row.$slot)
        }
    };
    (spans ($slot:ident, $ty:ty) [$row:ident $a:lifetime $($docs:tt)*] $method:ident) => {
        $($docs)*
        #[inline]
        pub fn $method(self) -> $crate::pool::Spans<$a, $ty> {
            // SAFETY: decoding checked these spans of this same input, as the field's type requires.
            unsafe { $crate::pool::Spans::new(self.t.scalars.spans.get(self.row.$slot), self.input) }
        }
    };
    (enums ($slot:ident, $ty:ty) [$row:ident $a:lifetime $($docs:tt)*] $method:ident) => {
        $($docs)*
        #[inline]
        pub fn $method(self) -> $crate::pool::Enums<$a, $ty> {
            $crate::pool::Enums::new(self.t.scalars.i32s.get(self.row.$slot))
        }
    };
    (member ($case:ident $number:literal $slot:ident, $how:ident $type:ident, $ty:ty, $has:ident, $default:expr) [$row:ident $a:lifetime $($docs:tt)*] $method:ident) => {
        $($docs)*
        #[inline]
        pub fn $method(self) -> $ty {
            if self.row.$case == $number {
                $crate::__shown!($how self, $crate::__from_bits!(self.row.$slot, $type), $row, $ty)
            } else {
                $default
            }
        }
        /// Reports whether this member is set.
        #[inline]
        pub fn $has(self) -> bool {
            self.row.$case == $number
        }
    };
    (child_member ($case:ident $number:literal $slot:ident, $child:path, $has:ident) [$row:ident $a:lifetime $($docs:tt)*] $method:ident $(in ($home:ident))?) => {
        $($docs)*
        #[inline]
        pub fn $method(self) -> ::core::option::Option<$child> {
            if self.row.$case != $number {
                return ::core::option::Option::None;
            }
            ::core::option::Option::Some($crate::pool::__rt::handle::<$child>(&(*self.t)$(.$home)?, self.input, self.row.$slot as u32))
        }
        /// Reports whether this member is set.
        #[inline]
        pub fn $has(self) -> bool {
            self.row.$case == $number
        }
    };
    ($how:ident ($slot:ident, $ty:ty) [$row:ident $a:lifetime $($docs:tt)*] $method:ident) => {
        $($docs)*
        #[inline]
        pub fn $method(self) -> $ty {
            $crate::__shown!($how self, self.row.$slot, $row, $ty)
        }
    };
}

/// Converts a value from its form in the row to the accessor's result.
#[doc(hidden)]
#[macro_export]
macro_rules! __shown {
    (value $handle:ident, $stored:expr, $row:ident, $ty:ty) => {
        $stored
    };
    (text $handle:ident, $stored:expr, $row:ident, $ty:ty) => {
        // SAFETY: decoding checked the bytes of the span, in this same input, as the field's type requires.
        unsafe { <$ty as $crate::pool::FromSpan<'_>>::from_span($stored, $handle.input) }
    };
    (number $handle:ident, $stored:expr, $row:ident, $ty:ty) => {
        <$ty as ::core::convert::From<i32>>::from($stored)
    };
}

/// Defines the accessor of a oneof: `Name<'a>, Row, its comment and name, Enum of its members, case, slot;` then for
/// each member its number and its kind.
#[doc(hidden)]
#[macro_export]
macro_rules! __oneof {
    (
        $name:ident<$a:lifetime>, $row:ident, $oneof:literal $method:ident, $ty:ty, $case:ident, $slot:ident;
        $($number:literal $variant:ident $how:ident $args:tt;)*
    ) => {
        #[allow(dead_code)]
        impl<$a> $name<$a> {
            #[doc = ::core::concat!(" The member that is set in the oneof `", $oneof, "`.")]
            #[inline]
            pub fn $method(self) -> ::core::option::Option<$ty> {
                ::core::option::Option::Some(match self.row.$case {
                    $($number => <$ty>::$variant($crate::__oneof!(@ $how $args self $slot $row)),)*
                    _ => return ::core::option::Option::None,
                })
            }
        }
    };
    (@ child ($child:path $(, $home:ident)?) $handle:ident $slot:ident $row:ident) => {
        $crate::pool::__rt::handle::<$child>(&(*$handle.t)$(.$home)?, $handle.input, $handle.row.$slot as u32)
    };
    (@ $how:ident ($type:ident, $ty:ty) $handle:ident $slot:ident $row:ident) => {
        $crate::__shown!($how $handle, $crate::__from_bits!($handle.row.$slot, $type), $row, $ty)
    };
}
