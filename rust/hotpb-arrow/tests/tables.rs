//! Tables: well-known types, rows, projections, dictionaries, limits, streams, and what does not fit.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch, RecordBatchReader, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use hotpb::Code;
use hotpb::wire::{append_bytes, append_delimited, append_tag, append_varint};
use hotpb_arrow::{Options, ReadError, ReadOptions, Table, Types};
use std::path::PathBuf;
use std::sync::Arc;

fn types(name: &str) -> Types {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/plans").join(name);
    Types::read(&std::fs::read(path).unwrap()).unwrap()
}

fn all_types(columns: &[&str], options: Options) -> Table {
    let types = types("test_messages_proto3.fds");
    types.table("protobuf_test_messages.proto3.TestAllTypesProto3", &options.columns(columns.iter().copied())).unwrap()
}

fn batch(table: &Table, messages: &[Vec<u8>]) -> RecordBatch {
    let mut reader = table.reader(ReadOptions::new());
    for message in messages {
        assert!(reader.push(message).unwrap().is_none());
    }
    reader.finish().unwrap()
}

fn record(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    append_tag(&mut out, number, 2);
    append_bytes(&mut out, bytes);
    out
}

fn number(number: u32, value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    append_tag(&mut out, number, 0);
    append_varint(&mut out, value);
    out
}

fn round_trip(table: &Table, messages: &[Vec<u8>]) {
    let batch = batch(table, messages);
    let mut encoder = table.messages(&batch).unwrap();
    for message in messages {
        assert_eq!(encoder.next().unwrap().unwrap(), message);
    }
    assert!(encoder.next().is_none());
    // Written messages read the same.
    let mut stream = Vec::new();
    table.messages(&batch).unwrap().append_delimited(&mut stream).unwrap();
    let batches: Vec<RecordBatch> = table.read_delimited(&stream[..], ReadOptions::new()).map(Result::unwrap).collect();
    assert_eq!(batches, [batch]);
}

/// ARW-12.
#[test]
fn timestamps_and_durations_are_arrows_and_merge_over_records() {
    let names = ["optional_timestamp", "optional_duration", "repeated_timestamp"];
    let table = all_types(&names, Options::new());
    let schema = table.schema();
    let types: Vec<_> = names.iter().map(|name| schema.field_with_name(name).unwrap()).collect();
    assert_eq!(types[0].data_type(), &DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())));
    assert_eq!(types[1].data_type(), &DataType::Duration(TimeUnit::Nanosecond));
    assert!(types[0].is_nullable() && !types[2].is_nullable());
    let time = |seconds: i64, nanos: i32| [number(1, seconds as u64), number(2, nanos as i64 as u64)].concat();
    let split =
        [record(302, &number(1, 5)), record(302, &number(2, 7)), record(312, b""), record(312, &time(-1, 1))].concat();
    let batch = batch(&table, &[split, vec![], record(302, &[]), record(301, &time(-1, -5))]);
    let times = batch.column_by_name("optional_timestamp").unwrap().as_primitive::<TimestampNanosecondType>();
    assert_eq!(times.iter().collect::<Vec<_>>(), [Some(5_000_000_007), None, Some(0), None]);
    let took = batch.column_by_name("optional_duration").unwrap().as_primitive::<DurationNanosecondType>();
    assert_eq!(took.iter().collect::<Vec<_>>(), [None, None, None, Some(-1_000_000_005)]);
    let list = batch.column_by_name("repeated_timestamp").unwrap().as_list::<i32>().value(0);
    assert_eq!(list.as_primitive::<TimestampNanosecondType>().values(), &[0, -999_999_999]);
    round_trip(&table, &[record(302, &time(-2, 5)), record(301, &time(-2, -5)), vec![], record(302, &[])]);

    // A time that the unit cannot express is an error at its tag; a coarser unit has more room.
    let distant = [number(1, 1), record(302, &number(1, 1 << 40))].concat();
    let error = table.reader(ReadOptions::new()).push(&distant).unwrap_err();
    assert_eq!(error.to_string(), "message 0: TypeMismatch at byte 2: optional_timestamp");
    let coarse = all_types(&["optional_timestamp"], Options::new().time_unit(TimeUnit::Millisecond));
    let times = self::batch(&coarse, &[distant, record(302, &time(-1, 1))]);
    assert_eq!(times.column(0).as_primitive::<TimestampMillisecondType>().values(), &[(1 << 40) * 1000, -1000]);
}

