//! Decoders of straight messages: a match arm for each field. Each arm loops as long as its tag repeats, so that fields
//! in any order cost one predictable branch per change.

/// The body of an arm. The arguments are `how (…)` of the field, then `(mode [row] t d c start row)` of the decoder,
/// and the tag; `packed` for a packed record of a run.
#[doc(hidden)]
#[macro_export]
macro_rules! __read {
    (value ($ty:ident, $slot:ident $(, $word:literal $mask:literal)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        let v = $crate::__read_value!($c $d $ty);
        $r.$slot = v;
        $($r.has[$word] |= $mask;)?
    }};
    (closed ($slot:ident, [$($defined:tt)+] $(, $word:literal $mask:literal)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        let v = $crate::__read_value!($c $d Closed);
        if ::core::matches!(v, $($defined)+) {
            $r.$slot = v;
            $($r.has[$word] |= $mask;)?
        } else {
            $crate::__read!(@with $mode $r side, |side| $crate::__some!($t.side.keep_enum($d, $d.at(&$c), side, $tag >> 3, v)));
        }
    }};

    (run ($ty:ident, $runs:ident, $slot:ident $(, $how:ident)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {
        loop {
            let v = $crate::__read_value!($c $d $ty);
            $crate::__some!($t.scalars.$runs.push($d, $crate::__read!(@anchor $runs $d $c v), &mut $r.$slot, v));
            if !$c.eat::<$tag>() {
                break;
            }
        }
    };
    (run ($ty:ident, $runs:ident, $slot:ident $(, $how:ident)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) packed $tag:literal) => {{
        let range = $crate::__some!($c.range());
        $crate::__read_packed! { $ty $t.scalars.$runs, $d, $r.$slot, range }
    }};
    (@anchor spans $d:ident $c:ident $v:ident) => { $v.start() as u32 };
    (@anchor $runs:ident $d:ident $c:ident $v:ident) => { $d.at(&$c) };
    (closed_run ($slot:ident, [$($defined:tt)+] $(, $how:ident)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {
        loop {
            let v = $crate::__read_value!($c $d Closed);
            if ::core::matches!(v, $($defined)+) {
                $crate::__some!($t.scalars.i32s.push($d, $d.at(&$c), &mut $r.$slot, v));
            } else {
                $crate::__read!(@with $mode $r side, |side| $crate::__some!($t.side.keep_enum($d, $d.at(&$c), side, $tag >> 3, v)));
            }
            if !$c.eat::<$tag>() {
                break;
            }
        }
    };
    (closed_run ($slot:ident, [$($defined:tt)+] $(, $how:ident)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) packed $tag:literal) => {{
        let mut inner = $d.open($crate::__some!($c.range()));
        let anchor = $d.at(&inner);
        while !inner.at_end() {
            let v = $crate::__read_value!(inner $d Closed);
            if ::core::matches!(v, $($defined)+) {
                $crate::__some!($t.scalars.i32s.push($d, anchor, &mut $r.$slot, v));
            } else {
                $crate::__read!(@with $mode $r side, |side| $crate::__some!($t.side.keep_enum($d, anchor, side, $tag >> 3, v)));
            }
        }
    }};

    (child ($slot:ident, $child:path => $table:ident $(in $home:ident)?, again $(, $flag:ident)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        $crate::__read!(@with $mode $r $slot, |held| {
            $crate::__read!(@child <$child> true &mut (*$t)$(.$home)?, $d $c held $tag)
        });
    }};
    (child ($slot:ident, $child:path => $table:ident $(in $home:ident)? $(, $flag:ident)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        $crate::__read!(@with $mode $r $slot, |held| {
            $crate::__read!(@child <$child> false &mut (*$t)$(.$home)?, $d $c held $tag)
        });
    }};
    (member ($ty:ident, $case:ident, $slot:ident) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        let v = $crate::__read_value!($c $d $ty);
        $r.$case = $tag >> 3;
        $r.$slot = $crate::__to_bits!(v $ty);
    }};
    (closed_member ($case:ident, $slot:ident, [$($defined:tt)+]) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        let v = $crate::__read_value!($c $d Closed);
        if ::core::matches!(v, $($defined)+) {
            $r.$case = $tag >> 3;
            $r.$slot = $crate::__to_bits!(v Closed);
        } else {
            $crate::__read!(@with $mode $r side, |side| $crate::__some!($t.side.keep_enum($d, $d.at(&$c), side, $tag >> 3, v)));
        }
    }};
    (child_member ($case:ident, $slot:ident, $child:path => $table:ident $(in $home:ident)?, again $(, $flag:ident)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        let mut child = if $r.$case == $tag >> 3 { $r.$slot as u32 } else { 0 };
        let held = &mut child;
        $crate::__read!(@child <$child> true &mut (*$t)$(.$home)?, $d $c held $tag);
        $r.$case = $tag >> 3;
        $r.$slot = child as u64;
    }};
    (child_member ($case:ident, $slot:ident, $child:path => $table:ident $(in $home:ident)? $(, $flag:ident)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        let mut child = if $r.$case == $tag >> 3 { $r.$slot as u32 } else { 0 };
        let held = &mut child;
        $crate::__read!(@child <$child> false &mut (*$t)$(.$home)?, $d $c held $tag);
        $r.$case = $tag >> 3;
        $r.$slot = child as u64;
    }};

    (list ($slot:ident, $child:path => $table:ident $(in $home:ident)?, again $(, $flag:ident)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        $crate::__read!(@with $mode $r $slot, |held| {
            $crate::__read!(@rows <$child> true &mut (*$t)$(.$home)?, $d $c held $tag)
        });
    }};
    (list ($slot:ident, $child:path => $table:ident $(in $home:ident)? $(, $flag:ident)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        $crate::__read!(@with $mode $r $slot, |held| {
            $crate::__read!(@rows <$child> false &mut (*$t)$(.$home)?, $d $c held $tag)
        });
    }};
    // Records that look as expected are pushed as rows, one after the other; any other record is decoded.
    (expected ($slot:ident, $child:path => $table:ident) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        $crate::__some!($d.enter());
        let first = $t.$table.next_index();
        let mut anchor = 0;
        while $crate::__some!($t.$table.push_expected::<$tag>($d, &mut $c, &mut anchor, <$child>::expected)) {
            $crate::__read!(@one_of_many <$child>, $table, anchor, $t $d $c $tag);
        }
        $d.leave();
        $crate::__read!(@list $mode $r $slot extend($d, anchor, &mut $t.$table, &mut $t.side, first));
    }};
    (pairs ($slot:ident, $child:path => $table:ident, $a:literal, $b:literal) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        $crate::__some!($d.enter());
        let first = $t.$table.next_index();
        let mut anchor = 0;
        while $crate::__some!($t.$table.push_pairs::<$tag, $a, $b>($d, &mut $c, &mut anchor, <$child>::pair, <$child>::pairs_are_utf8)) {
            $crate::__read!(@one_of_many <$child>, $table, anchor, $t $d $c $tag);
        }
        $d.leave();
        $crate::__read!(@list $mode $r $slot extend($d, anchor, &mut $t.$table, &mut $t.side, first));
    }};
    (@one_of_many <$child:path>, $table:ident, $anchor:ident, $t:ident $d:ident $c:ident $tag:literal) => {
        let range = $crate::__some!($c.range());
        $anchor = $d.start_of(range);
        let child = $crate::__some!($t.$table.push_empty($d, $d.start_of(range)));
        $crate::__some!(<$child as $crate::pool::__rt::DecodeRow>::decode::<()>($t, $d, range, child, 0));
        if !$c.eat::<$tag>() {
            break;
        }
    };

    (map ($slot:ident, $entry:path => $table:ident $(, $expected:ident)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        $crate::__some!($d.enter());
        loop {
            let range = $crate::__some!($c.range());
            let child = $crate::__read!(@entry <$entry>, $table, $t $d range $($expected)?);
            $crate::__read!(@with $mode $r $slot, |list| {
                $crate::__some!($t.$table.add($d, $d.start_of(range), list, &mut $t.side, $row, child))
            });
            if !$c.eat::<$tag>() {
                break;
            }
        }
        $d.leave();
    }};
    // If the value is undefined in its closed enum, the whole entry is unknown (ENM-3).
    (closed_map ($slot:ident, $entry:path => $table:ident, $value:ident [$($defined:tt)+] $(, $expected:ident)?) ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:literal) => {{
        $crate::__some!($d.enter());
        let range = $crate::__some!($c.range());
        let child = $crate::__read!(@entry <$entry>, $table, $t $d range $($expected)?);
        if ::core::matches!($t.$table.rows.get(child).$value, $($defined)+) {
            $crate::__read!(@with $mode $r $slot, |list| {
                $crate::__some!($t.$table.add($d, $d.start_of(range), list, &mut $t.side, $row, child))
            });
        } else {
            $t.$table.rows.pop();
            let end = $d.at(&$c);
            $crate::__read!(@with $mode $r side, |side| $crate::__some!($t.side.keep($d, $d.start_of(range), side, $start, end)));
        }
        $d.leave();
    }};
    (@entry <$entry:path>, $table:ident, $t:ident $d:ident $range:ident) => {{
        let child = $crate::__some!($t.$table.rows.push_empty($d, $d.start_of($range)));
        $crate::__some!(<$entry as $crate::pool::__rt::DecodeRow>::decode::<()>($t, $d, $range, child, 0));
        child
    }};
    (@entry <$entry:path>, $table:ident, $t:ident $d:ident $range:ident expected) => {
        match <$entry>::expected($d, $d.open($range)) {
            ::core::option::Option::Some(entry) => $crate::__some!($t.$table.rows.push($d, $d.start_of($range), entry)),
            ::core::option::Option::None => $crate::__read!(@entry <$entry>, $table, $t $d $range),
        }
    };

    // A record that the schema does not define; in map entries it is only checked (MAP-6).
    (@unknown skip ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:ident) => {
        $crate::__some!($c.skip($tag, $d.depth()))
    };
    (@unknown keep ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:ident) => {{
        $crate::__read!(@with $mode $r side, |side| $crate::__some!($crate::pool::__rt::read_unknown(&mut $t.side, $d, &mut $c, side, $start, $tag)));
    }};
    (@unknown [$($dropped:literal)|+] ($mode:ident $r:tt $t:ident $d:ident $c:ident $start:ident $row:ident) $tag:ident) => {{
        $crate::__some!($c.skip($tag, $d.depth()));
        if !::core::matches!($tag >> 3, $($dropped)|+) {
            let end = $d.at(&$c);
            $crate::__read!(@with $mode $r side, |side| $crate::__some!($t.side.keep($d, $start + 1, side, $start, end)));
        }
    }};

    // Reads a nested message, and the messages of a repeated field as long as its tag repeats.
    (@child <$child:path> $again:literal $home:expr, $d:ident $c:ident $held:ident $tag:literal) => {{
        let tables = $home;
        let range = $crate::__some!($crate::pool::__rt::open_child::<$child, $tag, $again>(tables, $d, &mut $c, $held));
        let end = <$child as $crate::pool::__rt::DecodeRow>::decode::<()>(tables, $d, range, *$held, $crate::pool::__rt::end_of($tag));
        $crate::__some!($crate::pool::__rt::close_child::<$tag>($d, &mut $c, end));
    }};
    (@rows <$child:path> $again:literal $home:expr, $d:ident $c:ident $held:ident $tag:literal) => {{
        let tables = $home;
        let first = $crate::__some!($crate::pool::__rt::open_list::<$child, $again>(tables, $d, &$c));
        let last = loop {
            let (range, anchor, row) = $crate::__some!($crate::pool::__rt::open_row::<$child, $tag>(tables, $d, &mut $c));
            let end = <$child as $crate::pool::__rt::DecodeRow>::decode::<()>(tables, $d, range, row, $crate::pool::__rt::end_of($tag));
            if $crate::__some!($crate::pool::__rt::close_row::<$child, $tag, $again>(tables, $d, &mut $c, end, anchor, $held, row)) {
                break anchor;
            }
        };
        $crate::__some!($crate::pool::__rt::close_list::<$child, $again>(tables, $d, last, $held, first));
    }};

    // Adds rows to a list of the row.
    (@list local $r:tt $slot:ident $add:ident ($($with:expr),*)) => { $crate::__some!($r.$slot.$add($($with),*)) };
    (@list place $r:tt $slot:ident $add:ident ($($with:expr),*)) => {{
        let mut list = $r.$slot;
        $crate::__some!(list.$add($($with),*));
        $r.$slot = list;
    }};

    // Calls code that needs a part of the row while other tables are borrowed.
    (@with local $r:tt $part:ident, |$name:ident| $body:expr) => {{
        let $name = &mut $r.$part;
        $body;
    }};
    (@with place $r:tt $part:ident, |$name:ident| $body:expr) => {{
        let mut part = $r.$part;
        let $name = &mut part;
        $body;
        $r.$part = part;
    }};

}

