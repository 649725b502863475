//! No safe path returns text that is not UTF-8 (POL-7), even if whole blocks of strings are checked at once: remote
//! write's labels, whose layout the generated decoder predicts, with a bad byte in every place.

use hotpb::pool::{DecodeOptions, Flow, Records, VisitError};
use hotpb::wire::{LEN, VARINT, append_bytes, append_tag, append_varint};
use hotpb::{Code, Error};
use hotpb_tests::remote_write_v1::prometheus::*;

fn record(out: &mut Vec<u8>, number: u32, payload: &[u8]) -> usize {
    append_tag(out, number, LEN);
    append_bytes(out, payload);
    out.len() - payload.len()
}

/// The layout of a label: as predicted, or not.
#[derive(Clone, Copy)]
enum Layout {
    NameValue,
    ValueName,
    NameTwice,
    UnknownBetween,
    ValueOnly,
}

/// Returns a request of one series with labels of these lengths, and the offsets of all bytes of its strings.
fn request(lengths: &[usize], layout: Layout) -> (Vec<u8>, Vec<usize>) {
    let (mut series, mut places) = (Vec::new(), Vec::new());
    for (i, &len) in lengths.iter().enumerate() {
        let (name, value) = (vec![b'n'; len], vec![b'v'; lengths[lengths.len() - 1 - i]]);
        let (mut label, mut inside) = (Vec::new(), Vec::new());
        let mut string = |label: &mut Vec<u8>, number, text: &[u8]| {
            let at = record(label, number, text);
            inside.extend(at..at + text.len());
        };
        match layout {
            Layout::NameValue => {
                string(&mut label, 1, &name);
                string(&mut label, 2, &value);
            }
            Layout::ValueName => {
                string(&mut label, 2, &value);
                string(&mut label, 1, &name);
            }
            Layout::NameTwice => {
                string(&mut label, 1, &name);
                string(&mut label, 1, &name);
                string(&mut label, 2, &value);
            }
            Layout::UnknownBetween => {
                string(&mut label, 1, &name);
                append_tag(&mut label, 9, VARINT);
                append_varint(&mut label, 300);
                string(&mut label, 2, &value);
            }
            Layout::ValueOnly => string(&mut label, 2, &value),
        }
        let at = record(&mut series, 1, &label);
        places.extend(inside.iter().map(|place| at + place));
    }
    let mut request = Vec::new();
    let at = record(&mut request, 1, &series);
    (request, places.iter().map(|place| at + place).collect())
}

/// Reads every string as bytes: the result of a safe accessor must be UTF-8.
#[derive(Default)]
struct All<'a>(Vec<&'a str>);

impl<'a> WriteRequestVisitor<'a> for All<'a> {
    type Error = ();
    fn timeseries(&mut self, series: &mut Records<'a, '_, TimeSeries<'static>>) -> Flow<()> {
        series.visit(self)
    }
}
impl<'a> TimeSeriesVisitor<'a> for All<'a> {
    type Error = ();
    fn labels(&mut self, labels: &mut Records<'a, '_, Label<'static>>) -> Flow<()> {
        labels.visit(self)
    }
}
impl<'a> LabelVisitor<'a> for All<'a> {
    type Error = ();
    fn name(&mut self, name: &'a str) -> Flow<()> {
        self.0.push(name);
        Ok(())
    }
    fn value(&mut self, value: &'a str) -> Flow<()> {
        self.0.push(value);
        Ok(())
    }
}

fn is_text(text: &str) -> bool {
    core::str::from_utf8(std::hint::black_box(text.as_bytes())).is_ok()
}

/// Decodes and visits; returns the error, which must be the same.
fn read(pool: &mut WriteRequestPool, bytes: &[u8]) -> Result<(), Error> {
    let mut all = All::default();
    let visited = WriteRequestPool::visit(bytes, &mut all);
    assert!(all.0.iter().all(|text| is_text(text)), "a visitor saw invalid text: {bytes:02x?}");
    let strict = DecodeOptions { strict: true, ..DecodeOptions::default() };
    let strictly = pool.decode_with(bytes, &strict).map(drop);
    let decoded = pool.decode(bytes).map(|request| {
        let labels = request.timeseries().iter().flat_map(|series| series.labels().iter());
        labels.for_each(|l| assert!(is_text(l.name()) && is_text(l.value()), "{bytes:02x?}"));
    });
    assert_eq!(visited.map_err(|e| if let VisitError::Decode(e) = e { e } else { panic!("{e:?}") }), decoded);
    assert_eq!(strictly, decoded, "all strings of proto3 are checked");
    decoded
}

#[test]
fn a_bad_byte_anywhere_in_any_string_is_found_at_its_place() {
    let mut pool = WriteRequestPool::new();
    let layouts = [Layout::NameValue, Layout::ValueName, Layout::NameTwice, Layout::UnknownBetween, Layout::ValueOnly];
    let mut tried = 0;
    for layout in layouts {
        for lengths in [&[1, 5][..], &[7, 8, 9, 1], &[15, 16, 17], &[33, 3, 64, 2], &[127, 1, 131]] {
            let (good, places) = request(lengths, layout);
            assert_eq!(read(&mut pool, &good), Ok(()));
            for &at in &places {
                for bad in [0x80, 0xc3, 0xff] {
                    let mut bytes = good.clone();
                    bytes[at] = bad;
                    let error = read(&mut pool, &bytes).expect_err("no text");
                    assert_eq!((error.code(), error.offset()), (Code::InvalidUtf8, at), "{bad:x} {bytes:02x?}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 5000, "{tried}");
}

#[test]
fn a_character_that_a_string_cuts_is_not_completed_by_the_next_string() {
    // "é" is c3 a9: the name ends with c3, and the next value, in this label or the one after it, begins with a9.
    let mut pool = WriteRequestPool::new();
    for lengths in [[4, 4], [1, 1], [8, 8], [20, 20]] {
        let (good, places) = request(&lengths, Layout::NameValue);
        for (&end, &start) in places.iter().zip(&places[1..]).filter(|(a, b)| *a + 1 < **b) {
            let mut bytes = good.clone();
            (bytes[end], bytes[start]) = (0xc3, 0xa9);
            let error = read(&mut pool, &bytes).expect_err("no text");
            assert_eq!((error.code(), error.offset()), (Code::InvalidUtf8, end), "{bytes:02x?}");
        }
        // Inside one string the two bytes are text.
        for (&a, &b) in places.iter().zip(&places[1..]).filter(|(a, b)| *a + 1 == **b) {
            let mut bytes = good.clone();
            (bytes[a], bytes[b]) = (0xc3, 0xa9);
            assert_eq!(read(&mut pool, &bytes), Ok(()), "{bytes:02x?}");
        }
    }
}