/// ARW-13.
#[test]
fn wrappers_are_nullable_values() {
    let table =
        all_types(&["optional_int32_wrapper", "optional_string_wrapper", "repeated_bool_wrapper"], Options::new());
    let fields: Vec<String> =
        table.schema().fields().iter().map(|f| format!("{} {}", f.data_type(), f.is_nullable())).collect();
    assert_eq!(fields, ["Int32 true", "Utf8 true", "List(non-null Boolean) false"].map(String::from));
    let (int, text, bools) = (202, 208, 211);
    let messages = [
        [record(int, &number(1, 5)), record(text, &record(1, b"a"))].concat(),
        [record(int, &[]), record(bools, &[]), record(bools, &number(1, 1))].concat(),
        vec![],
        record(text, &[]),
    ];
    let batch = batch(&table, &messages);
    let ints = batch.column(0).as_primitive::<Int32Type>();
    let numbers: Vec<_> = ints.iter().collect();
    assert!(numbers == [Some(5), Some(0), None, None], "{numbers:?}");
    round_trip(&table, &messages);
    // A second record without a value keeps the value; one with a value replaces it.
    let twice =
        [record(int, &number(1, 5)), record(int, &[]), record(text, &record(1, b"a")), record(text, &record(1, b"bc"))]
            .concat();
    let twice = self::batch(&table, &[twice]);
    assert_eq!(
        (twice.column(0).as_primitive::<Int32Type>().value(0), twice.column(1).as_string::<i32>().value(0)),
        (5, "bc")
    );
}

/// ARW-16: `Struct` contains itself, so the levels below are bytes, and more levels are columns on request.
#[test]
fn messages_within_themselves_are_bytes_that_are_checked() {
    let table = all_types(&["optional_struct", "recursive_message"], Options::new());
    let inner = record(2, &record(5, &record(1, &[record(1, b"k"), record(2, &number(4, 1))].concat())));
    let entry = [record(1, b"a"), inner].concat();
    round_trip(&table, &[record(304, &record(1, &entry)), record(27, &number(1, 7)), vec![]]);
    let error = table.reader(ReadOptions::new()).push(&record(27, &record(14, b"\xff"))).unwrap_err();
    assert_eq!(error.to_string(), "message 0: InvalidUtf8 at byte 5: recursive_message.optional_string");
    let types = types("test_messages_proto3.fds");
    let name = "protobuf_test_messages.proto3.TestAllTypesProto3";
    let refused = types.table(name, &Options::new().refuse_recursion()).err().unwrap();
    assert!(refused.to_string().contains("contains itself, which no Arrow type can"), "{refused}");
    let deeper = types.table(name, &Options::new().recursion(1).columns(["recursive_message.optional_int32"])).unwrap();
    let DataType::Struct(fields) = deeper.schema().field(0).data_type().clone() else { panic!("a struct") };
    assert_eq!((fields.len(), fields[0].name().as_str()), (1, "optional_int32"));
}

fn write_request() -> Vec<u8> {
    let label = |name: &[u8], value: &[u8]| record(1, &[record(1, name), record(2, value)].concat());
    let series = |i: u64| {
        let mut sample = vec![0x09];
        sample.extend((i as f64).to_le_bytes());
        sample.extend(number(2, i));
        let labels = [label(b"__name__", b"up"), label(b"job", if i.is_multiple_of(2) { b"a" } else { b"b" })].concat();
        record(1, &[labels, record(2, &sample)].concat())
    };
    (1..4).flat_map(series).collect()
}

