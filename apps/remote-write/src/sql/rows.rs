//! Tables of rows: samples, histograms or exemplars, of one metric or of all.

use super::catalog::View;
use super::exec::BlockingExec;
use super::functions::histogram_type;
use super::index::Index;
use super::prune;
use super::scan::{Piece, Scan, Source};
use crate::store::columns::{fixed_fields, map_type, may_be_column, words};
use crate::store::files::tenant_of;
use crate::store::gather::Kind;
use crate::store::merge::kind_of;
use crate::store::snapshot::Snapshot;
use arrow::array::{ArrayRef, TimestampMillisecondArray};
use arrow::datatypes::{Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::DFSchema;
use datafusion::error::Result;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// The labels that have a column in a table. Further ones are in the map `__labels__`.
const LABEL_COLUMNS: usize = 1024;

/// A table of rows.
pub struct Rows {
    snapshot: Arc<Snapshot>,
    kind: Kind,
    /// The metric; `None` for all.
    metric: Option<String>,
    schema: SchemaRef,
    /// The number of columns by which a row is found: labels and time. A condition on these holds for all rows of a series
    /// and time, or for none.
    keys: usize,
    sources: Vec<Source>,
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("kind", &self.kind).field("metric", &self.metric).finish_non_exhaustive()
    }
}

impl Rows {
    /// Looks for the rows of a metric, or of all. `None` if the metric has none. It may block.
    pub fn find(view: &View, kind: Kind, metric: Option<&str>) -> Result<Option<Rows>> {
        let snapshot = &view.snapshot;
        let mut sources = Vec::new();
        let mut labels: BTreeSet<String> = BTreeSet::new();
        let mut others = false;
        for file in files(snapshot, kind) {
            view.check()?;
            let index = view.cache.get(snapshot, file)?;
            let Some(piece) = piece(snapshot, &index, file, metric)? else { continue };
            labels.extend(piece.labels.iter().cloned());
            others |= piece.others;
            sources.push(Source::File(piece));
        }
        if let Some((first, last)) = memory(snapshot, kind, metric, &mut labels, &mut others) {
            sources.push(Source::Memory { first, last });
        }
        if metric.is_some() && sources.is_empty() {
            return Ok(None);
        }
        others |= labels.len() > LABEL_COLUMNS;
        let mut fields = vec![Field::new("__name__", words(), false)];
        fields.extend(labels.into_iter().take(LABEL_COLUMNS).map(|name| Field::new(name, words(), true)));
        if others {
            fields.push(Field::new("__labels__", map_type(), false));
        }
        let keys = fields.len() + 1;
        fields.extend(fixed_fields(kind));
        if kind == Kind::Histograms {
            fields.push(Field::new("__histogram__", histogram_type(), false));
        }
        let (snapshot, metric) = (Arc::clone(snapshot), metric.map(str::to_owned));
        Ok(Some(Rows { snapshot, kind, metric, schema: Arc::new(Schema::new(fields)), keys, sources }))
    }

    /// Returns the columns that a query needs, in ascending order.
    fn needed(&self, output: &[usize], filters: &[Expr]) -> Result<Vec<usize>> {
        let mut needed: BTreeSet<usize> = output.iter().copied().collect();
        for column in filters.iter().flat_map(Expr::column_refs) {
            needed.insert(self.schema.index_of(&column.name)?);
        }
        if needed.is_empty() {
            // Rows without columns cannot be counted.
            needed.insert(self.keys - 1);
        }
        Ok(needed.into_iter().collect())
    }

    fn is_of_keys(&self, filter: &Expr) -> bool {
        let is_key = |name: &str| self.schema.index_of(name).is_ok_and(|at| at < self.keys);
        filter.column_refs().iter().all(|column| is_key(&column.name))
    }
}

