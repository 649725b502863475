//! Remote write 1.0: labels are strings, and metadata is separate from the series.

use crate::dictionary::Dictionary;
use crate::fields;
use crate::generated::prometheus::*;
use crate::ingest::{Halt, Ingest, Pass};
use crate::problem::Reason;
use crate::rows::{MetadataRow, NewExemplar};
use crate::table::Table;
use hotpb::pool::{Flow, Record, Records, Unknown, VisitError};
use std::ops::Range;

/// Visits a request.
pub(crate) fn visit<'a>(body: &'a [u8], ingest: &mut Ingest<'a, '_>) -> Result<(), VisitError<Halt>> {
    WriteRequestPool::visit(body, &mut V1 { ingest, metadata: 0 })
}

struct V1<'a, 'i, 'r> {
    ingest: &'i mut Ingest<'a, 'r>,
    /// The index of the next metadata entry.
    metadata: u32,
}

impl<'a> V1<'a, '_, '_> {
    #[inline]
    fn series(&mut self, record: Record<'a, '_, TimeSeries<'static>>) -> Flow<Halt> {
        let bytes = record.bytes();
        self.ingest.begin(bytes);
        record.visit(self)?;
        if self.ingest.must_read_again() {
            self.series_again(bytes)?;
        }
        Ok(self.ingest.end()?)
    }

    /// Reads a series whose fields are in another order.
    #[cold]
    fn series_again(&mut self, bytes: &'a [u8]) -> Flow<Halt> {
        self.ingest.read_labels();
        TimeSeriesPool::visit(bytes, self).map_err(inner)?;
        self.ingest.read_rows()?;
        TimeSeriesPool::visit(bytes, self).map_err(inner)?;
        Ok(())
    }

    fn collect(&mut self, labels: &mut Records<'a, '_, Label<'static>>) -> Flow<Halt> {
        let otherwise = self.ingest.series_offset();
        while let Some(record) = labels.next_record() {
            if !self.ingest.takes_label() {
                break; // the visit checks the remaining records
            }
            let bytes = record.bytes();
            let store = &mut *self.ingest.store;
            let pair = match store.labels.get(bytes) {
                Some(known) => {
                    record.pass_trusted();
                    store.label_pairs[known as usize]
                }
                None => {
                    let mut label = Strings::default();
                    record.visit(&mut label)?;
                    let pair = (store.words.intern(label.name), store.words.intern(label.value));
                    store.labels.insert(bytes, store.label_pairs.len() as u32);
                    store.label_pairs.push(pair);
                    pair
                }
            };
            let at = self.ingest.offset_of(bytes, otherwise);
            self.ingest.labels.push(pair);
            self.ingest.places.push(at..at + bytes.len());
        }
        Ok(())
    }
}

/// Returns the offset of the name or value of a label that was read; that of the label if it is absent.
#[cold]
pub(crate) fn place_in_label(body: &[u8], label: Range<usize>, value: bool) -> usize {
    let mut strings = Strings::default();
    let read = LabelPool::visit(&body[label.clone()], &mut strings);
    let part = if value { strings.value } else { strings.name };
    if read.is_err() || part.is_empty() {
        return label.start;
    }
    part.as_ptr() as usize - body.as_ptr() as usize
}

/// Converts the error of a visit of bytes that were visited before.
pub(crate) fn inner(error: VisitError<Halt>) -> Halt {
    match error {
        VisitError::Decode(error) => Halt::Malformed(error),
        VisitError::Visitor(halt) => halt,
    }
}

impl<'a> WriteRequestVisitor<'a> for V1<'a, '_, '_> {
    type Error = Halt;
    fn timeseries(&mut self, series: &mut Records<'a, '_, TimeSeries<'static>>) -> Flow<Halt> {
        while let Some(record) = series.next_record() {
            self.series(record)?;
        }
        Ok(())
    }

    fn metadata(&mut self, entries: &mut Records<'a, '_, MetricMetadata<'static>>) -> Flow<Halt> {
        while let Some(record) = entries.next_record() {
            let at = self.ingest.offset_of(record.bytes(), 0);
            let mut entry = Metadata::default();
            record.visit(&mut entry)?;
            let words = &mut self.ingest.store.words;
            let row = MetadataRow { kind: entry.kind, help: words.intern(entry.help), unit: words.intern(entry.unit) };
            let at = self.ingest.offset_of(entry.family.as_bytes(), at);
            self.ingest.metadata(self.metadata, at, entry.family, row)?;
            self.metadata += 1;
        }
        Ok(())
    }

    fn unknown_fields(&mut self, field: Unknown<'a>) -> Flow<Halt> {
        self.ingest.unknown(field)
    }
}

