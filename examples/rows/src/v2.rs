//! Remote write 2.0: `symbols` has each string once per request; series refer to strings by index and carry their
//! metadata.

use crate::fields;
use crate::generated::io::prometheus::write::v2 as hot;
use crate::ingest::{Halt, Ingest, Pass};
use crate::problem::Reason;
use crate::rows::{MetadataRow, NewExemplar};
use crate::v1::inner;
use hot::{Exemplar, Histogram, Metadata, RequestPool, Sample, TimeSeries, TimeSeriesPool};
use hotpb::pool::extension::Uint32;
use hotpb::pool::{Elements, Flow, Record, Records, Unknown, VisitError};

/// Memory that the next request uses again.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Empty between two requests.
    symbols: Vec<Symbol<'static>>,
    refs: Vec<u32>,
}

/// A string of the request, and its number in the dictionary, once that was needed.
struct Symbol<'a> {
    text: &'a str,
    number: Option<u32>,
}

/// Visits a request. Protobuf allows symbols after the series that refer to them. No known sender does that; if one
/// does, the request is read a second time, its symbols first.
pub(crate) fn visit<'a>(
    body: &'a [u8],
    ingest: &mut Ingest<'a, '_>,
    scratch: &mut Scratch,
) -> Result<(), VisitError<Halt>> {
    let symbols = emptied(std::mem::take(&mut scratch.symbols));
    let refs = std::mem::take(&mut scratch.refs);
    let mut v2 = V2 { ingest, symbols, refs, metadata: None, go: Go::Both, series_seen: false };
    let mut visited = RequestPool::visit(body, &mut v2);
    if v2.go == Go::Again {
        v2.ingest.start_again();
        v2.symbols.clear();
        v2.go = Go::Symbols;
        visited = RequestPool::visit(body, &mut v2);
        if visited.is_ok() {
            v2.go = Go::Series;
            visited = RequestPool::visit(body, &mut v2);
        }
    }
    let V2 { symbols, refs, .. } = v2;
    *scratch = Scratch { symbols: emptied(symbols), refs };
    visited
}

/// Returns a list without items in the same memory: the standard library collects in place if the types have the same
/// layout.
fn emptied<'b>(mut symbols: Vec<Symbol<'_>>) -> Vec<Symbol<'b>> {
    symbols.clear();
    symbols.into_iter().map(|_| unreachable!("it is empty")).collect()
}

/// The parts of the request that this pass reads.
#[derive(Clone, Copy, PartialEq)]
enum Go {
    /// Everything: symbols come before series.
    Both,
    /// Nothing more: a symbol follows a series that refers to it, so the request must be read again.
    Again,
    Symbols,
    Series,
}

struct V2<'a, 'i, 'r> {
    ingest: &'i mut Ingest<'a, 'r>,
    symbols: Vec<Symbol<'a>>,
    /// The references of the series.
    refs: Vec<u32>,
    metadata: Option<MetadataFields>,
    go: Go,
    series_seen: bool,
}

impl<'a> V2<'a, '_, '_> {
    #[inline]
    fn series(&mut self, record: Record<'a, '_, TimeSeries<'static>>) -> Flow<Halt> {
        let bytes = record.bytes();
        self.ingest.begin(bytes);
        self.metadata = None;
        record.visit(self)?;
        if self.ingest.must_read_again() {
            self.series_again(bytes)?;
        }
        self.end_metadata()?;
        Ok(self.ingest.end()?)
    }

    #[cold]
    fn series_again(&mut self, bytes: &'a [u8]) -> Flow<Halt> {
        self.ingest.read_labels();
        self.refs.clear();
        TimeSeriesPool::visit(bytes, self).map_err(inner)?;
        self.look_up();
        self.ingest.read_rows()?;
        self.metadata = None;
        TimeSeriesPool::visit(bytes, self).map_err(inner)?;
        Ok(())
    }

