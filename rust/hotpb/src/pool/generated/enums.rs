//! Enums: a newtype of the number, so that open enums keep any value.

/// Defines an enum. The arguments are its comment, its name, its full name, and its default; then a line for each
/// value: its comment, its constant, its number and its name in the schema.
#[doc(hidden)]
#[macro_export]
macro_rules! __enum {
    (
        $(#[$doc:meta])* $name:ident, $full:literal = $first:literal;
        $($(#[$about:meta])* $constant:ident = $number:literal $text:literal;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(pub i32);
        #[allow(deprecated)]
        impl $name {
            $($(#[$about])* pub const $constant: Self = Self($number);)*
            /// The name in the schema; if aliases share the number, the first one.
            #[inline]
            pub const fn name(self) -> ::core::option::Option<&'static str> {
                <Self as $crate::pool::__rt::walk::EnumType>::DESCRIPTION.name_of(self.0)
            }
            /// Reports whether the schema defines this value.
            #[inline]
            pub const fn is_known(self) -> bool {
                self.name().is_some()
            }
        }
        impl ::core::default::Default for $name {
            /// The first value that the schema declares.
            #[inline]
            fn default() -> Self {
                Self($first)
            }
        }
        impl ::core::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::pool::__rt::debug_enum(f, self.name(), $full, self.0)
            }
        }
        impl $crate::pool::__rt::walk::EnumType for $name {
            const DESCRIPTION: &'static $crate::pool::__rt::walk::EnumDescription =
                &$crate::pool::__rt::walk::EnumDescription::new($full, &[$(($number, $text)),*]);
        }
        impl $crate::pool::__rt::walk::TypeOf for $name {
            const OF: $crate::pool::__rt::walk::Of =
                $crate::pool::__rt::walk::Of::Enum(<$name as $crate::pool::__rt::walk::EnumType>::DESCRIPTION);
        }
        impl ::core::convert::From<i32> for $name {
            #[inline]
            fn from(number: i32) -> Self {
                Self(number)
            }
        }
        impl ::core::convert::From<$name> for i32 {
            #[inline]
            fn from(value: $name) -> i32 {
                value.0
            }
        }
    };
}
