//! Callers that lie: descriptor sets that no compiler wrote, batches that no reader made, options at their ends, and
//! threads with a small stack.

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Int32Array, Int64Array, ListArray, RecordBatch, StringArray,
    StructArray, TimestampNanosecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};
use hotpb::Code;
use hotpb::wire::{LEN, VARINT, append_bytes, append_tag, append_varint};
use hotpb_arrow::{Error, Options, ReadOptions, Table, Types};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

/// A descriptor under construction: its bytes.
#[derive(Clone, Default)]
struct Proto(Vec<u8>);

const INT64: u64 = 3;
const INT32: u64 = 5;
const STRING: u64 = 9;
const MESSAGE: u64 = 11;
const ENUM: u64 = 14;
const OPTIONAL: u64 = 1;
const REPEATED: u64 = 3;

impl Proto {
    fn named(name: &str) -> Proto {
        Proto::default().bytes(1, name.as_bytes())
    }

    fn bytes(mut self, number: u32, bytes: &[u8]) -> Proto {
        append_tag(&mut self.0, number, LEN);
        append_bytes(&mut self.0, bytes);
        self
    }

    fn number(mut self, number: u32, value: u64) -> Proto {
        append_tag(&mut self.0, number, VARINT);
        append_varint(&mut self.0, value);
        self
    }

    /// Adds a field to a message.
    fn field(self, name: &str, number: u64, label: u64, ty: u64, type_name: &str) -> Proto {
        self.bytes(2, &field(name, number, label, ty, type_name).0)
    }
}

fn field(name: &str, number: u64, label: u64, ty: u64, type_name: &str) -> Proto {
    let field = Proto::named(name).number(3, number).number(4, label).number(5, ty);
    if type_name.is_empty() { field } else { field.bytes(6, type_name.as_bytes()) }
}

/// Returns a set of one proto3 file.
fn set(package: &str, messages: impl IntoIterator<Item = Proto>) -> Vec<u8> {
    let file = Proto::named("lies.proto").bytes(2, package.as_bytes()).bytes(12, b"proto3");
    Proto::default().bytes(1, &messages.into_iter().fold(file, |file, message| file.bytes(4, &message.0)).0).0
}

fn table(set: &[u8], message: &str, options: &Options) -> Result<Table, Error> {
    Types::read(set)?.table(message, options)
}

fn read(table: &Table, messages: &[&[u8]]) -> RecordBatch {
    let mut reader = table.reader(ReadOptions::new());
    messages.iter().for_each(|message| assert!(reader.push(message).unwrap().is_none()));
    let batch = reader.finish().unwrap();
    valid(&batch);
    batch
}

/// Arrow's own check needs more stack than our code.
fn valid(batch: &RecordBatch) {
    let check = || batch.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
    on_a_thread(64 << 20, check);
}

fn on_a_thread<T: Send>(stack: usize, run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(stack).spawn_scoped(scope, run).expect("a thread");
        thread.join().expect("no panic")
    })
}

/// ARW-29: a message that only has the name of a well-known type is a message like any other.
#[test]
fn a_false_well_known_type_is_an_ordinary_message() {
    let user = |name: &str| Proto::named("User").field("it", 1, OPTIONAL, MESSAGE, &format!(".google.protobuf.{name}"));
    let column = |name: &str, fields: &[(u64, u64, u64)]| {
        let lie = fields.iter().fold(Proto::named(name), |lie, &(number, label, ty)| {
            lie.field(&format!("f{number}"), number, label, ty, "")
        });
        let table = table(&set("google.protobuf", [lie, user(name)]), "google.protobuf.User", &Options::new()).unwrap();
        // A record of each field, in both forms, and none.
        let inputs: [&[u8]; 4] = [&[], &[0x0a, 0], &[0x0a, 2, 0x08, 7], &[0x0a, 3, 0x0a, 1, b'x']];
        let batch = read(&table, &inputs);
        let mut encoder = table.messages(&batch).unwrap();
        while let Some(message) = encoder.next() {
            message.unwrap();
        }
        table.schema().field(0).data_type().clone()
    };
    for name in ["StringValue", "Int32Value", "BoolValue", "DoubleValue", "BytesValue", "Timestamp", "Duration"] {
        assert_eq!(column(name, &[]), DataType::Struct(Fields::empty()), "{name}");
        for fields in
            [&[(2, OPTIONAL, STRING)][..], &[(1, REPEATED, INT64)], &[(1, OPTIONAL, STRING), (3, OPTIONAL, INT32)]]
        {
            assert!(
                matches!(column(name, fields), DataType::Struct(have) if have.len() == fields.len()),
                "{name} {fields:?}"
            );
        }
    }
    assert_eq!(column("StringValue", &[(1, OPTIONAL, STRING)]), DataType::Utf8);
    assert_eq!(column("Int32Value", &[(1, OPTIONAL, INT32)]), DataType::Int32);
    assert!(matches!(column("Duration", &[(1, OPTIONAL, INT64), (2, OPTIONAL, INT32)]), DataType::Duration(_)));
}