    /// Returns the labels of the collected references.
    #[inline]
    fn look_up(&mut self) {
        if !self.refs.len().is_multiple_of(2) {
            self.odd(self.ingest.labels_offset(), ".labels_refs");
            return;
        }
        for at in (0..self.refs.len()).step_by(2) {
            if !self.ingest.takes_label() {
                return;
            }
            let (name, value) = (self.refs[at], self.refs[at + 1]);
            match (self.word(name), self.word(value)) {
                (Some(name), Some(value)) => self.ingest.labels.push((name, value)),
                (None, _) => return self.no_symbol(name, &format!(".labels_refs[{at}]"), self.ingest.labels_offset()),
                _ => return self.no_symbol(value, &format!(".labels_refs[{}]", at + 1), self.ingest.labels_offset()),
            }
        }
    }

    /// Returns the number of a symbol in the dictionary.
    #[inline]
    fn word(&mut self, symbol: u32) -> Option<u32> {
        let Symbol { text, number } = self.symbols.get_mut(symbol as usize)?;
        Some(*number.get_or_insert_with(|| self.ingest.store.words.intern(text)))
    }

    #[cold]
    fn odd(&mut self, offset: usize, field: &str) {
        let detail = self.refs.len().to_string();
        self.ingest.bad(Reason::RefsOdd, offset, field, detail);
    }

    #[cold]
    fn no_symbol(&mut self, symbol: u32, field: &str, offset: usize) {
        if self.go == Go::Both {
            // The symbol may follow later.
            self.go = Go::Again;
        }
        let detail = format!("{symbol}, of {} symbols", self.symbols.len());
        self.ingest.bad(Reason::RefOutOfRange, offset, field, detail);
    }

    /// Ends the metadata of the series, all of whose records are combined.
    fn end_metadata(&mut self) -> Result<(), Halt> {
        let Some(MetadataFields { kind, help, unit, offset }) = self.metadata.take() else { return Ok(()) };
        if self.ingest.rows().is_none() {
            return Ok(());
        }
        let row = match (self.word(help), self.word(unit)) {
            (Some(help), Some(unit)) => MetadataRow { kind, help, unit },
            (None, _) => {
                self.no_symbol(help, ".metadata.help_ref", offset);
                return Ok(());
            }
            _ => {
                self.no_symbol(unit, ".metadata.unit_ref", offset);
                return Ok(());
            }
        };
        let Some((table, _, _)) = self.ingest.rows() else { return Ok(()) };
        let before = table.metadata.rows().len();
        table.metadata.push(row);
        let new = table.metadata.rows().len() - before;
        self.ingest.count(new)
    }

    /// Adds the row of an exemplar whose references were collected.
    fn exemplar(&mut self, new: NewExemplar, offset: usize) -> Result<(), Halt> {
        if !self.refs.len().is_multiple_of(2) {
            let field = format!(".exemplars[{}].labels_refs", self.ingest.exemplars_so_far());
            self.odd(offset, &field);
            return Ok(());
        }
        for at in (0..self.refs.len()).step_by(2) {
            let (name, value) = (self.refs[at], self.refs[at + 1]);
            match (self.word(name), self.symbols.get(value as usize)) {
                (Some(word), Some(Symbol { text, .. })) => {
                    let Some((table, _, _)) = self.ingest.rows() else { return Ok(()) };
                    table.exemplars.push_label(word, text);
                }
                (found, _) => {
                    let (at, symbol) = if found.is_none() { (at, name) } else { (at + 1, value) };
                    let field = format!(".exemplars[{}].labels_refs[{at}]", self.ingest.exemplars_so_far());
                    self.no_symbol(symbol, &field, offset);
                    return Ok(());
                }
            }
        }
        let Some((table, _, set)) = self.ingest.rows() else { return Ok(()) };
        if new.timestamp == 0 {
            table.exemplars.drop_open();
            let elements = 1 + self.refs.len() / 2;
            return self.ingest.lose_exemplar(Reason::ExemplarTimeMissing, offset, ".timestamp", elements);
        }
        table.exemplars.push(set, new);
        self.ingest.count(1 + self.refs.len() / 2)
    }
}

