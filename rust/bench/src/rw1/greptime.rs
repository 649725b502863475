//! The steps by which GreptimeDB made prost's decoding of remote write faster, as its developers published them: our
//! own code of the same ideas, on prost's wire functions, with their numbers. Steps 0 and 1 are prost itself (a fresh
//! message; one that is cleared and merged into), step 5 is the task `slice`. Each step keeps the one before it:
//!
//! 2. repeated fields keep their elements, and strings their memory;
//! 3. a string is a `Bytes` that shares the request, so nothing is copied; it is not checked for UTF-8. prost's own
//!    function reads it, which makes two handles for each string;
//! 4. one handle for each string: `Bytes::slice`;
//! 6. a string is a `Bytes` without a reference count, as if the request were static;
//! 7. after the article: a string is a pointer and a length, and nothing checks bounds twice.
//!
//! Fields that this schema has and remote write of that time did not (exemplars, histograms, metadata) are skipped.

use bytes::{Buf, Bytes};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use super::stock::{self, WriteRequest};
use super::{Rival, sum_sample, sum_string};

/// A repeated field that keeps its elements when it is cleared, as rust-protobuf 2's `RepeatedField` does.
pub struct Repeated<T> {
    elements: Vec<T>,
    len: usize,
}

impl<T> Default for Repeated<T> {
    fn default() -> Self {
        Self { elements: Vec::new(), len: 0 }
    }
}

impl<T: Default> Repeated<T> {
    fn clear(&mut self) {
        self.len = 0;
    }

    /// Returns the next element, which still has its old content.
    fn push_default(&mut self) -> &mut T {
        if self.len == self.elements.len() {
            self.elements.push(T::default());
        }
        self.len += 1;
        &mut self.elements[self.len - 1]
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.elements[..self.len].iter()
    }
}

/// How a step holds and reads strings.
pub trait Text: Default {
    type Input: Buf + Clone;
    /// Reads a length and the string.
    fn read(&mut self, input: &mut Self::Input) -> Result<(), DecodeError>;
    fn clear(&mut self);
    fn as_str(&self) -> Result<&str, String>;
}

impl Text for String {
    type Input = &'static [u8];
    fn read(&mut self, input: &mut &'static [u8]) -> Result<(), DecodeError> {
        let len = length(input)?;
        let text = std::str::from_utf8(&input[..len]).map_err(|_| malformed())?;
        self.clear();
        self.push_str(text);
        input.advance(len);
        Ok(())
    }
    fn clear(&mut self) {
        self.clear();
    }
    fn as_str(&self) -> Result<&str, String> {
        Ok(self)
    }
}

/// A `Bytes` that prost's function reads.
#[derive(Default)]
pub struct Shared(Bytes);

