//! The calls of a pool other than plain `decode`: copies (POL-3), trusted input, streams, memory (POL-14), encoding
//! (POL-12), and which types may cross threads (POL-17).

use hotpb::pool::{DecodeOptions, Encode, EncodeBuffer, EncodeOptions};
use hotpb::{Code, wire};
use hotpb_tests::remote_write_v1::prometheus::{Label, LabelPool, WriteRequest, WriteRequestPool};
use hotpb_tests::vectors::hotpb::vectors::{p2, p3};

fn request(series: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for i in 0..series {
        let label = [&b"\x0a\x04name\x12\x03v"[..], &[b'0' + (i % 10) as u8, b'0' + (i / 10 % 10) as u8]].concat();
        let mut body = Vec::new();
        wire::append_tag(&mut body, 1, wire::LEN);
        wire::append_bytes(&mut body, &label);
        wire::append_tag(&mut out, 1, wire::LEN);
        wire::append_bytes(&mut out, &body);
    }
    out
}

#[test]
fn a_copy_does_not_borrow_the_input() {
    let mut pool = LabelPool::new();
    let mut input = b"\x0a\x01a\x12\x02bc".to_vec();
    let label = pool.decode_copy(&input).unwrap();
    input.fill(0xff);
    assert_eq!((label.name(), label.value()), ("a", "bc"));
    let error = pool.decode_copy(&input).map(drop).unwrap_err();
    assert_eq!(error.to_string(), pool.decode(&input).map(drop).unwrap_err().to_string());
    let small = DecodeOptions { size: 3, ..DecodeOptions::default() };
    assert_eq!(pool.decode_copy_with(&[0; 4], &small).map(drop).unwrap_err().code(), Code::SizeExceeded);
}

#[test]
fn a_handle_is_debug_so_that_results_can_be_unwrapped() {
    let mut pool = WriteRequestPool::new();
    let error = pool.decode(b"\x0a\x05").unwrap_err();
    assert_eq!(error.code(), Code::Truncated);
    let request = request(1);
    let decoded = pool.decode(&request);
    assert_eq!(format!("{decoded:?}"), r#"Ok(timeseries { labels { name: "name" value: "v00" } })"#);
}

/// FCE-13, UTF-6.
#[test]
fn trusted_input_is_checked_for_all_but_utf8() {
    let mut pool = WriteRequestPool::new();
    let input = request(30);
    // SAFETY: the strings of `request` are ASCII.
    let decoded = unsafe { pool.decode_unchecked(&input, &DecodeOptions::default()) }.unwrap();
    assert_eq!(decoded.encode_to_vec().unwrap(), input);
    for cut in 1..40 {
        // SAFETY: as above; a part of it is also ASCII.
        let trusted = unsafe { pool.decode_unchecked(&input[..cut], &DecodeOptions::default()) }.map(drop);
        assert_eq!(trusted, WriteRequestPool::new().decode(&input[..cut]).map(drop));
    }
}

#[test]
fn the_messages_of_a_stream_come_one_by_one_and_its_errors_count_from_its_start() {
    let mut stream = Vec::new();
    let label = b"\x0a\x01a\x12\x02bc";
    let (mut pool, mut buffer) = (LabelPool::new(), EncodeBuffer::new());
    for _ in 0..3 {
        let mut labels = LabelPool::new();
        labels.decode(label).unwrap().append_delimited(&mut stream, &mut buffer).unwrap();
    }
    stream.extend([2, 0x0a, 1, 1, 0x0f]);
    let mut messages = pool.decode_delimited(&stream);
    for _ in 0..3 {
        assert_eq!(messages.next_message().unwrap().unwrap().value(), "bc");
    }
    let error = messages.next_message().map(drop).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::Truncated, 3 * 8 + 3));
    let error = messages.next_message().map(drop).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::InvalidWireType, 3 * 8 + 4));
    assert!(messages.next_message().unwrap().is_none());
    let small = DecodeOptions { size: 6, ..DecodeOptions::default() };
    let error = pool.decode_delimited_with(&stream, &small).next_message().map(drop).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::SizeExceeded, 0));
}

#[test]
fn memory_above_a_limit_is_given_back_and_the_pool_goes_on() {
    let mut pool = WriteRequestPool::new();
    let (large, small) = (request(20_000), request(10));
    pool.decode_copy(&large).unwrap();
    let all = pool.memory();
    assert!(all > large.len(), "{all}");
    pool.shrink_to(all);
    assert_eq!(pool.memory(), all);
    pool.shrink_to(100_000);
    assert!(pool.memory() <= 100_000 && pool.memory() > 10_000, "{}", pool.memory());
    assert_eq!(pool.decode(&small).unwrap().timeseries().len(), 10);
    assert_eq!(pool.decode(&large).unwrap().timeseries().len(), 20_000);
    pool.shrink();
    assert_eq!(pool.memory(), 0);
    assert_eq!(pool.decode(&small).unwrap().timeseries().len(), 10);
}

