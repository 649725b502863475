//! prost and row vectors: decodes the whole request, then moves its strings into rows.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use prost::Message;

use super::{METRIC, Plain, Rival};
use crate::rw1::generated::prost::WriteRequest;

struct Row {
    labels: Vec<Option<String>>,
    time: i64,
    value: f64,
}

#[derive(Default)]
struct Table<S> {
    columns: HashMap<String, usize, S>,
    rows: Vec<Row>,
}

/// Tables and columns stay from request to request; rows do not.
#[derive(Default)]
pub struct Rows<S> {
    tables: HashMap<String, Table<S>, S>,
}

impl<S: BuildHasher + Default> Rival for Rows<S> {
    const NOTE: &'static str =
        "UTF-8 checked; a fresh message, a hash map of row vectors, a hash map of columns in each; strings are moved";

    fn rows(&mut self, request: &[u8]) -> Result<u64, String> {
        self.tables.values_mut().for_each(|table| table.rows.clear());
        let request = WriteRequest::decode(request).map_err(|e| e.to_string())?;
        let mut count = 0;
        for mut series in request.timeseries {
            let at = series.labels.iter().position(|l| l.name == METRIC).ok_or("a series without a metric")?;
            let metric = series.labels.remove(at).value;
            let table = match self.tables.get_mut(&metric) {
                Some(table) => table,
                None => self.tables.entry(metric).or_default(),
            };
            let mut labels = vec![None; table.columns.len()];
            for label in series.labels {
                match table.columns.get(&label.name) {
                    Some(&column) => labels[column] = Some(label.value),
                    None => {
                        table.columns.insert(label.name, labels.len());
                        labels.push(Some(label.value));
                    }
                }
            }
            count += series.samples.len() as u64;
            if let Some((last, others)) = series.samples.split_last() {
                let row = |s: &crate::rw1::generated::prost::Sample, labels| Row {
                    labels,
                    time: s.timestamp,
                    value: s.value,
                };
                table.rows.extend(others.iter().map(|s| row(s, labels.clone())));
                table.rows.push(row(last, labels));
            }
        }
        Ok(count)
    }

    fn plain(&self) -> Result<Plain, String> {
        let mut plain = Plain::new();
        for (metric, table) in self.tables.iter().filter(|(_, table)| !table.rows.is_empty()) {
            let mut names = vec![""; table.columns.len()];
            table.columns.iter().for_each(|(name, &column)| names[column] = name);
            let labels = |row: &Row| -> BTreeMap<_, _> {
                let set = names.iter().zip(&row.labels).filter_map(|(name, value)| Some((*name, value.as_ref()?)));
                set.map(|(name, value)| (name.to_string(), value.clone())).collect()
            };
            let rows = table.rows.iter().map(|row| (labels(row), row.time, row.value.to_bits())).collect();
            plain.insert(metric.clone(), rows);
        }
        Ok(plain)
    }
}
