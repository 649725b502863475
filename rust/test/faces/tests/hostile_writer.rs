//! Writers used by hostile callers: conversions that lie, panics wherever the caller's code is called, forgotten
//! guards, outputs that fail. It is quick here; Miri (`rust/check-all.sh miri`) runs it to check each access.

use hotpb::Code;
use hotpb::chunk::{Chunk, ChunkSource, Full, IoSource, Patch, StreamPolicy};
use hotpb::wire::{LEN, MAX_SIZE, VARINT, tag};
use hotpb::wkt::{ListValueWriter, OptionWriter};
use hotpb::writer::__rt::Part;
use hotpb::writer::{
    BytesBuffer, ChunkWriter, FixedBuffer, HeapBuffer, HeapOptions, IoWriter, Output, VecBuffer, WriteError, element,
};
use hotpb_tests::hostile::callers::{Number, Part as Piece, Turn, Values};
use hotpb_tests::hostile::outputs::{Chunks, Fault, Sink};
use hotpb_tests::hostile::play::{self, W};
use hotpb_tests::hostile::{caught, panic_here, parses};
use hotpb_tests::mutate::Rng;
use std::mem::forget;

fn code(status: Result<u64, WriteError>) -> Option<Code> {
    status.err().map(|error| error.code())
}

/// Returns the first `n` cases under Miri, which is some thousand times slower, and all otherwise.
fn few<T>(cases: &[T], n: usize) -> &[T] {
    if cfg!(miri) { &cases[..n] } else { cases }
}

/// Returns pieces, one of which changes at its second call.
fn lying(first: usize, later: usize) -> [Piece; 3] {
    let piece = |first, later, turn| Piece::new(vec![b'x'; first], vec![b'y'; later], turn);
    [piece(3, 3, Turn::Honest), piece(first, later, Turn::Lies(1)), piece(2, 2, Turn::Honest)]
}

#[test]
fn pieces_that_grow_between_two_calls_do_not_leave_a_vector() {
    for capacity in [0, 64, 300] {
        let mut out = VecBuffer::from(Vec::with_capacity(capacity));
        OptionWriter::new(&mut out).name("n").value(|any| {
            any.value_parts(&lying(1, 290));
        });
        assert_eq!(code(out.status()), Some(Code::HandleMisuse));
        let vec = out.into_partial_vec();
        assert!(vec.len() <= vec.capacity());
        assert_eq!(vec, [0x0a, 1, b'n', 0x12, 0], "{capacity}");
    }
}

#[test]
fn pieces_that_grow_between_two_calls_do_not_leave_fixed_memory() {
    for size in (0..400).step_by(if cfg!(miri) { 37 } else { 1 }) {
        let mut memory = vec![0xa5; size + 100];
        let mut out = FixedBuffer::new(&mut memory[..size]);
        let mut option = OptionWriter::new(&mut out);
        option.value(|any| {
            any.value_parts(&lying(1, 300));
        });
        for _ in 0..8 {
            option.name("0123456789");
        }
        let done = option.finish();
        assert!(matches!(code(done), Some(Code::HandleMisuse | Code::BufferExhausted)), "{size} {done:?}");
        assert!(parses(out.partial_bytes()));
        assert!(memory[size..].iter().all(|&byte| byte == 0xa5), "{size}");
    }
}

/// WTR-10.
#[test]
fn pieces_that_shrink_or_panic_fail_their_message() {
    for turn in [Turn::Lies(1), Turn::Panics(1)] {
        let mut out = HeapBuffer::new();
        let mut any = hotpb::wkt::AnyWriter::new(&mut out);
        any.type_url("t");
        let pieces = [Piece::new(vec![1; 9], vec![2; 5], turn)];
        let done = caught(|| {
            any.value_parts(&pieces);
        });
        assert_eq!(done.is_none(), turn == Turn::Panics(1));
        any.type_url("u");
        assert_eq!(any.finish().map_err(|e| (e.code(), e.valid_len())), Err((Code::HandleMisuse, 3)));
        assert_eq!(out.to_partial_vec(), [0x0a, 1, b't'], "{turn:?}");
    }
    // At the first call nothing is written yet.
    let mut out = VecBuffer::new();
    let mut any = hotpb::wkt::AnyWriter::new(&mut out);
    let pieces = [Piece::new(vec![1], vec![], Turn::Panics(0))];
    let done = caught(|| {
        any.value_parts(&pieces);
    });
    assert!(done.is_none());
    any.type_url("u");
    assert_eq!(any.finish(), Ok(3));
}

