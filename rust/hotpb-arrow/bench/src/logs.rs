//! OpenTelemetry's logs: a row per record, with a list of attributes. The records are those of the task `otlp-logs`.

use crate::harness::Request;
use crate::random::Random;
use crate::series::list;
use crate::tasks::Task;
use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, StringBuilder, UInt32Builder,
    UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, SchemaRef};
use hotpb_arrow::{Options, Table, Types};
use prost::{Message, Oneof};
use std::sync::Arc;

pub const TASK: Task = Task { input, table, by_hand };

const VALUES: [&str; 4] = ["string_value", "bool_value", "int_value", "double_value"];

fn table() -> Table {
    let types = Types::read(include_bytes!(concat!(env!("OUT_DIR"), "/logs.fds"))).unwrap();
    let plain = ["time_unix_nano", "severity_number", "severity_text", "body.string_value", "attributes.key", "flags"];
    let more = ["trace_id", "span_id", "observed_time_unix_nano"];
    let columns = plain.into_iter().chain(more).map(String::from);
    let values = VALUES.map(|name| format!("attributes.value.{name}"));
    let options =
        Options::new().rows("resource_logs.scope_logs.log_records").columns(columns.chain(values)).enum_numbers();
    types.table("hotpb.bench.LogsRequest", &options).unwrap()
}

#[derive(Clone, PartialEq, Message)]
struct LogsRequest {
    #[prost(message, repeated, tag = "1")]
    resource_logs: Vec<ResourceLogs>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceLogs {
    #[prost(message, optional, tag = "1")]
    resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    scope_logs: Vec<ScopeLogs>,
    #[prost(string, tag = "3")]
    schema_url: String,
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
    #[prost(uint32, tag = "2")]
    dropped_attributes_count: u32,
}

#[derive(Clone, PartialEq, Message)]
struct ScopeLogs {
    #[prost(message, optional, tag = "1")]
    scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    log_records: Vec<LogRecord>,
    #[prost(string, tag = "3")]
    schema_url: String,
}

#[derive(Clone, PartialEq, Message)]
struct Scope {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    version: String,
    #[prost(message, repeated, tag = "3")]
    attributes: Vec<KeyValue>,
    #[prost(uint32, tag = "4")]
    dropped_attributes_count: u32,
}

#[derive(Clone, PartialEq, Message)]
struct LogRecord {
    #[prost(fixed64, tag = "1")]
    time_unix_nano: u64,
    #[prost(int32, tag = "2")]
    severity_number: i32,
    #[prost(string, tag = "3")]
    severity_text: String,
    #[prost(message, optional, tag = "5")]
    body: Option<AnyValue>,
    #[prost(message, repeated, tag = "6")]
    attributes: Vec<KeyValue>,
    #[prost(uint32, tag = "7")]
    dropped_attributes_count: u32,
    #[prost(fixed32, tag = "8")]
    flags: u32,
    #[prost(bytes = "vec", tag = "9")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "10")]
    span_id: Vec<u8>,
    #[prost(fixed64, tag = "11")]
    observed_time_unix_nano: u64,
    #[prost(string, tag = "12")]
    event_name: String,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(oneof = "Value", tags = "1, 2, 3, 4, 5, 6, 7")]
    value: Option<Value>,
}

#[derive(Clone, PartialEq, Oneof)]
enum Value {
    #[prost(string, tag = "1")]
    String(String),
    #[prost(bool, tag = "2")]
    Bool(bool),
    #[prost(int64, tag = "3")]
    Int(i64),
    #[prost(double, tag = "4")]
    Double(f64),
    #[prost(message, tag = "5")]
    Array(ArrayValue),
    #[prost(message, tag = "6")]
    Kvlist(KeyValueList),
    #[prost(bytes = "vec", tag = "7")]
    Bytes(Vec<u8>),
}

