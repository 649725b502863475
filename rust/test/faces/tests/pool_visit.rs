//! Visitors (POL-11, POL-15, POL-18): what they receive, what they may skip, and which errors they cannot hide.

use hotpb::pool::{DecodeOptions, Flow, Ignore, Records, Unknown, VisitError};
use hotpb::{Code, wire};
use hotpb_tests::remote_write_v1::prometheus::*;
use hotpb_tests::vectors::hotpb::vectors::{p2, p3};
use std::collections::HashSet;

/// Returns a write request: two series with the same label block.
fn request() -> Vec<u8> {
    let series = b"\x0a\x06\x0a\x01a\x12\x01b\x0a\x06\x0a\x01c\x12\x01d\x12\x0b\x09\0\0\0\0\0\0\xf0\x3f\x10\x05";
    let mut out = Vec::new();
    for _ in 0..2 {
        wire::append_tag(&mut out, 1, wire::LEN);
        wire::append_bytes(&mut out, series);
    }
    out
}

/// Rows, with a cache of label blocks.
#[derive(Default)]
struct Rows<'a> {
    blocks: HashSet<&'a [u8]>,
    labels: Vec<(&'a str, &'a str)>,
    samples: Vec<(f64, i64)>,
    stop_at: Option<&'static str>,
}

impl<'a> WriteRequestVisitor<'a> for Rows<'a> {
    type Error = &'a str;
    fn timeseries(&mut self, series: &mut Records<'a, '_, TimeSeries<'static>>) -> Flow<&'a str> {
        series.visit(self)
    }
}

impl<'a> TimeSeriesVisitor<'a> for Rows<'a> {
    type Error = &'a str;
    fn labels(&mut self, labels: &mut Records<'a, '_, Label<'static>>) -> Flow<&'a str> {
        if labels.bytes().is_some_and(|block| !self.blocks.insert(block)) {
            labels.pass_trusted();
            return Ok(());
        }
        while let Some(label) = labels.next_record() {
            self.labels.push(("", ""));
            label.visit(self)?;
        }
        Ok(())
    }
    fn samples(&mut self, samples: &mut Records<'a, '_, Sample<'static>>) -> Flow<&'a str> {
        while let Some(sample) = samples.next_record() {
            self.samples.push((0.0, 0));
            sample.visit(self)?;
        }
        Ok(())
    }
}

impl<'a> LabelVisitor<'a> for Rows<'a> {
    type Error = &'a str;
    fn name(&mut self, name: &'a str) -> Flow<&'a str> {
        if self.stop_at == Some(name) {
            Err(name)?;
        }
        self.labels.last_mut().unwrap().0 = name;
        Ok(())
    }
    fn value(&mut self, value: &'a str) -> Flow<&'a str> {
        self.labels.last_mut().unwrap().1 = value;
        Ok(())
    }
}

impl<'a> SampleVisitor<'a> for Rows<'a> {
    type Error = &'a str;
    fn value(&mut self, value: f64) -> Flow<&'a str> {
        self.samples.last_mut().unwrap().0 = value;
        Ok(())
    }
    fn timestamp(&mut self, timestamp: i64) -> Flow<&'a str> {
        self.samples.last_mut().unwrap().1 = timestamp;
        Ok(())
    }
}

#[test]
fn bytes_become_rows_and_a_label_block_that_was_seen_is_passed() {
    let input = request();
    let mut rows = Rows::default();
    WriteRequestPool::visit(&input, &mut rows).unwrap();
    assert_eq!(rows.labels, [("a", "b"), ("c", "d")]);
    assert_eq!(rows.samples, [(1.0, 5), (1.0, 5)]);
    assert_eq!(rows.blocks, HashSet::from([&b"\x0a\x06\x0a\x01a\x12\x01b\x0a\x06\x0a\x01c\x12\x01d"[..]]));
}

/// POL-27.
#[test]
fn a_visitor_ends_a_visit_with_its_own_error() {
    let input = request();
    let mut rows = Rows { stop_at: Some("c"), ..Rows::default() };
    assert_eq!(WriteRequestPool::visit(&input, &mut rows), Err(VisitError::Visitor("c")));
    assert_eq!((rows.labels.len(), rows.samples.len()), (2, 0));
}

