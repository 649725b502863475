//! A loop written by hand for this one schema and for the order in which Prometheus writes it. It rejects any other
//! order, so it is not a library. It shows the limit of what is possible: predicted tags, reused flat tables, spans
//! instead of slices, one ASCII check over all labels of a series.

use super::stock::{Label, Sample, TimeSeries, WriteRequest};
use super::{Rival, sum_sample, sum_string};

/// The position of a string in the input.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    len: u32,
}

/// The labels and samples of one series.
type Row<'a> = (&'a [(Span, Span)], &'a [(f64, i64)]);

#[derive(Default)]
struct Tables {
    series: Vec<Series>,
    labels: Vec<(Span, Span)>,
    samples: Vec<(f64, i64)>,
    /// Used by `find` only: the series that were not decoded.
    records: Vec<(usize, usize)>,
}

/// The ends of the labels and the samples of a series; they begin where those of the previous series end.
struct Series {
    labels_end: u32,
    samples_end: u32,
}

pub struct Floor<'a> {
    input: &'a [u8],
    tables: Tables,
}

impl<'a> Floor<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        assert!(input.len() < u32::MAX as usize, "spans are 32 bits wide");
        Self { input, tables: Tables::default() }
    }
}

const LEN_1: u8 = 0x0a;
const LEN_2: u8 = 0x12;

/// A part of the input that is read from its front.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    input: &'a [u8],
    at: usize,
    /// At most `input.len()`.
    end: usize,
}

impl<'a> Cursor<'a> {
    #[inline(always)]
    fn left(&self) -> usize {
        self.end - self.at
    }

    #[inline(always)]
    fn byte(&self, ahead: usize) -> u8 {
        debug_assert!(ahead < self.left());
        // SAFETY: callers have compared `ahead` with the remaining length, and the end lies in the input.
        unsafe { *self.input.get_unchecked(self.at + ahead) }
    }

    #[inline(always)]
    fn tag(&mut self, tag: u8) -> bool {
        let is = self.at < self.end && self.byte(0) == tag;
        self.at += usize::from(is);
        is
    }