/// Returns the files of a kind.
pub fn files(snapshot: &Snapshot, kind: Kind) -> impl Iterator<Item = &crate::store::manifest::File> {
    let is_wanted = move |file: &&crate::store::manifest::File| {
        tenant_of(&file.path) == &*snapshot.tenant && kind_of(&file.path) == kind.name()
    };
    snapshot.manifest.files.iter().filter(is_wanted)
}

/// Returns the part of a file that has the rows of a metric.
fn piece(
    snapshot: &Snapshot,
    index: &Index,
    file: &crate::store::manifest::File,
    metric: Option<&str>,
) -> Result<Option<Piece>> {
    let (rows, labels) = match metric {
        None => (None, index.labels.clone()),
        Some(metric) => {
            let Some(rows) = index.rows(metric) else { return Ok(None) };
            (Some(rows), index.labels_of(snapshot, &file.path, metric)?)
        }
    };
    Ok(Some(Piece { file: file.clone(), rows, labels, others: index.others }))
}

/// Returns the first and the last time of the rows in memory, adds the names of their labels, and says whether there are
/// `others`, which have no column.
fn memory(
    snapshot: &Snapshot,
    kind: Kind,
    metric: Option<&str>,
    labels: &mut BTreeSet<String>,
    others: &mut bool,
) -> Option<(i64, i64)> {
    let mut times: Option<(i64, i64)> = None;
    for part in &snapshot.memory {
        let store = part.receiver.store();
        let words = store.dictionary();
        for table in
            store.tables().iter().filter(|table| metric.is_none_or(|metric| words.get(table.metric()) == metric))
        {
            let (sets, column) = kind.columns(table);
            let mut last = None;
            for (&set, &time) in sets.iter().zip(column) {
                times = Some(times.map_or((time, time), |(first, last)| (first.min(time), last.max(time))));
                if last.replace(set) != Some(set) {
                    for &(name, _) in store.label_sets().get(set) {
                        let text = words.get(name);
                        if name == rows::Dictionary::NAME || labels.contains(text) {
                            continue;
                        }
                        match may_be_column(text) {
                            true => _ = labels.insert(text.to_owned()),
                            false => *others = true,
                        }
                    }
                }
            }
        }
    }
    times
}

#[async_trait]
impl TableProvider for Rows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
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
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        let output = projection.unwrap_or(&all);
        let needed = self.needed(output, filters)?;
        let read = Arc::new(self.schema.project(&needed)?);
        let filter = match conjunction(filters.iter().cloned()) {
            Some(filter) => Some(state.create_physical_expr(filter, &DFSchema::try_from(read.as_ref().clone())?)?),
            None => None,
        };
        let conditions = filter.as_ref().map_or_else(Vec::new, |filter| prune::conditions(filter, &read));
        let bound = |of: fn(&Source) -> i64| -> ArrayRef {
            let times: TimestampMillisecondArray = self.sources.iter().map(|source| Some(of(source))).collect();
            Arc::new(times.with_timezone("UTC"))
        };
        let wanted = prune::times(&conditions, bound(|source| source.times().0), bound(|source| source.times().1))?;
        let sources = self.sources.iter().zip(wanted).filter_map(|(source, wanted)| wanted.then(|| source.clone()));
        let place = |column: &usize| needed.binary_search(column).expect("every column of the output is needed");
        let output: Vec<usize> = output.iter().map(place).collect();
        let schema = Arc::new(read.project(&output)?);
        let scan = Scan::new(
            Arc::clone(&self.snapshot),
            (self.kind, self.metric.clone()),
            sources.collect(),
            (Arc::clone(&self.schema), read, output),
            (filter, conditions),
            state.config().target_partitions(),
        );
        Ok(Arc::new(BlockingExec::new(scan, schema, limit)))
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        // A condition on the value must see the last row of a series and time, so the engine applies it afterwards.
        let support = |filter: &&Expr| match self.is_of_keys(filter) {
            true => TableProviderFilterPushDown::Exact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }
}
