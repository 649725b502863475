//! What is in the files, every column as text, so that a test can compare whole rows.

use super::common::batches;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, TimestampMillisecondType, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use std::collections::BTreeMap;
use std::path::Path;

/// A row: columns that are not null. Floats are their bits.
pub type Row = BTreeMap<String, String>;

pub fn bits(value: f64) -> String {
    format!("{:016x}", value.to_bits())
}

pub fn list(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(" ")
}

/// Labels in a column of their own, sorted.
pub fn map<'a>(labels: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut labels: Vec<String> = labels.into_iter().map(|label| format!("{label:?}")).collect();
    labels.sort();
    labels.concat()
}

/// Reads all rows of a kind, sorted.
pub fn read(data: &Path, kind: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    for batch in batches(data, &format!("{kind}/")) {
        let first = rows.len();
        rows.resize(first + batch.num_rows(), Row::new());
        for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
            for (at, row) in rows[first..].iter_mut().enumerate() {
                // Where labels have no column in some rows, the others have an empty map.
                let none = || field.name() == "__labels__" && column.as_map().value(at).is_empty();
                if !column.is_null(at) && !none() {
                    row.insert(field.name().clone(), text(column, at));
                }
            }
        }
    }
    rows.sort();
    rows
}

fn text(column: &ArrayRef, at: usize) -> String {
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(at).to_owned(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(at).to_string(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(at).to_string(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(at).to_string(),
        DataType::Float64 => bits(column.as_primitive::<Float64Type>().value(at)),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            column.as_primitive::<TimestampMillisecondType>().value(at).to_string()
        }
        DataType::Dictionary(..) => {
            let words = column.as_dictionary::<Int32Type>();
            words.values().as_string::<i32>().value(words.keys().value(at) as usize).to_owned()
        }
        DataType::List(_) => {
            let items = column.as_list::<i32>().value(at);
            list((0..items.len()).map(|item| text(&items, item)))
        }
        DataType::Map(..) => {
            let entry = column.as_map().value(at);
            let (keys, values) = (entry.column(0).as_string::<i32>(), entry.column(1).as_string::<i32>());
            map(keys.iter().zip(values).map(|(key, value)| (key.unwrap(), value.unwrap())))
        }
        other => panic!("no file has a column of {other}"),
    }
}
