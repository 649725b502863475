//! Builders that are decoded: a match arm for each field.

/// Defines how a builder is decoded, without tables. The arguments are the builder, the handle and `[Clone]` of
/// [`__builder`]; for each closed enum the number of its field and the values that it defines; the numbers of fields
/// that are discarded; and the fields, the last one of an array first or not, as in [`__build`].
///
/// A record with messages is read by a function of its own, and so is every record of a builder that can contain its
/// own kind: in unoptimised builds each field takes room on the stack.
#[doc(hidden)]
#[macro_export]
macro_rules! __merge {
    (
        $name:ident $handle:ident $clone:tt
        closed [$([$closed:literal [$($defined:tt)+]])*] dropped $([$($dropped:literal)|+])? fields
        $([$tag:literal $field:ident $how:ident $args:tt])*
    ) => {
        // SAFETY: the decoder reads records into the builder, and fills no tables.
        unsafe impl $crate::pool::Merge for $name {
            #[inline]
            fn merge<'a>(
                &mut self,
                d: &mut $crate::pool::__rt::Decoder<'a>,
                range: $crate::wire::__rt::Range<'a>,
                end_tag: u32,
            ) -> ::core::option::Option<$crate::wire::__rt::Pos<'a>> {
                self.read::<()>(d, range, end_tag)
            }
        }
        impl $name {
            fn read<'a, __OnUse>(
                &mut self,
                d: &mut $crate::pool::__rt::Decoder<'a>,
                range: $crate::wire::__rt::Range<'a>,
                end_tag: u32,
            ) -> ::core::option::Option<$crate::wire::__rt::Pos<'a>> {
                $crate::__some!(d.charge::<<$handle<'a> as $crate::pool::Handle<'a>>::Row>(range));
                $crate::__merge!(@room $clone d range);
                let (b, mut c) = (self, d.open(range));
                while !c.at_end() {
                    let start = c.pos();
                    let tag = c.next_tag();
                    match tag {
                        $($tag => { $crate::__merge! { @arm $clone $how $args ($name b d c start) $tag $field } })*
                        _ if tag == end_tag && tag != 0 => return ::core::option::Option::Some(c.pos()),
                        _ => {
                            $($crate::__merge! { @also $how $args ($name b d c start) $tag $field tag })*
                            $crate::__some!(c.skip(tag, d.depth()));
                            if !$crate::__merge!(@dropped tag $($($dropped)|+)?) {
                                b.unknown_fields.push_checked(c.since(d.input(), start));
                            }
                        }
                    }
                }
                if end_tag != 0 {
                    return ::core::option::Option::None;
                }
                ::core::option::Option::Some(c.pos())
            }
            /// Reports whether the enum of a field has a value: closed enums have only those that the schema defines.
            #[inline(always)]
            fn defines(number: u32, value: i32) -> bool {
                match number {
                    $($closed => ::core::matches!(value, $($defined)+),)*
                    _ => true,
                }
            }
        }
    };

    // Ends a decoder if the stack has no room for a message that can contain messages of its own kind.
    (@room [Clone] $d:ident $range:ident) => {};
    (@room [] $d:ident $range:ident) => { $crate::__some!($d.has_room($range)) };

    (@dropped $tag:ident) => { false };
    (@dropped $tag:ident $($dropped:literal)|+) => { ::core::matches!($tag >> 3, $($dropped)|+) };

    // The body of an arm.
    (@arm $clone:tt child $($rest:tt)*) => { $crate::__merge! { @apart child $($rest)* } };
    (@arm $clone:tt boxed $($rest:tt)*) => { $crate::__merge! { @apart boxed $($rest)* } };
    (@arm $clone:tt list $($rest:tt)*) => { $crate::__merge! { @apart list $($rest)* } };
    (@arm $clone:tt nested_list $($rest:tt)*) => { $crate::__merge! { @apart list $($rest)* } };
    (@arm $clone:tt map $($rest:tt)*) => { $crate::__merge! { @apart map $($rest)* } };
    (@arm $clone:tt nested_map $($rest:tt)*) => { $crate::__merge! { @apart map $($rest)* } };
    (@arm $clone:tt member $($rest:tt)*) => { $crate::__merge! { @apart member $($rest)* } };
    (@arm [] $($rest:tt)*) => { $crate::__merge! { @apart $($rest)* } };
    (@arm [Clone] $($rest:tt)*) => { $crate::__merge! { $($rest)* } };
    (@apart $how:ident $args:tt ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $field:ident) => {{
        #[inline]
        fn field<'a>(
            $b: &mut $name,
            $d: &mut $crate::pool::__rt::Decoder<'a>,
            mut $c: $crate::wire::__rt::Cursor<'a>,
            $start: $crate::wire::__rt::Pos<'a>,
        ) -> ::core::option::Option<$crate::wire::__rt::Cursor<'a>> {
            $crate::__merge! { $how $args ($name $b $d $c $start) $tag $field }
            ::core::option::Option::Some($c)
        }
        $c = $crate::__some!(field($b, $d, $c, $start));
    }};

    // Records of a run in the other form: packed or not.
    (@also run (Utf8) $($rest:tt)*) => {};
    (@also run (Text) $($rest:tt)*) => {};
    (@also run (Bytes) $($rest:tt)*) => {};
    (@also run ($ty:ident) $at:tt $tag:literal $field:ident $found:ident) => {
        if $found == $tag & !7 | 2 {
            $crate::__merge! { @apart run ($ty, packed) $at $tag $field }
            continue;
        }
    };
    (@also run ($ty:ident, packed) $at:tt $tag:literal $field:ident $found:ident) => {
        if $found == $tag & !7 | $crate::__merge!(@wire $ty) {
            $crate::__merge! { @apart run ($ty) $at $tag $field }
            continue;
        }
    };
    (@also numbers ($ty:ty) $at:tt $tag:literal $field:ident $found:ident) => {
        if $found == $tag & !7 | 2 {
            $crate::__merge! { @apart numbers ($ty, packed) $at $tag $field }
            continue;
        }
    };
    (@also numbers ($ty:ty, packed) $at:tt $tag:literal $field:ident $found:ident) => {
        if $found == $tag & !7 {
            $crate::__merge! { @apart numbers ($ty) $at $tag $field }
            continue;
        }
    };
    (@also $($no_other_form:tt)*) => {};
    (@wire Fixed32) => { 5 };
    (@wire Sfixed32) => { 5 };
    (@wire Float) => { 5 };
    (@wire Fixed64) => { 1 };
    (@wire Sfixed64) => { 1 };
    (@wire Double) => { 1 };
    (@wire $ty:ident) => { 0 };

    // Records of one field.
    (value ($ty:ident) ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $field:ident) => {
        $b.$field = $crate::__merge!(@value $ty $d $c);
    };
    (value ($ty:ident, $has:ident) ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $field:ident) => {
        $b.$field = ::core::option::Option::Some($crate::__merge!(@value $ty $d $c));
    };
    (number ($ty:ty $(, $has:ident)?) ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $field:ident) => {
        let v = $crate::__read_value!($c $d Enum);
        if $name::defines($tag >> 3, v) {
            // As it is, or as an option.
            $b.$field = ::core::convert::From::from(<$ty as ::core::convert::From<i32>>::from(v));
        } else {
            $b.unknown_fields.push_enum($tag >> 3, v);
        }
    };
    (run ($ty:ident) ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $field:ident) => {
        loop {
            let v = $crate::__merge!(@value $ty $d $c);
            $b.$field.push(v);
            if !$c.eat::<{ $crate::__merge!(@element $ty $tag) }>() {
                break;
            }
        }
    };
    (run ($ty:ident, packed) ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $field:ident) => {
        let range = $crate::__some!($c.range());
        $crate::__read_packed!($ty $crate::pool::__rt::VecElements(&mut $b.$field), $d, (), range);
    };
    (numbers ($ty:ty) ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $field:ident) => {
        loop {
            let v = $crate::__read_value!($c $d Enum);
            if $name::defines($tag >> 3, v) {
                $b.$field.push(<$ty as ::core::convert::From<i32>>::from(v));
            } else {
                $b.unknown_fields.push_enum($tag >> 3, v);
            }
            if !$c.eat::<{ $tag & !7 }>() {
                break;
            }
        }
    };
    (numbers ($ty:ty, packed) ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $field:ident) => {
        let mut c = $d.open($crate::__some!($c.range()));
        while !c.at_end() {
            let v = $crate::__read_value!(c $d Enum);
            if $name::defines($tag >> 3, v) {
                $b.$field.push(<$ty as ::core::convert::From<i32>>::from(v));
            } else {
                $b.unknown_fields.push_enum($tag >> 3, v);
            }
        }
    };
    (child $args:tt ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $field:ident) => {
        let to = $b.$field.get_or_insert_default();
        $crate::__merge! { @message $args to $d $c $tag }
    };
    (boxed $args:tt $at:tt $tag:literal $field:ident) => { $crate::__merge! { child $args $at $tag $field } };
    (list $args:tt ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $field:ident) => {
        loop {
            $b.$field.push(::core::default::Default::default());
            let to = $crate::__some!($b.$field.last_mut());
            $crate::__merge! { @message $args to $d $c $tag }
            if !$c.eat::<$tag>() {
                break;
            }
        }
    };
    // If the value is undefined in its closed enum, the whole entry is unknown (ENM-3).
    (map ($key_tag:literal $key:ident, $value_tag:literal $how:ident $args:tt) ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $field:ident) => {
        $crate::__some!($d.enter());
        let mut c = $d.open($crate::__some!($c.range()));
        let mut key: $crate::__owned!(@one value ($key)) = ::core::default::Default::default();
        let mut value: $crate::__owned!(@one $how $args) = ::core::default::Default::default();
        while !c.at_end() {
            match c.next_tag() {
                $key_tag => key = $crate::__merge!(@value $key $d c),
                $value_tag => {
                    $crate::__merge! { @entry $how $args value $d c $value_tag }
                }
                tag => $crate::__some!(c.skip(tag, $d.depth())),
            }
        }
        $d.leave();
        if $crate::__merge!(@defined $how $name $tag value) {
            $b.$field.insert(key, value);
        } else {
            $b.unknown_fields.push_checked($c.since($d.input(), $start));
        }
    };
    (member ($variant:path, value ($ty:ident)) ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $choice:ident) => {
        $b.$choice = ::core::option::Option::Some($variant($crate::__merge!(@value $ty $d $c)));
    };
    (member ($variant:path, number ($ty:ty)) ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $choice:ident) => {
        let v = $crate::__read_value!($c $d Enum);
        if $name::defines($tag >> 3, v) {
            $b.$choice = ::core::option::Option::Some($variant(<$ty as ::core::convert::From<i32>>::from(v)));
        } else {
            $b.unknown_fields.push_enum($tag >> 3, v);
        }
    };
    // A message that is set already takes more records.
    (member ($variant:path, $how:ident $args:tt) ($name:ident $b:ident $d:ident $c:ident $start:ident) $tag:literal $choice:ident) => {
        if !::core::matches!($b.$choice, ::core::option::Option::Some($variant(_))) {
            $b.$choice = ::core::option::Option::Some($variant(::core::default::Default::default()));
        }
        if let ::core::option::Option::Some($variant(to)) = &mut $b.$choice {
            $crate::__merge! { @message $args to $d $c $tag }
        }
    };

    // One value.
    (@value Utf8 $d:ident $c:ident) => { $crate::__some!($crate::pool::__rt::read_utf8(&mut $c)) };
    (@value Text $d:ident $c:ident) => { $crate::__some!($crate::pool::__rt::read_text($d, &mut $c)) };
    (@value Bytes $d:ident $c:ident) => { $crate::__some!($crate::pool::__rt::read_bytes(&mut $c)) };
    (@value $ty:ident $d:ident $c:ident) => { $crate::__read_value!($c $d $ty) };

    // The tag of one element.
    (@element Utf8 $tag:literal) => { $tag };
    (@element Text $tag:literal) => { $tag };
    (@element Bytes $tag:literal) => { $tag };
    (@element $ty:ident $tag:literal) => { $tag & !7 | $crate::__merge!(@wire $ty) };

    // The value of a map's entry.
    (@entry value ($ty:ident) $value:ident $d:ident $c:ident $tag:literal) => { $value = $crate::__merge!(@value $ty $d $c); };
    (@entry number ($ty:ty) $value:ident $d:ident $c:ident $tag:literal) => {
        $value = <$ty as ::core::convert::From<i32>>::from($crate::__read_value!($c $d Enum));
    };
    (@entry $how:ident $args:tt $value:ident $d:ident $c:ident $tag:literal) => {
        let to = &mut $value;
        $crate::__merge! { @message $args to $d $c $tag }
    };
    (@defined number $name:ident $tag:literal $value:ident) => { $name::defines($tag >> 3, $value.0) };
    (@defined $how:ident $name:ident $tag:literal $value:ident) => { true };

    // A record of a message: its payload, or a group up to its end tag.
    (@message ($ty:ty) $to:ident $d:ident $c:ident $tag:literal) => {
        let range = $crate::__some!($c.range());
        $crate::__some!($d.enter());
        $crate::__some!(<$ty as $crate::pool::Merge>::merge($to, $d, range, 0));
        $d.leave();
    };
    (@message ($ty:ty, group) $to:ident $d:ident $c:ident $tag:literal) => {
        $crate::__some!($d.enter());
        let end = $crate::__some!(<$ty as $crate::pool::Merge>::merge($to, $d, $c.rest(), $tag + 1));
        $crate::__some!($c.resume(end));
        $d.leave();
    };
}