impl Text for Shared {
    type Input = Bytes;
    fn read(&mut self, input: &mut Bytes) -> Result<(), DecodeError> {
        prost::encoding::bytes::merge(WireType::LengthDelimited, &mut self.0, input, DecodeContext::default())
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn as_str(&self) -> Result<&str, String> {
        std::str::from_utf8(&self.0).map_err(|e| e.to_string())
    }
}

impl Text for Bytes {
    type Input = Bytes;
    fn read(&mut self, input: &mut Bytes) -> Result<(), DecodeError> {
        let len = length(input)?;
        *self = input.slice(..len);
        input.advance(len);
        Ok(())
    }
    fn clear(&mut self) {
        *self = Bytes::new();
    }
    fn as_str(&self) -> Result<&str, String> {
        std::str::from_utf8(self).map_err(|e| e.to_string())
    }
}

/// A `Bytes` without a reference count: the request must live longer.
#[derive(Default)]
pub struct Static(Bytes);

impl Text for Static {
    type Input = Bytes;
    #[inline]
    fn read(&mut self, input: &mut Bytes) -> Result<(), DecodeError> {
        let len = length(input)?;
        // SAFETY: `length` has compared `len` with the rest of the input. The input is one piece of memory that is not
        // freed before the strings: a contender drops both together, and reads no string while it does.
        let bytes: &'static [u8] = unsafe { std::slice::from_raw_parts(input.as_ptr(), len) };
        self.0 = Bytes::from_static(bytes);
        input.advance(len);
        Ok(())
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn as_str(&self) -> Result<&str, String> {
        std::str::from_utf8(&self.0).map_err(|e| e.to_string())
    }
}

/// A pointer and a length: the request must live longer.
#[derive(Default)]
pub struct Raw(pub &'static [u8]);

/// The request, cut off from the front without checks.
#[derive(Clone)]
pub struct RawInput(&'static [u8]);

impl Buf for RawInput {
    fn remaining(&self) -> usize {
        self.0.len()
    }
    fn chunk(&self) -> &[u8] {
        self.0
    }
    #[inline]
    fn advance(&mut self, count: usize) {
        // SAFETY: prost and the loops below compare lengths with `remaining` first.
        self.0 = unsafe { self.0.get_unchecked(count..) };
    }
}

impl Text for Raw {
    type Input = RawInput;
    #[inline]
    fn read(&mut self, input: &mut RawInput) -> Result<(), DecodeError> {
        let len = length(input)?;
        // SAFETY: `length` has compared `len` with `remaining`.
        self.0 = unsafe { input.0.get_unchecked(..len) };
        input.advance(len);
        Ok(())
    }
    fn clear(&mut self) {
        self.0 = &[];
    }
    fn as_str(&self) -> Result<&str, String> {
        std::str::from_utf8(self.0).map_err(|e| e.to_string())
    }
}

#[derive(Default)]
pub struct Label<T> {
    pub name: T,
    pub value: T,
}

#[derive(Default, Clone, Copy)]
pub struct Sample {
    pub value: f64,
    pub timestamp: i64,
}

#[derive(Default)]
pub struct TimeSeries<T> {
    pub labels: Repeated<Label<T>>,
    pub samples: Repeated<Sample>,
}

#[cold]
#[allow(deprecated)]
fn malformed() -> DecodeError {
    DecodeError::new("malformed")
}

/// Reads the length of a record and checks it.
#[inline]
fn length(input: &mut impl Buf) -> Result<usize, DecodeError> {
    let len = decode_varint(input)? as usize;
    if len > input.remaining() { Err(malformed()) } else { Ok(len) }
}

/// Calls `field` for each record of the next `len` bytes.
#[inline]
fn records<B: Buf>(
    input: &mut B,
    len: usize,
    mut field: impl FnMut(u32, WireType, &mut B) -> Result<bool, DecodeError>,
) -> Result<(), DecodeError> {
    let limit = input.remaining() - len;
    while input.remaining() > limit {
        let (number, wire_type) = decode_key(input)?;
        if !field(number, wire_type, input)? {
            skip_field(wire_type, number, input, DecodeContext::default())?;
        }
    }
    if input.remaining() == limit { Ok(()) } else { Err(malformed()) }
}

impl<T: Text> Label<T> {
    fn read(&mut self, input: &mut T::Input) -> Result<(), DecodeError> {
        self.name.clear();
        self.value.clear();
        let len = length(input)?;
        records(input, len, |number, wire_type, input| {
            let text = match (number, wire_type) {
                (1, WireType::LengthDelimited) => &mut self.name,
                (2, WireType::LengthDelimited) => &mut self.value,
                _ => return Ok(false),
            };
            text.read(input)?;
            Ok(true)
        })
    }
}

impl Sample {
    fn read(&mut self, input: &mut impl Buf) -> Result<(), DecodeError> {
        *self = Sample::default();
        let len = length(input)?;
        records(input, len, |number, wire_type, input| {
            match (number, wire_type) {
                (1, WireType::SixtyFourBit) if input.remaining() >= 8 => self.value = input.get_f64_le(),
                (2, WireType::Varint) => self.timestamp = decode_varint(input)? as i64,
                _ => return Ok(false),
            }
            Ok(true)
        })
    }
}

impl<T: Text> TimeSeries<T> {
    fn read(&mut self, input: &mut T::Input) -> Result<(), DecodeError> {
        self.labels.clear();
        self.samples.clear();
        let len = length(input)?;
        records(input, len, |number, wire_type, input| {
            match (number, wire_type) {
                (1, WireType::LengthDelimited) => self.labels.push_default().read(input)?,
                (2, WireType::LengthDelimited) => self.samples.push_default().read(input)?,
                _ => return Ok(false),
            }
            Ok(true)
        })
    }
}

/// One of the steps.
struct Step<T: Text> {
    input: T::Input,
    series: Repeated<TimeSeries<T>>,
    note: &'static str,
}

impl<T: Text> Step<T> {
    fn new(input: T::Input, note: &'static str) -> Box<dyn Rival>
    where
        T: 'static,
    {
        Box::new(Step::<T> { input, series: Repeated::default(), note })
    }
}

/// The body of a request is allocated: its `Bytes` counts references, as a static one would not.
fn body(input: &[u8]) -> Bytes {
    input.to_vec().into()
}

pub fn elements(input: &'static [u8]) -> Box<dyn Rival> {
    Step::<String>::new(input, "our code of the published step: elements and strings keep their memory; UTF-8 checked")
}

pub fn bytes(input: &'static [u8]) -> Box<dyn Rival> {
    let note = "our code of the published step: and strings share the request, by prost's function; UTF-8 not checked";
    Step::<Shared>::new(body(input), note)
}

pub fn slice(input: &'static [u8]) -> Box<dyn Rival> {
    let note = "our code of the published step: and one handle for each string (Bytes::slice); UTF-8 not checked";
    Step::<Bytes>::new(body(input), note)
}

pub fn without_count(input: &'static [u8]) -> Box<dyn Rival> {
    let note = "our code of the published step: and the handles have no reference count; UTF-8 not checked, unsafe";
    Step::<Static>::new(body(input), note)
}

pub fn pointers(input: &'static [u8]) -> Box<dyn Rival> {
    let note = "our code of the step after the article: and strings are pointers; UTF-8 not checked, unsafe";
    Step::<Raw>::new(RawInput(input), note)
}

/// Reads a request into one series that is used again, and hands it over each time it is filled.
pub fn each_series(
    request: &'static [u8],
    series: &mut TimeSeries<Raw>,
    mut filled: impl FnMut(&TimeSeries<Raw>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let mut input = RawInput(request);
    records(&mut input, request.len(), |number, wire_type, input| {
        if (number, wire_type) != (1, WireType::LengthDelimited) {
            return Ok(false);
        }
        series.read(input)?;
        filled(series).map(|()| true)
    })
}

impl<T: Text> Rival for Step<T> {
    fn decode(&mut self) -> Result<(), String> {
        let (mut input, series) = (self.input.clone(), &mut self.series);
        series.clear();
        let len = input.remaining();
        let read = records(&mut input, len, |number, wire_type, input| {
            if (number, wire_type) != (1, WireType::LengthDelimited) {
                return Ok(false);
            }
            series.push_default().read(input)?;
            Ok(true)
        });
        read.map_err(|e| e.to_string())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        self.decode()?;
        let mut sum = 0u64;
        for ts in self.series.iter() {
            for label in ts.labels.iter() {
                sum = sum.wrapping_add(sum_string(label.name.as_str()?) + sum_string(label.value.as_str()?));
            }
            sum = ts.samples.iter().fold(sum, |sum, s| sum.wrapping_add(sum_sample(s.value, s.timestamp)));
        }
        Ok(sum)
    }

    fn find(&mut self) -> Result<u64, String> {
        Err("it reads everything".into())
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        let mut request = WriteRequest::default();
        for ts in self.series.iter() {
            let mut series = stock::TimeSeries::default();
            for label in ts.labels.iter() {
                series
                    .labels
                    .push(stock::Label { name: label.name.as_str()?.into(), value: label.value.as_str()?.into() });
            }
            series.samples.extend(ts.samples.iter().map(|s| stock::Sample { value: s.value, timestamp: s.timestamp }));
            request.timeseries.push(series);
        }
        Ok(request)
    }

    fn note(&self) -> &'static str {
        self.note
    }
}
