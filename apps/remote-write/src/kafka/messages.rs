//! The rows of a request as messages: each has the rows of one series, as a request of remote write 2.0.
//!
//! Such a message needs no other one to be read, keeps all that both versions and OTLP have (start times, native
//! histograms, exemplars, type, help and unit), and any receiver of 2.0 reads it.

use super::generated::io::prometheus::write::v2::{
    HistogramWriter, RequestWriter, TimeSeriesWriter, histogram::ResetHint, metadata::MetricType,
};
use hotpb::writer::{VecBuffer, WriteError};
use rows::{Buckets, Count, Histograms, MetadataRow, Store, Table};
use std::fmt::Write;
use std::hash::Hasher;
use twox_hash::XxHash64;

/// The rows of a series become several messages when they have more bytes than this, approximately.
const LONGEST: usize = 256 << 10;

/// Words that are looked for before one is added to a message again.
const SEARCHED: usize = 64;

/// A message.
pub struct Message<'m> {
    /// The hash of the series, in 16 hexadecimal digits: XXH64 of name, 0xff, value, 0xff for each label in order, as
    /// Prometheus' `labels.StableHash` computes it.
    pub key: &'m str,
    /// The number among the messages of this series and this request.
    pub part: usize,
    /// A request of 2.0.
    pub value: &'m [u8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Sample,
    Histogram,
    Exemplar,
}

/// A row of a table. They are sorted: by series, then by kind, then as they came.
type Row = (u32, Kind, usize);

/// Makes messages. It keeps memory for the next request.
#[derive(Default)]
pub struct Messages {
    rows: Vec<Row>,
    refs: Vec<u32>,
    key: String,
    series: VecBuffer,
    request: VecBuffer,
}

/// Why a message was not made, or not taken.
#[derive(Debug)]
pub enum Failure<E> {
    /// A message could not be written.
    Write(WriteError),
    /// Whoever takes the messages did not take one.
    Taken(E),
}

impl<E> From<WriteError> for Failure<E> {
    fn from(error: WriteError) -> Failure<E> {
        Failure::Write(error)
    }
}