    /// Takes a length and its payload from the front.
    #[inline(always)]
    fn payload(&mut self) -> Option<Cursor<'a>> {
        if self.at == self.end {
            return None;
        }
        let mut length = usize::from(self.byte(0));
        self.at += 1;
        if length >= 0x80 {
            self.at -= 1;
            length = usize::try_from(self.varint()?).ok()?;
        }
        if length > self.left() {
            return None;
        }
        let inside = Cursor { end: self.at + length, ..*self };
        self.at += length;
        Some(inside)
    }

    #[inline(always)]
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in 0..10 {
            if self.at == self.end {
                return None;
            }
            let b = self.byte(0);
            self.at += 1;
            value |= u64::from(b & 0x7f) << (7 * shift);
            if b < 0x80 {
                return Some(value);
            }
        }
        None
    }

    #[inline(always)]
    fn span(&self) -> Span {
        Span { start: self.at as u32, len: self.left() as u32 }
    }

    /// Reads a label as Prometheus writes almost all of them: `0a LL 0a NN name… 12 VV value…`, with one-byte lengths
    /// and both fields. It compares four bytes at once, and moves only if the label has this form.
    #[inline(always)]
    fn predicted_label(&mut self) -> Option<(Span, Span)> {
        if self.left() < 4 {
            return None;
        }
        // SAFETY: four bytes are left, and the end lies in the input.
        let head = unsafe { self.input.as_ptr().add(self.at).cast::<u32>().read_unaligned() }.to_le();
        let (label, name) = ((head >> 8 & 0x7f) as usize, (head >> 24) as usize);
        // The value's tag and length need two bytes after the name.
        if head & 0x80ff_80ff != 0x000a_000a || label + 2 > self.left() || name + 4 > label {
            return None;
        }
        let value = label - name - 4;
        if self.byte(4 + name) != LEN_2 || usize::from(self.byte(5 + name)) != value || value >= 0x80 {
            return None;
        }
        let start = self.at as u32 + 4;
        self.at += 2 + label;
        let name = Span { start, len: name as u32 };
        Some((name, Span { start: start + name.len + 2, len: value as u32 }))
    }

    /// Reads any other label, and returns the cursor after it. The cursor is passed by value: one that is borrowed
    /// cannot stay in registers.
    #[cold]
    fn label(mut self) -> Option<(Span, Span, usize)> {
        if !self.tag(LEN_1) {
            return None;
        }
        let mut inside = self.payload()?;
        let empty = Span { start: 0, len: 0 };
        let name = if inside.tag(LEN_1) { inside.payload()?.span() } else { empty };
        let value = if inside.tag(LEN_2) { inside.payload()?.span() } else { empty };
        (inside.left() == 0).then_some((name, value, self.at))
    }

    #[inline(always)]
    fn sample(mut self) -> Option<(f64, i64)> {
        let mut value = 0.0;
        if self.tag(0x09) {
            let bits = self.input[self.at..self.end].first_chunk()?;
            value = f64::from_le_bytes(*bits);
            self.at += 8;
        }
        let mut timestamp = 0;
        if self.tag(0x10) {
            // Milliseconds since the epoch take six bytes until the year 2109.
            timestamp = match self.input[self.at..self.end] {
                [a, b, c, d, e, f] if a & b & c & d & e >= 0x80 && f < 0x80 => {
                    let low = |x: u8, shift: u32| i64::from(x & 0x7f) << shift;
                    self.at += 6;
                    low(a, 0) | low(b, 7) | low(c, 14) | low(d, 21) | low(e, 28) | low(f, 35)
                }
                _ => self.varint()? as i64,
            };
        }
        (self.left() == 0).then_some((value, timestamp))
    }
}

/// Checks thirty-two bytes at a time in four lanes, then words; the last word overlaps the one before it.
#[inline(always)]
fn is_ascii(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let word = |eight: &[u8; 8]| u64::from_ne_bytes(*eight);
    let Some(last) = bytes.last_chunk::<8>() else { return bytes.is_ascii() };
    let (words, _) = bytes.as_chunks::<8>();
    let (blocks, rest) = words.as_chunks::<4>();
    let mut lanes = [0u64; 4];
    for block in blocks {
        for (lane, eight) in lanes.iter_mut().zip(block) {
            *lane |= word(eight);
        }
    }
    let bits = rest.iter().fold(word(last), |bits, eight| bits | word(eight));
    (lanes[0] | lanes[1] | lanes[2] | lanes[3] | bits) & HIGH == 0
}

impl Tables {
    fn clear(&mut self) {
        self.series.clear();
        self.labels.clear();
        self.samples.clear();
        self.records.clear();
    }

    fn request(&mut self, input: &[u8]) -> Option<()> {
        self.clear();
        let mut rest = Cursor { input, at: 0, end: input.len() };
        while rest.tag(LEN_1) {
            let record = rest.payload()?;
            self.timeseries(record)?;
        }
        (rest.left() == 0).then_some(())
    }

    /// Records the position of each series, and nothing of its content.
    fn open(&mut self, input: &[u8]) -> Option<()> {
        self.clear();
        let mut rest = Cursor { input, at: 0, end: input.len() };
        while rest.tag(LEN_1) {
            let record = rest.payload()?;
            self.records.push((record.at, record.end));
        }
        (rest.left() == 0).then_some(())
    }

