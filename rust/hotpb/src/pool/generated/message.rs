//! Messages: the handle, the pool, and the traits that the runtime requires.

/// Defines a message that is not a map entry: `Name<'a>, Row, Pool, Tables, its table, SCHEMA, "full name";`, then
/// those of the following that are not empty, and a `;`:
///
/// ```text
///   children [rows of its children, `=> home` for those of another unit, whose tables have this name in the tables]
///   clear [units to clear]    finish [own?; units] if own maps must be made unique, and the units whose maps must be
///   required missing if required fields can be absent    encoder encode if the message can be encoded
///   json [names in JSON that do not follow from the names of fields]    node flags, for messages by table and their children
/// ```
/// Then `accessors {…}`, `schema {…}`, `row {…}` and, unless separate macros define how rows are read and written,
/// `straight …`, each with a line for each field (see the macros of these names).
#[doc(hidden)]
#[macro_export]
macro_rules! __message {
    (
        $(#[$doc:meta])*
        $name:ident<$a:lifetime>, $row:ident, $pool:ident, $tables:ty, $table:ident, $schema:ident, $full:literal;
        $(children [$($child:ty $(=> $home:ident)?),*])? $(clear [$($cleared:ident)*])? $(finish $finish:tt)?
        $(required $missing:ident)? $(encoder $encode:ident)? $(json [$($json:tt)*])? $(node $node:tt)?;
        accessors $accessors:tt schema $fields:tt row $words:tt $slots:tt
        $(straight $unknown:tt $encoded:tt $expected:tt $lines:tt)?
    ) => {
        $crate::__handle! { #[doc = ::core::concat!(" Message `", $full, "`.")] $(#[$doc])* $name<$a>, $row, $tables, [$table] }
        #[doc = ::core::concat!(" The memory that messages `", $full, "` are decoded into. Keep one per worker and use it again.")]
        pub type $pool = $crate::pool::Pool<$name<'static>>;
        // SAFETY: generated: texts are checked as the accessors require.
        unsafe impl $crate::pool::Message for $name<'_> {
            type Tables = $tables;
            type Handle<'a> = $name<'a>;
            const SCHEMA: &'static $crate::wire::__rt::MessageSchema = &$schema;
            type Row = $row;
            $($crate::__clear! { $tables, $($cleared)* })?
            $($crate::__finish! { $tables, $finish })?
            $(
                #[inline]
                fn $missing(
                    t: &$tables,
                    row: u32,
                    stack: &$crate::pool::__rt::Stack,
                ) -> ::core::result::Result<(), $crate::pool::__rt::Missing> {
                    t.$table.get(row).$missing(t, stack)
                }
            )?
        }
        $crate::__reset! { $row, $tables, $table, [$($($child $(=> $home)?),*)?] }
        $crate::__encode! { [$($encode)?] $name, [$($missing)?] }
        $crate::__serde! { $name }
        $crate::__accessors! { $name<$a>, $row, $tables, $schema, [$($($json)*)?] $accessors }
        $crate::__schema! { $schema, $full $fields }
        $crate::__row! { $row $words $slots }
        $($crate::__node! { $row, $tables, $node })?
        $($crate::__straight! { $row, $tables, [$table], $unknown $encoded $expected $lines })?
    };
    // Macros are expanded before the assertions on the version of generated code, so this reports another version.
    ($($other:tt)*) => {
        ::core::compile_error!("this code was generated for another version of the crate hotpb: generate it again, with the generator of the crate's version");
    };
}

/// Clears what messages share in the tables of other units.
#[doc(hidden)]
#[macro_export]
macro_rules! __clear {
    ($tables:ty, $($cleared:ident)+) => {
        #[inline]
        fn clear(t: &mut $tables) {
            $(t.$cleared.clear();)+
        }
    };
}

/// Makes maps unique: own ones with `finish`, and those of other units.
#[doc(hidden)]
#[macro_export]
macro_rules! __finish {
    ($tables:ty, [$($finish:ident)?; $($finished:ident)*]) => {
        #[inline]
        fn finish(t: &mut $tables, input: &[u8]) {
            $(t.$finish(input);)?
            $(t.$finished.finish_all(input);)*
        }
    };
}

/// Defines the handle: its comment, its name, its row, the tables and the table.
#[doc(hidden)]
#[macro_export]
macro_rules! __handle {
    ($(#[$doc:meta])* $name:ident<$a:lifetime>, $row:ident, $tables:ty, [$($table:tt)*]) => {
        $(#[$doc])*
        #[repr(C)]
        pub struct $name<$a> {
            t: &$a $tables,
            input: &$a [u8],
            row: &$a $row,
        }
        impl ::core::clone::Clone for $name<'_> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl ::core::marker::Copy for $name<'_> {}
        // SAFETY: these are the fields of the handle.
        unsafe impl<$a> $crate::pool::Handle<$a> for $name<$a> {
            type Row = $row;
            type Tables = $tables;
        }
        // SAFETY: generated: the places are those of the row and of the tables.
        unsafe impl $crate::pool::__rt::Row for $row {
            type Tables = $tables;
            const EMPTY: &'static Self = &$row::EMPTY;
            const SIDE: usize = ::core::mem::offset_of!($row, side);
            const TABLE: usize = ::core::mem::offset_of!($tables, $($table)*);
            const DESCRIPTION: &'static $crate::pool::__rt::walk::Description =
                <$name<'static> as $crate::pool::__rt::walk::Described>::DESCRIPTION;
        }
        /// Protobuf's text format: `{:?}` on one line, `{:#?}` with a line for each field.
        impl ::core::fmt::Debug for $name<'_> {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::pool::__rt::walk::debug(*self, f)
            }
        }
        /// Equal presence, values and unknown records; maps in any order.
        impl ::core::cmp::PartialEq for $name<'_> {
            #[inline]
            fn eq(&self, rhs: &Self) -> bool {
                $crate::pool::__rt::walk::equal(*self, *rhs)
            }
        }
    };
}