/// POL-17, POL-37.
#[test]
fn pools_handles_and_owned_messages_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<WriteRequestPool>();
    crosses::<WriteRequest<'_>>();
    crosses::<p3::AllPool>();
    crosses::<hotpb::pool::Owned<Label<'static>, Vec<u8>>>();
    crosses::<EncodeBuffer>();

    // Several threads read a handle; an owned message moves to one.
    let input = request(100);
    let mut pool = WriteRequestPool::new();
    let decoded = pool.decode(&input).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(move || assert_eq!(decoded.timeseries().len(), 100));
        }
    });
    let owned = pool.decode_owned(input.clone()).unwrap_or_else(|failed| panic!("{}", failed.error));
    let pool = std::thread::spawn(move || {
        assert_eq!(owned.get().encode_to_vec().unwrap(), *owned.bytes());
        owned.into_parts().0
    });
    let failed = pool.join().unwrap().decode_owned(vec![0x0a, 9]).err().unwrap();
    assert_eq!((failed.error.code(), failed.bytes), (Code::Truncated, vec![0x0a, 9]));
}

#[test]
fn an_owned_message_stays_good_while_it_is_moved_about() {
    let all: Vec<_> = (1..40).map(|n| LabelPool::new().decode_owned(vec![0x0a, 1, b'0' + n]).ok().unwrap()).collect();
    let all: std::collections::VecDeque<_> = all.into_iter().rev().collect();
    for (owned, n) in all.iter().rev().zip(1..) {
        assert_eq!(owned.get().name().as_bytes(), [b'0' + n]);
    }
}

/// POL-33, REQ-6.
#[test]
fn encoding_reports_an_absent_required_field_unless_partial_messages_are_allowed() {
    let partial = DecodeOptions { allow_partial: true, ..DecodeOptions::default() };
    let mut pool = p2::NeedsPool::new();
    // Needs.many[1] has no id.
    let input = [0x12, 5, 8, 1, 0x12, 1, b'n', 0x12, 0];
    let needs = pool.decode_with(&input, &partial).unwrap();
    let error = needs.encode_to_vec().unwrap_err();
    assert_eq!((error.code(), error.offset(), error.path()), (Code::MissingRequired, 0, "many[1].id"));
    let mut buffer = EncodeBuffer::new();
    assert!(needs.encode_into(&mut buffer).is_err() && buffer.bytes().is_empty());
    let options = EncodeOptions { allow_partial: true, ..EncodeOptions::default() };
    assert_eq!(needs.encode_with(&mut buffer, &options).unwrap(), input);
    assert_eq!(buffer.bytes(), input);
}

/// POL-34.
#[test]
fn a_strict_encode_refuses_what_a_strict_decode_would_refuse() {
    // string single_string = 14 of All, which proto2 leaves unchecked; in single_all = 19.
    let input = [0x9a, 1, 4, 0x72, 2, b'a', 0xff];
    let mut pool = p2::AllPool::new();
    let strict = DecodeOptions { strict: true, ..DecodeOptions::default() };
    let refused = pool.decode_with(&input, &strict).map(drop).unwrap_err();
    assert_eq!(refused.to_string(), "InvalidUtf8 at byte 6: single_all.single_string");
    let all = pool.decode(&input).unwrap();
    assert_eq!(all.encode_to_vec().unwrap(), input);
    let mut buffer = EncodeBuffer::new();
    let strict = EncodeOptions { strict: true, ..EncodeOptions::default() };
    assert_eq!(all.encode_with(&mut buffer, &strict).unwrap_err(), refused);
    assert!(buffer.bytes().is_empty());
}

#[test]
fn a_warm_buffer_is_used_again_and_what_was_in_it_before_does_not_show() {
    let mut buffer = EncodeBuffer::new();
    let (mut large, mut small) = (WriteRequestPool::new(), WriteRequestPool::new());
    let inputs = (request(300), request(3));
    let (large, small) = (large.decode(&inputs.0).unwrap(), small.decode(&inputs.1).unwrap());
    for _ in 0..3 {
        assert_eq!(large.encode_into(&mut buffer).unwrap(), inputs.0);
        assert_eq!(small.encode_into(&mut buffer).unwrap(), inputs.1);
    }
    let mut out = b"before".to_vec();
    small.append_to(&mut out).unwrap();
    assert_eq!(out, [b"before", &inputs.1[..]].concat());
}

/// POL-24, POL-32.
#[test]
fn maps_come_in_the_order_of_the_input_unless_the_encode_is_deterministic() {
    // map<int32, int32> = 701: few entries, and enough for an index; each key twice.
    for count in [3, 60u8] {
        let entry = |key: u8, value: u8| [0xea, 0x2b, 4, 8, key, 16, value];
        let twice = |value| (0..count).rev().map(move |key| entry(key, value));
        let input: Vec<u8> = twice(1).chain(twice(2)).flatten().collect();
        let mut pool = p3::AllPool::new();
        let all = pool.decode(&input).unwrap();
        assert_eq!(all.encode_to_vec().unwrap(), twice(2).flatten().collect::<Vec<_>>());
        let mut buffer = EncodeBuffer::new();
        let options = EncodeOptions { deterministic: true, ..EncodeOptions::default() };
        let by_key: Vec<u8> = twice(2).rev().flatten().collect();
        assert_eq!(all.encode_with(&mut buffer, &options).unwrap(), by_key);
    }
}
