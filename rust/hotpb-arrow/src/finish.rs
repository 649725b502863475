//! From stores to arrays: vectors become buffers without a copy.

use crate::store::Stores;
use crate::table::{Column, Inner, Kind, NONE};
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Int32Array, ListArray, MapArray, NullArray,
    PrimitiveArray, RecordBatch, RecordBatchOptions, StringArray, StructArray, UnionArray,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{DataType, Fields, TimeUnit};
use std::collections::HashSet;
use std::sync::Arc;

/// Makes a batch of the rows in the stores, which are empty then.
pub(crate) fn batch(table: &Inner, stores: &mut Stores, rows: usize) -> RecordBatch {
    let mut finish = Finish { table, stores };
    let (fields, arrays, rows) = match finish.row_list() {
        None => (table.schema.fields(), finish.all(&table.out, rows), rows),
        Some(len) => {
            let columns = finish.all(&table.out, len);
            // The lists above the rows are not part of the batch.
            table.root.iter().for_each(|&column| finish.discard(column));
            (table.schema.fields(), columns, len)
        }
    };
    debug_assert_eq!(fields.len(), arrays.len());
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(table.schema.clone(), arrays, &options)
        .expect("the arrays have the types of the schema")
}

struct Finish<'t> {
    table: &'t Inner,
    stores: &'t mut Stores,
}

impl<'t> Finish<'t> {
    /// Returns the number of rows when they are the elements of a list.
    fn row_list(&self) -> Option<usize> {
        self.stores.lists.get(self.table.rows as usize).map(|list| list.rows)
    }

    fn all(&mut self, columns: &[u32], rows: usize) -> Vec<ArrayRef> {
        columns.iter().map(|&column| self.column(column, rows)).collect()
    }

    /// Empties the stores of the columns above the rows.
    fn discard(&mut self, column: u32) {
        match &self.table.columns[column as usize].kind {
            Kind::Struct(children, present) => {
                if let Some(present) = self.stores.present.get_mut(*present as usize) {
                    present.cut(0);
                }
                if *children != self.table.out {
                    children.iter().for_each(|&child| self.discard(child));
                }
            }
            Kind::List(list, child) => {
                let list_store = &mut self.stores.lists[*list as usize];
                (list_store.rows, list_store.starts) = (0, Vec::new());
                if *list != self.table.rows {
                    self.discard(*child);
                }
            }
            _ => {}
        }
    }

    fn column(&mut self, column: u32, rows: usize) -> ArrayRef {
        let table = self.table;
        let column = &table.columns[column as usize];
        match &column.kind {
            Kind::W4(at) => {
                let (values, valid) = self.stores.w4[*at as usize].take(rows);
                let (buffer, nulls) = (Buffer::from_vec(values), nulls(valid, rows));
                match column.field.data_type() {
                    DataType::Int32 => primitive::<Int32Type>(buffer, rows, nulls),
                    DataType::UInt32 => primitive::<UInt32Type>(buffer, rows, nulls),
                    _ => primitive::<Float32Type>(buffer, rows, nulls),
                }
            }
            Kind::W8(at) => {
                let (values, valid) = self.stores.w8[*at as usize].take(rows);
                let (buffer, nulls) = (Buffer::from_vec(values), nulls(valid, rows));
                match column.field.data_type() {
                    DataType::Int64 => primitive::<Int64Type>(buffer, rows, nulls),
                    DataType::UInt64 => primitive::<UInt64Type>(buffer, rows, nulls),
                    _ => primitive::<Float64Type>(buffer, rows, nulls),
                }
            }
            Kind::Bool(at) => {
                let (values, valid) = self.stores.bools[*at as usize].take(rows);
                let values = BooleanBuffer::new(Buffer::from_vec(values), 0, rows);
                Arc::new(BooleanArray::new(values, nulls(valid, rows)))
            }
            Kind::Blob(at) => {
                let (ends, bytes, valid) = self.stores.blobs[*at as usize].take(rows);
                let (offsets, bytes, nulls) = (offsets(ends), Buffer::from_vec(bytes), nulls(valid, rows));
                match column.field.data_type() {
                    DataType::Utf8 => Arc::new(text(offsets, bytes, nulls)),
                    _ => Arc::new(BinaryArray::new(offsets, bytes, nulls)),
                }
            }
            Kind::Time(at) => {
                let (values, valid) = self.stores.times[*at as usize].fixed.take(rows);
                time(column.field.data_type(), Buffer::from_vec(values), rows, nulls(valid, rows))
            }
            Kind::EnumName(at, dictionary, _) | Kind::TextKey(at, dictionary) => {
                let (keys, valid) = self.stores.w4[*at as usize].take(rows);
                let (ends, bytes) = self.stores.dictionaries[*dictionary as usize].take();
                let keys = Int32Array::new(ScalarBuffer::new(Buffer::from_vec(keys), 0, rows), nulls(valid, rows));
                let values = text(offsets(ends), Buffer::from_vec(bytes), None);
                // SAFETY: the decoder stores only keys that the dictionary returned, or 0; all dictionaries start with a
                // value, and forget only the values of messages whose keys were dropped.
                Arc::new(unsafe { DictionaryArray::new_unchecked(keys, Arc::new(values)) })
            }
            Kind::Struct(children, present) => {
                let present = self.stores.present.get_mut(*present as usize).map(|present| present.take(rows));
                let nulls = if column.field.is_nullable() { nulls(present, rows) } else { None };
                Arc::new(self.structure(children, rows, nulls, column))
            }
            Kind::List(list, child) => {
                let elements = self.elements(*list, *child);
                let starts = self.stores.lists[*list as usize].take(rows, elements);
                let child_field = table.columns[*child as usize].field.clone();
                Arc::new(ListArray::new(child_field, offsets(starts), self.column(*child, elements), None))
            }
            Kind::Map(list, child) => self.map(*list, *child, rows),
            Kind::Union(members) => self.union(column, members, rows),
        }
    }

