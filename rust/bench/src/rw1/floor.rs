//! A loop written by hand for this one schema and for the order in which Prometheus writes it; any other order is
//! refused, so it is no library. It shows how far there is to go: predicted tags, flat tables that are used again,
//! ASCII checked over all labels of a series at once.

use super::stock::{Label, Sample, TimeSeries, WriteRequest};
use super::{Rival, sum_sample, sum_string};

#[derive(Default)]
struct Tables<'a> {
    series: Vec<Series>,
    labels: Vec<(&'a str, &'a str)>,
    samples: Vec<(f64, i64)>,
    /// Used by `find` only: the series that were not decoded.
    records: Vec<&'a [u8]>,
}

/// Where the labels and the samples of a series end; they begin where those of the one before end.
struct Series {
    labels_end: u32,
    samples_end: u32,
}

pub struct Floor<'a> {
    input: &'a [u8],
    tables: Tables<'a>,
}

impl<'a> Floor<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Self { input, tables: Tables::default() }
    }
}

const LEN_1: u8 = 0x0a;
const LEN_2: u8 = 0x12;

/// Takes a length and its payload off the front of `rest`.
#[inline(always)]
fn payload<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (&first, after) = rest.split_first()?;
    let (length, after) = if first < 0x80 { (usize::from(first), after) } else { long_length(rest)? };
    let (inside, after) = after.split_at_checked(length)?;
    *rest = after;
    Some(inside)
}

#[cold]
fn long_length(rest: &[u8]) -> Option<(usize, &[u8])> {
    let (length, width) = varint(rest)?;
    Some((usize::try_from(length).ok()?, &rest[width..]))
}

#[inline(always)]
fn varint(rest: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (i, &b) in rest.iter().take(10).enumerate() {
        value |= u64::from(b & 0x7f) << (7 * i);
        if b < 0x80 {
            return Some((value, i + 1));
        }
    }
    None
}

#[inline(always)]
fn tag(rest: &mut &[u8], tag: u8) -> bool {
    match rest.split_first() {
        Some((&t, after)) if t == tag => {
            *rest = after;
            true
        }
        _ => false,
    }
}

impl<'a> Tables<'a> {
    fn clear(&mut self) {
        self.series.clear();
        self.labels.clear();
        self.samples.clear();
        self.records.clear();
    }

    fn request(&mut self, mut rest: &'a [u8]) -> Option<()> {
        self.clear();
        while tag(&mut rest, LEN_1) {
            let record = payload(&mut rest)?;
            self.timeseries(record)?;
        }
        rest.is_empty().then_some(())
    }

    /// Keeps where each series lies, and nothing of what it holds.
    fn open(&mut self, mut rest: &'a [u8]) -> Option<()> {
        self.clear();
        while tag(&mut rest, LEN_1) {
            self.records.push(payload(&mut rest)?);
        }
        rest.is_empty().then_some(())
    }

    #[inline(always)]
    fn timeseries(&mut self, record: &'a [u8]) -> Option<()> {
        let mut rest = record;
        let first_label = self.labels.len();
        while tag(&mut rest, LEN_1) {
            let mut label = payload(&mut rest)?;
            let name = if tag(&mut label, LEN_1) { payload(&mut label)? } else { &[] };
            let value = if tag(&mut label, LEN_2) { payload(&mut label)? } else { &[] };
            if !label.is_empty() {
                return None;
            }
            // SAFETY: nothing reads a label before the check below has passed; if it fails, the labels of this
            // series are truncated away and the decode fails.
            self.labels.push(unsafe { (std::str::from_utf8_unchecked(name), std::str::from_utf8_unchecked(value)) });
        }
        // Tags and one-byte lengths are ASCII as well, so all labels are looked at in one sweep.
        let swept = &record[..record.len() - rest.len()];
        if !swept.is_ascii() && !self.check(first_label) {
            self.labels.truncate(first_label);
            return None;
        }
        while tag(&mut rest, LEN_2) {
            let mut sample = payload(&mut rest)?;
            let mut value = 0.0;
            if tag(&mut sample, 0x09) {
                let (bits, after) = sample.split_first_chunk()?;
                (value, sample) = (f64::from_le_bytes(*bits), after);
            }
            let mut timestamp = 0;
            if tag(&mut sample, 0x10) {
                let (bits, width) = varint(sample)?;
                (timestamp, sample) = (bits as i64, &sample[width..]);
            }
            if !sample.is_empty() {
                return None;
            }
            self.samples.push((value, timestamp));
        }
        self.series.push(Series { labels_end: self.labels.len() as u32, samples_end: self.samples.len() as u32 });
        rest.is_empty().then_some(())
    }

    #[cold]
    fn check(&self, first_label: usize) -> bool {
        let valid = |s: &str| std::str::from_utf8(s.as_bytes()).is_ok();
        self.labels[first_label..].iter().all(|(name, value)| valid(name) && valid(value))
    }

    fn rows(&self) -> impl Iterator<Item = (&[(&'a str, &'a str)], &[(f64, i64)])> {
        let (mut label, mut sample) = (0, 0);
        self.series.iter().map(move |s| {
            let (from_label, from_sample) = (label, sample);
            (label, sample) = (s.labels_end as usize, s.samples_end as usize);
            (&self.labels[from_label..label], &self.samples[from_sample..sample])
        })
    }
}

fn sum_labels(labels: &[(&str, &str)]) -> u64 {
    labels.iter().fold(0, |sum, (name, value)| sum + sum_string(name) + sum_string(value))
}

const REFUSED: &str = "not laid out as the floor expects";

impl Rival for Floor<'_> {
    fn decode(&mut self) -> Result<(), String> {
        self.tables.request(self.input).ok_or_else(|| REFUSED.into())
    }

    fn read(&mut self) -> Result<u64, String> {
        Ok(self.tables.rows().fold(0u64, |sum, (labels, samples)| {
            let sum = sum.wrapping_add(sum_labels(labels));
            samples.iter().fold(sum, |sum, &(v, t)| sum.wrapping_add(sum_sample(v, t)))
        }))
    }

    fn find(&mut self) -> Result<u64, String> {
        self.tables.open(self.input).ok_or(REFUSED)?;
        let middle = *self.tables.records.get(self.tables.records.len() / 2).ok_or("no series")?;
        self.tables.timeseries(middle).ok_or(REFUSED)?;
        Ok(sum_labels(&self.tables.labels))
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        let timeseries = self.tables.rows().map(|(labels, samples)| TimeSeries {
            labels: labels
                .iter()
                .map(|(name, value)| Label { name: name.to_string(), value: value.to_string() })
                .collect(),
            samples: samples.iter().map(|&(value, timestamp)| Sample { value, timestamp }).collect(),
            ..TimeSeries::default()
        });
        Ok(WriteRequest { timeseries: timeseries.collect(), ..WriteRequest::default() })
    }

    fn note(&self) -> &'static str {
        "hand-written for this schema and field order; UTF-8 checked"
    }
}
