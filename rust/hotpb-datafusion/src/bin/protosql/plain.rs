//! Dictionaries as plain columns: a file of Arrow's IPC has one dictionary for a column, batches have one each.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use std::sync::Arc;

/// Returns the schema without dictionaries.
pub fn schema(schema: &Schema) -> SchemaRef {
    let fields: Vec<FieldRef> = schema.fields().iter().map(field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Returns the batch without dictionaries.
pub fn batch(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| cast(column, field.data_type())).collect::<Result<_, _>>()?;
    RecordBatch::try_new(schema.clone(), columns)
}

fn field(from: &FieldRef) -> FieldRef {
    let plain = Field::new(from.name(), plain(from.data_type()), from.is_nullable());
    Arc::new(plain.with_metadata(from.metadata().clone()))
}

fn plain(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, value) => plain(value),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::List(item) => DataType::List(field(item)),
        DataType::Map(entry, sorted) => DataType::Map(field(entry), *sorted),
        other => other.clone(),
    }
}