/// RCL-10: the stack does not depend on how long a chain of messages is.
#[test]
fn a_chain_of_many_messages_is_compiled_on_a_small_stack() {
    let last = 20_000;
    let link = |i: usize| {
        let link = Proto::named(&format!("M{i}")).field("n", 2, OPTIONAL, INT64, "");
        if i < last { link.field("next", 1, OPTIONAL, MESSAGE, &format!(".p.M{}", i + 1)) } else { link }
    };
    // `again` has its bytes as its column, which the whole chain checks.
    let root = Proto::named("Root")
        .field("again", 1, OPTIONAL, MESSAGE, ".p.Root")
        .field("chain", 2, OPTIONAL, MESSAGE, ".p.M0");
    let set = set("p", (0..=last).map(link).chain([root]));
    on_a_thread(1 << 20, || {
        let types = Types::read(&set).unwrap();
        let error = types.table("p.Root", &Options::new()).err().unwrap();
        assert_eq!(error.to_string(), "InvalidSchema: p.M100: more than 100 messages within each other");
        let table = types.table("p.Root", &Options::new().columns(["again"])).unwrap();
        let batch = read(&table, &[&[0x0a, 4, 0x12, 2, 0x0a, 0]]);
        assert_eq!(batch.num_rows(), 1);
        let error = table.reader(ReadOptions::new()).push(&[0x0a, 5, 0x12, 3, 0x0a, 1, 0x0a]).unwrap_err();
        assert_eq!(error.to_string(), "message 0: Truncated at byte 7: again.chain.next.next");
    });
}

/// RCL-10: what a table costs is limited, however few bytes describe it.
#[test]
fn a_schema_that_multiplies_is_refused() {
    // 20 levels of 10 fields each are 10^20 columns.
    let level = |i: usize| {
        let level = Proto::named(&format!("L{i}"));
        (1..=10).fold(level, |l, n| l.field(&format!("f{n}"), n, OPTIONAL, MESSAGE, &format!(".p.L{}", i + 1)))
    };
    let levels = (0..20).map(level).chain([Proto::named("L20")]);
    let error = table(&set("p", levels), "p.L0", &Options::new()).err().unwrap();
    assert_eq!(error.code(), Code::InvalidSchema);
    assert!(error.to_string().ends_with("there are more than 10000 columns"), "{error}");
    // Messages in circles, with further levels as columns.
    let circle = |i: usize| {
        (0..8).fold(Proto::named(&format!("C{i}")), |c, to| {
            c.field(&format!("c{to}"), to + 1, OPTIONAL, MESSAGE, &format!(".p.C{to}"))
        })
    };
    let circles = set("p", (0..8).map(circle));
    for recursion in [0, 1, 7, u32::MAX] {
        let error = table(&circles, "p.C0", &Options::new().recursion(recursion)).err().unwrap();
        assert_eq!(error.code(), Code::InvalidSchema, "{error}");
    }
}

/// RCL-10: numbers at their ends.
#[test]
fn very_many_fields_of_a_message() {
    let many = (1..=70_000u64).filter(|n| !(19_000..20_000).contains(n));
    let wide = many.clone().fold(Proto::named("Wide"), |wide, n| wide.field(&format!("f{n}"), n, OPTIONAL, INT32, ""));
    let wide = set("p", [wide]);
    let error = table(&wide, "p.Wide", &Options::new()).err().unwrap();
    assert!(error.to_string().ends_with("more than 10000 columns"), "{error}");
    let single = table(&wide, "p.Wide", &Options::new().columns(["f70000"])).unwrap();
    let message = Proto::default().number(70_000, 5).number(1, 6).0;
    assert_eq!(read(&single, &[&message]).column(0).to_data(), Int32Array::from(vec![5]).to_data());
    // All members of a oneof count, wanted or not.
    let choice = many.fold(Proto::named("Choice").bytes(8, &Proto::named("pick").0), |choice, n| {
        choice.bytes(2, &field(&format!("f{n}"), n, OPTIONAL, INT32, "").number(9, 0).0)
    });
    let choice = set("p", [choice]);
    let error = table(&choice, "p.Choice", &Options::new().columns(["f7"])).err().unwrap();
    assert_eq!(error.to_string(), "InvalidSchema: p.Choice: more than 65535 kinds of records");
}

