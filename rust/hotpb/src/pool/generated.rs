//! What is the same in the generated code of all messages, so that it is said in a line.

use crate::pool::{List, Run};
use crate::wire::Span;

/// What an empty row has of a field.
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

impl<const N: usize> Zero for [u32; N] {
    const ZERO: [u32; N] = [0; N];
}

/// A row: its name, then a line for each field, with its empty value where that is not zero.
#[doc(hidden)]
#[macro_export]
macro_rules! __row {
    ($row:ident; $($slot:ident: $ty:ty $(= $zero:literal)?;)*) => {
        #[doc(hidden)]
        #[derive(Clone, Copy)]
        pub struct $row {
            $(pub $slot: $ty,)*
            pub side: u32,
        }
        impl $crate::pool::Row for $row {
            const ZERO: Self = $row { $($slot: $crate::__row!(@zero $ty $(= $zero)?),)* side: 0 };
            fn empty() -> &'static Self {
                static EMPTY: $row = <$row as $crate::pool::Row>::ZERO;
                &EMPTY
            }
            #[inline(always)]
            fn side(&self) -> u32 {
                self.side
            }
            #[inline(always)]
            fn set_side(&mut self, side: u32) {
                self.side = side;
            }
        }
    };
    (@zero $ty:ty) => { <$ty as $crate::pool::Zero>::ZERO };
    (@zero $ty:ty = $zero:literal) => { $zero };
}

/// Empties the tables that a message can reach, as far as they are in use (a child has a row only where its parent has one): its row, the
/// tables, its own table, and the rows of its children, `=> wkt` where they ship with the runtime.
#[doc(hidden)]
#[macro_export]
macro_rules! __reset {
    ($row:ident, $tables:ty, $table:ident, []) => {
        #[doc(hidden)]
        impl $row {
            pub fn reset(t: &mut $tables) {
                t.$table.clear();
            }
        }
    };
    ($row:ident, $tables:ty, $table:ident, [$($child:ty $(=> $home:ident)?),*]) => {
        #[doc(hidden)]
        impl $row {
            pub fn reset(t: &mut $tables) {
                if t.$table.is_unused() {
                    return;
                }
                t.$table.clear();
                $(<$child>::reset(&mut (*t)$(.$home)?);)*
            }
        }
    };
}

/// What makes a handle one: its name, its row, the tables and the table, and for messages the accessor of unknown fields.
#[doc(hidden)]
#[macro_export]
macro_rules! __handle {
    ($name:ident, $row:ident, $tables:ty, [$($table:tt)*] $(, $unknown:ident)?) => {
        impl<'a> $crate::pool::Handle<'a> for $name<'a> {
            type Row = $row;
            type Tables = $tables;
            #[inline(always)]
            fn table(t: &'a $tables) -> &'a $crate::pool::Table<$row> {
                &t.$($table)*
            }
            #[inline(always)]
            fn side(t: &'a $tables) -> &'a $crate::pool::Side {
                &t.side
            }
            #[inline(always)]
            unsafe fn new(t: &'a $tables, input: &'a [u8], row: &'a $row) -> Self {
                $name { t, input, row }
            }
        }
        $(
            impl<'a> $name<'a> {
                /// Fields that the schema does not know, in their order.
                pub fn $unknown(self) -> $crate::pool::UnknownFields<'a> {
                    $crate::pool::UnknownFields::new(&self.t.side, self.input, self.row.side)
                }
            }
        )?
    };
}

/// What a pool needs of a message: its handle, its row, the tables, its table and its schema; where scalars and links are to be
/// cleared, where maps are to be made unique, and `missing` when required fields can be absent.
#[doc(hidden)]
#[macro_export]
macro_rules! __message {
    (
        $name:ident, $row:ident, $tables:ty, $table:ident, $schema:ident;
        clear [$(($($cleared:tt)*))*];
        finish [$(($($finished:tt)*))*];
        [$($missing:ident)?];
    ) => {
        // SAFETY: generated: texts are checked as the accessors ask.
        unsafe impl $crate::pool::Message for $name<'_> {
            type Tables = $tables;
            type Handle<'a> = $name<'a>;
            const SCHEMA: &'static $crate::wire::check::MessageSchema = &$schema;
            fn reset(t: &mut $tables) {
                $row::reset(t);
                $(
                    t$($cleared)*.scalars.clear();
                    t$($cleared)*.side.clear();
                )*
            }
            fn new_row(t: &mut $tables, d: &mut $crate::pool::Decoder<'_>) -> ::core::option::Option<u32> {
                t.$table.push_empty(d, 0)
            }
            fn decode<'a>(
                t: &mut $tables,
                d: &mut $crate::pool::Decoder<'a>,
                range: $crate::wire::Range<'a>,
                row: u32,
            ) -> ::core::option::Option<$crate::wire::Pos<'a>> {
                $row::decode(t, d, range, row, 0)
            }
            fn finish(t: &mut $tables, input: &[u8]) {
                $(t$($finished)*.finish(input);)*
            }
            $(
                fn $missing(
                    t: &$tables,
                    row: u32,
                    stack: &$crate::pool::Stack,
                ) -> ::core::result::Result<(), $crate::pool::Missing> {
                    t.$table.get(row).$missing(t, stack)
                }
            )?
            fn handle<'a>(t: &'a $tables, input: &'a [u8], row: u32) -> $name<'a> {
                $name { t, input, row: t.$table.get(row) }
            }
        }
    };
}

/// What makes a handle one that can be encoded.
#[doc(hidden)]
#[macro_export]
macro_rules! __encode {
    ($name:ident, [$($missing:ident)?]) => {
        impl $crate::pool::Encode for $name<'_> {
            type Of = $name<'static>;
            fn write(&self, e: &mut $crate::pool::Encoder) {
                self.row.encode(self.t, self.input, e);
            }
            $(
                fn absent(&self, stack: &$crate::pool::Stack) -> ::core::result::Result<(), $crate::pool::Missing> {
                    self.row.$missing(self.t, stack)
                }
            )?
        }
    };
}

/// What says what is wrong with an input, and where: the schema's name, the message's, then a line for each field.
#[doc(hidden)]
#[macro_export]
macro_rules! __schema {
    ($schema:ident, $name:literal; $($number:literal $field:literal $kind:ident $(. $more:ident ($($of:expr)?))*;)*) => {
        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        pub static $schema: $crate::wire::check::MessageSchema = $crate::wire::check::MessageSchema::new(
            $name,
            &[$($crate::wire::check::FieldSchema::new($number, $field, $crate::wire::check::Kind::$kind)$(.$more($($of)?))*),*],
        );
    };
}
