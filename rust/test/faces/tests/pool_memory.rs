//! Memory: a warm pool allocates nothing, and the worst inputs stop within the budget.

use hotpb::Code;
use hotpb::pool::{DecodeOptions, Encode, EncodeBuffer, Ignore, Message};
use hotpb_tests::counting::measure;
use hotpb_tests::remote_write_v1::prometheus::{WriteRequest, WriteRequestPool};
use hotpb_tests::vectors::hotpb::vectors::p3::AllPool;
use hotpb_tests::vectors::hotpb::vectors::{p2, p3};

fn write_request(series: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for s in 0..series {
        hotpb::wire::append_tag(&mut out, 1, 2);
        let body = hotpb::wire::append_len_delimited(&mut out, |out| -> Result<(), ()> {
            for (name, value) in [("__name__", "up"), ("instance", "host"), ("città", &"x".repeat(s % 200))] {
                hotpb::wire::append_tag(out, 1, 2);
                hotpb::wire::append_len_delimited(out, |out| -> Result<(), ()> {
                    hotpb::wire::append_tag(out, 1, 2);
                    hotpb::wire::append_bytes(out, name.as_bytes());
                    hotpb::wire::append_tag(out, 2, 2);
                    hotpb::wire::append_bytes(out, value.as_bytes());
                    Ok(())
                })?;
            }
            Ok(())
        });
        body.unwrap();
    }
    out
}

/// The bytes of a pool's tables, without what they keep.
fn tables<M: Message>() -> usize {
    std::mem::size_of::<M::Tables>()
}

#[test]
fn a_warm_pool_allocates_nothing() {
    let (large, small) = (write_request(500), write_request(20));
    let mut pool = WriteRequestPool::new();
    assert_eq!(pool.decode(&large).unwrap().timeseries().len(), 500);
    for input in [&large, &small, &large] {
        let (labels, measured) = measure(|| {
            let request = pool.decode(input).unwrap();
            request
                .timeseries()
                .iter()
                .map(|t| t.labels().iter().map(|l| l.value().len()).sum::<usize>())
                .sum::<usize>()
        });
        assert!(labels > 0);
        assert_eq!(measured.calls, 0);
    }
}

#[test]
fn a_warm_pool_allocates_nothing_for_maps_with_duplicates_unknown_fields_and_long_lists() {
    // map<string, …> 7xx, repeated 3xx and unknown fields of the vector message, each entry twice.
    let mut input = Vec::new();
    for round in 0..2u8 {
        for key in 0..40u8 {
            for number in [701u32, 714, 719] {
                hotpb::wire::append_tag(&mut input, number, 2);
                hotpb::wire::append_bytes(&mut input, &[0x0a, 2, b'k', b'0' + key]);
            }
            hotpb::wire::append_tag(&mut input, 301, 0);
            hotpb::wire::append_varint(&mut input, (key * (round + 1)) as u64);
            hotpb::wire::append_tag(&mut input, 90_000, 0);
            hotpb::wire::append_varint(&mut input, 7);
        }
    }
    let mut pool = AllPool::new();
    pool.decode(&input).unwrap();
    let (unknown, measured) = measure(|| pool.decode(&input).unwrap().unknown_fields().count());
    assert_eq!(measured.calls, 0);
    assert!(unknown >= 80);
}

#[test]
fn once_warm_no_way_to_read_or_to_write_a_message_allocates() {
    // In canonical form: `write_request` also writes empty values.
    let canonical = |series| WriteRequestPool::new().decode(&write_request(series)).unwrap().encode_to_vec().unwrap();
    let (large, small) = (canonical(300), canonical(7));
    let mut stream = Vec::new();
    for message in [&large, &small, &large] {
        hotpb::wire::append_delimited(&mut stream, message);
    }
    let (mut pool, mut copy, mut many) = (WriteRequestPool::new(), WriteRequestPool::new(), WriteRequestPool::new());
    let (mut buffer, mut out) = (EncodeBuffer::new(), Vec::new());
    let mut all = || {
        for input in [&large, &small] {
            WriteRequestPool::visit(input, &mut Ignore).unwrap();
            assert!(copy.decode_copy(input).unwrap().encode_into(&mut buffer).unwrap() == *input);
            let handle = pool.decode(input).unwrap();
            assert!(handle.encode_into(&mut buffer).unwrap() == *input);
            out.clear();
            handle.append_delimited(&mut out, &mut buffer).unwrap();
            // SAFETY: `write_request` writes only UTF-8.
            assert!(unsafe { pool.decode_unchecked(input, &DecodeOptions::default()) }.is_ok());
        }
        let mut messages = many.decode_delimited(&stream);
        let mut count = 0;
        while let Some(message) = messages.next_message().unwrap() {
            count += message.timeseries().len();
        }
        assert_eq!(count, 607);
    };
    all();
    let ((), measured) = measure(all);
    assert_eq!((measured.calls, measured.left), (0, 0), "{measured:?}");
}

