//! Files as a table.

use crate::error::FileError;
use crate::exec::ProtoExec;
use crate::files;
use crate::filter;
use crate::format::ProtoFormat;
use crate::scan::Scan;
use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::DFSchema;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionContext;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Files of messages as a table of DataFusion.
#[derive(Debug)]
pub struct ProtoTable {
    paths: Vec<String>,
    format: Arc<ProtoFormat>,
    schema: SchemaRef,
}

impl ProtoTable {
    /// Creates the table of a file, of the files in a folder, or of those that match a pattern (ARW-61). Fails if there
    /// are none, or if the message cannot be a table.
    pub fn new(path: impl Into<String>, format: ProtoFormat) -> Result<ProtoTable> {
        ProtoTable::of_paths([path.into()], format)
    }

    /// Creates the table of several paths, each as [`ProtoTable::new`] takes it.
    pub fn of_paths(paths: impl IntoIterator<Item = String>, format: ProtoFormat) -> Result<ProtoTable> {
        let paths: Vec<String> = paths.into_iter().collect();
        for path in &paths {
            files::list(path)?;
        }
        let schema = format.table().map_err(external)?.schema();
        // The engine refuses a join of tables whose schemas differ in their metadata (ARW-70).
        let schema = Arc::new(Schema::new(schema.fields().clone()));
        Ok(ProtoTable { paths, format: Arc::new(format), schema })
    }

    /// Returns the indices of the columns that a query needs, in ascending order; one if it needs none.
    fn needed(&self, output: &[usize], filters: &[Expr]) -> Result<Vec<usize>> {
        let mut needed: BTreeSet<usize> = output.iter().copied().collect();
        for column in filters.iter().flat_map(Expr::column_refs) {
            needed.insert(self.schema.index_of(&column.name)?);
        }
        if needed.is_empty() {
            let fixed = |field: &Arc<Field>| field.data_type().primitive_width().is_some();
            let flat = |field: &Arc<Field>| !field.data_type().is_nested();
            let fields = self.schema.fields();
            let probe = fields.iter().position(fixed).or_else(|| fields.iter().position(flat));
            needed.extend(probe.or((!fields.is_empty()).then_some(0)));
        }
        Ok(needed.into_iter().collect())
    }
}

/// Returns the fields of a column: the members of a oneof that is a union.
fn names(field: &Field) -> Vec<&str> {
    match field.data_type() {
        // Type 0 is the row in which no member is set.
        DataType::Union(members, _) => {
            members.iter().filter(|(id, _)| *id != 0).map(|(_, member)| member.name().as_str()).collect()
        }
        _ => vec![field.name()],
    }
}

fn external(error: hotpb_arrow::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

#[async_trait]
impl TableProvider for ProtoTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize>;
        let output = match projection {
            Some(output) => output,
            None => {
                all = (0..self.schema.fields().len()).collect();
                &all
            }
        };
        let needed = self.needed(output, filters)?;
        let fields: Vec<&str> = needed.iter().flat_map(|&i| names(self.schema.field(i))).collect();
        let table = self.format.narrow(&fields).map_err(external)?;
        let read = table.schema();
        let filter = match conjunction(filters.iter().cloned()) {
            Some(filter) => Some(state.create_physical_expr(filter, &DFSchema::try_from(read.as_ref().clone())?)?),
            None => None,
        };
        let place = |i: &usize| needed.binary_search(i).expect("every column of the output is needed");
        let scan = Scan {
            format: self.format.clone(),
            table,
            filter,
            output: output.iter().map(place).collect(),
            schema: Arc::new(self.schema.project(output)?),
            limit,
        };
        let paths = self.paths.clone();
        let list = move || paths.iter().map(|path| files::list(path)).collect::<Result<Vec<_>, FileError>>();
        let files = tokio::task::spawn_blocking(list).await.map_err(|e| DataFusionError::External(Box::new(e)))??;
        let partitions = state.config().target_partitions();
        Ok(Arc::new(ProtoExec::new(scan, files::spread(files.into_iter().flatten().collect(), partitions))))
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match self.format.filter_push_down && filter::simple(filter, &self.schema) {
            true => TableProviderFilterPushDown::Exact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }
}

/// Registers files as a table of a session: a file, the files in a folder, or those that match a pattern.
pub fn register_protobuf(ctx: &SessionContext, name: &str, path: impl Into<String>, format: ProtoFormat) -> Result<()> {
    ctx.register_table(name, Arc::new(ProtoTable::new(path, format)?))?;
    Ok(())
}
