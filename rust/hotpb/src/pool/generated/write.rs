//! Encoders of straight messages: a section for each field. Everything is written backwards, so the last field comes
//! first.

/// A section. The arguments are `how (…)` of the field, then the row, the tables, the input and the encoder, and the
/// tag; for runs that can be packed also the tag of a packed record.
#[doc(hidden)]
#[macro_export]
macro_rules! __write {
    (value ($ty:ident, $slot:ident) ($r:ident $t:ident $input:ident $e:ident) $tag:literal) => {
        let v = $r.$slot;
        if $crate::__is_set!(v $ty) {
            $crate::__write_value!($e $input v $tag $ty);
        }
    };
    (value ($ty:ident, $slot:ident, $word:literal $mask:literal) ($r:ident $t:ident $input:ident $e:ident) $tag:literal) => {
        let v = $r.$slot;
        if $r.has[$word] & $mask != 0 {
            $crate::__write_value!($e $input v $tag $ty);
        }
    };
    (closed ($slot:ident, $defined:tt $(, $word:literal $mask:literal)?) $at:tt $tag:literal) => {
        $crate::__write! { value (Closed, $slot $(, $word $mask)?) $at $tag }
    };

    (run ($ty:ident, $runs:ident, $slot:ident) ($r:ident $t:ident $input:ident $e:ident) $tag:literal $($packed:literal)?) => {
        for v in $t.scalars.$runs.get($r.$slot).iter().rev().copied() {
            $crate::__write_value!($e $input v $tag $ty);
        }
    };
    (run ($ty:ident, $runs:ident, $slot:ident, packed) ($r:ident $t:ident $input:ident $e:ident) $tag:literal $packed:literal) => {
        if !$r.$slot.is_empty() {
            let end = $e.mark();
            for v in $t.scalars.$runs.get($r.$slot).iter().rev().copied() {
                $crate::__write_scalar!($e v $ty 0);
            }
            $e.close::<$packed>(end);
        }
    };
    (closed_run ($slot:ident, $defined:tt $(, $how:ident)?) $at:tt $tag:literal $($packed:literal)?) => {
        $crate::__write! { run (Closed, i32s, $slot $(, $how)?) $at $tag $($packed)? }
    };

    (child ($slot:ident, $child:path => $table:ident $(in $home:ident)? $(, $flag:ident)*) ($r:ident $t:ident $input:ident $e:ident) $tag:literal) => {
        if $r.$slot != 0 {
            $crate::__write!(@child <$child> &(*$t)$(.$home)?, $r.$slot, $input $e $tag);
        }
    };
    (member ($ty:ident, $case:ident, $slot:ident) ($r:ident $t:ident $input:ident $e:ident) $tag:literal) => {
        if $r.$case == $tag >> 3 {
            let v = $crate::__from_bits!($r.$slot, $ty);
            $crate::__write_value!($e $input v $tag $ty);
        }
    };
    (closed_member ($case:ident, $slot:ident, $defined:tt) $at:tt $tag:literal) => {
        $crate::__write! { member (Closed, $case, $slot) $at $tag }
    };
    (child_member ($case:ident, $slot:ident, $child:path => $table:ident $(in $home:ident)? $(, $flag:ident)*) ($r:ident $t:ident $input:ident $e:ident) $tag:literal) => {
        if $r.$case == $tag >> 3 {
            $crate::__write!(@child <$child> &(*$t)$(.$home)?, $r.$slot as u32, $input $e $tag);
        }
    };

    (list ($slot:ident, $child:path => $table:ident $(in $home:ident)? $(, $flag:ident)*) ($r:ident $t:ident $input:ident $e:ident) $tag:literal) => {
        let tables = &(*$t)$(.$home)?;
        let mut rows = $e.rows_in::<$child>(tables, $r.$slot);
        while let ::core::option::Option::Some(row) = $e.previous_in::<$child>(tables, &mut rows) {
            $crate::__write!(@message <$child> row, tables, $input $e $tag);
        }
    };
    (expected ($($what:tt)*) $at:tt $tag:literal) => {
        $crate::__write! { list ($($what)*) $at $tag }
    };
    (pairs ($slot:ident, $child:path => $table:ident, $a:literal, $b:literal) ($r:ident $t:ident $input:ident $e:ident) $tag:literal) => {
        $e.list(&$t.$table, $r.$slot, &$t.side, |e, row| {
            let (a, b) = row.texts();
            if !(row.is_pair() && e.pair::<$tag, $a, $b>(a, b, $input)) {
                e.row::<_, $tag>(row, $t, $input);
            }
        });
    };

    (map ($slot:ident, $entry:path => $table:ident $(, $expected:ident)?) ($r:ident $t:ident $input:ident $e:ident) $tag:literal) => {
        let mut entries = $e.entries_of(&$t.$table, $r.$slot, &$t.side, $input);
        while let ::core::option::Option::Some(entry) = $e.previous_row(&$t.$table.rows, &mut entries) {
            $crate::__write!(@message <$entry> entry, $t, $input $e $tag);
        }
    };
    (closed_map ($slot:ident, $entry:path => $table:ident, $value:ident $defined:tt $(, $expected:ident)?) $at:tt $tag:literal) => {
        $crate::__write! { map ($slot, $entry => $table) $at $tag }
    };

    // Writes a nested message: in the code of each message, for the reason in pool::straight.
    (@child <$child:path> $home:expr, $slot:expr, $input:ident $e:ident $tag:literal) => {{
        let tables = $home;
        let row = $crate::pool::__rt::row_at::<$child>(tables, $slot);
        $crate::__write!(@message <$child> row, tables, $input $e $tag);
    }};
    (@message <$child:path> $row:ident, $tables:ident, $input:ident $e:ident $tag:literal) => {
        let end = $e.open_message::<$tag>();
        <$child as $crate::pool::__rt::EncodeRow>::encode::<()>($row, $tables, $input, $e);
        $e.close_message::<$tag>(end);
    };
}

/// The same for the two fields of a map's entry, which are always written.
#[doc(hidden)]
#[macro_export]
macro_rules! __write_always {
    (value ($ty:ident, $slot:ident) ($r:ident $t:ident $input:ident $e:ident) $tag:literal) => {
        let v = $r.$slot;
        $crate::__write_value!($e $input v $tag $ty);
    };
    (child ($slot:ident, $child:path => $table:ident $(in $home:ident)? $(, $flag:ident)*) ($r:ident $t:ident $input:ident $e:ident) $tag:literal) => {
        $crate::__write!(@child <$child> &(*$t)$(.$home)?, $r.$slot, $input $e $tag);
    };
}
