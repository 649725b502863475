//! hotpb's pool: decodes and checks everything into reused tables, with borrowed strings; and its builder, an owned
//! message, which encodes.

use std::hint::black_box;

use hotpb::pool::{DecodeOptions, Encode, EncodeBuffer, Owned};

use super::generated::hotpb::prometheus as pb;
use super::stock::{self, Label, Sample, TimeSeries, WriteRequest};
use super::{Rival, sum_sample, sum_string};

pub struct Pool<'a> {
    input: &'a [u8],
    pool: pb::WriteRequestPool,
    unchecked: bool,
    /// The message to encode: a decoded request, which is kept.
    kept: Option<Kept>,
    out: EncodeBuffer,
}

type Kept = Owned<pb::WriteRequest<'static>, Vec<u8>>;

impl<'a> Pool<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Self { input, pool: pb::WriteRequestPool::new(), unchecked: false, kept: None, out: EncodeBuffer::new() }
    }

    pub fn unchecked(input: &'a [u8]) -> Self {
        Self { unchecked: true, ..Self::new(input) }
    }

    fn request(&mut self) -> Result<pb::WriteRequest<'_>, String> {
        if self.unchecked {
            // SAFETY: `new` gets the corpora of the benchmark, which are all UTF-8; prost rejects others in the
            // verification.
            return unsafe { self.pool.decode_unchecked(self.input, &DecodeOptions::default()) }
                .map_err(|e| e.to_string());
        }
        self.pool.decode(self.input).map_err(|e| e.to_string())
    }
}

fn sum_labels(series: pb::TimeSeries<'_>) -> u64 {
    series.labels().iter().fold(0, |sum, l| sum + sum_string(l.name()) + sum_string(l.value()))
}

impl Rival for Pool<'_> {
    fn decode(&mut self) -> Result<(), String> {
        black_box(self.request()?);
        Ok(())
    }

    /// The handle ends with the next decode, so the reading follows immediately.
    fn decode_read(&mut self) -> Result<u64, String> {
        let request = self.request()?;
        Ok(request.timeseries().iter().fold(0u64, |sum, ts| {
            let sum = sum.wrapping_add(sum_labels(ts));
            ts.samples().iter().fold(sum, |sum, s| sum.wrapping_add(sum_sample(s.value(), s.timestamp())))
        }))
    }

    fn find(&mut self) -> Result<u64, String> {
        let series = self.request()?.timeseries();
        Ok(sum_labels(series.get(series.len() / 2).ok_or("no series")?))
    }

    fn last_label(&mut self) -> Result<u64, String> {
        let series = self.request()?.timeseries();
        let last = series.get(series.len().wrapping_sub(1)).and_then(|ts| ts.labels().get(0));
        Ok(sum_string(last.ok_or("no label")?.value()))
    }

    fn encode(&mut self) -> Result<&[u8], String> {
        if self.kept.is_none() {
            let kept = pb::WriteRequestPool::new().decode_owned(self.input.to_vec());
            self.kept = Some(kept.map_err(|failed| failed.error.to_string())?);
        }
        let request = self.kept.as_ref().ok_or("nothing to encode")?.get();
        request.encode_into(&mut self.out).map_err(|e| e.to_string())
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        let request = self.request()?;
        let simple = |ts: pb::TimeSeries<'_>| ts.exemplars().is_empty() && ts.histograms().is_empty();
        if !request.metadata().is_empty() || !request.timeseries().iter().all(simple) {
            return Err("metadata, exemplars and histograms are not carried over by this benchmark".into());
        }
        let label = |l: pb::Label<'_>| Label { name: l.name().into(), value: l.value().into() };
        let sample = |s: pb::Sample<'_>| Sample { value: s.value(), timestamp: s.timestamp() };
        let timeseries = request.timeseries().iter().map(|ts| TimeSeries {
            labels: ts.labels().iter().map(label).collect(),
            samples: ts.samples().iter().map(sample).collect(),
            ..TimeSeries::default()
        });
        Ok(WriteRequest { timeseries: timeseries.collect(), ..WriteRequest::default() })
    }

    fn note(&self) -> &'static str {
        match self.unchecked {
            false => "UTF-8 checked; unknown fields kept; strings borrow; one pool used again",
            true => "UTF-8 not checked (an unsafe call); unknown fields kept; strings borrow; one pool used again",
        }
    }
}

pub struct Builder {
    input: &'static [u8],
    message: pb::WriteRequestBuilder,
    out: EncodeBuffer,
}

impl Builder {
    pub fn new(input: &'static [u8]) -> Self {
        Self { input, message: Default::default(), out: EncodeBuffer::new() }
    }
}

impl Rival for Builder {
    fn decode(&mut self) -> Result<(), String> {
        self.message = hotpb::pool::Builder::decode(self.input).map_err(|e| e.to_string())?;
        Ok(())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        Err("a pool decodes".into())
    }

    fn find(&mut self) -> Result<u64, String> {
        Err("a pool decodes".into())
    }

    fn encode(&mut self) -> Result<&[u8], String> {
        self.message.encode_into(&mut self.out).map_err(|e| e.to_string())
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        stock::decode(self.encode()?)
    }

    fn note(&self) -> &'static str {
        "from a builder: an owned message with public fields"
    }
}