    fn structure(&mut self, children: &[u32], rows: usize, nulls: Option<NullBuffer>, column: &Column) -> StructArray {
        let DataType::Struct(fields) = column.field.data_type() else {
            return StructArray::new_empty_fields(rows, nulls);
        };
        self.children(fields.clone(), children, rows, nulls)
    }

    fn children(&mut self, fields: Fields, children: &[u32], rows: usize, nulls: Option<NullBuffer>) -> StructArray {
        if children.is_empty() {
            return StructArray::new_empty_fields(rows, nulls);
        }
        let arrays = self.all(children, rows);
        StructArray::new(fields, arrays, nulls)
    }

    /// Returns the number of elements of a list.
    fn elements(&self, list: u32, child: u32) -> usize {
        elements(&self.table.columns, self.stores, list, child)
    }

    /// Makes a map; of several entries with one key in a row, the last one stays (MAP-5).
    fn map(&mut self, list: u32, child: u32, rows: usize) -> ArrayRef {
        let table = self.table;
        let entries = &table.columns[child as usize];
        let Kind::Struct(pair, _) = &entries.kind else { unreachable!("entries are structs") };
        let elements = self.elements(list, child);
        let mut starts = self.stores.lists[list as usize].take(rows, elements);
        let kept = surviving(table, self.stores, pair[0], &mut starts);
        let mut array = self.structure(pair, elements, None, entries);
        if let Some(kept) = kept {
            let data = array.to_data();
            let mut copy = MutableArrayData::new(vec![&data], false, kept.len());
            kept.iter().for_each(|&entry| copy.extend(0, entry as usize, entry as usize + 1));
            array = StructArray::from(copy.freeze());
        }
        Arc::new(MapArray::new(entries.field.clone(), offsets(starts), array, None, false))
    }

    fn union(&mut self, column: &Column, members: &[u32], rows: usize) -> ArrayRef {
        let arrays = self.all(members, rows);
        let mut types = vec![0i8; rows];
        for (array, id) in arrays.iter().zip(1i8..) {
            for (row, ty) in types.iter_mut().enumerate() {
                if array.is_valid(row) {
                    *ty = id;
                }
            }
        }
        let DataType::Union(fields, _) = column.field.data_type() else { unreachable!("a union column is a union") };
        let arrays = std::iter::once(Arc::new(NullArray::new(rows)) as ArrayRef).chain(arrays).collect();
        Arc::new(
            UnionArray::try_new(fields.clone(), types.into(), None, arrays).expect("members have the union's types"),
        )
    }
}

/// Returns the number of elements of a list.
pub(crate) fn elements(columns: &[Column], stores: &Stores, list: u32, child: u32) -> usize {
    match &columns[child as usize].kind {
        Kind::W4(at) | Kind::EnumName(at, _, _) | Kind::TextKey(at, _) => stores.w4[*at as usize].values.len(),
        Kind::W8(at) => stores.w8[*at as usize].values.len(),
        Kind::Bool(at) => stores.bools[*at as usize].len,
        Kind::Blob(at) => stores.blobs[*at as usize].len(),
        Kind::Time(at) => stores.times[*at as usize].fixed.values.len(),
        _ => stores.lists[list as usize].rows,
    }
}

