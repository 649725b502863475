//! Record batches to messages.

use crate::backward::Backward;
use crate::error::Error;
use crate::source::{Data, Field, Source};
use crate::table::Shape;
use crate::types::Table;
use arrow_array::RecordBatch;
use hotpb::wire::{END_GROUP, FIXED32, FIXED64, LEN, START_GROUP, VARINT, zigzag32, zigzag64};
use hotpb_codegen::plan::Type;

/// The rows of a batch as messages.
///
/// The bytes are canonical: fields in ascending order of numbers, minimal varints, packed where the schema packs.
pub struct Messages {
    fields: Vec<Field>,
    rows: usize,
    row: usize,
    out: Backward,
}

impl Table {
    /// Prepares the rows of a batch as messages of [`row_message`](Table::row_message). The columns are found by name:
    /// a column that the batch does not have is absent in each message. A column that the table does not have, or of another type,
    /// is `TypeMismatch`, and so is a null where a message must have a value.
    pub fn messages(&self, batch: &RecordBatch) -> Result<Messages, Error> {
        let mut source = Source { table: &self.inner };
        let columns = batch.schema_ref().fields().iter().zip(batch.columns());
        let columns = columns.map(|(field, array)| (field.name().as_str(), array));
        let fields = source.fields(&self.inner.out, columns, None, "")?;
        Ok(Messages { fields, rows: batch.num_rows(), row: 0, out: Backward::default() })
    }
}

impl Messages {
    /// Returns the next message, or `None` after the last one. A message above 2 GiB, or a value that the message cannot
    /// have, is an error; the rows after it can still be read.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Result<&[u8], Error>> {
        if self.row == self.rows {
            return None;
        }
        self.out.clear();
        let row = self.row;
        self.row += 1;
        Some(match fields(&self.fields, row, &mut self.out).and_then(|()| in_limits(self.out.len())) {
            Ok(()) => Ok(self.out.bytes()),
            Err(e) => Err(Error { element: format!("row {row}, {}", e.element), ..e }),
        })
    }

    /// Appends all messages that are left, each with its length before it.
    pub fn append_delimited(mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        while let Some(message) = self.next() {
            hotpb::wire::append_delimited(out, message?);
        }
        Ok(())
    }
}

fn in_limits(len: usize) -> Result<(), Error> {
    if len > hotpb::wire::MAX_SIZE {
        return Err(Error {
            code: hotpb::Code::SizeExceeded,
            element: String::new(),
            problem: "a message above 2 GiB".into(),
        });
    }
    Ok(())
}

/// Writes the fields of a message, the last one first.
fn fields(fields: &[Field], row: usize, out: &mut Backward) -> Result<(), Error> {
    fields.iter().rev().try_for_each(|field| one_field(field, row, out))
}

/// Writes a field of a row: nothing, a record, or several.
fn one_field(field: &Field, row: usize, out: &mut Backward) -> Result<(), Error> {
    if field.only.as_ref().is_some_and(|(types, id)| types[row] != *id) {
        return Ok(());
    }
    match &field.data {
        Data::List(offsets, element) => {
            let range = offsets[row] as usize..offsets[row + 1] as usize;
            if field.packed && !range.is_empty() {
                let end = out.len();
                range.rev().try_for_each(|i| value(element, i, out))?;
                out.varint((out.len() - end) as u64);
                out.tag(field.number, LEN);
                return Ok(());
            }
            range.rev().try_for_each(|i| record(element, i, out))
        }
        _ if field.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) => Ok(()),
        _ if field.implicit && is_zero(field, row) => Ok(()),
        _ => record(field, row, out),
    }
}

/// Writes a record: tag and value.
fn record(field: &Field, row: usize, out: &mut Backward) -> Result<(), Error> {
    if field.delimited {
        out.tag(field.number, END_GROUP);
        value(field, row, out)?;
        out.tag(field.number, START_GROUP);
        return Ok(());
    }
    if field.shape == Shape::Wrapper {
        let end = out.len();
        if !is_zero(field, row) {
            value(field, row, out)?;
            out.tag(1, wire_type(field.inner));
        }
        out.varint((out.len() - end) as u64);
        out.tag(field.number, LEN);
        return Ok(());
    }
    let end = out.len();
    value(field, row, out)?;
    if field.ty == Type::Message {
        out.varint((out.len() - end) as u64);
    }
    out.tag(field.number, wire_type(field.ty));
    Ok(())
}