/// Returns the row of a record that has its fields in ascending order and nothing else, else `None`.
#[doc(hidden)]
#[macro_export]
macro_rules! __expected {
    ($row:ident [] $($fields:tt)*) => {};
    ($row:ident [$expected:ident] $($tag:literal $how:ident $args:tt;)*) => {
        #[doc(hidden)]
        impl $row {
            #[inline]
            pub fn $expected<'a>(
                d: &$crate::pool::__rt::Decoder<'a>,
                mut c: $crate::wire::__rt::Cursor<'a>,
            ) -> ::core::option::Option<Self> {
                let (_, mut r) = (d, Self::EMPTY);
                $(
                    if c.eat::<$tag>() {
                        $crate::__read! { $how $args (local r t d c start row) $tag }
                    }
                )*
                if c.at_end() { ::core::option::Option::Some(r) } else { ::core::option::Option::None }
            }
        }
    };
}

/// Defines the decoder of a message of exactly two strings or bytes. The arguments are its row, both fields, the
/// presence bits if both are present, and when texts are checked (`always`, `strict`, `never`): those of many rows, and
/// each.
#[doc(hidden)]
#[macro_export]
macro_rules! __pair {
    ($row:ident, $a:ident, $b:ident, [$($full:literal)?]; $when:ident [$($check:ident $text:ident),*];) => {
        #[doc(hidden)]
        impl $row {
            #[inline(always)]
            pub fn pair(a: $crate::wire::__rt::Span, b: $crate::wire::__rt::Span) -> Self {
                $row { $(has: [$full],)? $a: a, $b: b, side: 0 }
            }
            #[inline(always)]
            pub fn texts(&self) -> ($crate::wire::__rt::Span, $crate::wire::__rt::Span) {
                (self.$a, self.$b)
            }
            /// Reports whether both fields are present, and nothing else.
            #[inline(always)]
            pub fn is_pair(&self) -> bool {
                $(self.has == [$full] &&)? self.side == 0
            }
            #[inline(always)]
            pub fn pairs_are_utf8(
                rows: &$crate::pool::__rt::Table<Self>,
                first: u32,
                d: &$crate::pool::__rt::Decoder<'_>,
                all: &[u8],
            ) -> bool {
                !$crate::__pair!(@when $when d) || d.plain(all) || Self::texts_are_utf8(rows, first, d)
            }
            /// Checks the texts of the rows from `first` on, one by one.
            #[cold]
            #[inline(never)]
            fn texts_are_utf8(rows: &$crate::pool::__rt::Table<Self>, first: u32, d: &$crate::pool::__rt::Decoder<'_>) -> bool {
                rows.slice(first, rows.len() - first).iter().all(|r| {
                    $((!$crate::__pair!(@when $check d) || $crate::wire::is_utf8(r.$text.bytes(d.input().bytes()))) &&)* true
                })
            }
        }
    };
    (@when always $d:ident) => { true };
    (@when strict $d:ident) => { $d.strict() };
    (@when never $d:ident) => { false };
}
