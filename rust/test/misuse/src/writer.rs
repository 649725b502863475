//! Misuse of writers and their outputs (WTR-2, WTR-8).

/// The parent, while its child is alive.
///
/// ```compile_fail,E0499
/// # use hotpb::{wkt::ListValueWriter, writer::VecBuffer};
/// # let mut out = VecBuffer::new();
/// # let mut list = ListValueWriter::new(&mut out);
/// let mut child = list.open_values();
/// list.values(|v| { v.bool_value(true); }); // the parent, while its child is alive
/// child.bool_value(false);
/// ```
pub mod parent_while_child {}

/// The parent, inside the closure of its child.
///
/// ```compile_fail,E0499
/// # use hotpb::{wkt::ListValueWriter, writer::VecBuffer};
/// # let mut out = VecBuffer::new();
/// # let mut list = ListValueWriter::new(&mut out);
/// list.values(|v| { list.values(|_| {}); }); // the parent, inside the closure of its child
/// ```
pub mod parent_in_closure {}

/// A message that has finished.
///
/// ```compile_fail,E0382
/// # use hotpb::{wkt::ListValueWriter, writer::VecBuffer};
/// # let mut out = VecBuffer::new();
/// # let mut list = ListValueWriter::new(&mut out);
/// list.finish()?;
/// list.values(|_| {}); // a message that has finished
/// # Ok::<(), hotpb::Error>(())
/// ```
pub mod finished {}

/// The end of a message whose child is open.
///
/// ```compile_fail,E0505
/// # use hotpb::{wkt::ListValueWriter, writer::VecBuffer};
/// # let mut out = VecBuffer::new();
/// # let mut list = ListValueWriter::new(&mut out);
/// let mut child = list.open_values();
/// list.finish()?; // a message whose child is open
/// child.bool_value(false);
/// # Ok::<(), hotpb::Error>(())
/// ```
pub mod open_child {}

/// Two messages in one output.
///
/// ```compile_fail,E0499
/// # use hotpb::{wkt::ListValueWriter, writer::VecBuffer};
/// # let mut out = VecBuffer::new();
/// let mut first = ListValueWriter::new(&mut out);
/// let mut second = ListValueWriter::new(&mut out); // two messages in one output
/// first.values(|_| {});
/// ```
pub mod second_root {}

/// A child that outlives its parent.
///
/// ```compile_fail,E0515
/// # use hotpb::{wkt::{ListValueWriter, ValueWriter}, writer::{Child, VecBuffer}};
/// fn child<'a>(out: &'a mut VecBuffer) -> Child<'a, ValueWriter<'a>> {
///     let mut list = ListValueWriter::new(out);
///     list.open_values() // a child that outlives its parent
/// }
/// ```
pub mod child_outlives {}

/// A value of another type.
///
/// ```compile_fail,E0308
/// # use hotpb::{wkt::ListValueWriter, writer::VecBuffer};
/// # let mut out = VecBuffer::new();
/// ListValueWriter::new(&mut out).values(|v| { v.string_value(5); }); // a value of another type
/// ```
pub mod wrong_type {}

/// The output, while a message is written to it.
///
/// ```compile_fail,E0502
/// # use hotpb::{wkt::ListValueWriter, writer::VecBuffer};
/// # let mut out = VecBuffer::new();
/// let mut list = ListValueWriter::new(&mut out);
/// out.bytes(); // the output, while a message is written to it
/// list.values(|_| {});
/// ```
pub mod open_output {}

/// A `FixedBuffer`, while a message is written to it.
///
/// ```compile_fail,E0502
/// # use hotpb::{wkt::TimestampWriter, writer::FixedBuffer};
/// let mut memory = [0; 64];
/// let mut out = FixedBuffer::new(&mut memory);
/// let mut message = TimestampWriter::new(&mut out);
/// out.bytes(); // message is still open
/// message.seconds(1);
/// ```
pub mod open_fixed_buffer {}
