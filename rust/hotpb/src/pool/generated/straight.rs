//! Straight messages: the code that reads and writes their rows, one line for each field.
//!
//! The functions have a type parameter without a meaning. It makes them generic, so that a crate compiles only the
//! functions that it uses, and not all of its schema.

/// Defines the functions that read and write the rows of a message.
///
/// ```text
///   Row, Tables, [its table], the treatment of unknown records [encode] [expected]
///   {tag how(…);}           `tag | packed tag` where the elements can be packed
///
///   value(Type, slot)       value(Type, slot, word mask) with the presence bit      closed(slot, [defined])
///   run(Type, runs, slot)   run(Type, runs, slot, packed) when it is written packed  closed_run(slot, [defined])
///   child(slot, Row => table in home)       list, expected (records that mostly look the same), pairs(…, tag, tag)
///   member(Type, case, slot)                closed_member(case, slot, [defined])    child_member(case, slot, Row => table)
///   map(slot, Row => table)                 closed_map(slot, Row => table, value [defined])
/// ```
/// `again`: the child can contain messages of its own kind. `group`: it is between tags. `expected`, for maps: most
/// entries look the same.
///
/// A small row that no child can access is decoded into a copy. Other rows are decoded in place
/// ([`__decode_in_place`]), including those that can contain their own kind: in unoptimised builds each field takes
/// room on the stack, and untrusted input decides how deep messages nest. So each field with messages has a function of
/// its own, and one function has all other fields. Optimised builds inline these functions again.
#[doc(hidden)]
#[macro_export]
macro_rules! __straight {
    (
        $row:ident, $tables:ty, [$($table:tt)+], $unknown:tt [$($encode:ident)?] [$($expected:ident)?]
        {$($tag:literal $(| $packed:literal)? $how:ident $args:tt;)*}
    ) => {
        impl $crate::pool::__rt::DecodeRow for $row {
            fn decode<'a, __OnUse>(
                t: &mut $tables,
                d: &mut $crate::pool::__rt::Decoder<'a>,
                range: $crate::wire::__rt::Range<'a>,
                row: u32,
                end_tag: u32,
            ) -> ::core::option::Option<$crate::wire::__rt::Pos<'a>> {
                let mut c = d.open(range);
                let mut r = *t.$($table)+.at(row);
                let mut awaited = end_tag;
                while !c.at_end() {
                    let start = d.at(&c);
                    let tag = c.next_tag();
                    match tag {
                        $(
                            $tag => $crate::__read! { $how $args (local r t d c start row) $tag },
                            $($packed => $crate::__read! { $how $args (local r t d c start row) packed $tag },)?
                        )*
                        _ if tag == end_tag && tag != 0 => {
                            awaited = 0;
                            break;
                        }
                        _ => $crate::__read! { @unknown $unknown (local r t d c start row) tag },
                    }
                }
                *t.$($table)+.at(row) = r;
                c.end(awaited)
            }
        }
        $crate::__expected! { $row [$($expected)?] $($tag $how $args;)* }
        $crate::__straight! { @reversed [@encode [$($encode)?] $row, $tables;] [] $([$tag $($packed)?, $how $args])* }
    };
    // Handles eight lines at a time: a macro can recurse only some hundred times.
    (@reversed $to:tt [$($done:tt)*] $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt $h:tt $($left:tt)*) => {
        $crate::__straight! { @reversed $to [$h $g $f $e $d $c $b $a $($done)*] $($left)* }
    };
    (@reversed $to:tt [$($done:tt)*] $a:tt $($left:tt)*) => { $crate::__straight! { @reversed $to [$a $($done)*] $($left)* } };
    (@reversed [$($to:tt)*] [$($done:tt)*]) => { $crate::__straight! { $($to)* $($done)* } };

    (@encode [] $($rest:tt)*) => {};
    (@encode [always] $row:ident, $tables:ty; $([$tag:literal, $how:ident $args:tt])*) => {
        impl $crate::pool::__rt::EncodeRow for $row {
            #[inline]
            fn encode<'m, __OnUse>(&'m self, t: &'m $tables, input: &'m [u8], e: &mut $crate::pool::__rt::Encoder<'m>) {
                let r = self;
                $($crate::__write_always! { $how $args (r t input e) $tag })*
            }
        }
    };
    (@encode [encode] $row:ident, $tables:ty; $([$tag:literal $($packed:literal)?, $how:ident $args:tt])*) => {
        impl $crate::pool::__rt::EncodeRow for $row {
            fn encode<'m, __OnUse>(&'m self, t: &'m $tables, input: &'m [u8], e: &mut $crate::pool::__rt::Encoder<'m>) {
                let r = self;
                e.unknown(&t.side, input, r.side);
                $($crate::__write! { $how $args (r t input e) $tag $($packed)? })*
            }
        }
    };
}

