//! hotpb: the visitor fills columns while it decodes. The bytes of a series' labels are the key of a cache, so that
//! labels which repeat, byte for byte, are neither decoded nor looked up.

use std::hash::BuildHasher;

use hotpb::pool::{Encode, Flow, Records};

use super::columns::{Series, Tables};
use super::known::Known;
use super::{METRIC, Plain, Rival, expected};
use crate::rw1::generated::hotpb::prometheus as pb;

/// Tables and cache stay from request to request.
#[derive(Default)]
pub struct Rows<S> {
    tables: Tables,
    /// The known series, by the bytes of their labels.
    known: Known<S>,
    samples: Vec<(i64, f64)>,
}

impl<S: BuildHasher + Default> Rival for Rows<S> {
    const NOTE: &'static str = "UTF-8 checked; series known by the bytes of their labels, expected in the order of the last request; columns and cache kept";

    fn rows(&mut self, request: &[u8]) -> Result<u64, String> {
        self.tables.clear();
        self.known.restart();
        let mut visitor = Visitor { rows: self, pieces: 0, block: None, known: None, joined: vec![], labels: vec![] };
        pb::WriteRequestPool::visit(request, &mut visitor).map_err(|e| e.to_string())?;
        self.tables.finish();
        Ok(self.tables.rows())
    }

    fn plain(&self) -> Result<Plain, String> {
        Ok(self.tables.plain())
    }
}

/// One request.
struct Visitor<'a, 'r, S> {
    rows: &'r mut Rows<S>,
    /// For the current series: the number of pieces in which its labels have come so far, usually one; the bytes of a
    /// single piece; the bytes of several pieces, joined; and the cached series.
    pieces: u32,
    block: Option<&'a [u8]>,
    joined: Vec<u8>,
    known: Option<Series>,
    /// Its labels, if it is not known.
    labels: Vec<(&'a str, &'a str)>,
}

impl<S: BuildHasher> Visitor<'_, '_, S> {
    fn begin(&mut self) {
        (self.pieces, self.block, self.known) = (0, None, None);
        self.labels.clear();
        self.rows.samples.clear();
    }

    /// Ends a series. Labels and samples may have come in any order; now all of them are known.
    fn end(&mut self) -> Result<(), String> {
        let Rows { tables, known, samples } = &mut *self.rows;
        let bytes = if self.pieces > 1 { &self.joined } else { self.block.ok_or("a series without labels")? };
        let series = match self.known.or_else(|| known.get(bytes)) {
            Some(series) => series,
            None => {
                let at = self.labels.iter().position(|(name, _)| *name == METRIC).ok_or("a series without a metric")?;
                let (_, metric) = self.labels.remove(at);
                let new = tables.series(metric, &self.labels);
                known.insert(bytes, new);
                new
            }
        };
        tables.add(series, samples);
        Ok(())
    }
}

impl<'a, S: BuildHasher> pb::WriteRequestVisitor<'a> for Visitor<'a, '_, S> {
    type Error = String;
    fn timeseries(&mut self, series: &mut Records<'a, '_, pb::TimeSeries<'static>>) -> Flow<String> {
        while let Some(one) = series.next_record() {
            self.begin();
            one.visit(self)?;
            self.end()?;
        }
        Ok(())
    }
}

impl<'a, S: BuildHasher> pb::TimeSeriesVisitor<'a> for Visitor<'a, '_, S> {
    type Error = String;
    fn labels(&mut self, labels: &mut Records<'a, '_, pb::Label<'static>>) -> Flow<String> {
        self.pieces += 1;
        let bytes = labels.bytes();
        if self.pieces == 1 {
            self.block = bytes;
            self.known = bytes.and_then(|bytes| self.rows.known.get(bytes));
            if self.known.is_some() {
                labels.pass_trusted(); // they were checked when they became known
                return Ok(());
            }
        } else if let Some(begun) = self.block.take() {
            // The labels continue after another field: those that were passed are needed now.
            if self.known.take().is_some() {
                let _ = pb::TimeSeriesPool::visit(begun, &mut *self);
            }
            self.joined.clear();
            self.joined.extend_from_slice(begun);
        }
        if self.pieces > 1 {
            self.joined.extend_from_slice(bytes.unwrap_or_default());
        }
        labels.visit_each(self, |series| {
            series.labels.push(("", ""));
            Ok(())
        })
    }

    fn samples(&mut self, samples: &mut Records<'a, '_, pb::Sample<'static>>) -> Flow<String> {
        samples.visit_each(self, |series| {
            series.rows.samples.push((0, 0.0));
            Ok(())
        })
    }
}

impl<'a, S: BuildHasher> pb::LabelVisitor<'a> for Visitor<'a, '_, S> {
    type Error = String;
    fn name(&mut self, name: &'a str) -> Flow<String> {
        self.labels.last_mut().expect("a label was begun").0 = name;
        Ok(())
    }
    fn value(&mut self, value: &'a str) -> Flow<String> {
        self.labels.last_mut().expect("a label was begun").1 = value;
        Ok(())
    }
}

impl<'a, S: BuildHasher> pb::SampleVisitor<'a> for Visitor<'a, '_, S> {
    type Error = String;
    fn value(&mut self, value: f64) -> Flow<String> {
        self.rows.samples.last_mut().expect("a sample was begun").1 = value;
        Ok(())
    }
    fn timestamp(&mut self, timestamp: i64) -> Flow<String> {
        self.rows.samples.last_mut().expect("a sample was begun").0 = timestamp;
        Ok(())
    }
}

/// Starts from scratch for each request: no series is known.
#[derive(Default)]
pub struct Cold(Rows<foldhash::fast::RandomState>);

impl Rival for Cold {
    const NOTE: &'static str = "the first request of a process: nothing is known, nothing allocated";

    fn rows(&mut self, request: &[u8]) -> Result<u64, String> {
        self.0 = Rows::default();
        self.0.rows(request)
    }

    fn plain(&self) -> Result<Plain, String> {
        self.0.plain()
    }
}

/// No rows at all: only the decode, for comparison.
#[derive(Default)]
pub struct NoRows {
    pool: pb::WriteRequestPool,
    encoded: Vec<u8>,
}

impl Rival for NoRows {
    const NOTE: &'static str = "no rows: the decode alone, for comparison";

    fn rows(&mut self, request: &[u8]) -> Result<u64, String> {
        let decoded = std::hint::black_box(self.pool.decode(request).map_err(|e| e.to_string())?);
        if self.encoded.is_empty() {
            self.encoded = decoded.encode_to_vec().map_err(|e| e.to_string())?; // for the verification
        }
        Ok(0)
    }

    fn plain(&self) -> Result<Plain, String> {
        expected(&self.encoded)
    }
}