impl<'a> TimeSeriesVisitor<'a> for V1<'a, '_, '_> {
    type Error = Halt;
    #[inline]
    fn labels(&mut self, labels: &mut Records<'a, '_, Label<'static>>) -> Flow<Halt> {
        if !self.ingest.wants_labels() {
            return Ok(());
        }
        if self.ingest.pass() == Pass::Labels {
            return self.collect(labels);
        }
        // The key of the series cache. If there is none, the bytes are malformed, which the visit reports.
        let Some(block) = labels.bytes() else { return Ok(()) };
        if let Some(set) = self.ingest.store.blocks.get(block) {
            labels.pass_trusted();
            self.ingest.report.known += 1;
            self.ingest.found(set);
            return Ok(());
        }
        self.collect(labels)?;
        if let Some(set) = self.ingest.resolve()? {
            self.ingest.store.blocks.insert(block, set);
        }
        Ok(())
    }

    #[inline]
    fn samples(&mut self, samples: &mut Records<'a, '_, Sample<'static>>) -> Flow<Halt> {
        fields::samples(self.ingest, samples)
    }

    fn exemplars(&mut self, exemplars: &mut Records<'a, '_, Exemplar<'static>>) -> Flow<Halt> {
        while let Some(record) = exemplars.next_record() {
            let room = self.ingest.room();
            let bytes = record.bytes();
            let Some((table, words, set)) = self.ingest.rows() else { return Ok(()) };
            let mut exemplar = ExemplarFields { new: NewExemplar::default(), table, words, labels: 0, room };
            record.visit(&mut exemplar)?;
            let ExemplarFields { new, table, labels, .. } = exemplar;
            if new.timestamp == 0 {
                table.exemplars.drop_open();
                let offset = self.ingest.offset_of(bytes, self.ingest.series_offset());
                self.ingest.lose_exemplar(Reason::ExemplarTimeMissing, offset, ".timestamp", 1 + labels)?;
                continue;
            }
            table.exemplars.push(set, new);
            self.ingest.count(1 + labels)?;
        }
        Ok(())
    }

    fn histograms(&mut self, histograms: &mut Records<'a, '_, Histogram<'static>>) -> Flow<Halt> {
        fields::histograms(self.ingest, histograms)
    }
}

#[derive(Default)]
struct Strings<'a> {
    name: &'a str,
    value: &'a str,
}

impl<'a> LabelVisitor<'a> for Strings<'a> {
    type Error = Halt;
    fn name(&mut self, value: &'a str) -> Flow<Halt> {
        self.name = value;
        Ok(())
    }
    fn value(&mut self, value: &'a str) -> Flow<Halt> {
        self.value = value;
        Ok(())
    }
}

/// An exemplar, whose labels go directly to their column.
struct ExemplarFields<'e> {
    new: NewExemplar,
    table: &'e mut Table,
    words: &'e mut Dictionary,
    labels: usize,
    /// The number of labels that it may have.
    room: usize,
}

impl<'a> ExemplarVisitor<'a> for ExemplarFields<'_> {
    type Error = Halt;
    fn labels(&mut self, labels: &mut Records<'a, '_, Label<'static>>) -> Flow<Halt> {
        while let Some(record) = labels.next_record() {
            if self.labels == self.room {
                Err(Halt::TooManyRows)?;
            }
            let mut label = Strings::default();
            record.visit(&mut label)?;
            self.table.exemplars.push_label(self.words.intern(label.name), label.value);
            self.labels += 1;
        }
        Ok(())
    }
    fn value(&mut self, value: f64) -> Flow<Halt> {
        self.new.value = value;
        Ok(())
    }
    fn timestamp(&mut self, value: i64) -> Flow<Halt> {
        self.new.timestamp = value;
        Ok(())
    }
}

#[derive(Default)]
struct Metadata<'a> {
    kind: i32,
    family: &'a str,
    help: &'a str,
    unit: &'a str,
}

impl<'a> MetricMetadataVisitor<'a> for Metadata<'a> {
    type Error = Halt;
    fn r#type(&mut self, value: metric_metadata::MetricType) -> Flow<Halt> {
        self.kind = value.into();
        Ok(())
    }
    fn metric_family_name(&mut self, value: &'a str) -> Flow<Halt> {
        self.family = value;
        Ok(())
    }
    fn help(&mut self, value: &'a str) -> Flow<Halt> {
        self.help = value;
        Ok(())
    }
    fn unit(&mut self, value: &'a str) -> Flow<Halt> {
        self.unit = value;
        Ok(())
    }
}
