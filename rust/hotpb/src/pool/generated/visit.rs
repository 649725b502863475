//! Visitors: one line for each field.

/// Defines the visitor of a message, and the driver that calls it. The arguments are its comment, `NameVisitor<'a>,
/// Handle, [flat] [recursive] [few], the treatment of unknown records;` then for each field its comment and `tag method
/// how(…)`, `tag | packed tag` if the elements can be packed.
///
/// ```text
///   value(Type, type)   number(Enum)     closed(Enum, [defined])
///   elements(Type)      numbers(Enum)    closed_elements(Enum, [defined])
///   records(Child)      map(Key key type, value(Type type))    the values of maps: number(Enum first), closed(Enum first [defined]), records(Child)
/// ```
///
/// In wide and recursive messages the lines of fields with messages follow `nested;`: each gets a function of its own,
/// and one function has all other fields. In unoptimised builds each arm takes room on the stack, and untrusted input
/// decides how deep messages nest.
#[doc(hidden)]
#[macro_export]
macro_rules! __visitor {
    (
        $(#[$doc:meta])* $name:ident<$a:lifetime>, $handle:ident, [$($flat:ident)?] [$($recursive:ident)?] $([$few:ident $($pair:tt)?])?, $unknown:tt;
        $($(#[$about:meta])* $tag:literal $(| $packed:literal)? $method:ident $how:ident $args:tt;)*
        $(nested; $($(#[$held:meta])* $nested:literal $holding:ident $holds:ident $what:tt;)*)?
    ) => {
        $(#[$doc])*
        pub trait $name<$a> {
            /// The visitor's own error, which ends a visit early.
            type Error;
            $($crate::__visitor_method! { $how $args $a [$(#[$about])*] $method })*
            $($($crate::__visitor_method! { $holds $what $a [$(#[$held])*] $holding })*)?
            /// A field that the schema does not define.
            #[inline]
            fn unknown_fields(&mut self, field: $crate::pool::Unknown<$a>) -> $crate::pool::Flow<Self::Error> {
                ::core::result::Result::Ok(())
            }
        }
        impl<$a> $name<$a> for $crate::pool::Ignore {
            type Error = ::core::convert::Infallible;
        }
        // SAFETY: generated: it fills no tables.
        unsafe impl<$a, __V: $name<$a> + ?::core::marker::Sized> $crate::pool::VisitWith<$a, __V> for $handle<'static> {
            type Error = __V::Error;
            const FLAT: bool = $crate::__visit!(@is $($flat)?);
            const RECURSIVE: bool = $crate::__visit!(@is $($recursive)?);
            $($crate::__visit! { @pair $a $($pair)? })?
            #[inline]
            fn visit(
                v: &mut __V,
                d: &mut $crate::pool::__rt::Decoder<$a>,
                mut c: $crate::wire::__rt::Cursor<$a>,
            ) -> $crate::pool::Flow<__V::Error> {
                $crate::__visit! { @first [$($few)?] (v d c) [$($tag, $method $how $args;)*] }
                while !c.at_end() {
                    let start = d.at(&c);
                    let tag = c.next_tag();
                    $crate::__visit! {
                        @message $unknown $name<$a> (v d c start tag) [$($tag $(| $packed)?, $method $how $args;)*]
                        $([$($nested, $holding $holds $what;)*])?
                    }
                }
                ::core::result::Result::Ok(())
            }
        }
    };
}

/// Defines the method of a field: its kind, the lifetime, its comment and its name.
#[doc(hidden)]
#[macro_export]
macro_rules! __visitor_method {
    (value ($type:ident, $ty:ty) $($to:tt)*) => { $crate::__visitor_method! { @method $($to)* (value: $ty) } };
    (number ($ty:ty) $($to:tt)*) => { $crate::__visitor_method! { @method $($to)* (value: $ty) } };
    (closed ($ty:ty, $defined:tt) $($to:tt)*) => { $crate::__visitor_method! { @method $($to)* (value: $ty) } };
    (elements ($type:ident) $a:lifetime $($to:tt)*) => {
        $crate::__visitor_method! { @method $a $($to)* (values: $crate::pool::Elements<$a, $crate::pool::extension::$type>) }
    };
    (numbers ($ty:ty) $a:lifetime $($to:tt)*) => {
        $crate::__visitor_method! { @method $a $($to)* (values: $crate::pool::Elements<$a, $crate::pool::extension::Enum<$ty>>) }
    };
    (closed_elements ($ty:ty, $defined:tt) $($to:tt)*) => { $crate::__visitor_method! { numbers ($ty) $($to)* } };
    (records ($child:ty) $a:lifetime $($to:tt)*) => {
        $crate::__visitor_method! { @method $a $($to)* (records: &mut $crate::pool::Records<$a, '_, $child>) }
    };
    (map ($type:ident $key:ty, value($of:ident $ty:ty)) $($to:tt)*) => {
        $crate::__visitor_method! { @method $($to)* (key: $key, value: $ty) }
    };
    (map ($type:ident $key:ty, number($ty:ty, $first:literal)) $($to:tt)*) => {
        $crate::__visitor_method! { @method $($to)* (key: $key, value: $ty) }
    };
    (map ($type:ident $key:ty, closed($ty:ty, $first:literal, $defined:tt)) $($to:tt)*) => {
        $crate::__visitor_method! { @method $($to)* (key: $key, value: $ty) }
    };
    (map ($type:ident $key:ty, records($child:ty)) $a:lifetime $($to:tt)*) => {
        $crate::__visitor_method! { @method $a $($to)* (key: $key, value: &mut $crate::pool::Records<$a, '_, $child>) }
    };
    (@method $a:lifetime [$($docs:tt)*] $method:ident ($($parameter:ident: $ty:ty),*)) => {
        $($docs)*
        #[inline]
        fn $method(&mut self, $($parameter: $ty),*) -> $crate::pool::Flow<Self::Error> {
            ::core::result::Result::Ok(())
        }
    };
}

/// Defines how a driver handles a record. The arguments are the kind of the field, then the visitor, the decoder, the
/// cursor, the start of the record and its tag, and the method; `packed` for a packed record.
#[doc(hidden)]
#[macro_export]
macro_rules! __visit {
    (value ($ty:ident, $shown:ty) ($v:ident $d:ident $c:ident $start:ident $tag:ident) $method:ident) => {
        $v.$method($crate::__visit!(@read value ($ty, $shown) ($c $d)))?
    };
    (number ($ty:ty) ($v:ident $d:ident $c:ident $start:ident $tag:ident) $method:ident) => {
        $v.$method($crate::__visit!(@read number ($ty) ($c $d)))?
    };
    (closed ($ty:ty, [$($defined:tt)+]) ($v:ident $d:ident $c:ident $start:ident $tag:ident) $method:ident) => {{
        let value = $crate::__visit_value!($c $d Enum);
        if ::core::matches!(value, $($defined)+) {
            $v.$method(<$ty as ::core::convert::From<i32>>::from(value))?;
        } else {
            $crate::__visit!(@undefined $v $tag value);
        }
    }};

    (elements ($type:ident) ($v:ident $d:ident $c:ident $start:ident $tag:ident) $method:ident) => {
        $v.$method($crate::pool::__rt::need($crate::pool::Elements::single(&mut $c, $d))?)?
    };
    (elements ($type:ident) ($v:ident $d:ident $c:ident $start:ident $tag:ident) packed $method:ident) => {
        $v.$method($crate::pool::__rt::need($crate::pool::Elements::packed(&mut $c))?)?
    };
    (numbers ($ty:ty) $($at:tt)*) => { $crate::__visit!(elements (Enum) $($at)*) };
    (closed_elements ($ty:ty, [$($defined:tt)+]) ($v:ident $d:ident $c:ident $start:ident $tag:ident) $method:ident) => {{
        let values = $crate::pool::__rt::need($crate::pool::Elements::single(&mut $c, $d))?;
        let mut cursor = $crate::wire::__rt::Cursor::new(values.bytes());
        let value = $crate::__visit_value!(cursor $d Enum);
        if ::core::matches!(value, $($defined)+) {
            $v.$method(values)?;
        } else {
            $crate::__visit!(@undefined $v $tag value);
        }
    }};
    (closed_elements ($ty:ty, [$($defined:tt)+]) ($v:ident $d:ident $c:ident $start:ident $tag:ident) packed $method:ident) => {{
        let values = $crate::pool::__rt::need($crate::pool::Elements::packed(&mut $c))?;
        $v.$method(values.clone().defined_by(|value| ::core::matches!(value, $($defined)+)))?;
        for value in values {
            let value = i32::from(value);
            if !::core::matches!(value, $($defined)+) {
                $crate::__visit!(@undefined $v $tag value);
            }
        }
    }};

    (records ($child:ty) ($v:ident $d:ident $c:ident $start:ident $tag:ident) $method:ident) => {{
        let mut records = $crate::pool::Records::new($d, $c, $start, $tag);
        $v.$method(&mut records)?;
        $c = records.finish()?;
    }};
    (map ($key:ident $key_ty:ty, value($of:ident $ty:ty)) ($v:ident $d:ident $c:ident $start:ident $tag:ident) $method:ident) => {{
        let (_, key, value) = $crate::__visit!(@entry $c $d $key, $crate::pool::extension::$of);
        $v.$method(key.unwrap_or_default(), value.unwrap_or_default())?;
    }};
    (map ($key:ident $key_ty:ty, number($ty:ty, $first:literal)) ($v:ident $d:ident $c:ident $start:ident $tag:ident) $method:ident) => {{
        let (_, key, value) = $crate::__visit!(@entry $c $d $key, $crate::pool::extension::Enum<$ty>);
        $v.$method(key.unwrap_or_default(), value.unwrap_or(<$ty as ::core::convert::From<i32>>::from($first)))?;
    }};
    (
        map ($key:ident $key_ty:ty, closed($ty:ty, $first:literal, [$($defined:tt)+]))
        ($v:ident $d:ident $c:ident $start:ident $tag:ident) $method:ident
    ) => {{
        let from = $c;
        let (_, key, value) = $crate::__visit!(@entry $c $d $key, $crate::pool::extension::Enum<$ty>);
        if value.is_none_or(|value| ::core::matches!(i32::from(value), $($defined)+)) {
            $v.$method(key.unwrap_or_default(), value.unwrap_or(<$ty as ::core::convert::From<i32>>::from($first)))?;
        } else {
            $c = from;
            $crate::__visit!(@unknown keep ($v $d $c $start $tag));
        }
    }};
    (map ($key:ident $key_ty:ty, records($child:ty)) ($v:ident $d:ident $c:ident $start:ident $tag:ident) $method:ident) => {{
        let (entry, key, _) = $crate::__visit!(@entry $c $d $key, $crate::pool::__rt::NoValue);
        $crate::pool::__rt::need($d.enter())?;
        let mut value = $crate::pool::Records::of_entry($d, entry, 18);
        $v.$method(key.unwrap_or_default(), &mut value)?;
        value.finish()?;
        $d.leave();
    }};
    (@entry $c:ident $d:ident $key:ident, $value:ty) => {
        $crate::pool::__rt::need($crate::pool::__rt::entry::<$crate::pool::extension::$key, $value>(&mut $c, $d))?
    };

    (@undefined $v:ident $tag:ident $value:ident) => {
        $v.unknown_fields($crate::pool::Unknown::EnumValue { number: $tag >> 3, value: $value })?
    };
    (@unknown keep ($v:ident $d:ident $c:ident $start:ident $tag:ident)) => {{
        let field = $crate::pool::__rt::need($crate::pool::__rt::unknown(&mut $c, $d, $start, $tag))?;
        $v.unknown_fields($crate::pool::Unknown::Record(field))?;
    }};
    (@unknown [$($dropped:literal)|*] ($v:ident $d:ident $c:ident $start:ident $tag:ident)) => {{
        let field = $crate::pool::__rt::need($crate::pool::__rt::unknown(&mut $c, $d, $start, $tag))?;
        if !::core::matches!($tag >> 3, $($dropped)|*) {
            $v.unknown_fields($crate::pool::Unknown::Record(field))?;
        }
    }};
    // Most messages of a few values have each value once, in order of their numbers. They are read as a whole first.
    (@first [] $($rest:tt)*) => {};
    (@first [few] ($v:ident $d:ident $c:ident) [$($number:literal, $method:ident $how:ident $args:tt;)*]) => {
        let mut ahead = $c;
        $(
            let $method = if ahead.eat::<$number>() {
                ::core::option::Option::Some($crate::__visit!(@read $how $args (ahead $d)))
            } else {
                ::core::option::Option::None
            };
        )*
        if ahead.at_end() {
            $(
                if let ::core::option::Option::Some(value) = $method {
                    $v.$method(value)?;
                }
            )*
            return ::core::result::Result::Ok(());
        }
    };
    (@read value ($ty:ident, $shown:ty) ($c:ident $d:ident)) => { $crate::__visit_value!($c $d $ty) };
    (@read number ($ty:ty) ($c:ident $d:ident)) => {
        <$ty as ::core::convert::From<i32>>::from($crate::__visit_value!($c $d Enum))
    };
    (@pair $a:lifetime) => {};
    (@pair $a:lifetime [$first:literal $name:ident, $second:literal $value:ident]) => {
        const PAIR: ::core::option::Option<[u8; 2]> = ::core::option::Option::Some([$first, $second]);
        #[inline(always)]
        fn visit_pair(v: &mut __V, first: &$a str, second: &$a str) -> $crate::pool::Flow<__V::Error> {
            v.$name(first)?;
            v.$value(second)
        }
    };
    (@is) => { false };
    (@is $is:ident) => { true };

    (
        @message $unknown:tt $name:ident<$a:lifetime> ($v:ident $d:ident $c:ident $start:ident $tag:ident)
        [$($number:literal $(| $packed:literal)?, $method:ident $how:ident $args:tt;)*]
    ) => {
        match $tag {
            $(
                $number => $crate::__visit!($how $args ($v $d $c $start $tag) $method),
                $($packed => $crate::__visit!($how $args ($v $d $c $start $tag) packed $method),)?
            )*
            _ => $crate::__visit!(@unknown $unknown ($v $d $c $start $tag)),
        }
    };
    (
        @message $unknown:tt $name:ident<$a:lifetime> ($v:ident $d:ident $c:ident $start:ident $tag:ident)
        [$($number:literal $(| $packed:literal)?, $method:ident $how:ident $args:tt;)*]
        [$($nested:literal, $holding:ident $holds:ident $what:tt;)*]
    ) => {
        match $tag {
            $($nested => $crate::__visit! { @part $name<$a> ($v $d $c $start $tag) $crate::__visit!($holds $what ($v $d $c $start $tag) $holding) },)*
            _ => $crate::__visit! {
                @part $name<$a> ($v $d $c $start $tag)
                match $tag {
                    $(
                        $number => $crate::__visit!($how $args ($v $d $c $start $tag) $method),
                        $($packed => $crate::__visit!($how $args ($v $d $c $start $tag) packed $method),)?
                    )*
                    _ => $crate::__visit!(@unknown $unknown ($v $d $c $start $tag)),
                }
            },
        }
    };
    // Moves the body into a function of its own.
    (@part $name:ident<$a:lifetime> ($v:ident $d:ident $c:ident $start:ident $tag:ident) $($body:tt)*) => {{
        #[inline]
        fn part<$a, __V: $name<$a> + ?::core::marker::Sized>(
            $v: &mut __V,
            $d: &mut $crate::pool::__rt::Decoder<$a>,
            mut $c: $crate::wire::__rt::Cursor<$a>,
            $start: u32,
            $tag: u32,
        ) -> ::core::result::Result<$crate::wire::__rt::Cursor<$a>, $crate::pool::Stop<__V::Error>> {
            $($body)*;
            ::core::result::Result::Ok($c)
        }
        $c = part($v, $d, $c, $start, $tag)?;
    }};
}

/// Reads a singular value: the cursor, the decoder and the type.
#[doc(hidden)]
#[macro_export]
macro_rules! __visit_value {
    ($c:ident $d:ident Utf8) => {
        $crate::pool::__rt::need($d.str(&mut $c))?
    };
    ($c:ident $d:ident Text) => {
        $crate::pool::__rt::need($d.proto_str(&mut $c))?
    };
    ($c:ident $d:ident Bytes) => {
        $crate::pool::__rt::need($c.bytes())?
    };
    ($c:ident $d:ident Fixed32) => {
        $crate::pool::__rt::need($c.fixed32())?
    };
    ($c:ident $d:ident Sfixed32) => {
        $crate::pool::__rt::need($c.fixed32())? as i32
    };
    ($c:ident $d:ident Float) => {
        f32::from_bits($crate::pool::__rt::need($c.fixed32())?)
    };
    ($c:ident $d:ident Fixed64) => {
        $crate::pool::__rt::need($c.fixed64())?
    };
    ($c:ident $d:ident Sfixed64) => {
        $crate::pool::__rt::need($c.fixed64())? as i64
    };
    ($c:ident $d:ident Double) => {
        f64::from_bits($crate::pool::__rt::need($c.fixed64())?)
    };
    ($c:ident $d:ident Int64) => {
        $crate::pool::__rt::value::int64($crate::pool::__rt::need($c.varint())?)
    };
    ($c:ident $d:ident Uint32) => {
        $crate::pool::__rt::value::uint32($crate::pool::__rt::need($c.varint())?)
    };
    ($c:ident $d:ident Uint64) => {
        $crate::pool::__rt::value::uint64($crate::pool::__rt::need($c.varint())?)
    };
    ($c:ident $d:ident Sint32) => {
        $crate::pool::__rt::value::sint32($crate::pool::__rt::need($c.varint())?)
    };
    ($c:ident $d:ident Sint64) => {
        $crate::pool::__rt::value::sint64($crate::pool::__rt::need($c.varint())?)
    };
    ($c:ident $d:ident Bool) => {
        $crate::pool::__rt::value::boolean($crate::pool::__rt::need($c.varint())?)
    };
    // Int32, Enum
    ($c:ident $d:ident $ty:ident) => {
        $crate::pool::__rt::value::int32($crate::pool::__rt::need($c.varint())?)
    };
}
