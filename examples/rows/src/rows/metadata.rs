//! The metadata of a metric.

/// Type, help and unit of a metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MetadataRow {
    /// The number of the type, which is the same in both versions ([`MetadataRow::type_name`]).
    pub kind: i32,
    /// The number of the help text in the dictionary.
    pub help: u32,
    /// The number of the unit in the dictionary.
    pub unit: u32,
}

impl MetadataRow {
    /// Returns the type's name in Prometheus' text format, or nothing if the number is unknown.
    pub fn type_name(self) -> Option<&'static str> {
        const NAMES: [&str; 8] =
            ["unknown", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset"];
        usize::try_from(self.kind).ok().and_then(|kind| NAMES.get(kind).copied())
    }
}

/// One row per change of the metadata: 2.0 repeats it with every series.
#[derive(Clone, Default)]
pub struct Metadata {
    rows: Vec<MetadataRow>,
}

impl Metadata {
    /// Returns all rows.
    pub fn rows(&self) -> &[MetadataRow] {
        &self.rows
    }

    /// Reports whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn push(&mut self, row: MetadataRow) {
        if self.rows.last() != Some(&row) {
            self.rows.push(row);
        }
    }

    pub(crate) fn rows_mut(&mut self) -> &mut [MetadataRow] {
        &mut self.rows
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.rows.truncate(rows);
    }

    pub(crate) fn shrink_to(&mut self, rows: usize) {
        self.rows.shrink_to(rows);
    }
}
