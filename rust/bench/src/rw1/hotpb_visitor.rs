//! hotpb's visitor: decodes and checks everything, stores nothing; it sums while the bytes are read.

use hotpb::pool::{Flow, Records};

use super::generated::hotpb::prometheus as pb;
use super::stock::{self, WriteRequest};
use super::{Rival, sum_sample, sum_string};

pub struct Visitor<'a> {
    input: &'a [u8],
}

impl<'a> Visitor<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Self { input }
    }
}

#[derive(Default)]
struct Sum {
    sum: u64,
    value: f64,
    timestamp: i64,
}

impl<'a> pb::WriteRequestVisitor<'a> for Sum {
    type Error = std::convert::Infallible;
    fn timeseries(&mut self, series: &mut Records<'a, '_, pb::TimeSeries<'static>>) -> Flow<Self::Error> {
        series.visit(self)
    }
}

impl<'a> pb::TimeSeriesVisitor<'a> for Sum {
    type Error = std::convert::Infallible;
    fn labels(&mut self, labels: &mut Records<'a, '_, pb::Label<'static>>) -> Flow<Self::Error> {
        labels.visit(self)
    }
    fn samples(&mut self, samples: &mut Records<'a, '_, pb::Sample<'static>>) -> Flow<Self::Error> {
        while let Some(sample) = samples.next_record() {
            (self.value, self.timestamp) = (0.0, 0);
            sample.visit(self)?;
            self.sum = self.sum.wrapping_add(sum_sample(self.value, self.timestamp));
        }
        Ok(())
    }
}

impl<'a> pb::LabelVisitor<'a> for Sum {
    type Error = std::convert::Infallible;
    fn name(&mut self, name: &'a str) -> Flow<Self::Error> {
        self.sum = self.sum.wrapping_add(sum_string(name));
        Ok(())
    }
    fn value(&mut self, value: &'a str) -> Flow<Self::Error> {
        self.sum = self.sum.wrapping_add(sum_string(value));
        Ok(())
    }
}

impl<'a> pb::SampleVisitor<'a> for Sum {
    type Error = std::convert::Infallible;
    fn value(&mut self, value: f64) -> Flow<Self::Error> {
        self.value = value;
        Ok(())
    }
    fn timestamp(&mut self, timestamp: i64) -> Flow<Self::Error> {
        self.timestamp = timestamp;
        Ok(())
    }
}

impl Rival for Visitor<'_> {
    fn decode(&mut self) -> Result<(), String> {
        self.decode_read().map(drop)
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        let mut sum = Sum::default();
        pb::WriteRequestPool::visit(self.input, &mut sum).map_err(|e| e.to_string())?;
        Ok(sum.sum)
    }

    fn find(&mut self) -> Result<u64, String> {
        Err("a visitor reads all".into())
    }

    /// Nothing is kept; the sum is verified.
    fn stock(&mut self) -> Result<WriteRequest, String> {
        stock::decode(self.input)
    }

    fn note(&self) -> &'static str {
        "UTF-8 checked; strings borrow; nothing stored, the sums are made while decoding"
    }
}
