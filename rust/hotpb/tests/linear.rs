//! The work of readers grows with the input and no faster, whatever shape its sender chooses. callgrind counts the
//! instructions for n, 2n and 4n elements of each shape.

use hotpb::pool::{Builder, Encode, Ignore};
use hotpb::view::{Scratch, View as _};
use hotpb::wkt::google::protobuf::{
    FieldMaskBuilder, FieldMaskPool, FieldMaskView, FileDescriptorProtoBuilder, FileDescriptorProtoPool,
    FileDescriptorProtoView, SourceCodeInfoPool, SourceCodeInfoView, StructBuilder, StructPool, StructView, ValuePool,
    ValueView, value,
};
use std::hint::black_box;
use std::path::Path;
use std::process::Command;

/// Returns a record of this tag below 128, with a payload.
fn record(tag: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    hotpb::wire::append_bytes(&mut out, payload);
    out
}

type Shape = (&'static str, fn(usize) -> Vec<u8>, fn(&[u8]));

const SHAPES: &[Shape] = &[
    ("unknown fields between elements", |n| (0..n).flat_map(|_| *b"\x0a\x01a\x78\x01").collect(), field_mask),
    (
        "unknown fields of many numbers",
        |n| (0..n).flat_map(|i| [0x80 | ((i % 16) as u8 * 8), 0x20, 1]).collect(),
        field_mask,
    ),
    ("an entry of one key, again and again", |n| record(0x0a, b"\x0a\x01k\x12\x02\x20\x01").repeat(n), structure),
    (
        "keys with one long prefix",
        |n| (0..n).flat_map(|i| record(0x0a, &record(0x0a, format!("{:0>24}{:0>6}", 0, n - i).as_bytes()))).collect(),
        structure,
    ),
    (
        "keys that differ at their ends, and come twice",
        |n| (0..n).flat_map(|i| record(0x0a, &record(0x0a, format!("{:0>40}", i / 2).as_bytes()))).collect(),
        structure,
    ),
    ("members of a oneof in turn", |n| b"\x1a\x01t\x20\x01\x32\x02\x0a\x00\x32\x02\x0a\x00".repeat(n / 4), one_value),
    ("parts of one message", |n| record(0x42, b"\x50\x01\xc2\x3e\x01a\xba\x3e\x05\x1a\x03abc").repeat(n), file),
    ("lists in turn", |n| (0..n).flat_map(|_| *b"\x1a\x01a\x22\x03\x0a\x01m\x2a\x02\x0a\x00").collect(), file),
    (
        "packed runs of one element, in turn with others",
        |n| record(0x0a, &b"\x0a\x01\x05\x12\x01\x07".repeat(n)),
        code_info,
    ),
];

fn field_mask(bytes: &[u8]) {
    let mut pool = FieldMaskPool::new();
    let message = pool.decode(bytes).unwrap();
    let read = message.paths().iter().map(str::len).sum::<usize>() + message.unknown_fields().count();
    let by_index = (0..message.paths().len()).filter_map(|i| message.paths().get(i)).count();
    assert!(read >= by_index && message.encode_to_vec().unwrap().len() == bytes.len());
    let view = FieldMaskView::decode(bytes).unwrap();
    assert_eq!(view.paths().iter().count() + view.unknown_fields().count(), read);
    view.validate().unwrap();
    assert_eq!(FieldMaskBuilder::decode(bytes).unwrap().paths.len(), by_index);
    FieldMaskPool::visit(bytes, &mut Ignore).unwrap();
}

fn structure(bytes: &[u8]) {
    let mut pool = StructPool::new();
    let message = pool.decode(bytes).unwrap();
    let kinds = message.fields().iter().filter(|(_, value)| value.kind().is_some()).count();
    assert!(kinds <= message.fields().len());
    message.encode_to_vec().unwrap();
    let view = StructView::decode(bytes).unwrap();
    assert!(view.fields().iter().count() >= message.fields().len());
    view.validate().unwrap();
    assert_eq!(StructBuilder::decode(bytes).unwrap().fields.len(), message.fields().len());
    StructPool::visit(bytes, &mut Ignore).unwrap();
}

fn one_value(bytes: &[u8]) {
    let mut pool = ValuePool::new();
    assert!(matches!(pool.decode(bytes).unwrap().kind(), Some(value::Kind::ListValue(_))));
    let (view, scratch) = (ValueView::decode(bytes).unwrap(), Scratch::new());
    view.validate().unwrap();
    assert!(view.list_value().unwrap().open(&scratch).is_ok());
    ValuePool::visit(bytes, &mut Ignore).unwrap();
}

fn file(bytes: &[u8]) {
    let mut pool = FileDescriptorProtoPool::new();
    let message = pool.decode(bytes).unwrap();
    let names: usize = message.message_type().iter().map(|m| m.name().len()).sum();
    assert!(names + message.dependency().len() + message.enum_type().len() + usize::from(message.has_options()) > 0);
    let options =
        message.options().map_or(0, |options| options.unknown_fields().count() + options.uninterpreted_option().len());
    message.encode_to_vec().unwrap();
    let (view, scratch) = (FileDescriptorProtoView::decode(bytes).unwrap(), Scratch::new());
    view.validate().unwrap();
    assert_eq!(view.dependency().iter().count(), message.dependency().len());
    for element in view.message_type() {
        element.open().unwrap();
    }
    if let Some(part) = view.options() {
        let open = part.open(&scratch).unwrap();
        assert_eq!(open.unknown_fields().count() + open.uninterpreted_option().iter().count(), options);
    }
    FileDescriptorProtoBuilder::decode(bytes).unwrap();
    FileDescriptorProtoPool::visit(bytes, &mut Ignore).unwrap();
}

fn code_info(bytes: &[u8]) {
    let mut pool = SourceCodeInfoPool::new();
    let message = pool.decode(bytes).unwrap();
    let location = message.location().get(0).unwrap();
    let total: i64 = location.path().iter().chain(location.span().iter()).map(|&n| i64::from(n)).sum();
    let view = SourceCodeInfoView::decode(bytes).unwrap();
    let location = view.location().next().unwrap().open().unwrap();
    assert_eq!(location.path().iter().chain(location.span().iter()).map(i64::from).sum::<i64>(), total);
    SourceCodeInfoPool::visit(bytes, &mut Ignore).unwrap();
}

const SIZES: [usize; 3] = [1000, 2000, 4000];

/// Callgrind sets its count to zero here.
#[inline(never)]
fn counting_begins() {
    black_box("begins");
}

/// And writes it to a file here.
#[inline(never)]
fn counting_ends() {
    black_box("ends");
}

/// Reads every shape in every size. `work_grows_with_the_input` runs it in a process under callgrind.
fn read_all() {
    for (_, bytes, read) in SHAPES {
        for n in SIZES {
            let bytes = bytes(n);
            counting_begins();
            read(&bytes);
            counting_ends();
        }
    }
}

/// Returns the instructions that each read of `read_all` takes.
fn instructions() -> Vec<f64> {
    let dumps = Path::new(env!("CARGO_TARGET_TMPDIR")).join("linear");
    let mut run = Command::new("valgrind");
    run.args([
        "--tool=callgrind",
        "--combine-dumps=yes",
        "--zero-before=*counting_begins*",
        "--dump-before=*counting_ends*",
    ]);
    run.arg(format!("--callgrind-out-file={}", dumps.display())).arg(std::env::current_exe().unwrap());
    run.args(["--exact", "work_grows_with_the_input"]).env("HOTPB_LINEAR", "1");
    let output = run.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = std::fs::read_to_string(&dumps).unwrap();
    std::fs::remove_file(dumps).unwrap();
    text.lines().filter_map(|line| line.strip_prefix("totals: ")).map(|total| total.trim().parse().unwrap()).collect()
}

#[test]
fn work_grows_with_the_input() {
    if std::env::var("HOTPB_LINEAR").is_ok() {
        return read_all();
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("skipped: valgrind is not installed");
        return;
    }
    let counts = instructions(); // and those of the end of the process
    assert_eq!(counts.len(), SHAPES.len() * SIZES.len() + 1, "a read was not counted");
    for ((name, ..), counts) in SHAPES.iter().zip(counts.chunks_exact(SIZES.len())) {
        let (once, twice, four) = (counts[0], counts[1], counts[2]);
        assert!(once > 10_000.0, "{name}: {once} instructions cannot have read 1000 elements");
        // The ratio is 2 for linear work, 4 for square work; sorting adds a little.
        let growth = (four - twice) / (twice - once);
        println!("{name}: {once} {twice} {four}: {growth:.2}");
        assert!(growth < 2.5, "{name}: twice the input takes {growth:.2} times the additional instructions");
    }
}