/// RCL-10: an extension that is declared twice, and names that mean two things.
#[test]
fn what_is_declared_twice_is_refused_or_has_one_column() {
    let open = Proto::named("Open").bytes(5, &Proto::default().number(1, 100).number(2, 200).0);
    let extension = |name: &str| field(name, 100, OPTIONAL, INT32, "").bytes(2, b".p.Open");
    let file = Proto::named("lies.proto").bytes(2, b"p").bytes(4, &open.0);
    let file = file.bytes(7, &extension("a").0).bytes(7, &extension("b").0);
    let set = Proto::default().bytes(1, &file.0).0;
    match table(&set, "p.Open", &Options::new().extensions()) {
        Err(error) => assert_eq!(error.code(), Code::InvalidSchema),
        Ok(table) => panic!("two columns for one number: {:?}", table.schema()),
    }
}

/// RCL-11: a thread of 1 MiB has room for 100 levels of messages, whatever is done with them.
#[test]
fn a_small_stack_has_room_for_the_deepest_table() {
    let level = |i: usize| {
        let level =
            Proto::named(&format!("D{i}")).field("n", 1, OPTIONAL, INT64, "").field("many", 3, REPEATED, STRING, "");
        if i < 100 {
            level.field("below", 2, [OPTIONAL, REPEATED][i % 2], MESSAGE, &format!(".p.D{}", i + 1))
        } else {
            level
        }
    };
    let set = set("p", (0..=100).map(level));
    let deepest = (0..100).fold(vec![0x08, 7], |inner, _| Proto::default().bytes(2, &inner).number(1, 7).0);
    let circle = self::set("p", [Proto::named("Self").field("self", 1, OPTIONAL, MESSAGE, ".p.Self")]);
    on_a_thread(1 << 20, || {
        let table = table(&set, "p.D0", &Options::new()).unwrap();
        let batch = read(&table, &[&deepest, &[], &deepest]);
        let mut messages = table.messages(&batch).unwrap();
        let first = messages.next().unwrap().unwrap().to_vec();
        assert_eq!(read(&table, &[&first]), batch.slice(0, 1));
        // A fault at the bottom: the message is dropped, and explained.
        let mut reader = table.reader(ReadOptions::new());
        let faulty = (0..100).fold(vec![0x08, 0x80], |inner, _| Proto::default().bytes(2, &inner).0);
        let error = reader.push(&faulty).unwrap_err();
        assert_eq!((error.code(), error.error().path().split('.').count()), (Code::Truncated, 101));
        let whole = self::table(&circle, "p.Self", &Options::new().recursion(99)).unwrap();
        let nested = |levels| (0..levels).fold(Vec::new(), |inner, _| Proto::default().bytes(1, &inner).0);
        read(&whole, &[&nested(100)]);
        let error = whole.reader(ReadOptions::new()).push(&nested(101)).unwrap_err();
        assert_eq!(error.code(), Code::DepthExceeded);
    });
}

