//! hotpb's view: reads the request where it lies; and its check of the whole tree.

use hotpb::view::View as _;

use super::generated::hotpb::prometheus as pb;
use super::stock::{Label, Sample, TimeSeries, WriteRequest};
use super::{Rival, sum_sample, sum_string};

/// Opens messages when they are read.
pub struct View<'a> {
    input: &'a [u8],
}

impl<'a> View<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Self { input }
    }

    fn request(&self) -> Result<pb::WriteRequestView<'a>, String> {
        pb::WriteRequestView::decode(self.input).map_err(|e| e.to_string())
    }
}

fn sum_labels(series: &pb::TimeSeriesView<'_>) -> Result<u64, String> {
    let mut sum = 0;
    for label in series.labels() {
        let label = label.open().map_err(|e| e.to_string())?;
        sum += sum_string(label.name()) + sum_string(label.value());
    }
    Ok(sum)
}

impl Rival for View<'_> {
    /// Opens every message, as a program does that reads all of them.
    fn decode(&mut self) -> Result<(), String> {
        for series in self.request()?.timeseries() {
            let series = series.open().map_err(|e| e.to_string())?;
            for label in series.labels() {
                std::hint::black_box(label.open().map_err(|e| e.to_string())?);
            }
            for sample in series.samples() {
                std::hint::black_box(sample.open().map_err(|e| e.to_string())?);
            }
            for exemplar in series.exemplars() {
                let exemplar = exemplar.open().map_err(|e| e.to_string())?;
                for label in exemplar.labels() {
                    std::hint::black_box(label.open().map_err(|e| e.to_string())?);
                }
            }
            for histogram in series.histograms() {
                std::hint::black_box(histogram.open().map_err(|e| e.to_string())?);
            }
        }
        Ok(())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        let mut sum = 0u64;
        for series in self.request()?.timeseries() {
            let series = series.open().map_err(|e| e.to_string())?;
            sum = sum.wrapping_add(sum_labels(&series)?);
            for sample in series.samples() {
                let sample = sample.open().map_err(|e| e.to_string())?;
                sum = sum.wrapping_add(sum_sample(sample.value(), sample.timestamp()));
            }
        }
        Ok(sum)
    }

    fn find(&mut self) -> Result<u64, String> {
        let series = self.request()?.timeseries();
        let middle = series.get(series.len() / 2).ok_or("no series")?;
        sum_labels(&middle.open().map_err(|e| e.to_string())?)
    }

    fn last_label(&mut self) -> Result<u64, String> {
        let series = self.request()?.timeseries();
        let last = series.get(series.len().wrapping_sub(1)).ok_or("no series")?;
        let label = last.open().map_err(|e| e.to_string())?.labels().get(0).ok_or("no label")?;
        Ok(sum_string(label.open().map_err(|e| e.to_string())?.value()))
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        let text = |e: hotpb::Error| e.to_string();
        let mut request = WriteRequest::default();
        let view = self.request()?;
        if !view.metadata().is_empty() {
            return Err("metadata is not carried over by this benchmark".into());
        }
        for series in view.timeseries() {
            let series = series.open().map_err(text)?;
            if !series.exemplars().is_empty() || !series.histograms().is_empty() {
                return Err("exemplars and histograms are not carried over by this benchmark".into());
            }
            let mut out = TimeSeries::default();
            for label in series.labels() {
                let label = label.open().map_err(text)?;
                out.labels.push(Label { name: label.name().into(), value: label.value().into() });
            }
            for sample in series.samples() {
                let sample = sample.open().map_err(text)?;
                out.samples.push(Sample { value: sample.value(), timestamp: sample.timestamp() });
            }
            request.timeseries.push(out);
        }
        Ok(request)
    }

    fn note(&self) -> &'static str {
        "UTF-8 checked; strings borrow; every message opened when it is read"
    }
}

/// Checks the whole request, and stores nothing.
pub struct Validate<'a>(View<'a>);

impl<'a> Validate<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Self(View::new(input))
    }
}

impl Rival for Validate<'_> {
    fn decode(&mut self) -> Result<(), String> {
        self.0.request()?.validate().map_err(|e| e.to_string())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        self.decode()?;
        self.0.decode_read()
    }

    fn find(&mut self) -> Result<u64, String> {
        self.decode()?;
        self.0.find()
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        self.0.stock()
    }

    fn note(&self) -> &'static str {
        "checks everything, the UTF-8 of all strings too; keeps nothing"
    }
}
