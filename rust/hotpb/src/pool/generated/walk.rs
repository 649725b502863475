//! Descriptions of messages: a constant for each, with a line for each field, from which the runtime reads any row
//! ([`crate::pool::walk`]).

/// Defines it: `Name<'a>, Row, Tables, SCHEMA, names in JSON,` then for each field its accessor, as in `__accessors!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __walk {
    (
        $name:ident<$a:lifetime>, $row:ident, $tables:ty, $schema:ident, [$($json:tt)*],
        $($how:ident $args:tt $($more:ident $with:tt)*,)*
    ) => {
        impl<$a> $crate::pool::__rt::walk::Described for $name<$a> {
            const DESCRIPTION: &'static $crate::pool::__rt::walk::Description =
                &$crate::pool::__rt::walk::Description::new::<$row>(
                    &$schema,
                    &[$($crate::__field_type!($row, $tables, $how $args $($more $with)*)),*],
                    &[$($json)*],
                );
        }
    };
}

/// The part of a field's description that is not in the schema: its row, the tables, and its accessor, as in
/// `__accessors!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __field_type {
    ($row:ident, $tables:ty, rows ($slot:ident, $child:ty) $($home:tt)*) => {
        $crate::__field_type!(@child repeated $row, $tables, $slot, $child, $($home)*)
    };
    ($row:ident, $tables:ty, map ($slot:ident, $child:ty) $($home:tt)*) => {
        $crate::__field_type!(@child repeated $row, $tables, $slot, $child, $($home)*)
    };
    ($row:ident, $tables:ty, child ($slot:ident, $child:ty, $has:ident) $($home:tt)*) => {
        $crate::__field_type!(@child child $row, $tables, $slot, $child, $($home)*)
    };
    ($row:ident, $tables:ty, run ($slot:ident, $runs:ident, $ty:ty)) => {
        $crate::__field_type!(@value repeated $row, $slot, $ty)
    };
    ($row:ident, $tables:ty, spans ($slot:ident, $ty:ty)) => { $crate::__field_type!(@value repeated $row, $slot, $ty) };
    ($row:ident, $tables:ty, enums ($slot:ident, $ty:ty)) => { $crate::__field_type!(@value repeated $row, $slot, $ty) };
    ($row:ident, $tables:ty, member ($case:ident $number:literal $slot:ident, $how:ident $type:ident, $ty:ty, $has:ident, $default:expr)) => {
        $crate::__field_type!(@value member $row, $slot, $ty).in_oneof(::core::stringify!($case), ::core::mem::offset_of!($row, $case))
    };
    ($row:ident, $tables:ty, child_member ($case:ident $number:literal $slot:ident, $child:ty, $has:ident) $($home:tt)*) => {
        $crate::__field_type!(@child member $row, $tables, $slot, $child, $($home)*)
            .in_oneof(::core::stringify!($case), ::core::mem::offset_of!($row, $case))
    };
    // The key and the value of a map's entry.
    ($row:ident, $tables:ty, entry (child $slot:ident, $child:ty $(, $home:ident)?)) => {
        $crate::__field_type!(@child always $row, $tables, $slot, $child, $(in ($home))?)
    };
    ($row:ident, $tables:ty, entry ($how:ident $slot:ident, $ty:ty)) => { $crate::__field_type!(@value always $row, $slot, $ty) };
    ($row:ident, $tables:ty, $how:ident ($slot:ident, $ty:ty) with ($has:ident, $word:literal $mask:literal) $($or:tt)*) => {
        $crate::__field_type!(@value implicit $row, $slot, $ty).bit(::core::mem::offset_of!($row, has), $word, $mask)
    };
    ($row:ident, $tables:ty, $how:ident ($slot:ident, $ty:ty)) => { $crate::__field_type!(@value implicit $row, $slot, $ty) };
    (@value $presence:ident $row:ident, $slot:ident, $ty:ty) => {
        $crate::pool::__rt::walk::FieldType::$presence(
            ::core::mem::offset_of!($row, $slot),
            <$ty as $crate::pool::__rt::walk::TypeOf>::OF,
            0,
        )
    };
    (@child $presence:ident $row:ident, $tables:ty, $slot:ident, $child:ty, $(in ($home:ident))?) => {
        $crate::pool::__rt::walk::FieldType::$presence(
            ::core::mem::offset_of!($row, $slot),
            $crate::pool::__rt::walk::Of::message::<$child>(),
            0 $(+ ::core::mem::offset_of!($tables, $home))?,
        )
    };
}
