//! Visitors of the messages inside a series, which are almost the same in both versions. Each fills in the values that
//! it receives; an absent field keeps its default.

use crate::generated::io::prometheus::write::v2;
use crate::generated::prometheus as v1;
use crate::ingest::{Halt, Ingest};
use crate::rows::{Count, Histograms, Lists, NewHistogram, Span};
use hotpb::pool::extension::{Double, Sint64};
use hotpb::pool::{Elements, Flow, Ignore, Records, VisitWith};
use std::convert::Infallible;

/// A sample.
#[derive(Default)]
pub(crate) struct Sample {
    pub value: f64,
    pub timestamp: i64,
    pub start: i64,
}

impl v1::SampleVisitor<'_> for Sample {
    type Error = Halt;
    fn value(&mut self, value: f64) -> Flow<Halt> {
        self.value = value;
        Ok(())
    }
    fn timestamp(&mut self, value: i64) -> Flow<Halt> {
        self.timestamp = value;
        Ok(())
    }
}

impl v2::SampleVisitor<'_> for Sample {
    type Error = Halt;
    fn value(&mut self, value: f64) -> Flow<Halt> {
        self.value = value;
        Ok(())
    }
    fn timestamp(&mut self, value: i64) -> Flow<Halt> {
        self.timestamp = value;
        Ok(())
    }
    fn start_timestamp(&mut self, value: i64) -> Flow<Halt> {
        self.start = value;
        Ok(())
    }
}

/// Reads a run of samples of either version.
#[inline]
pub(crate) fn samples<'a, M>(ingest: &mut Ingest<'a, '_>, records: &mut Records<'a, '_, M>) -> Flow<Halt>
where
    M: VisitWith<'a, Sample, Error = Halt> + VisitWith<'a, Ignore, Error = Infallible>,
{
    let room = ingest.room();
    let Some((table, _, set)) = ingest.rows() else { return Ok(()) };
    let before = table.samples.len();
    while let Some(record) = records.next_record() {
        if table.samples.len() - before == room {
            Err(Halt::TooManyRows)?;
        }
        let mut sample = Sample::default();
        record.visit(&mut sample)?;
        table.samples.push(set, sample.timestamp, sample.value, sample.start);
    }
    let new = table.samples.len() - before;
    Ok(ingest.count(new)?)
}

/// A histogram, whose lists go directly to their columns.
pub(crate) struct Histogram<'h> {
    new: NewHistogram,
    lists: &'h mut Histograms,
    /// The number of elements that its lists may still have.
    room: usize,
}

impl Histogram<'_> {
    /// Adds elements to a list, as long as there is room.
    fn extend<T>(
        &mut self,
        list: impl Fn(&mut Histograms) -> &mut Lists<T>,
        values: impl Iterator<Item = T>,
    ) -> Flow<Halt> {
        let list = list(self.lists);
        let before = list.open().len();
        list.extend(values.take(self.room));
        self.room -= list.open().len() - before;
        if self.room == 0 { Err(Halt::TooManyRows)? } else { Ok(()) }
    }

    /// Adds a run of buckets.
    fn span<'a, M>(
        &mut self,
        list: impl Fn(&mut Histograms) -> &mut Lists<Span>,
        records: &mut Records<'a, '_, M>,
    ) -> Flow<Halt>
    where
        M: VisitWith<'a, OneSpan, Error = Halt> + VisitWith<'a, Ignore, Error = Infallible>,
    {
        while let Some(record) = records.next_record() {
            let mut span = OneSpan::default();
            record.visit(&mut span)?;
            self.extend(&list, std::iter::once(span.0))?;
        }
        Ok(())
    }
}

/// A run of buckets.
#[derive(Default)]
pub(crate) struct OneSpan(Span);

impl v1::BucketSpanVisitor<'_> for OneSpan {
    type Error = Halt;
    fn offset(&mut self, value: i32) -> Flow<Halt> {
        self.0.offset = value;
        Ok(())
    }
    fn length(&mut self, value: u32) -> Flow<Halt> {
        self.0.length = value;
        Ok(())
    }
}

impl v2::BucketSpanVisitor<'_> for OneSpan {
    type Error = Halt;
    fn offset(&mut self, value: i32) -> Flow<Halt> {
        self.0.offset = value;
        Ok(())
    }
    fn length(&mut self, value: u32) -> Flow<Halt> {
        self.0.length = value;
        Ok(())
    }
}