/// ARW-21, ARW-9.
#[test]
fn elements_become_rows_and_strings_dictionaries() {
    let types = types("remote_write_v1.fds");
    let message = types.messages().find(|name| name.ends_with("WriteRequest")).unwrap().to_string();
    let options = Options::new().rows("timeseries").columns(["labels", "samples.value"]);
    let options = options.dictionaries(["labels.name", "labels.value"]);
    let table = types.table(&message, &options).unwrap();
    assert!(table.row_message().ends_with("TimeSeries"));
    let batch = batch(&table, &[write_request(), vec![], write_request()]);
    assert_eq!(batch.num_rows(), 6);
    let labels = batch.column(0).as_list::<i32>();
    assert_eq!(labels.value_offsets(), [0, 2, 4, 6, 8, 10, 12]);
    let values = labels.values().as_struct().column(1).as_dictionary::<Int32Type>();
    let texts: Vec<&str> = values.downcast_dict::<StringArray>().unwrap().into_iter().flatten().collect();
    assert_eq!(texts[..6], ["up", "b", "up", "a", "up", "b"]);
    assert_eq!(values.values().len(), 4); // "", up, b, a
    let samples = batch.column(1).as_list::<i32>().values().as_struct().column(0).as_primitive::<Float64Type>();
    assert_eq!(samples.values(), &[1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
    // Rows of a batch: a message is never split.
    let mut reader = table.reader(ReadOptions::new().batch_rows(4));
    assert!(reader.push(&write_request()).unwrap().is_none());
    assert_eq!(reader.push(&write_request()).unwrap().unwrap().num_rows(), 6);
    assert!(reader.finish().is_none());
    for (rows, problem) in [
        ("timeseries.labels.name", "rows must be the elements of a repeated message field"),
        ("nothing", "there is no such field; the fields are timeseries"),
    ] {
        let error = types.table(&message, &Options::new().rows(rows)).err().unwrap();
        assert!(error.to_string().contains(problem), "{error}");
    }
    let error = types.table(&message, &Options::new().dictionaries(["timeseries.samples.value"])).err().unwrap();
    assert!(error.to_string().contains("not all of these are string columns"), "{error}");
}

/// ARW-20: the other fields are not looked into.
#[test]
fn what_nobody_asks_for_is_only_skipped() {
    let table = all_types(&["optional_int32", "oneof_string"], Options::new());
    let damaged_inside = [number(1, 3), record(14, b"\xff"), record(18, b"\x08")].concat();
    assert_eq!(batch(&table, &[damaged_inside]).column(0).as_primitive::<Int32Type>().values(), &[3]);
    let error = table.reader(ReadOptions::new()).push(&[0x72, 5, 1]).unwrap_err();
    assert_eq!(error.to_string(), "message 0: Truncated at byte 2: 14");
    // A member that is no column still clears the one that is.
    let cleared = [record(113, b"text"), number(111, 1)].concat();
    let set = [number(111, 1), record(113, b"text")].concat();
    let batch = batch(&table, &[cleared, set]);
    assert!(batch.column(1).is_null(0) && batch.column(1).is_valid(1));
}

/// ARW-23, OFF-9.
#[test]
fn a_bad_message_leaves_no_trace_and_is_counted() {
    let table = all_types(
        &["optional_int32", "repeated_string", "map_string_string", "optional_nested_enum"],
        Options::new().dictionaries(["*"]),
    );
    let entry = record(69, &[record(1, b"key"), record(2, b"value")].concat());
    let good = [number(1, 7), number(21, 9), record(44, b"one"), record(44, b"two"), entry.clone()].concat();
    let bad = [number(1, 9), number(21, 77), record(44, b"trace"), entry, record(44, b"\xff")].concat();
    let mut stream = Vec::new();
    for message in [&good, &bad, &good, &bad] {
        append_delimited(&mut stream, message);
    }
    let want = batch(&table, &[good.clone(), good.clone()]);
    let mut read = table.read_delimited(&stream[..], ReadOptions::new().skip_bad());
    assert_eq!(read.next().unwrap().unwrap(), want);
    assert!(read.next().is_none());
    assert_eq!((read.reader().messages(), read.reader().skipped()), (4, 2));
    let offset = 1 + good.len() + 1 + bad.len() - 1;
    let first = read.reader().first_skipped().unwrap();
    assert_eq!(first.to_string(), format!("message 1: InvalidUtf8 at byte {offset}: repeated_string[1]"));
    // Without the option, the error ends the stream.
    let mut read = table.read_delimited(&stream[..], ReadOptions::new().batch_rows(1));
    assert_eq!(read.schema(), table.schema());
    assert_eq!(read.next().unwrap().unwrap().num_rows(), 1);
    let Err(ArrowError::ExternalError(error)) = read.next().unwrap() else { panic!("an error") };
    assert_eq!(error.downcast_ref::<ReadError>().unwrap().code(), Code::InvalidUtf8);
    assert!(read.next().is_none());
}

/// DLM-2, DLM-4: errors of the stream itself.
#[test]
fn streams_are_read_in_pieces_and_their_ends_are_checked() {
    struct Drip<'a>(&'a [u8]);
    impl std::io::Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let n = out.len().min(self.0.len()).min(3);
            out[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }
    let table = all_types(&["optional_int32"], Options::new());
    let mut stream = Vec::new();
    (0..1000).for_each(|i| append_delimited(&mut stream, &number(1, i)));
    let sum = |batches: Vec<RecordBatch>| -> i64 {
        batches.iter().flat_map(|b| b.column(0).as_primitive::<Int32Type>().values().iter()).map(|v| *v as i64).sum()
    };
    let batches: Vec<RecordBatch> =
        table.read_delimited(Drip(&stream), ReadOptions::new().batch_rows(300)).map(Result::unwrap).collect();
    assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [300, 300, 300, 100]);
    assert_eq!(sum(batches), 499_500);
    let end = |stream: &[u8], size: usize| {
        let mut read = table.read_delimited(stream, ReadOptions::new().max_size(size));
        read.find_map(Result::err).map(|e| e.to_string().replace("External error: ", ""))
    };
    assert_eq!(
        end(&stream[..stream.len() - 1], 99).unwrap(),
        format!("message 999: Truncated at byte {}", stream.len() - 4)
    );
    assert_eq!(end(&[1, 0x80], 99).unwrap(), "message 0: Truncated at byte 1");
    assert_eq!(end(&[0, 0x80], 99).unwrap(), "message 1: Truncated at byte 1");
    assert_eq!(end(&[0, 0xe8, 0x07], 99).unwrap(), "message 1: SizeExceeded at byte 1");
    assert_eq!(end(&[0xff; 11], 99).unwrap(), "message 0: VarintOverflow at byte 0");
    assert_eq!(end(&[0xff, 0xff, 0xff, 0xff, 0x07], usize::MAX).unwrap(), "message 0: Truncated at byte 0");
}