/// Defines the decoder of a row that is decoded in place: `plain;` with the lines of fields without messages, `nested;`
/// with the lines of fields with messages.
#[doc(hidden)]
#[macro_export]
macro_rules! __decode_in_place {
    ($row:ident, $tables:ty, [$($table:tt)+], $unknown:tt; $($fields:tt)*) => {
        $crate::__decode_in_place! { @ (place (t.$($table)+.at(row)) t d c start row) $row, $tables, $unknown; $($fields)* }
    };
    (
        @ ($mode:ident $at:tt $t:ident $d:ident $c:ident $start:ident $index:ident) $row:ident, $tables:ty, $unknown:tt;
        plain; $($tag:literal $(| $packed:literal)? $how:ident $args:tt;)*
        nested; $($nested:literal $holds:ident $held:tt;)*
    ) => {
        impl $crate::pool::__rt::DecodeRow for $row {
            fn decode<'a, __OnUse>(
                $t: &mut $tables,
                $d: &mut $crate::pool::__rt::Decoder<'a>,
                range: $crate::wire::__rt::Range<'a>,
                $index: u32,
                end_tag: u32,
            ) -> ::core::option::Option<$crate::wire::__rt::Pos<'a>> {
                let mut $c = $d.open(range);
                let mut awaited = end_tag;
                while !$c.at_end() {
                    let $start = $d.at(&$c);
                    let tag = $c.next_tag();
                    match tag {
                        $($nested => {
                            #[inline]
                            fn field<'a>(
                                $t: &mut $tables,
                                $d: &mut $crate::pool::__rt::Decoder<'a>,
                                mut $c: $crate::wire::__rt::Cursor<'a>,
                                $index: u32,
                                $start: u32,
                            ) -> ::core::option::Option<$crate::wire::__rt::Cursor<'a>> {
                                $crate::__read! { $holds $held ($mode $at $t $d $c $start $index) $nested };
                                ::core::option::Option::Some($c)
                            }
                            $c = $crate::__some!(field($t, $d, $c, $index, $start));
                        })*
                        _ if tag == end_tag && tag != 0 => {
                            awaited = 0;
                            break;
                        }
                        _ => $c = $crate::__some!(Self::plain($t, $d, $c, $index, $start, tag)),
                    }
                }
                $c.end(awaited)
            }
        }
        impl $row {
            /// Reads fields without messages, and unknown ones.
            #[inline]
            fn plain<'a>(
                $t: &mut $tables,
                $d: &mut $crate::pool::__rt::Decoder<'a>,
                mut $c: $crate::wire::__rt::Cursor<'a>,
                $index: u32,
                $start: u32,
                tag: u32,
            ) -> ::core::option::Option<$crate::wire::__rt::Cursor<'a>> {
                match tag {
                    $(
                        $tag => $crate::__read! { $how $args ($mode $at $t $d $c $start $index) $tag },
                        $($packed => $crate::__read! { $how $args ($mode $at $t $d $c $start $index) packed $tag },)?
                    )*
                    _ => $crate::__read! { @unknown $unknown ($mode $at $t $d $c $start $index) tag },
                }
                ::core::option::Option::Some($c)
            }
        }
    };
}

/// Defines the encoder of such a row, which writes the last field first; for a wide row, each `part;` has the lines of
/// the fields that one function writes.
#[doc(hidden)]
#[macro_export]
macro_rules! __encode_in_place {
    ($row:ident, $tables:ty, [$($deep:ident)?]; $($tag:literal $(| $packed:literal)? $how:ident $args:tt;)*) => {
        impl $crate::pool::__rt::EncodeRow for $row {
            fn encode<'m, __OnUse>(&'m self, t: &'m $tables, input: &'m [u8], e: &mut $crate::pool::__rt::Encoder<'m>) {
                let r = self;
                $crate::__encode_in_place!(@room $($deep)? e);
                e.unknown(&t.side, input, r.side);
                $($crate::__write! { $how $args (r t input e) $tag $($packed)? })*
            }
        }
    };
    (
        $row:ident, $tables:ty, [$($deep:ident)?];
        $(part; $($tag:literal $(| $packed:literal)? $how:ident $args:tt;)*)*
    ) => {
        impl $crate::pool::__rt::EncodeRow for $row {
            fn encode<'m, __OnUse>(&'m self, t: &'m $tables, input: &'m [u8], e: &mut $crate::pool::__rt::Encoder<'m>) {
                $crate::__encode_in_place!(@room $($deep)? e);
                e.unknown(&t.side, input, self.side);
                $({
                    #[inline]
                    fn part<'m>(r: &'m $row, t: &'m $tables, input: &'m [u8], e: &mut $crate::pool::__rt::Encoder<'m>) {
                        $($crate::__write! { $how $args (r t input e) $tag $($packed)? })*
                    }
                    part(self, t, input, e);
                })*
            }
        }
    };
    // Ends an encoder if the stack has no room for a message that can contain messages of its own kind.
    (@room $e:ident) => {};
    (@room deep $e:ident) => {
        if $e.is_too_deep() {
            return;
        }
    };
}

/// Defines the encoder of a map's entry that is decoded in place.
#[doc(hidden)]
#[macro_export]
macro_rules! __encode_entry {
    ($row:ident, $tables:ty; $($tag:literal $how:ident $args:tt;)*) => {
        $crate::__straight! { @reversed [@encode [always] $row, $tables;] [] $([$tag, $how $args])* }
    };
}