/// POL-25, POL-31.
#[test]
fn what_a_visitor_leaves_is_checked_wherever_it_is_damaged() {
    let input = request();
    let mut pool = WriteRequestPool::new();
    for at in 0..input.len() {
        for value in [0, 7, 0x0b, 0x7f, 0x80, 0xff] {
            let mut bytes = input.clone();
            bytes[at] = value;
            let decoded = pool.decode(&bytes).map(drop).map_err(VisitError::Decode);
            assert_eq!(WriteRequestPool::visit(&bytes, &mut Ignore), decoded, "{at} {value:x}");
            match WriteRequestPool::visit(&bytes, &mut Rows::default()) {
                Err(VisitError::Decode(e)) => assert_eq!(decoded, Err(VisitError::Decode(e)), "{at} {value:x}"),
                other => assert_eq!((other, decoded.is_ok()), (Ok(()), true), "{at} {value:x}"),
            }
            match WriteRequestPool::visit(&bytes, &mut Lazy { first_only: at % 2 == 0 }) {
                Err(VisitError::Decode(e)) => assert_eq!(decoded, Err(VisitError::Decode(e))),
                other => assert_eq!((other, decoded.is_ok()), (Ok(()), true)),
            }
        }
    }
}

/// Collects runs of labels: the offsets of the runs and of their records, and their bytes (POL-18).
#[derive(Default)]
struct Runs<'a> {
    runs: Vec<(usize, &'a [u8])>,
    records: Vec<(usize, &'a [u8])>,
    texts: Vec<&'a str>,
}

impl<'a> WriteRequestVisitor<'a> for Runs<'a> {
    type Error = ();
    fn timeseries(&mut self, series: &mut Records<'a, '_, TimeSeries<'static>>) -> Flow<()> {
        series.visit(self)
    }
}

impl<'a> TimeSeriesVisitor<'a> for Runs<'a> {
    type Error = ();
    fn labels(&mut self, labels: &mut Records<'a, '_, Label<'static>>) -> Flow<()> {
        self.runs.push((labels.offset(), labels.bytes().unwrap()));
        while let Some(label) = labels.next_record() {
            self.records.push((label.offset(), label.bytes()));
            label.visit(self)?;
            if self.records.len() == 2 {
                // The rest of the first run.
                self.runs.push((labels.offset(), labels.bytes().unwrap()));
                labels.pass_trusted();
                assert!(labels.next_record().is_none() && labels.bytes().is_none());
            }
        }
        Ok(())
    }
}

impl<'a> LabelVisitor<'a> for Runs<'a> {
    type Error = ();
    fn value(&mut self, value: &'a str) -> Flow<()> {
        self.texts.push(value);
        Ok(())
    }
}

/// POL-18, POL-30.
#[test]
fn a_run_has_its_place_and_bytes_and_what_is_left_of_it_can_be_passed() {
    // Three labels, a sample, and one more label, in a series of 30 bytes at offset 2.
    let (a, b, c, d) =
        (b"\x0a\x03\x12\x01a", b"\x0a\x02\x12\x00", b"\x0a\x05\x12\x03\xff\xff\xff", b"\x0a\x04\x12\x02\xc3\xa9");
    let series = [&a[..], b, c, b"\x12\x02\x10\x05", d].concat();
    let mut input = vec![0x0a, series.len() as u8];
    input.extend_from_slice(&series);
    let mut runs = Runs::default();
    WriteRequestPool::visit(&input, &mut runs).unwrap();
    assert_eq!(runs.runs, [(2, &series[..16]), (11, &c[..]), (22, &d[..])]);
    assert_eq!(runs.records, [(4, &a[2..]), (9, &b[2..]), (24, &d[2..])]);
    // The bad text was passed: it is well-formed on the wire, and nothing has looked inside.
    assert_eq!(runs.texts, ["a", "", "é"]);
    // A pool does not pass it.
    assert_eq!(WriteRequestPool::new().decode(&input).map(drop).unwrap_err().code(), Code::InvalidUtf8);
}

/// Reads nothing, or only the first record of each run; discards all errors.
struct Lazy {
    first_only: bool,
}

impl<'a> WriteRequestVisitor<'a> for Lazy {
    type Error = ();
    fn timeseries(&mut self, series: &mut Records<'a, '_, TimeSeries<'static>>) -> Flow<()> {
        match series.next_record() {
            Some(record) if self.first_only => {
                let _ = record.visit(self);
            }
            // Received, and not visited.
            _ => {}
        }
        Ok(())
    }
}

impl<'a> TimeSeriesVisitor<'a> for Lazy {
    type Error = ();
    fn labels(&mut self, _: &mut Records<'a, '_, Label<'static>>) -> Flow<()> {
        // Its own error, which the caller discards: the bytes after it are checked nevertheless.
        Err(())?
    }
}

/// Collects all calls.
#[derive(Default)]
struct Log(Vec<String>);

