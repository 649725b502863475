//! The result of a receiver: flat rows, the same for both versions of the protocol and for both decoders.

use std::collections::HashMap;

/// A request as rows. Two decoders agree if their rows are equal.
#[derive(Default, PartialEq)]
pub struct Rows<'a> {
    pub series: Vec<Series>,
    pub labels: Vec<(&'a str, &'a str)>,
    pub samples: Vec<Sample>,
    pub exemplars: usize,
    pub histograms: usize,
    pub metadata: Vec<Metadata<'a>>,
}

/// The metadata of a metric in a 1.0 request.
#[derive(PartialEq)]
pub struct Metadata<'a> {
    pub kind: i32,
    pub metric: &'a str,
    pub help: &'a str,
    pub unit: &'a str,
}

/// The ends of the labels and samples of a series; they begin where those of the previous series end.
#[derive(PartialEq)]
pub struct Series {
    pub labels_end: usize,
    pub samples_end: usize,
}

/// A sample, with the bits of its value: stale markers are NaNs, which must be equal, too.
#[derive(PartialEq)]
pub struct Sample {
    pub value_bits: u64,
    pub timestamp_ms: i64,
}

impl<'a> Rows<'a> {
    pub fn sample(&mut self, value: f64, timestamp_ms: i64) {
        self.samples.push(Sample { value_bits: value.to_bits(), timestamp_ms });
    }

    /// Ends the series whose labels and samples were pushed last.
    pub fn end_series(&mut self) {
        self.series.push(Series { labels_end: self.labels.len(), samples_end: self.samples.len() });
    }

    /// Looks up a 2.0 series' labels in the request's symbols.
    pub fn labels_by_reference(
        &mut self,
        refs: impl ExactSizeIterator<Item = u32>,
        symbols: &[&'a str],
    ) -> Result<(), String> {
        if !refs.len().is_multiple_of(2) {
            return Err(format!("series {} has {} label references, an odd number", self.series.len(), refs.len()));
        }
        let mut name = None;
        for r in refs {
            let Some(&symbol) = symbols.get(r as usize) else {
                return Err(format!("series {} refers to symbol {r} of {}", self.series.len(), symbols.len()));
            };
            match name.take() {
                None => name = Some(symbol),
                Some(name) => self.labels.push((name, symbol)),
            }
        }
        Ok(())
    }

    /// Returns the metrics by number of series, the largest first; equal ones by name.
    pub fn metrics(&self) -> Vec<(&'a str, usize)> {
        let mut counts = HashMap::<&str, usize>::new();
        let mut start = 0;
        for series in &self.series {
            let labels = &self.labels[start..series.labels_end];
            start = series.labels_end;
            if let Some((_, metric)) = labels.iter().find(|(name, _)| *name == "__name__") {
                *counts.entry(metric).or_default() += 1;
            }
        }
        let mut metrics: Vec<_> = counts.into_iter().collect();
        metrics.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        metrics
    }
}

/// Formats 1234567 as 1,234,567.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
