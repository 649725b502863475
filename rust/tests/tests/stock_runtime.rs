//! Against prost, the stock runtime: what it writes we read, and what we write is what it writes.

use hotpb::pool::DecodeOptions;
use hotpb::wire;
use hotpb_tests::remote_write_v1::reencode::TABLE;
use proptest::prelude::*;
use prost::Message;
use prost::encoding::{decode_varint, encode_varint, encoded_len_varint};

#[derive(Clone, PartialEq, Message)]
struct WriteRequest {
    #[prost(message, repeated, tag = "1")]
    timeseries: Vec<TimeSeries>,
}

#[derive(Clone, PartialEq, Message)]
struct TimeSeries {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Label>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    exemplars: Vec<Exemplar>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(double, tag = "1")]
    value: f64,
    #[prost(int64, tag = "2")]
    timestamp: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Exemplar {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Label>,
    #[prost(double, tag = "2")]
    value: f64,
    #[prost(int64, tag = "3")]
    timestamp: i64,
}

prop_compose! {
    fn label()(name in "[a-z_]{0,12}|\\PC{0,6}", value in "[ -~]{0,150}|\\PC{0,40}") -> Label {
        Label { name, value }
    }
}

prop_compose! {
    fn sample()(value in prop_oneof![Just(0.0), any::<f64>().prop_map(|v| if v == 0.0 { 0.0 } else { v })], timestamp: i64) -> Sample {
        Sample { value, timestamp }
    }
}

prop_compose! {
    fn series()(
        labels in prop::collection::vec(label(), 0..6),
        samples in prop::collection::vec(sample(), 0..4),
        exemplars in prop::collection::vec((prop::collection::vec(label(), 0..3), 1.0..2.0f64), 0..2),
    ) -> TimeSeries {
        let exemplars = exemplars.into_iter().map(|(labels, value)| Exemplar { labels, value, timestamp: -1 }).collect();
        TimeSeries { labels, samples, exemplars }
    }
}

proptest! {
    #[test]
    fn a_request_that_prost_writes_is_read_and_written_the_same(timeseries in prop::collection::vec(series(), 0..8)) {
        let bytes = WriteRequest { timeseries }.encode_to_vec();
        let make = TABLE.iter().find(|(name, _)| *name == "prometheus.WriteRequest").unwrap().1;
        prop_assert_eq!(make()(&bytes, &DecodeOptions::default()).unwrap(), bytes);
    }

    #[test]
    fn varints_are_those_of_prost(value: u64, shift in 0..64u32) {
        let value = value >> shift;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        wire::append_varint(&mut ours, value);
        encode_varint(value, &mut theirs);
        prop_assert_eq!(&ours, &theirs);
        prop_assert_eq!(wire::varint_len(value), encoded_len_varint(value));
        prop_assert_eq!(wire::decode_varint(&theirs), Some((value, theirs.len())));
    }

    #[test]
    fn any_bytes_that_prost_reads_as_a_varint_are_the_same_varint(bytes in prop::collection::vec(prop_oneof![any::<u8>(), 0x80..=0xffu8], 0..14)) {
        let mut rest = &bytes[..];
        let theirs = decode_varint(&mut rest).ok().map(|value| (value, bytes.len() - rest.len()));
        // prost refuses a tenth byte above 1, whose excess bits we drop (VAR-2).
        match (wire::decode_varint(&bytes), theirs) {
            (Some((_, 10)), None) => prop_assert!(bytes[9] > 1),
            (ours, theirs) => prop_assert_eq!(ours, theirs),
        }
    }

    #[test]
    fn scalars_are_those_of_prost(a: i32, b: i64, c: f32, d: f64, s in "\\PC{0,20}") {
        use prost::encoding::*;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        sint32::encode(1, &a, &mut theirs);
        sint64::encode(2, &b, &mut theirs);
        int32::encode(3, &a, &mut theirs);
        float::encode(4, &c, &mut theirs);
        double::encode(5, &d, &mut theirs);
        string::encode(600, &s, &mut theirs);
        wire::append_tag(&mut ours, 1, wire::VARINT);
        wire::append_sint32(&mut ours, a);
        wire::append_tag(&mut ours, 2, wire::VARINT);
        wire::append_sint64(&mut ours, b);
        wire::append_tag(&mut ours, 3, wire::VARINT);
        wire::append_int32(&mut ours, a);
        wire::append_tag(&mut ours, 4, wire::FIXED32);
        wire::append_fixed32(&mut ours, c.to_bits());
        wire::append_tag(&mut ours, 5, wire::FIXED64);
        wire::append_fixed64(&mut ours, d.to_bits());
        wire::append_tag(&mut ours, 600, wire::LEN);
        wire::append_bytes(&mut ours, s.as_bytes());
        prop_assert_eq!(&ours, &theirs);
    }
}
