//! The rows as the tables have them.

use super::*;
use rows::{Buckets as Columns, Count, Dictionary, Store, Table};

pub fn rows(store: &Store) -> Rows {
    let words = store.dictionary();
    let tables = store.tables().iter().filter(|table| !table.is_empty());
    tables.map(|table| (words.get(table.metric()).to_owned(), metric(store, table))).collect()
}

fn metric(store: &Store, table: &Table) -> MetricRows {
    let words = store.dictionary();
    // A row's labels through the columns, as a reader of the tables gets them.
    let mut names: Vec<u32> = table.label_names().to_vec();
    names.sort_by_key(|&name| words.get(name));
    let labels = |sets: &[u32]| -> Vec<Labels> {
        let mut rows = vec![Labels::new(); sets.len()];
        for &name in &names {
            for (row, value) in rows.iter_mut().zip(store.column(sets, name)) {
                if value != Dictionary::EMPTY {
                    row.push((words.get(name).to_owned(), words.get(value).to_owned()));
                }
            }
        }
        rows
    };
    let (s, e, h) = (&table.samples, &table.exemplars, &table.histograms);
    let count = |count| match count {
        Count::None => None,
        Count::Int(n) => Some((false, n)),
        Count::Float(n) => Some((true, n.to_bits())),
    };
    let buckets = |columns: &Columns, row: usize| Buckets {
        spans: columns.spans.get(row).iter().map(|span| (span.offset, span.length)).collect(),
        deltas: columns.deltas.get(row).to_vec(),
        counts: bits(columns.counts.get(row)),
    };
    MetricRows {
        samples: labels(s.sets())
            .into_iter()
            .enumerate()
            .map(|(row, labels)| Sample {
                labels,
                timestamp: s.timestamps()[row],
                value: s.values()[row].to_bits(),
                start: s.start(row),
            })
            .collect(),
        exemplars: labels(e.sets())
            .into_iter()
            .enumerate()
            .map(|(row, labels)| Exemplar {
                labels,
                own: e.labels(row).map(|(name, value)| (words.get(name).to_owned(), value.to_owned())).collect(),
                value: e.values()[row].to_bits(),
                timestamp: e.timestamps()[row],
            })
            .collect(),
        histograms: labels(h.sets())
            .into_iter()
            .enumerate()
            .map(|(row, labels)| Histogram {
                labels,
                timestamp: h.timestamps()[row],
                start: h.start(row),
                count: count(h.counts()[row]),
                zero_count: count(h.zero_counts()[row]),
                sum: h.sums()[row].to_bits(),
                schema: h.schemas()[row],
                zero_threshold: h.zero_thresholds()[row].to_bits(),
                reset_hint: h.reset_hints()[row],
                negative: buckets(h.negative(), row),
                positive: buckets(h.positive(), row),
                custom_values: bits(h.custom_values().get(row)),
            })
            .collect(),
        metadata: table
            .metadata
            .rows()
            .iter()
            .map(|m| Metadata { kind: m.kind, help: words.get(m.help).to_owned(), unit: words.get(m.unit).to_owned() })
            .collect(),
    }
}
