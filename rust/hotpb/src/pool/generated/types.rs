//! The differences between field types, for the straight code of messages. Their names are those of
//! [`crate::pool::by_table::Type`].

/// Reads a value: the cursor, the decoder and the type.
#[doc(hidden)]
#[macro_export]
macro_rules! __read_value {
    ($c:ident $d:ident Utf8) => {
        $crate::__some!($d.text(&mut $c))
    };
    ($c:ident $d:ident Text) => {
        $crate::__some!($d.string(&mut $c))
    };
    ($c:ident $d:ident Bytes) => {
        $crate::__some!($c.span($d.input()))
    };
    ($c:ident $d:ident Int64) => {
        $crate::pool::__rt::value::int64($crate::__some!($c.varint()))
    };
    ($c:ident $d:ident Uint32) => {
        $crate::pool::__rt::value::uint32($crate::__some!($c.varint()))
    };
    ($c:ident $d:ident Uint64) => {
        $crate::pool::__rt::value::uint64($crate::__some!($c.varint()))
    };
    ($c:ident $d:ident Sint32) => {
        $crate::pool::__rt::value::sint32($crate::__some!($c.varint()))
    };
    ($c:ident $d:ident Sint64) => {
        $crate::pool::__rt::value::sint64($crate::__some!($c.varint()))
    };
    ($c:ident $d:ident Bool) => {
        $crate::pool::__rt::value::boolean($crate::__some!($c.varint()))
    };
    ($c:ident $d:ident Fixed32) => {
        $crate::__some!($c.fixed32())
    };
    ($c:ident $d:ident Sfixed32) => {
        $crate::__some!($c.fixed32()) as i32
    };
    ($c:ident $d:ident Float) => {
        f32::from_bits($crate::__some!($c.fixed32()))
    };
    ($c:ident $d:ident Fixed64) => {
        $crate::__some!($c.fixed64())
    };
    ($c:ident $d:ident Sfixed64) => {
        $crate::__some!($c.fixed64()) as i64
    };
    ($c:ident $d:ident Double) => {
        f64::from_bits($crate::__some!($c.fixed64()))
    };
    // Int32, Enum, Closed
    ($c:ident $d:ident $ty:ident) => {
        $crate::pool::__rt::value::int32($crate::__some!($c.varint()))
    };
}

/// Reads a packed record into a run: the runs, the decoder, the run, the range and the type.
#[doc(hidden)]
#[macro_export]
macro_rules! __read_packed {
    (@fixed $ty:ident $runs:expr, $d:ident, $run:expr, $range:ident) => {
        $crate::__some!($runs.packed_fixed($d, &mut $run, $range, $ty::from_le_bytes))
    };
    (@varint $convert:ident $runs:expr, $d:ident, $run:expr, $range:ident) => {
        $crate::__some!($runs.packed_varint($d, &mut $run, $range, $crate::pool::__rt::value::$convert))
    };
    (Fixed32 $($at:tt)*) => { $crate::__read_packed! { @fixed u32 $($at)* } };
    (Sfixed32 $($at:tt)*) => { $crate::__read_packed! { @fixed i32 $($at)* } };
    (Float $($at:tt)*) => { $crate::__read_packed! { @fixed f32 $($at)* } };
    (Fixed64 $($at:tt)*) => { $crate::__read_packed! { @fixed u64 $($at)* } };
    (Sfixed64 $($at:tt)*) => { $crate::__read_packed! { @fixed i64 $($at)* } };
    (Double $($at:tt)*) => { $crate::__read_packed! { @fixed f64 $($at)* } };
    (Int64 $($at:tt)*) => { $crate::__read_packed! { @varint int64 $($at)* } };
    (Uint32 $($at:tt)*) => { $crate::__read_packed! { @varint uint32 $($at)* } };
    (Uint64 $($at:tt)*) => { $crate::__read_packed! { @varint uint64 $($at)* } };
    (Sint32 $($at:tt)*) => { $crate::__read_packed! { @varint sint32 $($at)* } };
    (Sint64 $($at:tt)*) => { $crate::__read_packed! { @varint sint64 $($at)* } };
    (Bool $($at:tt)*) => { $crate::__read_packed! { @varint boolean $($at)* } };
    // Int32, Enum
    ($ty:ident $($at:tt)*) => { $crate::__read_packed! { @varint int32 $($at)* } };
}

