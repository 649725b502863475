//! Misuse of views.

/// A string of a view, and a change of the bytes that were checked.
///
/// ```compile_fail,E0502
/// # use hotpb::view::View;
/// # use hotpb::wkt::FieldMaskView;
/// let mut bytes = vec![0x0a, 1, b'a'];
/// let mask = FieldMaskView::decode(&bytes)?;
/// let path = mask.paths().next();
/// bytes[2] = 0xff; // the bytes would no longer be the ones that were checked
/// assert_eq!(path, Some("a"));
/// # Ok::<(), hotpb::Error>(())
/// ```
pub mod input_changed {}

/// A merged message, and the end of the memory that it may be in.
///
/// ```compile_fail,E0502
/// # use hotpb::view::{Scratch, View};
/// # use hotpb::wkt::{ValueView, StructView};
/// # let bytes = [0x2a, 0];
/// let mut scratch = Scratch::new();
/// let value = ValueView::decode(&bytes)?;
/// let fields = value.struct_value().unwrap().open(&scratch)?;
/// scratch.clear(); // the message may be in it
/// fields.fields();
/// # Ok::<(), hotpb::Error>(())
/// ```
pub mod scratch_cleared {}
