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

/// A label as Prometheus writes almost all: `0a LL 0a NN name… 12 VV value…`, lengths of one byte, nothing missing.
/// Four bytes are compared at once. Leaves `rest` alone when it is anything else.
#[inline(always)]
fn predicted_label<'a>(rest: &mut &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let [_, label, _, name] = *rest.first_chunk::<4>()?;
    if u32::from_le_bytes(*rest.first_chunk()?) & 0x80ff_80ff != 0x000a_000a {
        return None;
    }
    let (label, name) = (usize::from(label), usize::from(name));
    let (inside, after) = rest[2..].split_at_checked(label)?;
    let (tag, value) = inside.get(2 + name..)?.split_first_chunk::<2>()?;
    if tag[0] != LEN_2 || usize::from(tag[1]) != value.len() {
        return None;
    }
    *rest = after;
    Some((&inside[2..2 + name], value))
}

/// Any other label.
#[cold]
fn label<'a>(rest: &mut &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let mut after = *rest;
    if !tag(&mut after, LEN_1) {
        return None;
    }
    let mut inside = payload(&mut after)?;
    let name = if tag(&mut inside, LEN_1) { payload(&mut inside)? } else { &[] };
    let value = if tag(&mut inside, LEN_2) { payload(&mut inside)? } else { &[] };
    if !inside.is_empty() {
        return None;
    }
    *rest = after;
    Some((name, value))
}

#[inline(always)]
fn sample(mut inside: &[u8]) -> Option<(f64, i64)> {
    let mut value = 0.0;
    if tag(&mut inside, 0x09) {
        let (bits, after) = inside.split_first_chunk()?;
        (value, inside) = (f64::from_le_bytes(*bits), after);
    }
    let mut timestamp = 0;
    if tag(&mut inside, 0x10) {
        // Milliseconds since the epoch take six bytes until the year 2527.
        let (bits, width) = match *inside {
            [a, b, c, d, e, f] if a & b & c & d & e >= 0x80 && f < 0x80 => {
                let low = |x: u8, shift: u32| u64::from(x & 0x7f) << shift;
                (low(a, 0) | low(b, 7) | low(c, 14) | low(d, 21) | low(e, 28) | low(f, 35), 6)
            }
            _ => varint(inside)?,
        };
        (timestamp, inside) = (bits as i64, &inside[width..]);
    }
    inside.is_empty().then_some((value, timestamp))
}

/// Thirty-two bytes at a time; the compiler makes vectors of it.
#[inline(always)]
fn is_ascii(bytes: &[u8]) -> bool {
    let mut blocks = bytes.chunks_exact(32);
    let mut bits = 0u8;
    for block in &mut blocks {
        bits |= block.iter().fold(0, |bits, b| bits | b);
    }
    bits |= blocks.remainder().iter().fold(0, |bits, b| bits | b);
    bits < 0x80
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
        // A label takes two bytes at least: after this, room is never looked for again.
        self.labels.reserve(record.len() / 2);
        while let Some((name, value)) = predicted_label(&mut rest).or_else(|| label(&mut rest)) {
            // SAFETY: of the strings, nothing reads a label before the check below has passed; if it fails, the labels
            // of this series are cut off and the decode fails. Of the write, each label took two bytes of the record or
            // more, so there are at most record.len() / 2 of them, and that much was reserved.
            unsafe {
                let strings = (std::str::from_utf8_unchecked(name), std::str::from_utf8_unchecked(value));
                let len = self.labels.len();
                self.labels.as_mut_ptr().add(len).write(strings);
                self.labels.set_len(len + 1);
            }
        }
        // Tags and one-byte lengths are ASCII as well, so all labels are looked at in one sweep.
        let swept = &record[..record.len() - rest.len()];
        if !is_ascii(swept) && !self.check(first_label) {
            self.labels.truncate(first_label);
            return None;
        }
        while tag(&mut rest, LEN_2) {
            let sample = sample(payload(&mut rest)?)?;
            self.samples.push(sample);
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

    fn decode_read(&mut self) -> Result<u64, String> {
        self.decode()?;
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