/// Writes a value. The arguments are the encoder, the value, the type, which must not be a length-delimited one, and the
/// tag, or 0 for a value without a tag.
#[doc(hidden)]
#[macro_export]
macro_rules! __write_scalar {
    ($e:ident $v:ident Int64 $tag:literal) => {
        $e.varint::<$tag>($v as u64)
    };
    ($e:ident $v:ident Uint32 $tag:literal) => {
        $e.varint::<$tag>($v as u64)
    };
    ($e:ident $v:ident Uint64 $tag:literal) => {
        $e.varint::<$tag>($v)
    };
    ($e:ident $v:ident Sint32 $tag:literal) => {
        $e.varint::<$tag>($crate::wire::zigzag32($v) as u64)
    };
    ($e:ident $v:ident Sint64 $tag:literal) => {
        $e.varint::<$tag>($crate::wire::zigzag64($v))
    };
    ($e:ident $v:ident Bool $tag:literal) => {
        $e.varint::<$tag>($v as u64)
    };
    ($e:ident $v:ident Fixed32 $tag:literal) => {
        $e.fixed32::<$tag>($v)
    };
    ($e:ident $v:ident Sfixed32 $tag:literal) => {
        $e.fixed32::<$tag>($v as u32)
    };
    ($e:ident $v:ident Float $tag:literal) => {
        $e.fixed32::<$tag>($v.to_bits())
    };
    ($e:ident $v:ident Fixed64 $tag:literal) => {
        $e.fixed64::<$tag>($v)
    };
    ($e:ident $v:ident Sfixed64 $tag:literal) => {
        $e.fixed64::<$tag>($v as u64)
    };
    ($e:ident $v:ident Double $tag:literal) => {
        $e.fixed64::<$tag>($v.to_bits())
    };
    // Int32, Enum, Closed
    ($e:ident $v:ident $ty:ident $tag:literal) => {
        $e.varint::<$tag>($v as i64 as u64)
    };
}

/// Writes a value with its tag: the encoder, the input, the value, the tag and the type.
#[doc(hidden)]
#[macro_export]
macro_rules! __write_value {
    ($e:ident $input:ident $v:ident $tag:literal Utf8) => { $e.span::<$tag>($v, $input) };
    ($e:ident $input:ident $v:ident $tag:literal Text) => { $e.span::<$tag>($v, $input) };
    ($e:ident $input:ident $v:ident $tag:literal Bytes) => { $e.span::<$tag>($v, $input) };
    ($e:ident $input:ident $v:ident $tag:literal $ty:ident) => { $crate::__write_scalar!($e $v $ty $tag) };
}

/// Reports whether a field with implicit presence is written: it is, unless it has its default, all bits zero (OUT-7).
#[doc(hidden)]
#[macro_export]
macro_rules! __is_set {
    ($v:ident Utf8) => {
        !$v.is_empty()
    };
    ($v:ident Text) => {
        !$v.is_empty()
    };
    ($v:ident Bytes) => {
        !$v.is_empty()
    };
    ($v:ident Double) => {
        $v.to_bits() != 0
    };
    ($v:ident Float) => {
        $v.to_bits() != 0
    };
    ($v:ident Bool) => {
        $v
    };
    ($v:ident $ty:ident) => {
        $v != 0
    };
}

/// Converts a value to the 64 bits that a oneof stores.
#[doc(hidden)]
#[macro_export]
macro_rules! __to_bits {
    ($v:ident Utf8) => {
        $v.to_bits()
    };
    ($v:ident Text) => {
        $v.to_bits()
    };
    ($v:ident Bytes) => {
        $v.to_bits()
    };
    ($v:ident Double) => {
        $v.to_bits()
    };
    ($v:ident Float) => {
        $v.to_bits() as u64
    };
    ($v:ident Uint64) => {
        $v
    };
    ($v:ident Fixed64) => {
        $v
    };
    ($v:ident Bool) => {
        $v as u64
    };
    ($v:ident Uint32) => {
        $v as u64
    };
    ($v:ident Fixed32) => {
        $v as u64
    };
    ($v:ident Int64) => {
        $v as u64
    };
    ($v:ident Sint64) => {
        $v as u64
    };
    ($v:ident Sfixed64) => {
        $v as u64
    };
    // Int32, Sint32, Sfixed32, Enum, Closed
    ($v:ident $ty:ident) => {
        $v as u32 as u64
    };
}

/// Converts the 64 bits of a oneof to a value.
#[doc(hidden)]
#[macro_export]
macro_rules! __from_bits {
    ($bits:expr, Utf8) => {
        $crate::wire::__rt::Span::from_bits($bits)
    };
    ($bits:expr, Text) => {
        $crate::wire::__rt::Span::from_bits($bits)
    };
    ($bits:expr, Bytes) => {
        $crate::wire::__rt::Span::from_bits($bits)
    };
    ($bits:expr, Double) => {
        f64::from_bits($bits)
    };
    ($bits:expr, Float) => {
        f32::from_bits($bits as u32)
    };
    ($bits:expr, Bool) => {
        ($bits != 0)
    };
    ($bits:expr, Uint64) => {
        $bits
    };
    ($bits:expr, Fixed64) => {
        $bits
    };
    ($bits:expr, Uint32) => {
        $bits as u32
    };
    ($bits:expr, Fixed32) => {
        $bits as u32
    };
    ($bits:expr, Int64) => {
        $bits as i64
    };
    ($bits:expr, Sint64) => {
        $bits as i64
    };
    ($bits:expr, Sfixed64) => {
        $bits as i64
    };
    // Int32, Sint32, Sfixed32, Enum, Closed
    ($bits:expr, $ty:ident) => {
        $bits as i32
    };
}
