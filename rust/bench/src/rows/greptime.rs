//! GreptimeDB's way from bytes to rows, after the article: our own code of the same ideas. One series that is used again,
//! whose strings are pointers; its labels become the strings of a row vector at once, so there is no request object. A
//! hash map of tables, and a hash map of columns in each, which begin empty for each request.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use prost::DecodeError;

use super::{METRIC, Plain, Rival};
use crate::rw1::greptime::{Raw, TimeSeries, each_series};

#[derive(Clone)]
enum Value {
    None,
    Text(String),
    Time(i64),
    Float(f64),
}

/// The first two columns are the time and the value.
#[derive(Default)]
struct Table {
    names: Vec<String>,
    columns: HashMap<String, usize, RandomState>,
    rows: Vec<Vec<Value>>,
}

#[derive(Default)]
pub struct Rows {
    tables: HashMap<String, Table, RandomState>,
    series: TimeSeries<Raw>,
}

#[cold]
#[allow(deprecated)]
fn refused(why: &'static str) -> DecodeError {
    DecodeError::new(why)
}

fn text(bytes: &Raw) -> Result<String, DecodeError> {
    String::from_utf8(bytes.0.to_vec()).map_err(|_| refused("not UTF-8"))
}

impl Table {
    fn new() -> Table {
        let mut table = Table::default();
        for name in ["timestamp", "value"] {
            table.columns.insert(name.into(), table.names.len());
            table.names.push(name.into());
        }
        table
    }

    fn add(&mut self, series: &TimeSeries<Raw>) -> Result<(), DecodeError> {
        let mut row = vec![Value::None; self.names.len()];
        for label in series.labels.iter().filter(|label| label.name.0 != METRIC.as_bytes()) {
            let (name, value) = (text(&label.name)?, Value::Text(text(&label.value)?));
            match self.columns.get(&name) {
                Some(&column) => row[column] = value,
                None => {
                    self.names.push(name.clone());
                    self.columns.insert(name, row.len());
                    row.push(value);
                }
            }
        }
        let mut samples = series.samples.iter().peekable();
        while let Some(sample) = samples.next() {
            (row[0], row[1]) = (Value::Time(sample.timestamp), Value::Float(sample.value));
            let last = samples.peek().is_none();
            self.rows.push(if last { std::mem::take(&mut row) } else { row.clone() });
        }
        Ok(())
    }
}

impl Rival for Rows {
    const NOTE: &'static str =
        "our code of the published idea: each series becomes rows at once; UTF-8 checked, unsafe";

    fn rows(&mut self, request: &[u8]) -> Result<u64, String> {
        let Rows { tables, series } = self;
        tables.clear();
        // SAFETY: this function's caller keeps the request until it returns, and nothing reads the pointers afterwards.
        let request: &'static [u8] = unsafe { std::slice::from_raw_parts(request.as_ptr(), request.len()) };
        let read = each_series(request, series, |series| {
            let metric = series.labels.iter().find(|label| label.name.0 == METRIC.as_bytes());
            let metric = text(&metric.ok_or_else(|| refused("a series without a metric"))?.value)?;
            tables.entry(metric).or_insert_with(Table::new).add(series)
        });
        *series = TimeSeries::default();
        read.map_err(|e| e.to_string())?;
        let mut count = 0;
        for table in tables.values_mut() {
            count += table.rows.len() as u64;
            let columns = table.names.len();
            table.rows.iter_mut().for_each(|row| row.resize(columns, Value::None));
        }
        Ok(count)
    }

    fn plain(&self) -> Result<Plain, String> {
        let mut plain = Plain::new();
        for (metric, table) in self.tables.iter().filter(|(_, table)| !table.rows.is_empty()) {
            let row = |row: &Vec<Value>| {
                let (&[Value::Time(time), Value::Float(value)], labels) = row.split_at(2) else {
                    return Err("a row without time and value");
                };
                let labels = table.names[2..].iter().zip(labels).filter_map(|(name, value)| match value {
                    Value::Text(text) => Some((name.clone(), text.clone())),
                    _ => None,
                });
                Ok((labels.collect(), time, value.to_bits()))
            };
            let rows: Result<_, &str> = table.rows.iter().map(row).collect();
            plain.insert(metric.clone(), rows?);
        }
        Ok(plain)
    }
}