/// Finds the entries of maps that no later entry of the same row replaces. Returns their indices and changes the starts
/// of the rows, or returns `None` if all stay.
fn surviving(table: &Inner, stores: &Stores, key: u32, starts: &mut [i32]) -> Option<Vec<u32>> {
    let mut kept: Option<Vec<u32>> = None;
    let mut start = starts.first().copied().unwrap_or(0) as usize;
    for next in starts.iter_mut().skip(1) {
        let end = *next as usize;
        let last = last_of_each_key(table, stores, key, start..end);
        if let (None, Some(_)) = (&kept, &last) {
            kept = Some((0..start as u32).collect());
        }
        if let Some(kept) = &mut kept {
            kept.extend(last.unwrap_or_else(|| (start as u32..end as u32).collect()));
            *next = kept.len() as i32;
        }
        start = end;
    }
    kept
}

/// Returns the entries that no later one replaces, or `None` if all keys differ.
pub(crate) fn last_of_each_key(
    table: &Inner,
    stores: &Stores,
    key: u32,
    entries: std::ops::Range<usize>,
) -> Option<Vec<u32>> {
    if entries.len() < 2 {
        return None;
    }
    let key = |row: usize| key_at(table, stores, key, row);
    if entries.len() <= 8 && !entries.clone().any(|row| (row + 1..entries.end).any(|later| key(row) == key(later))) {
        return None;
    }
    let mut seen = HashSet::new();
    let mut kept: Vec<u32> = entries.clone().rev().filter(|&row| seen.insert(key(row))).map(|row| row as u32).collect();
    kept.reverse();
    if kept.len() == entries.len() { None } else { Some(kept) }
}

/// A key of a map.
#[derive(PartialEq, Eq, Hash)]
enum Key<'s> {
    Number(u64),
    Text(&'s [u8]),
}

fn key_at<'s>(table: &Inner, stores: &'s Stores, column: u32, row: usize) -> Key<'s> {
    match table.columns[column as usize].kind {
        Kind::W4(at) | Kind::TextKey(at, _) => {
            Key::Number(stores.w4[at as usize].values.get(row).copied().unwrap_or_default() as u64)
        }
        Kind::W8(at) => Key::Number(stores.w8[at as usize].values.get(row).copied().unwrap_or_default()),
        Kind::Bool(at) => Key::Number(stores.bools[at as usize].values.get(row) as u64),
        Kind::Blob(at) => Key::Text(stores.blobs[at as usize].get(row)),
        _ => Key::Number(NONE as u64),
    }
}

fn nulls(valid: Option<Vec<u8>>, rows: usize) -> Option<NullBuffer> {
    let nulls = NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(valid?), 0, rows));
    Some(nulls).filter(|nulls| nulls.null_count() > 0)
}

fn offsets(ends: Vec<i32>) -> OffsetBuffer<i32> {
    // SAFETY: stores append ends in ascending order, the first one is 0 or a start, and cut them together with the bytes
    // or elements.
    unsafe { OffsetBuffer::new_unchecked(ends.into()) }
}

fn text(offsets: OffsetBuffer<i32>, bytes: Buffer, nulls: Option<NullBuffer>) -> StringArray {
    // SAFETY: the decoder stores only text that it has checked, whole values at a time, so each value is well-formed; the
    // offsets end with the length of the bytes.
    unsafe { StringArray::new_unchecked(offsets, bytes, nulls) }
}

fn primitive<T: ArrowPrimitiveType>(buffer: Buffer, rows: usize, nulls: Option<NullBuffer>) -> ArrayRef
where
    T::Native: ArrowNativeType,
{
    Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::new(buffer, 0, rows), nulls))
}

fn time(ty: &DataType, buffer: Buffer, rows: usize, nulls: Option<NullBuffer>) -> ArrayRef {
    fn array<T: ArrowPrimitiveType<Native = i64>>(
        ty: &DataType,
        buffer: Buffer,
        rows: usize,
        nulls: Option<NullBuffer>,
    ) -> ArrayRef {
        Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::new(buffer, 0, rows), nulls).with_data_type(ty.clone()))
    }
    match ty {
        DataType::Timestamp(TimeUnit::Second, _) => array::<TimestampSecondType>(ty, buffer, rows, nulls),
        DataType::Timestamp(TimeUnit::Millisecond, _) => array::<TimestampMillisecondType>(ty, buffer, rows, nulls),
        DataType::Timestamp(TimeUnit::Microsecond, _) => array::<TimestampMicrosecondType>(ty, buffer, rows, nulls),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => array::<TimestampNanosecondType>(ty, buffer, rows, nulls),
        DataType::Duration(TimeUnit::Second) => array::<DurationSecondType>(ty, buffer, rows, nulls),
        DataType::Duration(TimeUnit::Millisecond) => array::<DurationMillisecondType>(ty, buffer, rows, nulls),
        DataType::Duration(TimeUnit::Microsecond) => array::<DurationMicrosecondType>(ty, buffer, rows, nulls),
        _ => array::<DurationNanosecondType>(ty, buffer, rows, nulls),
    }
}