    #[inline(always)]
    fn timeseries(&mut self, mut rest: Cursor<'_>) -> Option<()> {
        let (first_label, first_byte) = (self.labels.len(), rest.at);
        // A label takes at least two bytes: after this, room is not checked again.
        self.labels.reserve(rest.left() / 2);
        loop {
            let label = match rest.predicted_label() {
                Some(label) => label,
                None => match rest.label() {
                    Some((name, value, behind)) => {
                        rest.at = behind;
                        (name, value)
                    }
                    None => break,
                },
            };
            // SAFETY: each label took at least two bytes of the record, so there are at most as many as were reserved.
            unsafe {
                let len = self.labels.len();
                self.labels.as_mut_ptr().add(len).write(label);
                self.labels.set_len(len + 1);
            }
        }
        // Tags and one-byte lengths are also ASCII, so one sweep checks all labels.
        if !is_ascii(&rest.input[first_byte..rest.at]) && !self.check(rest.input, first_label) {
            self.labels.truncate(first_label); // so that no table ever has a span that is not text
            return None;
        }
        while rest.tag(LEN_2) {
            self.samples.push(rest.payload()?.sample()?);
        }
        self.series.push(Series { labels_end: self.labels.len() as u32, samples_end: self.samples.len() as u32 });
        (rest.left() == 0).then_some(())
    }

    #[cold]
    fn check(&self, input: &[u8], first_label: usize) -> bool {
        let valid = |s: Span| std::str::from_utf8(&input[s.start as usize..][..s.len as usize]).is_ok();
        self.labels[first_label..].iter().all(|&(name, value)| valid(name) && valid(value))
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let (mut label, mut sample) = (0, 0);
        self.series.iter().map(move |s| {
            let (from_label, from_sample) = (label, sample);
            (label, sample) = (s.labels_end as usize, s.samples_end as usize);
            (&self.labels[from_label..label], &self.samples[from_sample..sample])
        })
    }
}

const REFUSED: &str = "the request does not have the layout that the floor expects";

impl<'a> Floor<'a> {
    #[inline(always)]
    fn text(&self, span: Span) -> &'a str {
        let (start, end) = (span.start as usize, span.start as usize + span.len as usize);
        // SAFETY: every span in the tables comes from this input, lies inside it, and was checked to be UTF-8 (ASCII in
        // a sweep over whole records, or string by string); spans that failed the check were removed.
        unsafe { std::str::from_utf8_unchecked(self.input.get_unchecked(start..end)) }
    }

    fn sum_labels(&self, labels: &[(Span, Span)]) -> u64 {
        labels.iter().fold(0, |sum, &(name, value)| sum + sum_string(self.text(name)) + sum_string(self.text(value)))
    }
}

impl Rival for Floor<'_> {
    fn decode(&mut self) -> Result<(), String> {
        self.tables.request(self.input).ok_or_else(|| REFUSED.into())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        self.decode()?;
        Ok(self.tables.rows().fold(0u64, |sum, (labels, samples)| {
            let sum = sum.wrapping_add(self.sum_labels(labels));
            samples.iter().fold(sum, |sum, &(v, t)| sum.wrapping_add(sum_sample(v, t)))
        }))
    }

    fn find(&mut self) -> Result<u64, String> {
        self.tables.open(self.input).ok_or(REFUSED)?;
        let (at, end) = *self.tables.records.get(self.tables.records.len() / 2).ok_or("no series")?;
        self.tables.timeseries(Cursor { input: self.input, at, end }).ok_or(REFUSED)?;
        Ok(self.sum_labels(&self.tables.labels))
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        let label =
            |&(name, value): &(Span, Span)| Label { name: self.text(name).into(), value: self.text(value).into() };
        let timeseries = self.tables.rows().map(|(labels, samples)| TimeSeries {
            labels: labels.iter().map(label).collect(),
            samples: samples.iter().map(|&(value, timestamp)| Sample { value, timestamp }).collect(),
            ..TimeSeries::default()
        });
        Ok(WriteRequest { timeseries: timeseries.collect(), ..WriteRequest::default() })
    }

    fn note(&self) -> &'static str {
        "hand-written for this schema and field order; UTF-8 checked"
    }
}
