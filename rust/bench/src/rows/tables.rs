//! hotpb: the row builder of `examples/rows`, as a program uses it.

use std::collections::BTreeMap;

use rows::Tables;

use super::{Plain, Rival};

impl Rival for Tables {
    const NOTE: &'static str =
        "UTF-8 checked; series known by the bytes of their labels, memory bounded; columns and all that is known kept";

    fn rows(&mut self, request: &[u8]) -> Result<u64, String> {
        self.clear();
        self.request(request).map(|rows| rows as u64).map_err(|e| e.to_string())
    }

    fn plain(&self) -> Result<Plain, String> {
        let mut plain = Plain::new();
        for table in self.iter() {
            let labels = |row| -> BTreeMap<_, _> {
                table.labels(row).map(|(label, value)| (label.to_string(), value.to_string())).collect()
            };
            let rows = table.timestamps().iter().zip(table.values()).enumerate();
            let rows = rows.map(|(row, (&time, value))| (labels(row), time, value.to_bits())).collect();
            plain.insert(table.metric().to_string(), rows);
        }
        Ok(plain)
    }
}

/// Starts from scratch for each request: no series is known.
#[derive(Default)]
pub struct Cold(Tables);

impl Rival for Cold {
    const NOTE: &'static str = "the first request of a process: nothing is known, nothing allocated";

    fn rows(&mut self, request: &[u8]) -> Result<u64, String> {
        self.0 = Tables::default();
        self.0.rows(request)
    }

    fn plain(&self) -> Result<Plain, String> {
        self.0.plain()
    }
}