#[test]
fn what_a_pool_says_it_keeps_is_what_it_keeps_and_shrinking_gives_back() {
    let (large, small) = (write_request(2000), write_request(20));
    let mut pool = WriteRequestPool::new();
    let ((), measured) = measure(|| assert!(pool.decode_copy(&large).is_ok()));
    let all = pool.memory();
    assert_eq!((tables::<WriteRequest<'_>>() + all) as isize, measured.left);
    // Bounded by the largest message so far (POL-9).
    for _ in 0..10 {
        let ((), measured) = measure(|| assert!(pool.decode_copy(&small).is_ok()));
        assert_eq!((pool.memory(), measured.left), (all, 0));
    }
    for limit in [all, all / 2, all / 10, 100, 0] {
        let before = pool.memory();
        let ((), measured) = measure(|| pool.shrink_to(limit));
        assert!(pool.memory() <= limit && (limit < 1000 || pool.memory() >= limit / 2), "{} of {limit}", pool.memory());
        assert_eq!(measured.left, pool.memory() as isize - before as isize);
        assert_eq!(pool.decode_copy(&small).unwrap().timeseries().len(), 20);
    }
}

#[test]
fn what_a_decode_makes_itself_is_not_there_twice_after_the_next() {
    // Undefined values of closed enums, packed (the decoder creates records for them), unknown fields, links, an index
    // of a map.
    let mut input = records(417, &[7, 9], 30);
    for number in [318, 319, 318, 719, 90_000] {
        input.extend(records(number, b"\x0a\0", 20));
    }
    let mut pool = p2::AllPool::new();
    let ((), first) = measure(|| assert!(pool.decode(&input).is_ok()));
    assert_eq!(first.left, (tables::<p2::All<'_>>() + pool.memory()) as isize);
    for _ in 0..40 {
        let ((), measured) = measure(|| assert!(pool.decode(&input).is_ok()));
        assert_eq!((measured.calls, measured.left), (0, 0), "{measured:?}");
    }
}

/// Returns the number of messages and map entries of the unit `vectors`.
fn messages_of_the_unit() -> usize {
    let plans = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../vectors/plans");
    let set = std::fs::read(plans.join("vectors.fds")).unwrap();
    let list = std::fs::read_to_string(plans.join("list.txt")).unwrap();
    let files = list.lines().find_map(|line| line.strip_prefix("vectors\t")).unwrap();
    let files: Vec<_> = files.split('+').map(str::to_string).collect();
    let plan = hotpb_codegen::analyse(&hotpb_codegen::descriptor::read_set(&set).unwrap(), &files).unwrap();
    let plan: serde_json::Value = serde_json::from_slice(&plan.to_json()).unwrap();
    plan["messages"].as_array().unwrap().len()
}

#[test]
fn a_new_pool_has_a_few_words_for_each_message_of_its_unit() {
    // POL-70, on the unit with the most maps.
    let messages = messages_of_the_unit();
    assert!(messages > 150, "{messages}");
    let (mut pool, measured) = measure(p3::ChildPool::new);
    assert_eq!(measured.calls, 0);
    // The first decode allocates the tables, and the root's row.
    let ((), measured) = measure(|| assert!(pool.decode(b"").is_ok()));
    let own = tables::<p3::Child<'_>>();
    assert_eq!((measured.calls, measured.left), (2, (own + pool.memory()) as isize));
    assert!(own <= 40 * messages + 400, "{own} bytes for {messages} messages");
}

#[test]
fn a_pool_allocates_for_what_a_message_has() {
    // POL-71: the tables and a row of the root; rows of one map; and what it takes to make the map unique, once it has two entries.
    let mut pool = AllPool::new();
    let mut decode = |input: &[u8]| measure(|| assert!(pool.decode(input).is_ok())).1;
    let root = decode(b"\x08\x01");
    assert_eq!(root.calls, 2, "{root:?}");
    let record = records(714, b"\x08\x01", 1);
    let (first, second) = (decode(&record), decode(&record));
    assert_eq!((first.calls, second.calls), (1, 0), "{first:?}");
    assert!(first.left < 700, "{first:?}");
    let two = records(714, b"\x08\x01", 2);
    let (first, second) = (decode(&two), decode(&two));
    assert!((2..=7).contains(&first.calls) && first.left < 400, "{first:?}");
    assert_eq!(second.calls, 0, "{second:?}");
}

/// Returns the same record again and again.
fn records(number: u32, body: &[u8], count: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..count {
        hotpb::wire::append_tag(&mut out, number, 2);
        hotpb::wire::append_bytes(&mut out, body);
    }
    out
}

#[test]
fn empty_children_of_the_widest_message_stop_within_the_budget() {
    // Elements of a repeated field, and values of map entries that all have the empty key.
    for (number, body) in [(319, &b""[..]), (719, &b"\x12\0"[..])] {
        let input = records(number, body, 400_000);
        let each = input.len() / 400_000;
        let budget = 32 * input.len() as isize;
        let mut pool = AllPool::new();
        let (error, measured) = measure(|| pool.decode(&input).map(|_| ()).unwrap_err());
        assert_eq!(error.code(), Code::CountExceeded, "{error}");
        assert!(error.offset() > 0, "{error}");
        assert!(error.path().contains(&format!("[{}]", error.offset() / each)), "{error}");
        // Vectors double: at most twice the memory in use, and the old half during the copy.
        assert!(measured.peak < 3 * budget, "{measured:?} for a budget of {budget}");
        let (refusal, measured) = measure(|| pool.decode(&input).map(|_| ()).unwrap_err());
        assert_eq!(refusal, error, "the limit counts what a message needs, not what was allocated before");
        assert!(measured.calls < 60, "only the path of the error is allocated: {measured:?}");
    }
}

#[test]
fn a_small_message_may_use_a_mebibyte_whatever_its_size() {
    let mut pool = AllPool::new();
    assert!(pool.decode(&records(319, b"", 100)).is_ok());
    let tight = DecodeOptions { memory: Some(10_000), ..DecodeOptions::default() };
    assert_eq!(pool.decode_with(&records(319, b"", 100), &tight).map(|_| ()).unwrap_err().code(), Code::CountExceeded);
}

#[test]
fn repeated_fields_that_take_turns_cost_memory_in_proportion() {
    // Elements of two fields that share a table, int32 and sint32, in turn: every run has to move again and again.
    let mut input = Vec::new();
    for i in 0..100_000u64 {
        for number in [301, 305] {
            hotpb::wire::append_tag(&mut input, number, 0);
            hotpb::wire::append_varint(&mut input, i & 127);
        }
    }
    let mut pool = AllPool::new();
    let (numbers, measured) = measure(|| pool.decode(&input).map(|m| m.repeated_sint32().len()).unwrap());
    assert_eq!(numbers, 100_000);
    assert!(measured.peak < 32 * input.len() as isize, "{measured:?}");
}

#[test]
fn a_hundred_levels_of_the_widest_message_fit_a_small_stack_without_optimisation() {
    let mut input = Vec::new();
    for _ in 0..100 {
        let mut outer = Vec::new();
        hotpb::wire::append_tag(&mut outer, 19, 2);
        hotpb::wire::append_bytes(&mut outer, &input);
        input = outer;
    }
    let visited = input.clone();
    // A thread of the standard library has 2 MiB; half of it must suffice.
    let decode = move || {
        let mut pool = AllPool::new();
        let mut level = pool.decode(&input).unwrap().single_all();
        let mut levels = 0;
        while let Some(all) = level {
            levels += 1;
            level = all.single_all();
        }
        levels
    };
    let levels = std::thread::Builder::new().stack_size(1 << 20).spawn(decode).unwrap().join().unwrap();
    assert_eq!(levels, 100);
    let visit = move || AllPool::visit(&visited, &mut hotpb::pool::Ignore).is_ok();
    assert!(std::thread::Builder::new().stack_size(1 << 20).spawn(visit).unwrap().join().unwrap());
}
