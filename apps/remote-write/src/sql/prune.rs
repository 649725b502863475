//! Which files and which pages of a file cannot have a row that a query wants.

use super::index::damaged;
use crate::store::snapshot::Snapshot;
use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch, new_null_array};
use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::{Column, ScalarValue};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::{collect_columns, split_conjunction};
use datafusion::physical_optimizer::pruning::PruningPredicate;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, RowSelection, RowSelector};
use std::collections::HashSet;
use std::sync::Arc;

/// A condition on one column.
pub struct Condition {
    column: String,
    predicate: PruningPredicate,
}

impl Condition {
    /// Returns the column.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// Returns whether a row may be wanted that has nothing in this column.
    pub fn holds_for_null(&self, schema: &SchemaRef) -> Result<bool> {
        let fields = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let row = RecordBatch::try_new(
            Arc::clone(&schema),
            schema.fields().iter().map(|field| new_null_array(field.data_type(), 1)).collect(),
        )?;
        let holds = self.predicate.orig_expr().evaluate(&row)?.into_array(1)?;
        Ok(holds.as_boolean_opt().is_none_or(|holds| holds.is_valid(0) && holds.value(0)))
    }
}

/// The bounds of one column, for files or for pages.
struct Bounds {
    rows: usize,
    mins: ArrayRef,
    maxes: ArrayRef,
    nulls: Option<ArrayRef>,
    counts: Option<ArrayRef>,
}

impl PruningStatistics for Bounds {
    // Every predicate here is about one column, and these are the bounds of that column.
    fn min_values(&self, _: &Column) -> Option<ArrayRef> {
        Some(Arc::clone(&self.mins))
    }

    fn max_values(&self, _: &Column) -> Option<ArrayRef> {
        Some(Arc::clone(&self.maxes))
    }

    fn num_containers(&self) -> usize {
        self.rows
    }

    fn null_counts(&self, _: &Column) -> Option<ArrayRef> {
        self.nulls.clone()
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        self.counts.clone()
    }

    fn contained(&self, _: &Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}

/// Finds the parts of a filter that are about one column each. All of them must hold.
pub fn conditions(filter: &Arc<dyn PhysicalExpr>, schema: &SchemaRef) -> Vec<Condition> {
    let condition = |part: &Arc<dyn PhysicalExpr>| {
        let columns = collect_columns(part);
        let mut columns = columns.iter();
        let column = columns.next().filter(|_| columns.next().is_none())?.name().to_owned();
        // Where the bounds do not decide, the rows do.
        let predicate = PruningPredicate::try_new(Arc::clone(part), Arc::clone(schema)).ok()?;
        (!predicate.always_true()).then_some(Condition { column, predicate })
    };
    split_conjunction(filter).into_iter().filter_map(condition).collect()
}

/// Returns for each range of times whether a row of it may be wanted.
pub fn times(conditions: &[Condition], mins: ArrayRef, maxes: ArrayRef) -> Result<Vec<bool>> {
    let bounds = Bounds { rows: mins.len(), mins, maxes, nulls: None, counts: None };
    let mut wanted = vec![true; bounds.rows];
    if wanted.is_empty() {
        return Ok(wanted);
    }
    for condition in conditions.iter().filter(|condition| condition.column == "__time__") {
        for (wanted, may) in wanted.iter_mut().zip(condition.predicate.prune(&bounds)?) {
            *wanted &= may;
        }
    }
    Ok(wanted)
}

/// Returns the rows of a file that are in pages that may have wanted rows.
pub fn pages(
    conditions: &[Condition],
    (snapshot, path): (&Snapshot, &str),
    file: &ArrowReaderMetadata,
) -> Result<Option<RowSelection>> {
    let metadata = file.metadata();
    let (Some(columns), Some(offsets)) = (metadata.column_index(), metadata.offset_index()) else { return Ok(None) };
    let groups: Vec<usize> = (0..metadata.num_row_groups()).collect();
    let mut selection: Option<RowSelection> = None;
    for condition in conditions {
        let Ok(of) = StatisticsConverter::try_new(&condition.column, file.schema(), file.parquet_schema()) else {
            continue;
        };
        let failed = |e| damaged(snapshot, path, &e);
        let counts = of.data_page_row_counts(offsets, metadata.row_groups(), &groups).map_err(failed)?;
        let Some(counts) = counts else { continue };
        let bounds = Bounds {
            rows: counts.len(),
            mins: of.data_page_mins(columns, offsets, &groups).map_err(failed)?,
            maxes: of.data_page_maxes(columns, offsets, &groups).map_err(failed)?,
            nulls: Some(Arc::new(of.data_page_null_counts(columns, offsets, &groups).map_err(failed)?)),
            counts: Some(Arc::new(counts.clone())),
        };
        let wanted = condition.predicate.prune(&bounds)?;
        let pages = wanted.iter().zip(counts.values()).map(|(&wanted, &rows)| match wanted {
            true => RowSelector::select(rows as usize),
            false => RowSelector::skip(rows as usize),
        });
        let pages = RowSelection::from(pages.collect::<Vec<_>>());
        selection = Some(selection.map_or(pages.clone(), |so_far| so_far.intersection(&pages)));
    }
    Ok(selection)
}