impl<'a> hot::RequestVisitor<'a> for V2<'a, '_, '_> {
    type Error = Halt;
    #[inline]
    fn symbols(&mut self, text: &'a str) -> Flow<Halt> {
        if self.go == Go::Series {
            return Ok(());
        }
        if self.series_seen && self.go == Go::Both {
            self.go = Go::Again;
        }
        if self.symbols.is_empty() && !text.is_empty() {
            let offset = self.ingest.offset_of(text.as_bytes(), 0);
            Err(self.ingest.invalid(Reason::SymbolsStart, offset, "symbols[0]", crate::problem::quoted(text)))?;
        }
        if self.symbols.len() > self.ingest.room() {
            Err(Halt::TooManyRows)?;
        }
        self.symbols.push(Symbol { text, number: None });
        Ok(())
    }

    fn timeseries(&mut self, series: &mut Records<'a, '_, TimeSeries<'static>>) -> Flow<Halt> {
        if self.go == Go::Symbols {
            return Ok(());
        }
        self.series_seen = true;
        while let Some(record) = series.next_record() {
            self.series(record)?;
        }
        Ok(())
    }

    fn unknown_fields(&mut self, field: Unknown<'a>) -> Flow<Halt> {
        self.ingest.unknown(field)
    }
}

impl<'a> hot::TimeSeriesVisitor<'a> for V2<'a, '_, '_> {
    type Error = Halt;
    #[inline]
    fn labels_refs(&mut self, refs: Elements<'a, Uint32>) -> Flow<Halt> {
        if !self.ingest.wants_labels() {
            return Ok(());
        }
        self.ingest.labels_at(refs.bytes());
        if self.ingest.pass() == Pass::Labels {
            self.refs.extend(refs);
            return Ok(());
        }
        self.refs.clear();
        self.refs.extend(refs);
        self.look_up();
        // A known set was checked by the same rules or stricter ones: those of 1.0 are stricter.
        match self.ingest.store.sets.find_next(self.ingest.labels) {
            Some(set) if self.ingest.is_good() => {
                self.ingest.report.known += 1;
                self.ingest.found(set);
            }
            _ => _ = self.ingest.resolve()?,
        }
        Ok(())
    }

    #[inline]
    fn samples(&mut self, samples: &mut Records<'a, '_, Sample<'static>>) -> Flow<Halt> {
        fields::samples(self.ingest, samples)
    }

    fn histograms(&mut self, histograms: &mut Records<'a, '_, Histogram<'static>>) -> Flow<Halt> {
        fields::histograms(self.ingest, histograms)
    }

    fn exemplars(&mut self, exemplars: &mut Records<'a, '_, Exemplar<'static>>) -> Flow<Halt> {
        while self.ingest.rows().is_some()
            && let Some(record) = exemplars.next_record()
        {
            let offset = self.ingest.offset_of(record.bytes(), self.ingest.series_offset());
            self.refs.clear();
            let mut fields = ExemplarFields { new: NewExemplar::default(), refs: &mut self.refs };
            record.visit(&mut fields)?;
            let new = fields.new;
            self.exemplar(new, offset)?;
        }
        Ok(())
    }

    #[inline]
    fn metadata(&mut self, records: &mut Records<'a, '_, Metadata<'static>>) -> Flow<Halt> {
        while let Some(record) = records.next_record() {
            let offset = self.ingest.offset_of(record.bytes(), self.ingest.series_offset());
            let fields = self.metadata.get_or_insert_default();
            fields.offset = offset;
            record.visit(fields)?;
        }
        Ok(())
    }
}

struct ExemplarFields<'e> {
    new: NewExemplar,
    refs: &'e mut Vec<u32>,
}

impl<'a> hot::ExemplarVisitor<'a> for ExemplarFields<'_> {
    type Error = Halt;
    fn labels_refs(&mut self, refs: Elements<'a, Uint32>) -> Flow<Halt> {
        self.refs.extend(refs);
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
struct MetadataFields {
    kind: i32,
    help: u32,
    unit: u32,
    offset: usize,
}

impl hot::MetadataVisitor<'_> for MetadataFields {
    type Error = Halt;
    fn r#type(&mut self, value: hot::metadata::MetricType) -> Flow<Halt> {
        self.kind = value.into();
        Ok(())
    }
    fn help_ref(&mut self, value: u32) -> Flow<Halt> {
        self.help = value;
        Ok(())
    }
    fn unit_ref(&mut self, value: u32) -> Flow<Halt> {
        self.unit = value;
        Ok(())
    }
}