/// RCL-12: options at their ends.
#[test]
fn options_at_their_ends() {
    let set = set(
        "p",
        [Proto::named("M").field("text", 1, REPEATED, STRING, "").field("kids", 2, REPEATED, MESSAGE, ".p.M")],
    );
    let table = table(&set, "p.M", &Options::new()).unwrap();
    let message = [0x0a, 1, b'x', 0x12, 3, 0x0a, 1, b'y'];
    for (options, code) in [
        (ReadOptions::new().batch_rows(0), None),
        (ReadOptions::new().batch_rows(usize::MAX).batch_bytes(usize::MAX), None),
        (ReadOptions::new().batch_bytes(0), None),
        (ReadOptions::new().depth(0), Some(Code::DepthExceeded)),
        (ReadOptions::new().depth(u32::MAX).max_size(usize::MAX).max_memory(usize::MAX), None),
        (ReadOptions::new().max_size(0), Some(Code::SizeExceeded)),
        (ReadOptions::new().max_memory(0), Some(Code::CountExceeded)),
    ] {
        let mut reader = table.reader(options.clone());
        let result = reader.push(&message);
        assert_eq!(result.as_ref().err().map(|e| e.code()), code, "{options:?}");
        let rows = result
            .ok()
            .flatten()
            .into_iter()
            .chain(std::iter::from_fn(|| reader.finish()))
            .map(|b| b.num_rows())
            .sum::<usize>();
        assert_eq!(rows, code.is_none() as usize, "{options:?}");
        // Nothing is left, and the reader goes on.
        assert!(reader.finish().is_none());
        assert_eq!(reader.messages(), 1);
    }
    // The deepest message that a raised limit permits, on a stack of the usual size.
    let nested = (0..9_000).fold(Vec::new(), |inner, _| Proto::default().bytes(2, &inner).0);
    let mut reader = table.reader(ReadOptions::new().depth(u32::MAX));
    on_a_thread(8 << 20, || drop(reader.push(&nested)));
}

/// RCL-12: batches with slices, nulls and dictionaries that hold more than they show.
#[test]
fn batches_that_no_reader_made() {
    let set = set(
        "p",
        [
            Proto::named("M")
                .field("plain", 1, OPTIONAL, STRING, "")
                .field("kids", 2, REPEATED, MESSAGE, ".p.M")
                .field("one", 3, OPTIONAL, MESSAGE, ".p.Leaf")
                .field("color", 4, OPTIONAL, ENUM, ".p.Color"),
            Proto::named("Leaf").field("n", 1, OPTIONAL, INT64, ""),
        ],
    );
    // The enum comes after the messages in the file.
    let color = Proto::named("Color").bytes(2, &Proto::named("RED").number(2, 0).0);
    let set = with_enum(&set, &color);
    let table = table(&set, "p.M", &Options::new()).unwrap();
    let encode = |columns: Vec<(&str, ArrayRef)>| -> Result<Vec<Vec<u8>>, Error> {
        let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap();
        let mut messages = table.messages(&batch)?;
        let mut out = Vec::new();
        while let Some(message) = messages.next() {
            out.push(message?.to_vec());
        }
        Ok(out)
    };
    let mismatch = |result: Result<Vec<Vec<u8>>, Error>| assert_eq!(result.unwrap_err().code(), Code::TypeMismatch);

    // A key that is valid, of a value that is null; a key that is null, and lies outside of the values.
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("RED"), None]));
    let keys = |keys: Vec<i32>, nulls: Option<Vec<bool>>| Int32Array::new(keys.into(), nulls.map(NullBuffer::from));
    let dictionary = |k: Int32Array| -> ArrayRef { Arc::new(DictionaryArray::<Int32Type>::new(k, values.clone())) };
    mismatch(encode(vec![("plain", dictionary(keys(vec![0, 1], None)))]));
    mismatch(encode(vec![("color", dictionary(keys(vec![0, 1], None)))]));
    mismatch(encode(vec![("plain", dictionary(keys(vec![0, 99], Some(vec![true, false]))))]));
    assert_eq!(encode(vec![("plain", dictionary(keys(vec![0], None)))]).unwrap(), [b"\x0a\x03RED".to_vec()]);

    // Slices of all kinds have the values that they show.
    let strings: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]).slice(1, 1));
    assert_eq!(encode(vec![("plain", strings)]).unwrap(), [b"\x0a\x01b".to_vec()]);
    let leaf = |values: Vec<i64>, nulls: Option<Vec<bool>>| {
        let field = Arc::new(Field::new("n", DataType::Int64, true));
        StructArray::new(
            vec![field].into(),
            vec![Arc::new(Int64Array::from(values)) as ArrayRef],
            nulls.map(NullBuffer::from),
        )
    };
    let sliced: ArrayRef = Arc::new(leaf(vec![1, 2, 3], Some(vec![true, false, true])).slice(1, 2));
    assert_eq!(encode(vec![("one", sliced)]).unwrap(), [vec![], vec![0x1a, 2, 8, 3]]);
    // A null inside of an absent message says nothing; inside of a message that is there, it is one.
    let field = Arc::new(Field::new("n", DataType::Int64, true));
    let inner: ArrayRef = Arc::new(Int64Array::from(vec![None, Some(1)]));
    let array = |nulls: Vec<bool>| -> ArrayRef {
        Arc::new(StructArray::new(vec![field.clone()].into(), vec![inner.clone()], Some(nulls.into())))
    };
    assert_eq!(encode(vec![("one", array(vec![false, true]))]).unwrap(), [vec![], vec![0x1a, 2, 8, 1]]);
    mismatch(encode(vec![("one", array(vec![true, true]))]));

    // Lists whose offsets start late; elements that are null; elements under a list that is null.
    let list = |values: ArrayRef, offsets: Vec<i32>, nulls: Option<Vec<bool>>| -> ArrayRef {
        let item = Arc::new(Field::new("item", values.data_type().clone(), true));
        Arc::new(ListArray::new(item, OffsetBuffer::new(offsets.into()), values, nulls.map(NullBuffer::from)))
    };
    // `kids` holds messages that contain `M` itself: their bytes.
    let kids = |bytes: Vec<Option<&[u8]>>| -> ArrayRef { Arc::new(BinaryArray::from(bytes)) };
    let late = list(kids(vec![Some(b"zz"), Some(b"\x0a\x01k"), Some(b"zz")]), vec![1, 2, 2], None);
    assert_eq!(encode(vec![("kids", late)]).unwrap(), [b"\x12\x03\x0a\x01k".to_vec(), vec![]]);
    mismatch(encode(vec![("kids", list(kids(vec![None]), vec![0, 1], None))]));
    mismatch(encode(vec![("kids", list(kids(vec![Some(b"")]), vec![0, 1], Some(vec![false])))]));

    // Columns of another type, of no message, and twice.
    mismatch(encode(vec![("plain", Arc::new(TimestampNanosecondArray::from(vec![1])))]));
    mismatch(encode(vec![("nowhere", Arc::new(Int64Array::from(vec![1])))]));
    let twice: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    mismatch(encode(vec![("plain", twice.clone()), ("plain", twice)]));
}

