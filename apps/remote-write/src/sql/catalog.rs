//! The names of tables: `samples.METRIC`, `histograms.METRIC`, `exemplars.METRIC`; `store.samples` and so on for all
//! metrics; `meta.files` and `meta.series`.

use super::index::Cache;
use super::meta::{SeriesTable, files_table, metadata_table};
use super::rows::{Rows, files};
use crate::store::gather::Kind;
use crate::store::snapshot::Snapshot;
use async_trait::async_trait;
use datafusion::catalog::{CatalogProvider, SchemaProvider, TableProvider};
use datafusion::common::TableReference;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::TableType;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The name of the catalog.
pub const CATALOG: &str = "remote_write";
/// The schema of tables that a query names alone.
pub const DEFAULT_SCHEMA: &str = "samples";

/// The metrics whose rows in memory a query needs.
#[derive(Debug, PartialEq, Eq)]
pub struct Wanted {
    /// All.
    pub all: bool,
    /// Or these.
    pub metrics: BTreeSet<String>,
    /// Whether the query lists tables.
    pub lists: bool,
}

impl Wanted {
    /// Finds them by the tables of a query.
    pub fn find(tables: &[TableReference]) -> Wanted {
        let mut wanted = Wanted { all: false, metrics: BTreeSet::new(), lists: false };
        for table in tables {
            match table.schema().unwrap_or(DEFAULT_SCHEMA) {
                "samples" | "histograms" | "exemplars" => {
                    wanted.metrics.insert(table.table().to_owned());
                }
                "information_schema" => (wanted.all, wanted.lists) = (true, true),
                _ => wanted.all |= table.table() != "files",
            }
        }
        wanted
    }

    /// Returns whether a metric is one of them.
    pub fn has(&self, metric: &str) -> bool {
        self.all || self.metrics.contains(metric)
    }
}

/// What a query sees.
pub struct View {
    /// The rows.
    pub snapshot: Arc<Snapshot>,
    /// What is known of the files.
    pub cache: Arc<Cache>,
    /// Whether the query ended.
    pub ended: Arc<AtomicBool>,
    /// The metrics of each kind, if the query lists tables.
    metrics: Option<[Vec<String>; 3]>,
}

impl View {
    /// Creates it. It may block.
    pub fn new(snapshot: Snapshot, cache: Arc<Cache>, ended: Arc<AtomicBool>, lists: bool) -> Result<View> {
        let mut view = View { snapshot: Arc::new(snapshot), cache, ended, metrics: None };
        if lists {
            let [samples, histograms, exemplars] = Kind::ALL.map(|kind| view.metrics_of(kind));
            view.metrics = Some([samples?, histograms?, exemplars?]);
        }
        Ok(view)
    }

    fn metrics_of(&self, kind: Kind) -> Result<Vec<String>> {
        let mut names = BTreeSet::new();
        for file in files(&self.snapshot, kind) {
            self.check()?;
            names.extend(self.cache.get(&self.snapshot, file)?.names().map(str::to_owned));
        }
        for part in &self.snapshot.memory {
            let store = part.receiver.store();
            let tables = store.tables().iter().filter(|table| !kind.columns(table).0.is_empty());
            names.extend(tables.map(|table| store.dictionary().get(table.metric()).to_owned()));
        }
        Ok(names.into_iter().collect())
    }

    /// Fails when the query has ended.
    pub fn check(&self) -> Result<()> {
        match self.ended.load(Ordering::Relaxed) {
            true => Err(DataFusionError::Execution("the query ended".to_owned())),
            false => Ok(()),
        }
    }

    fn table(&self, schema: Schema, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let rows = |kind, metric| Ok(Rows::find(self, kind, metric)?.map(|rows| Arc::new(rows) as _));
        let kind_of = |name: &str| Kind::ALL.into_iter().find(|kind| kind.name() == name);
        match schema {
            Schema::Metrics(kind) => rows(kind, Some(name)),
            Schema::Store => match kind_of(name) {
                Some(kind) => rows(kind, None),
                None if name == "metadata" => Ok(Some(Arc::new(metadata_table(&self.snapshot)?))),
                None => Ok(None),
            },
            Schema::Meta => Ok(match name {
                "files" => Some(Arc::new(files_table(&self.snapshot)?)),
                "series" => Some(Arc::new(SeriesTable::new(Arc::clone(&self.snapshot)))),
                _ => None,
            }),
        }
    }

    fn names(&self, schema: Schema) -> Vec<String> {
        let fixed = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        match schema {
            Schema::Metrics(kind) => {
                let at = Kind::ALL.iter().position(|known| *known == kind).expect("it is one of all");
                self.metrics.as_ref().map_or_else(Vec::new, |metrics| metrics[at].clone())
            }
            Schema::Store => fixed(&["samples", "histograms", "exemplars", "metadata"]),
            Schema::Meta => fixed(&["files", "series"]),
        }
    }
}

/// A group of tables.
#[derive(Clone, Copy, PartialEq)]
enum Schema {
    /// One table for each metric.
    Metrics(Kind),
    /// All metrics in one table.
    Store,
    /// About the store.
    Meta,
}

/// All tables that a query may name.
pub struct Catalog(pub Arc<View>);

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(CATALOG)
    }
}

impl CatalogProvider for Catalog {
    fn schema_names(&self) -> Vec<String> {
        let metrics = Kind::ALL.iter().map(|kind| kind.name());
        metrics.chain(["store", "meta"]).map(str::to_owned).collect()
    }

    fn schema(&self, name: &str) -> Option<Arc<dyn SchemaProvider>> {
        let schema = match name {
            "store" => Schema::Store,
            "meta" => Schema::Meta,
            name => Schema::Metrics(Kind::ALL.into_iter().find(|kind| kind.name() == name)?),
        };
        Some(Arc::new(Tables { view: Arc::clone(&self.0), schema }))
    }
}

/// The tables of a schema.
struct Tables {
    view: Arc<View>,
    schema: Schema,
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables").finish_non_exhaustive()
    }
}

#[async_trait]
impl SchemaProvider for Tables {
    fn table_names(&self) -> Vec<String> {
        self.view.names(self.schema)
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let (view, schema, name) = (Arc::clone(&self.view), self.schema, name.to_owned());
        let find = move || view.table(schema, &name);
        tokio::task::spawn_blocking(find).await.map_err(|error| DataFusionError::External(Box::new(error)))?
    }

    async fn table_type(&self, _: &str) -> Result<Option<TableType>> {
        Ok(Some(TableType::Base))
    }

    fn table_exist(&self, name: &str) -> bool {
        self.view.names(self.schema).iter().any(|known| known == name)
    }
}
