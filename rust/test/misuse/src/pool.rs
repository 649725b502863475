//! Misuse of pools, handles, visitors and encoders (POL-6).

/// A handle, and the next decode, which uses the tables again.
///
/// ```compile_fail,E0499
/// # use hotpb::wkt::google::protobuf::TimestampPool;
/// let mut pool = TimestampPool::new();
/// let first = pool.decode(&[8, 1])?;
/// let second = pool.decode(&[8, 2])?; // the tables are used again
/// first.seconds();
/// # Ok::<(), hotpb::Error>(())
/// ```
pub mod second_decode {}

/// A handle whose input ended before it.
///
/// ```compile_fail,E0597
/// # use hotpb::wkt::google::protobuf::FieldMaskPool;
/// let mut pool = FieldMaskPool::new();
/// let mask = {
///     let input = vec![0x0a, 1, b'a'];
///     pool.decode(&input)? // strings are borrowed from the input
/// };
/// mask.paths();
/// # Ok::<(), hotpb::Error>(())
/// ```
pub mod input_gone {}

/// A handle, and a change of the bytes that were checked.
///
/// ```compile_fail,E0502
/// # use hotpb::wkt::google::protobuf::FieldMaskPool;
/// # let mut pool = FieldMaskPool::new();
/// let mut input = vec![0x0a, 1, b'a'];
/// let mask = pool.decode(&input)?;
/// input[2] = 0xff; // the bytes would no longer be the ones that were checked
/// mask.paths();
/// # Ok::<(), hotpb::Error>(())
/// ```
pub mod input_changed {}

/// A string of a copy, and the next copy.
///
/// ```compile_fail,E0499
/// # use hotpb::wkt::google::protobuf::AnyPool;
/// # let mut pool = AnyPool::new();
/// let url = pool.decode_copy(&[0x0a, 1, b'a'])?.type_url();
/// pool.decode_copy(&[])?; // the copy is used again
/// assert_eq!(url, "a");
/// # Ok::<(), hotpb::Error>(())
/// ```
pub mod second_copy {}

/// A handle, and `shrink_to`, which frees memory that the message uses.
///
/// ```compile_fail,E0499
/// # use hotpb::wkt::google::protobuf::TimestampPool;
/// # let mut pool = TimestampPool::new();
/// let message = pool.decode(&[8, 1])?;
/// pool.shrink_to(1000); // frees memory that the message uses
/// message.seconds();
/// # Ok::<(), hotpb::Error>(())
/// ```
pub mod shrunk {}

/// A message of a stream, and the next one, which uses the tables again.
///
/// ```compile_fail,E0499
/// # use hotpb::wkt::google::protobuf::TimestampPool;
/// # let mut pool = TimestampPool::new();
/// let mut stream = pool.decode_delimited(&[2, 8, 1, 2, 8, 7]);
/// let first = stream.next_message()?.unwrap();
/// let second = stream.next_message()?.unwrap(); // reuses the pool's tables
/// first.seconds();
/// # Ok::<(), hotpb::Error>(())
/// ```
pub mod next_of_stream {}

/// A handle, and `into_parts`, which takes the message apart.
///
/// ```compile_fail,E0505
/// # use hotpb::wkt::google::protobuf::TimestampPool;
/// # let owned = TimestampPool::new().decode_owned(vec![8, 1]).map_err(|failed| failed.error)?;
/// let message = owned.get();
/// let (pool, bytes) = owned.into_parts(); // takes the message apart
/// message.seconds();
/// # Ok::<(), hotpb::Error>(())
/// ```
pub mod parts_of_owned {}

/// An owner whose bytes change with each call.
///
/// ```compile_fail,E0277
/// # use hotpb::wkt::google::protobuf::TimestampPool;
/// /// Bytes that change with each call.
/// struct Changing(std::cell::Cell<&'static [u8]>);
/// impl AsRef<[u8]> for Changing {
///     fn as_ref(&self) -> &[u8] {
///         self.0.replace(b"")
///     }
/// }
/// TimestampPool::new().decode_owned(Changing(std::cell::Cell::new(b"a")));
/// ```
pub mod changing_owner {}

/// The values of a visitor, which borrow the input, and the end of the input.
///
/// ```compile_fail,E0505
/// # use hotpb::pool::Flow;
/// # use hotpb::wkt::google::protobuf::{FieldMaskPool, FieldMaskVisitor};
/// struct Paths<'a>(Vec<&'a str>);
/// impl<'a> FieldMaskVisitor<'a> for Paths<'a> {
///     type Error = std::convert::Infallible;
///     fn paths(&mut self, path: &'a str) -> Flow<Self::Error> {
///         self.0.push(path);
///         Ok(())
///     }
/// }
/// let (input, mut paths) = (vec![0x0a, 1, b'a'], Paths(Vec::new()));
/// FieldMaskPool::visit(&input, &mut paths).unwrap();
/// drop(input); // a visitor's values borrow from the input
/// assert_eq!(paths.0, ["a"]);
/// ```
pub mod visited_input {}

/// A record, and the next one, which ends it.
///
/// ```compile_fail,E0499
/// # use hotpb::pool::{Flow, Ignore, Records};
/// # use hotpb::wkt::google::protobuf::Value;
/// fn values(records: &mut Records<'_, '_, Value<'static>>) {
///     let first = records.next_record().unwrap();
///     let second = records.next_record().unwrap(); // ends the first record
///     let _ = first.visit(&mut Ignore);
/// }
/// ```
pub mod next_record {}

/// Encoded bytes, and the next encode into the same buffer.
///
/// ```compile_fail,E0499
/// # use hotpb::pool::{Encode, EncodeBuffer};
/// # use hotpb::wkt::google::protobuf::TimestampBuilder;
/// # let message = TimestampBuilder::default();
/// let mut buffer = EncodeBuffer::new();
/// let bytes = message.encode_into(&mut buffer)?;
/// message.encode_into(&mut buffer)?; // the buffer is used again
/// assert!(bytes.is_empty());
/// # Ok::<(), hotpb::Error>(())
/// ```
pub mod second_encode {}

/// A decode without checks, outside of `unsafe`.
///
/// ```compile_fail,E0133
/// # use hotpb::wkt::google::protobuf::AnyPool;
/// # let mut pool = AnyPool::new();
/// let any = pool.decode_unchecked(b"\x0a\x01\xff", &Default::default()); // nobody has checked that it is UTF-8
/// ```
pub mod unchecked {}

/// A handle of a row that nobody has decoded from this input.
///
/// ```compile_fail,E0133
/// # use hotpb::pool::Handle;
/// fn forged<'a, H: Handle<'a>>(tables: &'a H::Tables, row: &'a H::Row) -> H {
///     H::new(tables, b"\xff", row) // nobody has checked that this row was decoded, and from this input
/// }
/// ```
pub mod forged_handle {}

/// A decoder of the program, which could fill tables with anything.
///
/// ```compile_fail,E0200
/// # use hotpb::pool::{Flow, Ignore, VisitWith};
/// # use hotpb::{pool::__rt::Decoder, wire::__rt::Cursor};
/// struct Mine;
/// impl<'a> VisitWith<'a, Ignore> for Mine { // a type with a decoder could fill tables with anything
///     type Error = ();
///     fn visit(_: &mut Ignore, _: &mut Decoder<'a>, _: Cursor<'a>) -> Flow<()> {
///         Ok(())
///     }
/// }
/// ```
pub mod own_decoder {}
