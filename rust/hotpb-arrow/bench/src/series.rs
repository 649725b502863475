//! Remote write 1.0: a row per series, with lists of labels and samples.

use crate::tasks::Task;
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, FieldRef, SchemaRef};
use hotpb_arrow::{Options, Table, Types};
use prost::Message;
use std::sync::Arc;

pub const TASK: Task = Task { input: |request| request.input.to_vec(), table, by_hand };

fn table() -> Table {
    let types = Types::read(include_bytes!("../../../../vectors/plans/remote_write_v1.fds")).unwrap();
    let options = Options::new().rows("timeseries").columns(["labels", "samples"]);
    types.table("prometheus.WriteRequest", &options).unwrap()
}

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

/// Makes a list of structs.
pub fn list(field: &FieldRef, offsets: Vec<i32>, columns: Vec<ArrayRef>) -> ArrayRef {
    let DataType::List(item) = field.data_type() else { panic!("a list") };
    let DataType::Struct(fields) = item.data_type() else { panic!("a struct") };
    let structs = StructArray::new(fields.clone(), columns, None);
    Arc::new(ListArray::new(item.clone(), OffsetBuffer::new(offsets.into()), Arc::new(structs), None))
}

fn by_hand(input: &[u8], schema: &SchemaRef) -> Result<RecordBatch, String> {
    let request = WriteRequest::decode(input).map_err(|e| e.to_string())?;
    let (mut names, mut texts) = (StringBuilder::new(), StringBuilder::new());
    let (mut values, mut times) = (Float64Builder::new(), Int64Builder::new());
    let (mut labels, mut samples) = (vec![0], vec![0]);
    for series in &request.timeseries {
        for label in &series.labels {
            names.append_value(&label.name);
            texts.append_value(&label.value);
        }
        for sample in &series.samples {
            values.append_value(sample.value);
            times.append_value(sample.timestamp);
        }
        labels.push(labels[labels.len() - 1] + series.labels.len() as i32);
        samples.push(samples[samples.len() - 1] + series.samples.len() as i32);
    }
    let labels = list(&schema.fields()[0], labels, vec![Arc::new(names.finish()), Arc::new(texts.finish())]);
    let samples = list(&schema.fields()[1], samples, vec![Arc::new(values.finish()), Arc::new(times.finish())]);
    debug_assert_eq!(labels.len(), request.timeseries.len());
    RecordBatch::try_new(schema.clone(), vec![labels, samples]).map_err(|e| e.to_string())
}
