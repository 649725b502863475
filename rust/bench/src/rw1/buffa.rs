//! buffa: owned messages, views that are decoded as a whole, and lazy views that decode on access.

use buffa::{LazyMessageView, Message, MessageView};

use super::generated::buffa::prometheus as pb;
use super::stock::{self, WriteRequest};
use super::{Rival, sum_sample, sum_string};

/// Returns the result as prost's message: buffa encodes it, prost decodes that.
fn to_stock(encoded: &[u8]) -> Result<WriteRequest, String> {
    stock::decode(encoded)
}

/// The loops are the same for owned messages and views; only the types differ.
macro_rules! sum_labels {
    ($labels:expr) => {
        $labels.iter().fold(0u64, |sum, l| sum + sum_string(&l.name) + sum_string(&l.value))
    };
}

macro_rules! sum_request {
    ($request:expr) => {
        $request.timeseries.iter().fold(0u64, |sum, ts| {
            let sum = sum.wrapping_add(sum_labels!(ts.labels));
            ts.samples.iter().fold(sum, |sum, s| sum.wrapping_add(sum_sample(s.value, s.timestamp)))
        })
    };
}

pub struct Owned<'a> {
    input: &'a [u8],
    message: pb::WriteRequest,
    out: Vec<u8>,
}

impl<'a> Owned<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Self { input, message: pb::WriteRequest::default(), out: Vec::new() }
    }
}

impl Rival for Owned<'_> {
    fn decode(&mut self) -> Result<(), String> {
        self.message = pb::WriteRequest::decode_from_slice(self.input).map_err(|e| e.to_string())?;
        Ok(())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        self.decode()?;
        Ok(sum_request!(self.message))
    }

    fn find(&mut self) -> Result<u64, String> {
        self.decode()?;
        let series = &self.message.timeseries;
        Ok(sum_labels!(series[series.len() / 2].labels))
    }

    fn encode(&mut self) -> Result<&[u8], String> {
        self.out.clear();
        self.message.encode(&mut self.out);
        Ok(&self.out)
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        to_stock(&self.message.encode_to_vec())
    }

    fn note(&self) -> &'static str {
        "UTF-8 checked; a fresh message each time"
    }
}

pub struct View<'a> {
    input: &'a [u8],
    view: pb::WriteRequestView<'a>,
}

impl<'a> View<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Self { input, view: pb::WriteRequestView::default() }
    }
}

impl Rival for View<'_> {
    fn decode(&mut self) -> Result<(), String> {
        self.view = pb::WriteRequestView::decode_view(self.input).map_err(|e| e.to_string())?;
        Ok(())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        self.decode()?;
        Ok(sum_request!(self.view))
    }

    fn find(&mut self) -> Result<u64, String> {
        self.decode()?;
        let series = &self.view.timeseries;
        Ok(sum_labels!(series[series.len() / 2].labels))
    }

    fn last_label(&mut self) -> Result<u64, String> {
        self.decode()?;
        let last = self.view.timeseries.iter().last().and_then(|ts| ts.labels.iter().next());
        Ok(sum_string(last.ok_or("no label")?.value))
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        let owned = self.view.to_owned_message().map_err(|e| e.to_string())?;
        to_stock(&owned.encode_to_vec())
    }

    fn note(&self) -> &'static str {
        "UTF-8 checked; strings borrow; a fresh view each time"
    }
}

pub struct Lazy<'a> {
    input: &'a [u8],
    view: pb::WriteRequestLazyView<'a>,
}

impl<'a> Lazy<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Self { input, view: pb::WriteRequestLazyView::default() }
    }
}

fn sum_lazy_labels(series: &pb::TimeSeriesLazyView<'_>) -> Result<u64, String> {
    let mut sum = 0;
    for label in &series.labels {
        let label = label.map_err(|e| e.to_string())?;
        sum += sum_string(label.name) + sum_string(label.value);
    }
    Ok(sum)
}

impl Rival for Lazy<'_> {
    fn decode(&mut self) -> Result<(), String> {
        self.view = pb::WriteRequestLazyView::decode_lazy(self.input).map_err(|e| e.to_string())?;
        Ok(())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        self.decode()?;
        let mut sum = 0u64;
        for series in &self.view.timeseries {
            let series = series.map_err(|e| e.to_string())?;
            sum = sum.wrapping_add(sum_lazy_labels(&series)?);
            for sample in &series.samples {
                let sample = sample.map_err(|e| e.to_string())?;
                sum = sum.wrapping_add(sum_sample(sample.value, sample.timestamp));
            }
        }
        Ok(sum)
    }

    fn find(&mut self) -> Result<u64, String> {
        self.decode()?;
        let series = &self.view.timeseries;
        let middle = series.get(series.len() / 2).ok_or("no series")?.map_err(|e| e.to_string())?;
        sum_lazy_labels(&middle)
    }

    fn last_label(&mut self) -> Result<u64, String> {
        self.decode()?;
        let series = &self.view.timeseries;
        let last = series.get(series.len().wrapping_sub(1)).ok_or("no series")?.map_err(|e| e.to_string())?;
        Ok(sum_string(last.labels.get(0).ok_or("no label")?.map_err(|e| e.to_string())?.value))
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        let owned = self.view.to_owned_message().map_err(|e| e.to_string())?;
        to_stock(&owned.encode_to_vec())
    }

    fn note(&self) -> &'static str {
        "decodes and checks nothing below the first level until it is read"
    }
}