/// ARW-24: two bytes of input must not become hundreds of bytes of columns without a limit.
#[test]
fn empty_elements_of_wide_messages_are_limited() {
    let types = types("test_messages_proto3.fds");
    let options = Options::new().recursion(1).columns(["repeated_nested_message.corecursive"]);
    let table = types.table("protobuf_test_messages.proto3.TestAllTypesProto3", &options).unwrap();
    let many = record(48, &[]).repeat(100_000);
    let error = table.reader(ReadOptions::new()).push(&many).unwrap_err();
    assert_eq!(error.code(), Code::CountExceeded);
    assert!(error.error().path().starts_with("repeated_nested_message["), "{error}");
    let mut reader = table.reader(ReadOptions::new().max_memory(1 << 30));
    assert!(reader.push(&many).unwrap().is_none());
    assert_eq!(reader.finish().unwrap().column(0).as_list::<i32>().values().len(), 100_000);
}

/// ARW-31, ARW-32.
#[test]
fn columns_that_do_not_fit_are_named() {
    let table = all_types(
        &["optional_int32", "repeated_string", "optional_nested_enum", "optional_nested_message.a"],
        Options::new(),
    );
    let column = |name: &str, array: ArrayRef| {
        let schema = Schema::new(vec![Field::new(name, array.data_type().clone(), true)]);
        RecordBatch::try_new(Arc::new(schema), vec![array]).unwrap()
    };
    let error = |batch: &RecordBatch| table.messages(batch).err().unwrap().to_string();
    let ints: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    assert_eq!(error(&column("other", ints.clone())), "TypeMismatch: other: the message has no such column");
    assert_eq!(
        error(&column("optional_int32", ints)),
        "TypeMismatch: optional_int32: a null at index 1, where the message must have a value"
    );
    let longs: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    assert_eq!(
        error(&column("optional_int32", longs)),
        "TypeMismatch: optional_int32: the column is Int64, the message needs Int32"
    );
    let names = |names: Vec<&str>| -> ArrayRef {
        Arc::new(names.into_iter().collect::<arrow_array::DictionaryArray<Int32Type>>())
    };
    let batch = column("optional_nested_enum", names(vec!["BAR", "NEG", "77", "NOPE"]));
    let mut messages = table.messages(&batch).unwrap();
    assert_eq!(messages.next().unwrap().unwrap(), number(21, 1));
    assert_eq!(messages.next().unwrap().unwrap(), number(21, -1i64 as u64));
    assert_eq!(messages.next().unwrap().unwrap(), number(21, 77));
    let error = messages.next().unwrap().unwrap_err();
    assert_eq!(error.code(), Code::TypeMismatch);
    assert!(error.to_string().contains("row 3, optional_nested_enum: the enum has no value \"NOPE\""), "{error}");
}

/// ARW-2.
#[test]
fn what_a_descriptor_set_does_not_have_is_named() {
    let types = types("test_messages_proto3.fds");
    let error = types.table("x.TestAllTypesProto3", &Options::new()).err().unwrap();
    assert!(error.to_string().ends_with("but protobuf_test_messages.proto3.TestAllTypesProto3"), "{error}");
    assert_eq!(Types::read(b"\x0a\x05").err().unwrap().code(), Code::InvalidSchema);
    let table = all_types(&["optional_int32"], Options::new());
    let schema = table.schema();
    assert_eq!(schema.metadata()["message"], "protobuf_test_messages.proto3.TestAllTypesProto3");
    assert_eq!(schema.field(0).metadata()["PARQUET:field_id"], "1");
}
