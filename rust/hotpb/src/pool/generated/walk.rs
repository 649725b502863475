//! Descriptions of messages, and access to their fields by index: for `Debug`, equality, JSON and other code over all
//! messages ([`crate::pool::walk`]).

/// Defines both: `Name<'a>, Row, SCHEMA, [names in JSON];` then for each field its accessor, as in `__accessors!`; then
/// the name of the handle, and for each field its accessor and its value.
#[doc(hidden)]
#[macro_export]
macro_rules! __walk {
    (
        $name:ident<$a:lifetime>, $row:ident, $schema:ident, [$($json:tt)*];
        $($how:ident $args:tt $($more:ident $with:tt)*,)*;
        $m:ident $([$($of:tt)*] [$value:expr],)*
    ) => {
        impl<$a> $crate::pool::__rt::walk::Described for $name<$a> {
            const DESCRIPTION: &'static $crate::pool::__rt::walk::Description =
                &$crate::pool::__rt::walk::Description::new(
                    &$schema,
                    &[$($crate::__field_type!($how $args $($more $with)*)),*],
                    &[$($json)*],
                );
        }
        impl $crate::pool::__rt::walk::WalkRow for $row {
            #[inline]
            fn description(&self) -> &'static $crate::pool::__rt::walk::Description {
                <$name<'static> as $crate::pool::__rt::walk::Described>::DESCRIPTION
            }
            #[inline]
            fn link(&self) -> u32 {
                self.side
            }
            #[inline]
            unsafe fn field<'a>(
                &'a self,
                tables: &'a dyn $crate::pool::__rt::walk::Any,
                input: &'a [u8],
                index: usize,
            ) -> ::core::option::Option<$crate::pool::__rt::walk::Value<'a>> {
                use $crate::pool::__rt::walk::Walked as _;
                // SAFETY: as the caller promises.
                let $m = unsafe { $crate::pool::__rt::walk::handle_of::<$name<'a>>(self, tables, input) }?;
                let mut left = index;
                $(
                    if left == 0 {
                        return $crate::__field_value!($m [$value] $($of)*);
                    }
                    left -= 1;
                )*
                let _ = ($m, left);
                ::core::option::Option::None
            }
            #[inline]
            unsafe fn unknown<'a>(
                &'a self,
                tables: &'a dyn $crate::pool::__rt::walk::Any,
                input: &'a [u8],
            ) -> $crate::pool::UnknownFields<'a> {
                $crate::pool::__rt::walk::unknown_of::<$name<'a>>(self, tables, input)
            }
        }
    };
}

/// The value of a field: the handle, the value as the accessor returns it, and the accessor.
#[doc(hidden)]
#[macro_export]
macro_rules! __field_value {
    ($m:ident [$value:expr] member ($case:ident $number:literal $slot:ident, $how:ident $type:ident, $ty:ty, $has:ident, $default:expr)) => {
        if $m.$has() { $value.walked() } else { ::core::option::Option::None }
    };
    ($m:ident [$value:expr] $how:ident $args:tt with ($has:ident, $word:literal $mask:literal) $(or ($default:expr))?) => {
        if $m.$has() { $value.walked() } else { ::core::option::Option::None }
    };
    ($m:ident [$value:expr] $($of:tt)*) => {
        $value.walked()
    };
}

/// The part of a field's description that is not in the schema: its accessor, as in `__accessors!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __field_type {
    (rows ($slot:ident, $child:ty) $($home:tt)*) => { $crate::__field_type!(@ Repeated, $crate::__field_type!(@message $child)) };
    (map ($slot:ident, $child:ty) $($home:tt)*) => { $crate::__field_type!(@ Repeated, $crate::__field_type!(@message $child)) };
    (child ($slot:ident, $child:ty, $has:ident) $($home:tt)*) => {
        $crate::__field_type!(@ Explicit, $crate::__field_type!(@message $child))
    };
    (run ($slot:ident, $runs:ident, $ty:ty)) => { $crate::__field_type!(@ Repeated, $crate::pool::__rt::walk::Of::Nothing) };
    (spans ($slot:ident, $ty:ty)) => { $crate::__field_type!(@ Repeated, $crate::pool::__rt::walk::Of::Nothing) };
    (enums ($slot:ident, $ty:ty)) => { $crate::__field_type!(@ Repeated, $crate::__field_type!(@value $ty)) };
    (member ($case:ident $number:literal $slot:ident, $how:ident $type:ident, $ty:ty, $has:ident, $default:expr)) => {
        $crate::__field_type!(@ Member(::core::stringify!($case)), $crate::__field_type!(@value $ty))
    };
    (child_member ($case:ident $number:literal $slot:ident, $child:ty, $has:ident) $($home:tt)*) => {
        $crate::__field_type!(@ Member(::core::stringify!($case)), $crate::__field_type!(@message $child))
    };
    ($how:ident ($slot:ident, $ty:ty) with $($rest:tt)*) => { $crate::__field_type!(@ Explicit, $crate::__field_type!(@value $ty)) };
    ($how:ident ($slot:ident, $ty:ty)) => { $crate::__field_type!(@ Implicit, $crate::__field_type!(@value $ty)) };
    // The key and the value of a map's entry.
    (entry (child $ty:ty)) => { $crate::__field_type!(@ Always, $crate::__field_type!(@message $ty)) };
    (entry ($how:ident $ty:ty)) => { $crate::__field_type!(@ Always, $crate::__field_type!(@value $ty)) };
    (@message $child:ty) => {
        $crate::pool::__rt::walk::Of::Message(|| <$child as $crate::pool::__rt::walk::Described>::DESCRIPTION)
    };
    (@value $ty:ty) => { <$ty as $crate::pool::__rt::walk::TypeOf>::OF };
    (@ $presence:ident $(($oneof:expr))?, $of:expr) => {
        $crate::pool::__rt::walk::FieldType { presence: $crate::pool::__rt::walk::Presence::$presence $(($oneof))?, of: $of }
    };
}