/// WTR-10.
#[test]
fn packed_numbers_that_change_between_two_calls_fail_their_message() {
    // Larger, smaller, and a panic, from each call on, in memory of all sizes.
    let turns = (0..12).step_by(if cfg!(miri) { 5 } else { 1 }).flat_map(|call| [Turn::Lies(call), Turn::Panics(call)]);
    for turn in turns {
        for (first, later) in [(1, -1), (-1, 1), (1, 300)] {
            for size in (0..120).step_by(if cfg!(miri) { 13 } else { 1 }) {
                let mut memory = vec![0xa5; size + 60];
                let mut out = FixedBuffer::new(&mut memory[..size]);
                let mut w = W(out.message());
                w.0.uint64::<{ tag(1, VARINT) }>(7);
                let numbers = [Number::new(first, later, turn); 6];
                Number::start();
                let whole = caught(|| {
                    w.0.nested::<{ tag(2, LEN) }, W<'_>>(|child| {
                        child.0.packed::<{ tag(4, LEN) }, element::Enum<Number>>(&numbers);
                    });
                });
                let done = w.finish();
                // Six calls for the sizes, six for the values: a change at the first call is not a lie.
                let honest = turn == Turn::Lies(0);
                assert!(done.is_err() || honest && whole.is_some(), "{turn:?} {first} {size} {done:?}");
                assert!(parses(out.partial_bytes()), "{turn:?} {:02x?}", out.partial_bytes());
                assert!(memory[size..].iter().all(|&byte| byte == 0xa5), "{turn:?} {size}");
            }
        }
    }
}

#[test]
fn more_elements_of_no_size_than_anyone_could_count_are_refused() {
    #[derive(Clone, Copy)]
    struct Nothing;
    impl From<Nothing> for i32 {
        fn from(_: Nothing) -> i32 {
            -1
        }
    }
    let mut out = VecBuffer::new();
    let mut w = W(out.message());
    w.0.packed::<{ tag(4, LEN) }, element::Enum<Nothing>>(&[Nothing; usize::MAX]);
    assert_eq!(code(w.finish()), Some(Code::SizeExceeded));
}

#[test]
fn forgotten_packed_records_are_misuse_and_no_panic() {
    for &count in few(&[1, 103, 99, 100, 101, 102, 104, 500], 2) {
        for delimited in [false, true] {
            for end in 0..3 {
                let mut out = ChunkWriter::new(Chunks::new(64, None));
                let mut w = W(if delimited { out.delimited() } else { out.message() });
                w.0.uint64::<{ tag(1, VARINT) }>(7);
                for i in 0..count as u64 {
                    let mut packed = w.0.open_packed::<{ tag(4, LEN) }, element::Uint64>();
                    packed.push(i);
                    forget(packed);
                }
                match end {
                    0 => {}
                    1 => w.0.nested::<{ tag(2, LEN) }, W<'_>>(|_| {}),
                    _ => w.0.entry::<{ tag(9, LEN) }>(Part::bytes(1, b"k"), Part::bytes(2, b"v")),
                }
                let error = w.finish().expect_err("something was forgotten");
                assert!(matches!(error.code(), Code::HandleMisuse | Code::DepthExceeded), "{error}");
                out.flush();
                assert_eq!(code(out.status()), Some(error.code()));
                let written = out.into_inner().joined();
                let good = &written[..error.valid_len() as usize];
                assert!(play::parses_stream(good, delimited), "{count} {end} {error} {written:02x?}");
            }
        }
    }
}