/// The visitor methods of a histogram that both versions share.
macro_rules! histogram_methods {
    ($version:ident) => {
        type Error = Halt;
        fn count_int(&mut self, value: u64) -> Flow<Halt> {
            self.new.count = Count::Int(value);
            Ok(())
        }
        fn count_float(&mut self, value: f64) -> Flow<Halt> {
            self.new.count = Count::Float(value);
            Ok(())
        }
        fn sum(&mut self, value: f64) -> Flow<Halt> {
            self.new.sum = value;
            Ok(())
        }
        fn schema(&mut self, value: i32) -> Flow<Halt> {
            self.new.schema = value;
            Ok(())
        }
        fn zero_threshold(&mut self, value: f64) -> Flow<Halt> {
            self.new.zero_threshold = value;
            Ok(())
        }
        fn zero_count_int(&mut self, value: u64) -> Flow<Halt> {
            self.new.zero_count = Count::Int(value);
            Ok(())
        }
        fn zero_count_float(&mut self, value: f64) -> Flow<Halt> {
            self.new.zero_count = Count::Float(value);
            Ok(())
        }
        fn negative_spans(&mut self, records: &mut Records<'a, '_, $version::BucketSpan<'static>>) -> Flow<Halt> {
            self.span(|lists| &mut lists.negative_mut().spans, records)
        }
        fn negative_deltas(&mut self, values: Elements<'a, Sint64>) -> Flow<Halt> {
            self.extend(|lists| &mut lists.negative_mut().deltas, values)
        }
        fn negative_counts(&mut self, values: Elements<'a, Double>) -> Flow<Halt> {
            self.extend(|lists| &mut lists.negative_mut().counts, values)
        }
        fn positive_spans(&mut self, records: &mut Records<'a, '_, $version::BucketSpan<'static>>) -> Flow<Halt> {
            self.span(|lists| &mut lists.positive_mut().spans, records)
        }
        fn positive_deltas(&mut self, values: Elements<'a, Sint64>) -> Flow<Halt> {
            self.extend(|lists| &mut lists.positive_mut().deltas, values)
        }
        fn positive_counts(&mut self, values: Elements<'a, Double>) -> Flow<Halt> {
            self.extend(|lists| &mut lists.positive_mut().counts, values)
        }
        fn reset_hint(&mut self, value: $version::histogram::ResetHint) -> Flow<Halt> {
            self.new.reset_hint = value.into();
            Ok(())
        }
        fn timestamp(&mut self, value: i64) -> Flow<Halt> {
            self.new.timestamp = value;
            Ok(())
        }
        fn custom_values(&mut self, values: Elements<'a, Double>) -> Flow<Halt> {
            self.extend(|lists| lists.custom_values_mut(), values)
        }
    };
}

impl<'a> v1::HistogramVisitor<'a> for Histogram<'_> {
    histogram_methods!(v1);
}

impl<'a> v2::HistogramVisitor<'a> for Histogram<'_> {
    histogram_methods!(v2);
    fn start_timestamp(&mut self, value: i64) -> Flow<Halt> {
        self.new.start = value;
        Ok(())
    }
}

/// Reads a run of histograms of either version, and checks their buckets.
pub(crate) fn histograms<'a, M>(ingest: &mut Ingest<'a, '_>, records: &mut Records<'a, '_, M>) -> Flow<Halt>
where
    M: for<'h> VisitWith<'a, Histogram<'h>, Error = Halt> + VisitWith<'a, Ignore, Error = Infallible>,
{
    while let Some(record) = records.next_record() {
        let room = ingest.room().saturating_add(1); // the row itself is counted later
        // What was accepted before stays, whatever the rules are now.
        let checked = ingest.replay.is_none();
        let Some((table, _, set)) = ingest.rows() else { return Ok(()) };
        let bytes = record.bytes();
        let mut histogram = Histogram { new: NewHistogram::default(), lists: &mut table.histograms, room };
        record.visit(&mut histogram)?;
        let mut new = histogram.new;
        match if checked { table.histograms.check(&new) } else { Ok(()) } {
            Ok(()) => {
                table.histograms.reduce(&mut new);
                let elements = table.histograms.elements();
                table.histograms.push(set, new);
                ingest.count(1 + elements)?;
            }
            Err((reason, detail)) => {
                let index = ingest.histograms_so_far();
                let offset = ingest.offset_of(bytes, ingest.series_offset());
                ingest.bad(reason, offset, &format!(".histograms[{index}]"), detail);
            }
        }
    }
    Ok(())
}
