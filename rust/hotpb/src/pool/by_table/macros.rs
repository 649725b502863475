//! Macros that generated code calls for messages by table.

/// Implements the traits that the loops require of a message's row: `Row, Tables, [true if it is recursive, [encode]
/// [missing]]`.
#[doc(hidden)]
#[macro_export]
macro_rules! __node {
    ($row:ty, $tables:ty, [$($recursive:literal)? [$($encode:ident)?] [$($missing:ident)?]]) => {
        impl $crate::pool::__rt::by_table::Node for $row {
            $(const RECURSIVE: bool = $recursive;)?
            $crate::__node! { @common $tables, [$($encode)?] [$($missing)?] }
        }
    };
    (@common $tables:ty, [$($encode:ident)?] [$($missing:ident)?]) => {
        $(
            #[inline]
            fn write<'m>(&'m self, t: &'m $tables, input: &'m [u8], e: &mut $crate::pool::__rt::Encoder<'m>) {
                $crate::pool::__rt::EncodeRow::$encode::<()>(self, t, input, e)
            }
        )?
        $(
            const MAY_MISS: bool = true;
            #[inline]
            fn absent(
                &self,
                t: &$tables,
                stack: &$crate::pool::__rt::Stack,
            ) -> ::core::result::Result<(), $crate::pool::__rt::Missing> {
                self.$missing(t, stack)
            }
        )?
    };
}

/// The same for a map's entry: `Row, Tables, [[missing] [value, test whether the value is defined]]`.
#[doc(hidden)]
#[macro_export]
macro_rules! __entry_node {
    ($row:ty, $tables:ty, [[$($missing:ident)?] [$($value:ident, $defined:expr)?]]) => {
        impl $crate::pool::__rt::by_table::Node for $row {
            const ENTRY: bool = true;
            $crate::__node! { @common $tables, [encode] [$($missing)?] }
        }
        impl $crate::pool::__rt::by_table::EntryNode for $row {
            $(
                const CLOSED: bool = true;
                #[inline]
                fn is_defined(&self) -> bool {
                    let defined: fn(i32) -> bool = $defined;
                    defined(self.$value)
                }
            )?
        }
    };
}

/// Defines the layout of a row and the methods that use it: `Row, Tables, Schema, [missing]`, then children, closed
/// enums, and the numbers that are left out, then a line for each field, which constructs its `Entry`.
///
/// ```text
///   plain(tag, Type, slot) or plain(tag, Type, slot, presence bit)   child(tag, slot, index of the child), list, map
///   run(tag, Type, slot)    member(tag, Type, value, case)           child_member(tag, value, case, index of the child)
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __by_table {
    (
        $row:ty, $tables:ty, $schema:path, [$($missing:ident)?];
        children [$($held:ident($child:ty $(=> $home:ident)?)),*];
        closed [$($closed:expr),*];
        dropped [$($dropped:literal),*];
        $($how:ident $what:tt $(. $more:ident ($($arg:literal)?))*;)*
    ) => {
        #[doc(hidden)]
        impl $row {
            #[inline(always)]
            fn layout() -> &'static $crate::pool::__rt::by_table::Layout<$row> {
                // SAFETY: generated: all places are those of this row and of these tables, with the types that they have.
                const LAYOUT: $crate::pool::__rt::by_table::Layout<$row> = unsafe {
                    $crate::pool::__rt::by_table::Layout::new(
                        &$schema,
                        &$crate::pool::__rt::by_table::adjacent([
                            $($crate::__by_table! { @entry $row, $how $what } $(. $more($($arg)?))*),*
                        ]),
                        &[$($crate::pool::__rt::by_table::Child::$held::<$child>(0 $(+ ::core::mem::offset_of!($tables, $home))?)),*],
                        &[$($closed),*],
                        &[$($dropped),*],
                        ::core::mem::offset_of!($row, side),
                        ::core::mem::offset_of!($tables, scalars),
                        ::core::mem::offset_of!($tables, side),
                    )
                };
                &LAYOUT
            }
        }
        impl $crate::pool::__rt::DecodeRow for $row {
            fn decode<'a, __OnUse>(
                t: &mut $tables,
                d: &mut $crate::pool::__rt::Decoder<'a>,
                range: $crate::wire::__rt::Range<'a>,
                row: u32,
                end_tag: u32,
            ) -> ::core::option::Option<$crate::wire::__rt::Pos<'a>> {
                Self::layout().decode(t, d, range, row, end_tag)
            }
        }
        impl $crate::pool::__rt::EncodeRow for $row {
            fn encode<'m, __OnUse>(&'m self, t: &'m $tables, input: &'m [u8], e: &mut $crate::pool::__rt::Encoder<'m>) {
                Self::layout().encode(self, t, input, e)
            }
        }
        impl $row {
            $(
                pub fn $missing(
                    &self,
                    t: &$tables,
                    stack: &$crate::pool::__rt::Stack,
                ) -> ::core::result::Result<(), $crate::pool::__rt::Missing> {
                    Self::layout().missing(self, t, stack)
                }
            )?
        }
    };
    (@entry $row:ty, plain($tag:literal, $ty:ident, $slot:ident)) => {
        $crate::pool::__rt::by_table::Entry::plain($tag, $crate::pool::__rt::by_table::Type::$ty, ::core::mem::offset_of!($row, $slot))
    };
    (@entry $row:ty, plain($tag:literal, $ty:ident, $slot:ident, $bit:literal)) => {
        $crate::__by_table! { @entry $row, plain($tag, $ty, $slot) }.bit(::core::mem::offset_of!($row, has), $bit)
    };
    (@entry $row:ty, run($tag:literal, $ty:ident, $slot:ident)) => {
        $crate::pool::__rt::by_table::Entry::run($tag, $crate::pool::__rt::by_table::Type::$ty, ::core::mem::offset_of!($row, $slot))
    };
    (@entry $row:ty, member($tag:literal, $ty:ident, $value:ident, $case:ident)) => {
        $crate::pool::__rt::by_table::Entry::member(
            $tag,
            $crate::pool::__rt::by_table::Type::$ty,
            ::core::mem::offset_of!($row, $value),
            ::core::mem::offset_of!($row, $case),
        )
    };
    (@entry $row:ty, child_member($tag:literal, $value:ident, $case:ident, $child:literal)) => {
        $crate::pool::__rt::by_table::Entry::child_member(
            $tag,
            ::core::mem::offset_of!($row, $value),
            ::core::mem::offset_of!($row, $case),
            $child,
        )
    };
    (@entry $row:ty, $how:ident($tag:literal, $slot:ident, $child:literal)) => {
        $crate::pool::__rt::by_table::Entry::$how($tag, ::core::mem::offset_of!($row, $slot), $child)
    };
}