/// Returns the set with an enum in its only file.
fn with_enum(set: &[u8], e: &Proto) -> Vec<u8> {
    let file = hotpb::wire::Reader::new(&set[1..]).bytes().unwrap();
    Proto::default().bytes(1, &Proto(file.to_vec()).bytes(5, &e.0).0).0
}

/// RCL-10: a descriptor set that was damaged is refused, or makes tables that read and write.
#[test]
fn damaged_descriptor_sets_make_no_harm() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let whole = std::fs::read(root.join("vectors/plans/remote_write_v1.fds")).unwrap();
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let number = |name, default: u64| number(name).unwrap_or(default);
    let (rounds, mut state) = (number("HOTPB_DAMAGED_SETS", 1500), number("HOTPB_FUZZ_SEED", 7));
    let mut below = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) as usize) % n
    };
    let inputs: [&[u8]; 5] = [&[], &[0x08, 1], &[0x0a, 2, 0x08, 1], &[0x0a, 4, 0x0a, 2, 0x0a, 0], &[0x12, 1, 0x80]];
    let (mut refused, mut tables) = (0, 0);
    for _ in 0..rounds {
        let mut set = whole.clone();
        for _ in 0..1 + below(3) {
            let at = below(set.len());
            match below(4) {
                0 => set.truncate(at + 1),
                1 => set[at] ^= 1 << below(8),
                2 => set[at] = below(256) as u8,
                _ => set.insert(at, below(256) as u8),
            }
        }
        let Ok(types) = Types::read(&set) else {
            refused += 1;
            continue;
        };
        for message in types.messages() {
            for options in [Options::new(), Options::new().unions().dictionaries(["*"]).extensions()] {
                let Ok(table) = types.table(message, &options) else { continue };
                let mut reader = table.reader(ReadOptions::new().skip_bad());
                inputs.iter().for_each(|input| drop(reader.push(input).unwrap()));
                let Some(batch) = reader.finish() else { continue };
                valid(&batch);
                let mut messages = table.messages(&batch).unwrap();
                while let Some(message) = messages.next() {
                    message.unwrap();
                }
                tables += 1;
            }
        }
    }
    println!("{refused} sets refused, {tables} tables");
    assert!(refused > rounds / 20 && tables > rounds / 20);
}
