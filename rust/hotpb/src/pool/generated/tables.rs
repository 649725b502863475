//! The tables of a unit: one line for each message.

/// Defines the tables in which the pools of a unit keep their rows: its name, and the tables of other units that it
/// contains (`wkt` for messages that ship with the runtime, `x1` and so on for those of other crates); a line for each
/// message, `table kind(Row);`; then a line for each map: `[the table of its entries of the message's table.place in
/// the row];`. `if "feature"` names the feature that a line depends on.
#[doc(hidden)]
#[macro_export]
macro_rules! __tables {
    (
        $name:ident [$($home:ident: $of_home:ty),*];
        $($table:ident $kind:ident ($row:ty) $(if $feature:literal)?;)*
        $([$entries:ident of $of:ident . $slot:ident] $(if $needed:literal)?;)*
    ) => {
        #[doc(hidden)]
        #[allow(missing_docs, missing_debug_implementations, non_snake_case, unreachable_pub)]
        #[allow(clippy::all, clippy::nursery, clippy::pedantic, clippy::restriction)]
        pub struct $name {
            $($(#[cfg(feature = $feature)])? pub $table: $crate::pool::__rt::$kind<$row>,)*
            pub scalars: $crate::pool::__rt::Scalars,
            pub side: $crate::pool::__rt::Side,
            $(pub $home: $of_home,)*
        }
        #[doc(hidden)]
        #[allow(dead_code, missing_docs, unreachable_pub, unused_variables)]
        #[allow(clippy::all, clippy::nursery, clippy::pedantic, clippy::restriction)]
        impl $name {
            /// Makes maps unique, after everything is decoded; maps that are not in use need no work.
            #[inline]
            pub fn finish(&mut self, input: &[u8]) {
                if self.side.maps() != 0 {
                    self.unify(input);
                }
            }
            fn unify(&mut self, input: &[u8]) {
                $(
                    $(#[cfg(feature = $needed)])?
                    if self.$entries.finish(&mut self.$of, &mut self.side, input, |row| &mut row.$slot) {
                        return;
                    }
                )*
            }
        }
        #[doc(hidden)]
        #[allow(dead_code, missing_docs, unreachable_pub)]
        impl $name {
            /// Does so in the tables of other units, too: for units that contain this one.
            #[inline]
            pub fn finish_all(&mut self, input: &[u8]) {
                self.finish(input);
                $(self.$home.finish_all(input);)*
            }
            /// Clears what the messages of a unit share.
            #[inline]
            pub fn clear(&mut self) {
                self.scalars.clear();
                self.side.clear();
                $(self.$home.clear();)*
            }
        }
        impl ::core::default::Default for $name {
            // Without `inline`: one function in the library, and not its copy in each program.
            fn default() -> Self {
                $name {
                    $($(#[cfg(feature = $feature)])? $table: $crate::pool::__rt::$kind::EMPTY,)*
                    scalars: ::core::default::Default::default(),
                    side: ::core::default::Default::default(),
                    $($home: ::core::default::Default::default(),)*
                }
            }
        }
        // SAFETY: these are the fields.
        unsafe impl $crate::pool::__rt::Unit for $name {
            const SCALARS: usize = ::core::mem::offset_of!($name, scalars);
            const LINKS: usize = ::core::mem::offset_of!($name, side);
        }
        #[allow(clippy::all, clippy::nursery, clippy::pedantic, clippy::restriction)]
        impl $crate::pool::__rt::Memory for $name {
            #[inline]
            fn bytes(&self) -> usize {
                let all: &[&dyn $crate::pool::__rt::Memory] = &[
                    $($(#[cfg(feature = $feature)])? &self.$table,)*
                    &self.scalars,
                    &self.side,
                    $(&self.$home,)*
                ];
                all.iter().map(|m| m.bytes()).sum()
            }
            #[inline]
            fn shrink(&mut self, keep: usize, total: usize) {
                let all: &mut [&mut dyn $crate::pool::__rt::Memory] = &mut [
                    $($(#[cfg(feature = $feature)])? &mut self.$table,)*
                    &mut self.scalars,
                    &mut self.side,
                    $(&mut self.$home,)*
                ];
                all.iter_mut().for_each(|m| m.shrink(keep, total));
            }
        }
    };
}
