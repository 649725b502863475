//! Absent required fields, by table.

use super::super::{Missing, Stack};
use super::Fields;
use super::encode::{held, is_there};
use super::place::RowRef;

/// Finds the first required field that is absent: fields of the message first, then its children, both in ascending
/// order of numbers.
///
/// # Safety
/// As for [`super::encode::encode`].
pub(super) unsafe fn missing(
    fields: &'static Fields,
    tables: *const u8,
    row: *const u8,
    stack: &Stack,
) -> Result<(), Missing> {
    if fields.recursive && stack.is_used_up() {
        return Err(Missing::too_deep());
    }
    let row = RowRef(row);
    for (i, entry) in fields.entries[..fields.required].iter().enumerate() {
        // SAFETY: the entry is one of the row's.
        if entry.is_required() && !unsafe { is_there(entry, row) } {
            return Err(Missing::field(fields.schema.fields[i].name));
        }
    }
    for (i, entry) in fields.entries[..fields.missing].iter().enumerate() {
        if !entry.has_child() {
            continue;
        }
        let child = &fields.children[entry.refers_to as usize];
        let Some(absent) = child.absent else { continue };
        // SAFETY: the entry is one of the row's, with a child, whose tables are at its home (`Layout::new`).
        unsafe {
            if is_there(entry, row) {
                absent(tables.add(child.home), held(entry, row), stack, fields.schema.fields[i].name)?;
            }
        }
    }
    Ok(())
}
