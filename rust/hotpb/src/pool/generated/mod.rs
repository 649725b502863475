//! The macros that generated code consists of: everything that its messages have in common is here, so that one line
//! per field remains.

mod access;
mod build;
mod enums;
mod merge;
mod message;
mod read;
mod serde;
mod straight;
mod tables;
mod types;
mod visit;
mod walk;
mod write;

use crate::pool::{List, Run};
use crate::wire::Span;
use core::fmt::{self, Formatter};

/// The value of a field in an empty row.
#[doc(hidden)]
pub trait Zero {
    /// All bits zero.
    const ZERO: Self;
}

macro_rules! zero {
    ($($ty:ty = $zero:expr),*) => {$(
        impl Zero for $ty {
            const ZERO: $ty = $zero;
        }
    )*};
}

zero!(i32 = 0, u32 = 0, i64 = 0, u64 = 0, f32 = 0.0, f64 = 0.0, bool = false);
zero!(Span = Span::EMPTY, Run = Run::EMPTY, List = List::EMPTY);

/// Formats the value of an enum: its name, or `Name(number)`.
#[doc(hidden)]
pub fn debug_enum(f: &mut Formatter<'_>, name: Option<&str>, full: &str, number: i32) -> fmt::Result {
    let short = full.rsplit('.').next().unwrap_or(full);
    match name {
        Some(name) => f.write_str(name),
        None => write!(f, "{short}({number})"),
    }
}

/// Returns `None` from the decoder if a step does. The operator `?` would be several times as much for the compiler, and
/// in the library that it writes.
#[doc(hidden)]
#[macro_export]
macro_rules! __some {
    ($step:expr) => {
        match $step {
            ::core::option::Option::Some(v) => v,
            ::core::option::Option::None => return ::core::option::Option::None,
        }
    };
}

/// Defines a row: its name, the number of words of presence bits, then a line for each field, with its type's name in
/// [`crate::pool::__rt::slot`], and its empty value if that is not zero.
#[doc(hidden)]
#[macro_export]
macro_rules! __row {
    ($row:ident [$($words:literal)?] {$($slot:ident $ty:ident $(= $zero:literal)?;)*}) => {
        #[doc(hidden)]
        pub struct $row {
            $(pub has: [u32; $words],)?
            $(pub $slot: $crate::pool::__rt::slot::$ty,)*
            pub side: u32,
        }
        impl ::core::clone::Clone for $row {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl ::core::marker::Copy for $row {}
        impl $row {
            const EMPTY: Self = $row {
                $(has: [0; $words],)?
                $($slot: $crate::__row!(@zero $ty $(= $zero)?),)*
                side: 0,
            };
        }
    };
    (@zero $ty:ident) => { <$crate::pool::__rt::slot::$ty as $crate::pool::__rt::Zero>::ZERO };
    (@zero $ty:ident = $zero:literal) => { $zero };
}

/// Defines the schema table, from which errors are explained: its name, the message's name, then a line for each field.
#[doc(hidden)]
#[macro_export]
macro_rules! __schema {
    ($schema:ident, $name:literal {$($number:literal $field:literal $kind:ident $(. $more:ident ($($of:expr)?))*;)*}) => {
        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        pub static $schema: $crate::wire::__rt::MessageSchema = $crate::wire::__rt::MessageSchema::new(
            $name,
            &[$($crate::wire::__rt::FieldSchema::new($number, $field, $crate::wire::__rt::Kind::$kind)$(.$more($($of)?))*),*],
        );
    };
}