/// WRT-31.
#[test]
fn a_packed_record_may_stand_in_the_deepest_message() {
    fn down(w: &mut W<'_>, level: u32) {
        match level {
            100 => drop(w.0.open_packed::<{ tag(4, LEN) }, element::Uint64>()),
            _ => w.0.nested::<{ tag(2, LEN) }, W<'_>>(|child| down(child, level + 1)),
        }
    }
    for delimited in [false, true] {
        let mut out = VecBuffer::new();
        let mut w = W(if delimited { out.delimited() } else { out.message() });
        down(&mut w, 0);
        assert!(w.finish().is_ok());
    }
}

/// WTR-9.
#[test]
fn forgotten_guards_of_all_kinds_are_misuse() {
    type Forget = fn(&mut W<'_>);
    let ways: [Forget; 6] = [
        |w| forget(w.0.open::<{ tag(2, LEN) }, W<'_>>()),
        |w| forget(w.0.open_group::<2, W<'_>>()),
        |w| forget(w.0.open_packed::<{ tag(2, LEN) }, element::Bool>()),
        |w| forget(w.0.open_entry::<{ tag(2, LEN) }, W<'_>>(Part::bytes(1, b"k"))),
        |w| forget(w.0.open_item::<2, W<'_>>()),
        |w| {
            let mut child = w.0.open::<{ tag(2, LEN) }, W<'_>>();
            forget(child.0.open::<{ tag(2, LEN) }, W<'_>>());
        },
    ];
    for (i, way) in ways.iter().enumerate() {
        for &count in few(&[1, 60, 120], 1) {
            let mut out = VecBuffer::new();
            let mut w = W(out.message());
            w.0.uint64::<{ tag(1, VARINT) }>(7);
            (0..count).for_each(|_| way(&mut w));
            let error = w.finish().expect_err("something was forgotten");
            assert!(matches!(error.code(), Code::HandleMisuse | Code::DepthExceeded), "{i} {count} {error}");
            assert_eq!(out.partial_bytes()[..2], [8, 7]);
            assert!(parses(out.partial_bytes()), "{i} {count} {:02x?}", out.partial_bytes());
        }
    }
}

#[test]
fn an_output_whose_message_was_forgotten_does_not_pass_for_good() {
    let mut out = VecBuffer::new();
    let mut w = W(out.message());
    w.0.uint64::<{ tag(1, VARINT) }>(7);
    let child = w.0.open::<{ tag(2, LEN) }, W<'_>>();
    forget(child);
    forget(w);
    assert_eq!(out.status().map_err(|e| (e.code(), e.valid_len())), Err((Code::HandleMisuse, 4)));
    assert!(parses(&out.partial_bytes()[..4]));
    out.clear();
    assert_eq!(out.status(), Ok(0));
}

#[test]
fn an_iterator_that_panics_fails_the_packed_record_and_one_that_lies_does_not() {
    let mut out = VecBuffer::new();
    let mut w = W(out.message());
    w.0.uint64::<{ tag(1, VARINT) }>(7);
    let lies = Values::new(vec![1, 2], (usize::MAX, Some(1)), false);
    w.0.packed_from::<{ tag(4, LEN) }, element::Uint64>(lies);
    assert_eq!(w.0.status(), Ok(6));
    let panics = Values::new(vec![1, 2], (0, None), true);
    assert!(caught(|| w.0.packed_from::<{ tag(4, LEN) }, element::Uint64>(panics)).is_none());
    assert_eq!(code(w.finish()), Some(Code::HandleMisuse));
    assert_eq!(out.partial_bytes(), [8, 7, 0x22, 2, 1, 2, 0x22, 0]);
}

#[test]
fn a_drop_that_panics_in_a_closure_fails_the_message() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_here();
        }
    }
    let mut out = VecBuffer::new();
    let mut list = ListValueWriter::new(&mut out);
    let bomb = Bomb;
    let done = caught(|| {
        list.values(move |value| {
            value.bool_value(true);
            let _ = &bomb;
        });
    });
    assert!(done.is_none());
    assert_eq!(code(list.finish()), Some(Code::HandleMisuse));
    assert_eq!(out.partial_bytes(), [0x0a, 0]);
}

/// WRT-26, WRT-27.
#[test]
fn a_source_that_fails_at_any_call_leaves_no_message_that_passes_for_good() {
    for fault in [Fault::Panic, Fault::Nothing, Fault::Short(63), Fault::Short(0)] {
        for policy in [StreamPolicy::Compact, StreamPolicy::Fixed4] {
            for call in (0..14).step_by(if cfg!(miri) { 3 } else { 1 }) {
                let mut out = ChunkWriter::with_policy(Chunks::new(64, Some((call, fault))), policy);
                let mut list = ListValueWriter::new(&mut out);
                for _ in 0..3 {
                    let _ = caught(|| {
                        list.values(|value| {
                            value.list_value(|inner| {
                                for _ in 0..9 {
                                    inner.values(|value| {
                                        value.string_value("0123456789");
                                    });
                                }
                            });
                        });
                    });
                }
                let done = caught(|| list.finish());
                let failed = out.source().failed;
                assert_eq!(out.status().is_err(), failed, "{fault:?} {policy:?} {call} {done:?}");
                let source = caught(|| out.into_inner()).expect("it has panicked before");
                // All slots are closed, except if the patch itself failed.
                let open = source.returned.iter().filter(|full| full.open_slots > 0).count();
                assert!(open == 0 || fault == Fault::Panic, "{fault:?} {policy:?} {call}");
                assert!(failed || parses(&source.joined()));
            }
        }
    }
}

#[test]
fn an_output_that_has_failed_goes_on_failing() {
    for fault in [Fault::Panic, Fault::Nothing, Fault::Short(0)] {
        let mut out = IoWriter::with_chunks(Sink::new(Some((1, fault))), 64, StreamPolicy::Compact);
        let _ = caught(|| {
            let mut w = W(out.message());
            (0..100).for_each(|i| w.0.uint64::<{ tag(1, VARINT) }>(i));
        });
        assert!(out.status().is_err(), "{fault:?}");
        assert!(out.flush().is_err(), "{fault:?}");
        assert!(out.flush().is_err(), "{fault:?}: a second time, though the first error was taken");
        assert!(out.into_inner().is_err(), "{fault:?}");
    }
}

#[test]
fn a_source_takes_chunks_and_patches_that_it_never_gave() {
    let mut source = IoSource::new(Vec::new(), 64);
    let full = |used, open_slots| Full { id: 7, memory: vec![1; 10], used, open_slots };
    assert!(source.next(Some(full(4, 1))).is_some());
    for offset in [0, 7, 10, usize::MAX] {
        source.patch(Patch { id: 7, offset, bytes: [2; 4], still_open: 1 });
    }
    source.patch(Patch { id: 7, offset: 2, bytes: [3; 4], still_open: 0 });
    assert!(
        source.next(None).is_some_and(|chunk| chunk.memory.len() >= 64),
        "memory that is too small is not used again"
    );
    source.finish(Some(full(11, 0)));
    assert!(source.take_error().is_some(), "more than there is cannot be written");
    assert_eq!(source.into_inner(), [2, 2, 3, 3]);
}

#[test]
fn random_scripts_of_hostile_calls() {
    let mut rng = Rng::new(15);
    for _ in 0..if cfg!(miri) { 4 } else { 4000 } {
        let script: Vec<u8> = (0..20 + rng.below(200)).map(|_| rng.number() as u8).collect();
        play::scripts(&script, &mut rng);
    }
}

/// One chunk, lent again and again.
struct Same(Option<Vec<u8>>);

impl ChunkSource for Same {
    type Memory = Vec<u8>;
    fn next(&mut self, full: Option<Full<Vec<u8>>>) -> Option<Chunk<Vec<u8>>> {
        let memory = full.map(|full| full.memory).or_else(|| self.0.take())?;
        Some(Chunk { id: 1, memory })
    }
    fn patch(&mut self, _: Patch) {}
    fn finish(&mut self, last: Option<Full<Vec<u8>>>) {
        self.0 = last.map(|full| full.memory);
    }
}

/// Two GiB through one chunk (LIM-2, WRT-28).
#[test]
#[cfg_attr(miri, ignore = "two GiB")]
fn a_message_above_2_gib_is_size_exceeded() {
    let piece = vec![b'x'; (1 << 20) - 4]; // one MiB with tag and length
    for over in [false, true] {
        let mut out = ChunkWriter::new(Same(Some(vec![0; 1 << 20])));
        // An earlier message does not count.
        W(out.message()).0.uint64::<{ tag(1, VARINT) }>(1);
        let mut w = W(out.message());
        for _ in 0..2047 {
            w.0.bytes::<{ tag(2, LEN) }>(&piece);
        }
        w.0.bytes::<{ tag(2, LEN) }>(&piece[3..]); // two bytes are left
        w.0.uint64::<{ tag(1, VARINT) }>(1);
        assert_eq!(w.0.status(), Ok(MAX_SIZE as u64));
        if over {
            w.0.append_raw(b"x");
        }
        let done = w.finish().map_err(|error| (error.code(), error.valid_len()));
        assert_eq!(done, if over { Err((Code::SizeExceeded, MAX_SIZE as u64)) } else { Ok(MAX_SIZE as u64) });
    }
}

/// The same with many small fields, and with a nested message.
#[test]
#[cfg_attr(miri, ignore = "two GiB")]
fn small_fields_do_not_pass_the_limits_either() {
    let piece = vec![b'x'; (1 << 20) - 4];
    let code_and_len = |error: WriteError| (error.code(), error.valid_len());
    let mut out = ChunkWriter::new(Same(Some(vec![0; 1 << 20])));
    let mut w = W(out.message());
    for _ in 0..2047 {
        w.0.bytes::<{ tag(2, LEN) }>(&piece);
    }
    for _ in 0..1 << 19 {
        w.0.uint64::<{ tag(1, VARINT) }>(1);
    }
    assert_eq!(w.finish().map_err(code_and_len), Err((Code::SizeExceeded, MAX_SIZE as u64 - 1)));

    let mut out = ChunkWriter::new(Same(Some(vec![0; 1 << 20])));
    let mut option = OptionWriter::new(&mut out);
    option.name("n").value(|any| {
        for _ in 0..255 {
            any.value(&piece);
        }
        for _ in 0..1 << 18 {
            any.type_url("ab");
        }
    });
    // Three bytes for name, tag and length of the child, and its content: four bytes per field.
    let most = 3 + 5 + 255 * (1 << 20) + (1 << 20) - 4;
    assert_eq!(option.finish().map_err(code_and_len), Err((Code::SizeExceeded, most)));
}

/// Lends a few chunks, and panics at every call after that.
struct Panics(u32);

impl Panics {
    fn call(&mut self) {
        self.0 = self.0.checked_sub(1).unwrap_or_else(|| panic_here());
    }
}

impl ChunkSource for Panics {
    type Memory = Vec<u8>;
    fn next(&mut self, _: Option<Full<Vec<u8>>>) -> Option<Chunk<Vec<u8>>> {
        self.call();
        Some(Chunk { id: self.0.into(), memory: vec![0; 64] })
    }
    fn patch(&mut self, _: Patch) {
        self.call();
    }
    fn finish(&mut self, _: Option<Full<Vec<u8>>>) {
        self.call();
    }
}

/// A second panic during the first one would abort the program.
#[test]
fn no_source_is_called_while_a_panic_unwinds() {
    for good in 0..8 {
        for delimited in [false, true] {
            let write = |out: &mut ChunkWriter<Panics>| {
                let mut list = if delimited { ListValueWriter::delimited(out) } else { ListValueWriter::new(out) };
                list.values(|value| {
                    value.string_value("0123456789");
                });
                let mut child = list.open_values();
                child.list_value(|inner| {
                    inner.values(|value| {
                        value.string_value(&"0123456789".repeat(12));
                    });
                });
                panic_here()
            };
            // The output outlives the panic, or is dropped by it.
            let mut out = ChunkWriter::new(Panics(good));
            assert!(caught(|| write(&mut out)).is_none());
            assert_eq!(code(out.status()), Some(Code::HandleMisuse), "{good} {delimited}");
            let _ = caught(|| drop(out));
            assert!(caught(|| write(&mut ChunkWriter::new(Panics(good)))).is_none());
            assert!(caught(|| write(&mut ChunkWriter::with_policy(Panics(good), StreamPolicy::Fixed4))).is_none());
        }
    }
}

#[test]
fn a_message_that_a_panic_drops_is_not_whole() {
    let mut out = VecBuffer::new();
    let cut = caught(|| {
        let mut option = OptionWriter::new(&mut out);
        option.name("n");
        panic_here()
    });
    assert!(cut.is_none());
    let misuse = |error: WriteError| (error.code(), error.valid_len());
    assert_eq!(out.bytes().map_err(misuse), Err((Code::HandleMisuse, 3)));
    assert_eq!(out.partial_bytes(), [0x0a, 1, b'n']);
    assert_eq!(out.into_vec().map_err(misuse), Err((Code::HandleMisuse, 3)));
}

/// An incomplete message is not returned as if it were whole.
#[test]
fn buffers_hand_out_whole_messages_or_what_went_wrong() {
    let write = |out: &mut dyn Output, name: &str| {
        let mut option = OptionWriter::new(out);
        option.name(name);
        option.finish()
    };
    let exhausted = |error: WriteError| error.code() == Code::BufferExhausted && error.valid_len() == 0;
    let mut memory = [0; 9];
    let mut out = FixedBuffer::new(&mut memory);
    assert_eq!(write(&mut out, "12345"), Ok(7));
    assert_eq!(out.bytes().map(<[u8]>::len), Ok(7));
    assert!(write(&mut out, "12345").is_err_and(exhausted) && out.bytes().is_err_and(exhausted));
    assert_eq!(out.partial_bytes().len(), 7);

    let mut out = HeapBuffer::with_options(HeapOptions { first_chunk: 64, limit: 64, ..HeapOptions::default() });
    assert_eq!(write(&mut out, "12345"), Ok(7));
    assert_eq!((out.to_vec().map(|v| v.len()), out.as_slice().map(|s| s.map(<[u8]>::len))), (Ok(7), Ok(Some(7))));
    assert!(write(&mut out, &"x".repeat(90)).is_err_and(exhausted));
    assert!(out.to_vec().is_err_and(exhausted) && out.chunks().is_err_and(exhausted));
    assert!(out.append_to(&mut Vec::new()).is_err_and(exhausted) && out.as_slice().is_err_and(exhausted));
    assert_eq!((out.to_partial_vec().len(), out.partial_chunks().count(), out.len()), (7, 1, 7));
    out.clear();
    assert_eq!(out.to_vec().map(|v| v.len()), Ok(0));

    let mut out = BytesBuffer::new();
    assert_eq!(write(&mut out, "12345"), Ok(7));
    assert_eq!(out.split().map(|b| b.len()), Ok(7));
    forget(OptionWriter::new(&mut out));
    assert!(out.split().is_err() && out.bytes().is_err() && out.into_inner().is_err());

    // With the caller's own output: a failed write must not look like a good file.
    let mut out = IoWriter::new(Vec::new());
    let mut option = OptionWriter::new(&mut out);
    forget(option.open_value());
    assert_eq!(code(option.finish()), Some(Code::HandleMisuse));
    assert!(out.into_inner().is_err());
}