impl Messages {
    /// Passes on all rows of a store.
    pub fn each<E>(
        &mut self,
        store: &Store,
        mut take: impl FnMut(Message<'_>) -> Result<(), E>,
    ) -> Result<(), Failure<E>> {
        for table in store.tables().iter().filter(|table| !table.is_empty()) {
            let mut rows = std::mem::take(&mut self.rows);
            rows.clear();
            let numbered = |kind, sets: &[u32]| {
                sets.iter().enumerate().map(move |(row, &set)| (set, kind, row)).collect::<Vec<_>>()
            };
            rows.extend(numbered(Kind::Sample, table.samples.sets()));
            rows.extend(numbered(Kind::Histogram, table.histograms.sets()));
            rows.extend(numbered(Kind::Exemplar, table.exemplars.sets()));
            rows.sort_unstable();
            let result = self.table(store, table, &rows, &mut take);
            self.rows = rows;
            result?;
        }
        Ok(())
    }

    fn table<E>(
        &mut self,
        store: &Store,
        table: &Table,
        rows: &[Row],
        take: &mut impl FnMut(Message<'_>) -> Result<(), E>,
    ) -> Result<(), Failure<E>> {
        let metadata = table.metadata.rows().last().copied();
        let words = store.dictionary();
        for series in rows.chunk_by(|a, b| a.0 == b.0) {
            let labels: Vec<(&str, &str)> = store
                .label_sets()
                .get(series[0].0)
                .iter()
                .map(|&(name, value)| (words.get(name), words.get(value)))
                .collect();
            let mut rest = series;
            for part in 0.. {
                let (rows, after) = rest.split_at(piece(table, rest));
                self.message(store, table, &labels, rows, metadata)?;
                let value = self.request.bytes()?;
                take(Message { key: &self.key, part, value }).map_err(Failure::Taken)?;
                rest = after;
                if rest.is_empty() {
                    break;
                }
            }
        }
        if rows.is_empty() && metadata.is_some() {
            // 1.0 has metadata apart from series.
            self.message(store, table, &[("__name__", words.get(table.metric()))], &[], metadata)?;
            take(Message { key: &self.key, part: 0, value: self.request.bytes()? }).map_err(Failure::Taken)?;
        }
        Ok(())
    }

    /// Writes the message with these rows of a series.
    fn message(
        &mut self,
        store: &Store,
        table: &Table,
        labels: &[(&str, &str)],
        rows: &[Row],
        metadata: Option<MetadataRow>,
    ) -> Result<(), WriteError> {
        let Messages { refs, key, series, request, .. } = self;
        let (mut symbols, words) = (Symbols::default(), store.dictionary());
        key.clear();
        write!(key, "{:016x}", hash(labels)).expect("a string takes all");
        refs.clear();
        refs.extend(labels.iter().flat_map(|&(name, value)| [symbols.intern(name), symbols.intern(value)]));
        series.clear();
        let mut writer = TimeSeriesWriter::new(series);
        writer.labels_refs(refs);
        for &(_, kind, row) in rows {
            match kind {
                Kind::Sample => {
                    let samples = &table.samples;
                    let (value, timestamp, start) =
                        (samples.values()[row], samples.timestamps()[row], samples.start(row));
                    writer.samples(|sample| {
                        sample.value(value).timestamp(timestamp);
                        if start != 0 {
                            sample.start_timestamp(start);
                        }
                    });
                }
                Kind::Histogram => {
                    writer.histograms(|writer| histogram(writer, &table.histograms, row));
                }
                Kind::Exemplar => {
                    let exemplars = &table.exemplars;
                    refs.clear();
                    refs.extend(
                        exemplars
                            .labels(row)
                            .flat_map(|(name, value)| [symbols.intern(words.get(name)), symbols.intern(value)]),
                    );
                    writer.exemplars(|exemplar| {
                        exemplar
                            .labels_refs(refs)
                            .value(exemplars.values()[row])
                            .timestamp(exemplars.timestamps()[row]);
                    });
                }
            }
        }
        if let Some(row) = metadata {
            let (help, unit) = (symbols.intern(words.get(row.help)), symbols.intern(words.get(row.unit)));
            writer.metadata(|metadata| {
                metadata.r#type(MetricType(row.kind)).help_ref(help).unit_ref(unit);
            });
        }
        writer.finish()?;
        request.clear();
        let mut writer = RequestWriter::new(request);
        writer.symbols("");
        for word in symbols.words {
            writer.symbols(word);
        }
        writer.timeseries_raw(series.bytes()?);
        writer.finish()?;
        Ok(())
    }
}

/// Returns how many of the rows of a series go into one message: not more than [`LONGEST`] bytes if there are several, and
/// not samples with histograms, which 2.0 forbids.
fn piece(table: &Table, rows: &[Row]) -> usize {
    let mut bytes = 0;
    for (at, &(_, kind, row)) in rows.iter().enumerate() {
        bytes += match kind {
            Kind::Sample => 33,
            Kind::Histogram => {
                let size = |buckets: &Buckets| {
                    12 * buckets.spans.get(row).len()
                        + 10 * buckets.deltas.get(row).len()
                        + 8 * buckets.counts.get(row).len()
                };
                let histograms = &table.histograms;
                120 + size(histograms.negative())
                    + size(histograms.positive())
                    + 8 * histograms.custom_values().get(row).len()
            }
            Kind::Exemplar => 30 + table.exemplars.labels(row).map(|(_, value)| value.len() + 80).sum::<usize>(),
        };
        let other_kind = kind == Kind::Histogram && rows[0].1 == Kind::Sample;
        if at > 0 && (bytes > LONGEST || other_kind) {
            return at;
        }
    }
    rows.len()
}

fn histogram(writer: &mut HistogramWriter<'_>, from: &Histograms, row: usize) {
    match from.counts()[row] {
        Count::Int(count) => _ = writer.count_int(count),
        Count::Float(count) => _ = writer.count_float(count),
        Count::None => (),
    }
    writer.sum(from.sums()[row]).schema(from.schemas()[row]).zero_threshold(from.zero_thresholds()[row]);
    match from.zero_counts()[row] {
        Count::Int(count) => _ = writer.zero_count_int(count),
        Count::Float(count) => _ = writer.zero_count_float(count),
        Count::None => (),
    }
    for span in from.negative().spans.get(row) {
        writer.negative_spans(|writer| _ = writer.offset(span.offset).length(span.length));
    }
    for span in from.positive().spans.get(row) {
        writer.positive_spans(|writer| _ = writer.offset(span.offset).length(span.length));
    }
    let (negative, positive) = (from.negative(), from.positive());
    writer.negative_deltas(negative.deltas.get(row)).negative_counts(negative.counts.get(row));
    writer.positive_deltas(positive.deltas.get(row)).positive_counts(positive.counts.get(row));
    writer.reset_hint(ResetHint(from.reset_hints()[row])).timestamp(from.timestamps()[row]);
    writer.custom_values(from.custom_values().get(row));
    if from.start(row) != 0 {
        writer.start_timestamp(from.start(row));
    }
}

fn hash(labels: &[(&str, &str)]) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    for (name, value) in labels {
        for part in [name, value] {
            hasher.write(part.as_bytes());
            hasher.write(&[0xff]);
        }
    }
    hasher.finish()
}

/// The symbols of a message after the first, which is empty.
#[derive(Default)]
struct Symbols<'s> {
    words: Vec<&'s str>,
}

impl<'s> Symbols<'s> {
    fn intern(&mut self, word: &'s str) -> u32 {
        if word.is_empty() {
            return 0;
        }
        let known = self.words.iter().take(SEARCHED).position(|known| *known == word);
        let at = known.unwrap_or_else(|| {
            self.words.push(word);
            self.words.len() - 1
        });
        at as u32 + 1
    }
}
