//! Tables of columns, one table per metric: a column per label with codes of a dictionary, one of times, one of values.

use std::collections::{BTreeMap, HashMap};

use super::Plain;

/// Codes of texts. 0 stands for a label that a series does not have.
#[derive(Default)]
pub struct Dictionary {
    codes: HashMap<Box<str>, u32, foldhash::fast::RandomState>,
    texts: Vec<Box<str>>,
}

impl Dictionary {
    fn code(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.codes.get(text) {
            return code;
        }
        self.texts.push(text.into());
        let code = self.texts.len() as u32;
        self.codes.insert(text.into(), code);
        code
    }
}

struct Column {
    label: Box<str>,
    codes: Vec<u32>,
}

struct Table {
    metric: Box<str>,
    columns: Vec<Column>,
    /// For each row: the series, the time, the value.
    series: Vec<Series>,
    times: Vec<i64>,
    values: Vec<f64>,
}

/// A known series: its table, and the position of its codes, in the order of the table's columns. The table may have
/// more columns now.
#[derive(Clone, Copy)]
pub struct Series {
    table: u32,
    codes: u32,
    columns: u32,
}

/// The tables of one request. Their memory, the dictionary, the known series and the columns' names stay for the next
/// request.
#[derive(Default)]
pub struct Tables {
    by_metric: HashMap<Box<str>, u32, foldhash::fast::RandomState>,
    tables: Vec<Table>,
    codes: Vec<u32>,
    dictionary: Dictionary,
}

impl Tables {
    /// Removes the rows.
    pub fn clear(&mut self) {
        for table in &mut self.tables {
            table.columns.iter_mut().for_each(|column| column.codes.clear());
            table.series.clear();
            table.times.clear();
            table.values.clear();
        }
    }

    /// Finds the table and the columns of a new series, and adds those that are missing.
    pub fn series(&mut self, metric: &str, labels: &[(&str, &str)]) -> Series {
        let index = match self.by_metric.get(metric) {
            Some(&index) => index,
            None => {
                let index = self.tables.len() as u32;
                self.by_metric.insert(metric.into(), index);
                self.tables.push(Table {
                    metric: metric.into(),
                    columns: Vec::new(),
                    series: Vec::new(),
                    times: Vec::new(),
                    values: Vec::new(),
                });
                index
            }
        };
        let table = &mut self.tables[index as usize];
        let start = self.codes.len();
        self.codes.resize(start + table.columns.len(), 0);
        for &(label, value) in labels {
            let code = self.dictionary.code(value);
            match table.columns.iter().position(|column| *column.label == *label) {
                Some(at) => self.codes[start + at] = code,
                None => {
                    table.columns.push(Column { label: label.into(), codes: Vec::new() });
                    self.codes.push(code);
                }
            }
        }
        Series { table: index, codes: start as u32, columns: (self.codes.len() - start) as u32 }
    }

    /// Adds the rows of a series, except the labels.
    #[inline]
    pub fn add(&mut self, series: Series, samples: &[(i64, f64)]) {
        let table = &mut self.tables[series.table as usize];
        for &(time, value) in samples {
            table.series.push(series);
            table.times.push(time);
            table.values.push(value);
        }
    }

    /// Fills the columns of the labels, one after the other.
    pub fn finish(&mut self) {
        for table in &mut self.tables {
            for (at, column) in (0..).zip(&mut table.columns) {
                let code = |s: &Series| if at < s.columns { self.codes[(s.codes + at) as usize] } else { 0 };
                column.codes.extend(table.series.iter().map(code));
            }
        }
    }

    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.times.len() as u64).sum()
    }

    pub fn plain(&self) -> Plain {
        let mut plain = Plain::new();
        for table in self.tables.iter().filter(|table| !table.times.is_empty()) {
            let labels = |row: usize| -> BTreeMap<_, _> {
                let coded = table
                    .columns
                    .iter()
                    .map(|column| (&column.label, column.codes[row]))
                    .filter(|(_, code)| *code != 0);
                coded
                    .map(|(label, code)| (label.to_string(), self.dictionary.texts[code as usize - 1].to_string()))
                    .collect()
            };
            let rows = table.times.iter().zip(&table.values).enumerate();
            let rows = rows.map(|(row, (&time, value))| (labels(row), time, value.to_bits())).collect();
            plain.insert(table.metric.to_string(), rows);
        }
        plain
    }
}
