//! What senders say of a metric.

/// Type, help and unit of a metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MetadataRow {
    /// The number of the type; both versions have the same ([`MetadataRow::type_name`]).
    pub kind: i32,
    /// Number of the help text in the dictionary.
    pub help: u32,
    /// Number of the unit in the dictionary.
    pub unit: u32,
}

impl MetadataRow {
    /// The type's name as Prometheus' text format has it, or nothing for a number that it does not have.
    pub fn type_name(self) -> Option<&'static str> {
        const NAMES: [&str; 8] =
            ["unknown", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset"];
        usize::try_from(self.kind).ok().and_then(|kind| NAMES.get(kind).copied())
    }
}

/// A row for each time that something else is said than before: 2.0 repeats it with every series.
#[derive(Default)]
pub struct Metadata {
    rows: Vec<MetadataRow>,
}

impl Metadata {
    /// All rows.
    pub fn rows(&self) -> &[MetadataRow] {
        &self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn push(&mut self, row: MetadataRow) {
        if self.rows.last() != Some(&row) {
            self.rows.push(row);
        }
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.rows.truncate(rows);
    }

    pub(crate) fn shrink_to(&mut self, rows: usize) {
        self.rows.shrink_to(rows);
    }
}