/// Clears the tables that a message can reach and that are in use (a child has rows only if its parent has some). The
/// arguments are its row, the tables, its own table, and the rows of its children, `=> home` for those
/// of another unit.
#[doc(hidden)]
#[macro_export]
macro_rules! __reset {
    ($row:ident, $tables:ty, $table:ident, [$($child:ty $(=> $home:ident)?),*]) => {
        impl $crate::pool::__rt::ResetRow for $row {
            fn reset<__OnUse>(t: &mut $tables) {
                if t.$table.is_unused() {
                    return;
                }
                t.$table.clear();
                $(<$child as $crate::pool::__rt::ResetRow>::reset::<()>(&mut (*t)$(.$home)?);)*
            }
        }
    };
}

/// Makes a handle one that can be encoded.
#[doc(hidden)]
#[macro_export]
macro_rules! __encode {
    ([] $($rest:tt)*) => {};
    ([encode] $name:ident, [$($missing:ident)?]) => {
        impl $crate::pool::Encode for $name<'_> {
            type Of = $name<'static>;
            #[inline]
            fn write<'m>(&'m self, e: &mut $crate::pool::__rt::Encoder<'m>) {
                $crate::pool::__rt::EncodeRow::encode::<()>(self.row, self.t, self.input, e);
            }
            $(
                #[inline]
                fn absent(&self, stack: &$crate::pool::__rt::Stack) -> ::core::result::Result<(), $crate::pool::__rt::Missing> {
                    self.row.$missing(self.t, stack)
                }
            )?
        }
    };
}

/// Defines a map's entry: `Name<'a>, Row, Tables, its table, SCHEMA, "full name";` then `key how(slot, type, query type)`,
/// where `how` is `text` or `value`; `value how(slot, type)`, or `child(slot, type)`; and the row of its child, if it has
/// one. The rest is as in [`__message!`].
#[doc(hidden)]
#[macro_export]
macro_rules! __entry {
    (
        $name:ident<$a:lifetime>, $row:ident, $tables:ty, $table:ident, $schema:ident, $full:literal;
        key $key_how:ident ($key:ident, $key_ty:ty, $query:ty);
        value $how:ident ($value:ident, $ty:ty $(, $at:ident)?);
        $(children [$child:ty $(=> $home:ident)?])? $(node $node:tt)?;
        schema $fields:tt row $words:tt $slots:tt
        $(straight $unknown:tt $encoded:tt $expected:tt $lines:tt)?
    ) => {
        $crate::__handle! { #[doc(hidden)] $name<$a>, $row, $tables, [$table.rows] }
        $crate::__reset! { $row, $tables, $table, [$($child $(=> $home)?)?] }
        impl<$a> $crate::pool::Entry<$a> for $name<$a> {
            type Query = $query;
            type Key = $key_ty;
            type Value = $ty;
            #[inline]
            fn query(&self) -> &$a $query {
                $crate::__entry!(@query $key_how self $row $key)
            }
            #[inline]
            fn key(&self) -> $key_ty {
                $crate::__shown!($key_how self, self.row.$key, $row, $key_ty)
            }
            #[inline]
            fn value(&self) -> $ty {
                $crate::__entry!(@value $how self $row $value $ty $(, $at)?)
            }
        }
        $crate::__walk! {
            $name<$a>, $row, $tables, $schema, [],
            entry (value $key, $key_ty), entry ($how $value, $ty $(, $at)?),
        }
        // SAFETY: generated: the tables have the table of entries.
        unsafe impl $crate::pool::__rt::EntryRow for $row {
            $crate::__entry! { @compared $key_how $key $key_ty }
        }
        $crate::__schema! { $schema, $full $fields }
        $crate::__row! { $row $words $slots }
        $($crate::__entry_node! { $row, $tables, $node })?
        $($crate::__straight! { $row, $tables, [$table.rows], $unknown $encoded $expected $lines })?
    };
    (@query text $handle:ident $row:ident $key:ident) => {
        $crate::__shown!(text $handle, $handle.row.$key, $row, &_)
    };
    (@query value $handle:ident $row:ident $key:ident) => { &$handle.row.$key };
    (@value child $handle:ident $row:ident $value:ident $ty:ty $(, $home:ident)?) => {
        $crate::pool::__rt::handle::<$ty>(&(*$handle.t)$(.$home)?, $handle.input, $handle.row.$value)
    };
    (@value $how:ident $handle:ident $row:ident $value:ident $ty:ty) => {
        $crate::__shown!($how $handle, $handle.row.$value, $row, $ty)
    };
    (@compared text $key:ident $ty:ty) => {
        type Key<'i> = &'i [u8];
        #[inline]
        fn key<'i>(&self, input: &'i [u8]) -> &'i [u8] {
            self.$key.bytes(input)
        }
    };
    (@compared value $key:ident $ty:ty) => {
        type Key<'i> = $ty;
        #[inline]
        fn key<'i>(&self, _input: &'i [u8]) -> $ty {
            self.$key
        }
    };
}