#[derive(Clone, PartialEq, Message)]
struct ArrayValue {
    #[prost(message, repeated, tag = "1")]
    values: Vec<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValueList {
    #[prost(message, repeated, tag = "1")]
    values: Vec<KeyValue>,
}

fn text(r: &mut Random, len: u64) -> String {
    (0..len).map(|_| (b'a' + r.below(26) as u8) as char).collect()
}

fn attribute(key: &str, value: Value) -> KeyValue {
    KeyValue { key: key.into(), value: Some(AnyValue { value: Some(value) }) }
}

/// 1,000 records of five services.
fn input(_: &Request) -> Vec<u8> {
    let r = &mut Random::new();
    let resource_logs = (0..5).map(|service| ResourceLogs {
        resource: Some(Resource {
            attributes: vec![
                attribute("service.name", Value::String(format!("service-{service}"))),
                attribute("service.instance.id", Value::String(text(r, 36))),
                attribute("host.name", Value::String(format!("host-{}", r.below(900)))),
                attribute("process.pid", Value::Int(r.below(65_536) as i64)),
            ],
            dropped_attributes_count: 0,
        }),
        scope_logs: (0..2)
            .map(|scope| ScopeLogs {
                scope: Some(Scope { name: format!("library.{scope}"), version: "1.4.2".into(), ..Scope::default() }),
                log_records: (0..100).map(|_| log_record(r)).collect(),
                schema_url: "https://example.org/schemas/1.26.0".into(),
            })
            .collect(),
        schema_url: String::new(),
    });
    LogsRequest { resource_logs: resource_logs.collect() }.encode_to_vec()
}

fn log_record(r: &mut Random) -> LogRecord {
    let time = 1_795_250_863_868_000_000 + r.below(1 << 36);
    let (number, name) = r.pick(&[(5, "DEBUG"), (9, "INFO"), (9, "INFO"), (17, "ERROR")]);
    let len = 40 + r.below(100);
    let mut attributes = vec![
        attribute("http.request.method", Value::String(r.pick(&["GET", "GET", "POST", "PUT"]).into())),
        attribute("http.response.status_code", Value::Int(r.pick(&[200, 200, 200, 204, 404, 503]))),
        attribute("url.path", Value::String(format!("/api/v1/{}", text(r, 6)))),
        attribute("duration_ms", Value::Double(r.below(1 << 20) as f64 / 1024.0)),
        attribute("cached", Value::Bool(r.below(2) == 1)),
    ];
    if r.below(8) == 0 {
        let values = (0..4).map(|_| AnyValue { value: Some(Value::String(text(r, 9))) }).collect();
        attributes.push(attribute("tags", Value::Array(ArrayValue { values })));
    }
    LogRecord {
        time_unix_nano: time,
        severity_number: number,
        severity_text: name.into(),
        body: Some(AnyValue { value: Some(Value::String(text(r, len))) }),
        attributes,
        dropped_attributes_count: 0,
        flags: 1,
        trace_id: (0..16).map(|_| r.next() as u8).collect(),
        span_id: (0..8).map(|_| r.next() as u8).collect(),
        observed_time_unix_nano: time + r.below(1 << 24),
        event_name: String::new(),
    }
}

/// The columns of the four members that are columns.
#[derive(Default)]
struct Values {
    strings: StringBuilder,
    bools: BooleanBuilder,
    ints: Int64Builder,
    doubles: Float64Builder,
    present: Vec<bool>,
}

impl Values {
    fn append(&mut self, value: Option<&AnyValue>) {
        self.present.push(value.is_some());
        let value = value.and_then(|v| v.value.as_ref());
        self.strings.append_option(if let Some(Value::String(s)) = value { Some(s) } else { None });
        self.bools.append_option(if let Some(Value::Bool(b)) = value { Some(*b) } else { None });
        self.ints.append_option(if let Some(Value::Int(i)) = value { Some(*i) } else { None });
        self.doubles.append_option(if let Some(Value::Double(d)) = value { Some(*d) } else { None });
    }

    fn finish(mut self, ty: &DataType) -> ArrayRef {
        let DataType::Struct(fields) = ty else { panic!("a struct") };
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.strings.finish()),
            Arc::new(self.bools.finish()),
            Arc::new(self.ints.finish()),
            Arc::new(self.doubles.finish()),
        ];
        let nulls = NullBuffer::from(self.present);
        Arc::new(StructArray::new(fields.clone(), columns[..fields.len()].to_vec(), Some(nulls)))
    }
}

fn by_hand(input: &[u8], schema: &SchemaRef) -> Result<RecordBatch, String> {
    let request = LogsRequest::decode(input).map_err(|e| e.to_string())?;
    let (mut times, mut observed) = (UInt64Builder::new(), UInt64Builder::new());
    let (mut numbers, mut flags) = (Int32Builder::new(), UInt32Builder::new());
    let (mut texts, mut bodies, mut keys) = (StringBuilder::new(), StringBuilder::new(), StringBuilder::new());
    let (mut traces, mut spans) = (BinaryBuilder::new(), BinaryBuilder::new());
    let (mut has_body, mut attributes, mut values) = (Vec::new(), vec![0], Values::default());
    let scopes = request.resource_logs.iter().flat_map(|r| &r.scope_logs);
    for record in scopes.flat_map(|scope| &scope.log_records) {
        times.append_value(record.time_unix_nano);
        numbers.append_value(record.severity_number);
        texts.append_value(&record.severity_text);
        let body = record.body.as_ref().and_then(|body| body.value.as_ref());
        has_body.push(record.body.is_some());
        bodies.append_option(if let Some(Value::String(s)) = body { Some(s) } else { None });
        for attribute in &record.attributes {
            keys.append_value(&attribute.key);
            values.append(attribute.value.as_ref());
        }
        attributes.push(attributes[attributes.len() - 1] + record.attributes.len() as i32);
        flags.append_value(record.flags);
        traces.append_value(&record.trace_id);
        spans.append_value(&record.span_id);
        observed.append_value(record.observed_time_unix_nano);
    }
    let field = |name: &str| schema.field_with_name(name).map_err(|e| e.to_string());
    let DataType::Struct(body) = field("body")?.data_type() else { panic!("a struct") };
    let body = StructArray::new(body.clone(), vec![Arc::new(bodies.finish())], Some(NullBuffer::from(has_body)));
    let attributes_field = Arc::new(field("attributes")?.clone());
    let DataType::List(item) = attributes_field.data_type() else { panic!("a list") };
    let DataType::Struct(pair) = item.data_type() else { panic!("a struct") };
    let values = values.finish(pair[1].data_type());
    let columns: Vec<ArrayRef> = vec![
        Arc::new(times.finish()),
        Arc::new(numbers.finish()),
        Arc::new(texts.finish()),
        Arc::new(body),
        list(&attributes_field, attributes, vec![Arc::new(keys.finish()), values]),
        Arc::new(flags.finish()),
        Arc::new(traces.finish()),
        Arc::new(spans.finish()),
        Arc::new(observed.finish()),
    ];
    RecordBatch::try_new(schema.clone(), columns).map_err(|e| e.to_string())
}