impl<'a> p2::AllVisitor<'a> for Log {
    type Error = ();
    fn single_closed(&mut self, value: p2::Closed) -> Flow<()> {
        self.0.push(format!("single_closed {value:?}"));
        Ok(())
    }
    fn repeated_closed(
        &mut self,
        values: hotpb::pool::Elements<'a, hotpb::pool::extension::Enum<p2::Closed>>,
    ) -> Flow<()> {
        self.0.push(format!("repeated_closed {:?}", values.collect::<Vec<_>>()));
        Ok(())
    }
    fn repeated_int32(&mut self, values: hotpb::pool::Elements<'a, hotpb::pool::extension::Int32>) -> Flow<()> {
        self.0.push(format!("repeated_int32 {:?} in {:02x?}", values.clone().collect::<Vec<_>>(), values.bytes()));
        Ok(())
    }
    fn value_int32(&mut self, key: i32, value: i32) -> Flow<()> {
        self.0.push(format!("value_int32 {key} {value}"));
        Ok(())
    }
    fn value_child(&mut self, key: i32, value: &mut Records<'a, '_, p2::Child<'static>>) -> Flow<()> {
        self.0.push(format!("value_child {key}"));
        value.visit(self)
    }
    fn unknown_fields(&mut self, field: Unknown<'a>) -> Flow<()> {
        self.0.push(match field {
            Unknown::Record(field) => format!("unknown {:02x?}", field.record),
            Unknown::EnumValue { number, value } => format!("undefined {number} {value}"),
        });
        Ok(())
    }
}

impl<'a> p2::ChildVisitor<'a> for Log {
    type Error = ();
    fn id(&mut self, value: i32) -> Flow<()> {
        self.0.push(format!("id {value}"));
        Ok(())
    }
}

/// POL-15.
#[test]
fn a_visitor_sees_records_as_they_come() {
    let mut input = Vec::new();
    let mut record = |number, wire_type, body: &[u8]| {
        wire::append_tag(&mut input, number, wire_type);
        if wire_type == wire::LEN {
            wire::append_varint(&mut input, body.len() as u64);
        }
        input.extend_from_slice(body);
    };
    record(17, wire::VARINT, &[1]);
    record(17, wire::VARINT, &[99]);
    record(317, wire::LEN, &[1, 99, 0x85, 0]);
    record(301, wire::VARINT, &[0x81, 0]);
    record(301, wire::LEN, &[1, 2]);
    record(701, wire::LEN, &[16, 7, 8, 5, 16, 8]);
    record(701, wire::LEN, &[]);
    // The value of an entry in two records, with the key between them.
    record(718, wire::LEN, &[0x12, 2, 8, 1, 8, 3, 0x12, 2, 8, 2]);
    record(90, wire::VARINT, &[1]);
    let mut log = Log::default();
    p2::AllPool::visit(&input, &mut log).unwrap();
    assert_eq!(
        log.0,
        [
            &format!("single_closed {:?}", p2::Closed(1)),
            "undefined 17 99",
            &format!("repeated_closed {:?}", [p2::Closed(1), p2::Closed(5)]),
            "undefined 317 99",
            "repeated_int32 [1] in [81, 00]",
            "repeated_int32 [1, 2] in [01, 02]",
            "value_int32 5 8",
            "value_int32 0 0",
            "value_child 3",
            "id 1",
            "id 2",
            "unknown [d0, 05, 01]",
        ]
    );
}

/// POL-25.
#[test]
fn limits_of_a_decode_are_those_of_a_visit() {
    let input = request();
    let visit = |options: &DecodeOptions| match WriteRequestPool::visit_with(&input, options, &mut Ignore) {
        Err(VisitError::Decode(e)) => Some(e),
        _ => None,
    };
    let mut pool = WriteRequestPool::new();
    for options in [
        DecodeOptions { depth: 1, ..DecodeOptions::default() },
        DecodeOptions { size: 10, ..DecodeOptions::default() },
        DecodeOptions { elements: Some(4), ..DecodeOptions::default() },
        DecodeOptions::default(),
    ] {
        assert_eq!(visit(&options), pool.decode_with(&input, &options).map(drop).err(), "{options:?}");
    }
    // string single_string = 14, of proto2, is checked when strict.
    let strict = DecodeOptions { strict: true, ..DecodeOptions::default() };
    let bad = [0x72, 1, 0xff];
    assert!(p2::AllPool::visit(&bad, &mut Ignore).is_ok());
    let Err(VisitError::Decode(error)) = p2::AllPool::visit_with(&bad, &strict, &mut Ignore) else { panic!("visited") };
    assert_eq!(error.to_string(), "InvalidUtf8 at byte 2: single_string");
    let Err(VisitError::Decode(error)) = p3::AllPool::visit(&bad, &mut Ignore) else { panic!("visited") };
    assert_eq!(error.code(), Code::InvalidUtf8);
}