/// Writes a value: of a message its content, without the length.
fn value(field: &Field, row: usize, out: &mut Backward) -> Result<(), Error> {
    let ty = if field.shape == Shape::Wrapper { field.inner } else { field.ty };
    match &field.data {
        Data::W4(values) => four(ty, values[row], out),
        Data::W8(values) => eight(ty, values[row], out),
        Data::Bool(values) => out.varint(values.value(row) as u64),
        Data::Bytes(values) => length_and(ty, values.value(row), out),
        Data::Text(values) => length_and(ty, values.value(row).as_bytes(), out),
        Data::Keys(keys, values) => length_and(ty, values.value(keys[row] as usize).as_bytes(), out),
        Data::Numbers(keys, numbers) => {
            let key = keys[row] as usize;
            let number = numbers[key].as_ref().map_err(|text| {
                let problem = format!("the enum has no value {text:?}, and it is not a number that the enum may have");
                Error::mismatch(&field.path, problem)
            })?;
            out.varint(*number as i64 as u64);
        }
        Data::Time(values, per_second) => {
            let (seconds, part) = (values[row].div_euclid(*per_second), values[row].rem_euclid(*per_second));
            let mut nanos = part * (1_000_000_000 / per_second);
            let mut seconds = seconds;
            // The parts of a duration have the same sign; a timestamp counts nanoseconds forward.
            if field.signed && seconds < 0 && nanos > 0 {
                (seconds, nanos) = (seconds + 1, nanos - 1_000_000_000);
            }
            for (number, part) in [(2, nanos), (1, seconds)] {
                if part != 0 {
                    out.varint(part as u64);
                    out.tag(number, VARINT);
                }
            }
        }
        Data::Struct(children) => fields(children, row, out)?,
        Data::List(..) => unreachable!("a list is no element"),
    }
    Ok(())
}

fn length_and(ty: Type, bytes: &[u8], out: &mut Backward) {
    out.bytes_before(bytes);
    if ty != Type::Message {
        out.varint(bytes.len() as u64);
    }
}

fn four(ty: Type, value: u32, out: &mut Backward) {
    match ty {
        Type::Int32 | Type::Enum => out.varint(value as i32 as i64 as u64),
        Type::Sint32 => out.varint(zigzag32(value as i32) as u64),
        Type::Uint32 => out.varint(value as u64),
        _ => out.bytes_before(&value.to_le_bytes()),
    }
}

fn eight(ty: Type, value: u64, out: &mut Backward) {
    match ty {
        Type::Int64 | Type::Uint64 => out.varint(value),
        Type::Sint64 => out.varint(zigzag64(value as i64)),
        _ => out.bytes_before(&value.to_le_bytes()),
    }
}

/// Returns the wire type of one element that is not a group.
fn wire_type(ty: Type) -> u32 {
    match ty {
        Type::Double | Type::Fixed64 | Type::Sfixed64 => FIXED64,
        Type::Float | Type::Fixed32 | Type::Sfixed32 => FIXED32,
        Type::String | Type::Bytes | Type::Message => LEN,
        _ => VARINT,
    }
}

/// Reports whether a value is the default of its type: of floats, all bits zero.
fn is_zero(field: &Field, row: usize) -> bool {
    match &field.data {
        Data::W4(values) => values[row] == 0,
        Data::W8(values) => values[row] == 0,
        Data::Bool(values) => !values.value(row),
        Data::Bytes(values) => values.value(row).is_empty(),
        Data::Text(values) => values.value(row).is_empty(),
        Data::Keys(keys, values) => values.value(keys[row] as usize).is_empty(),
        Data::Numbers(keys, numbers) => matches!(numbers[keys[row] as usize], Ok(0)),
        _ => false,
    }
}
