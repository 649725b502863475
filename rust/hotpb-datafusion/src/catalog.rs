//! Paths in quotes as tables: `select … from 'trace.pb'`.

use crate::format::ProtoFormat;
use crate::table::ProtoTable;
use async_trait::async_trait;
use datafusion::catalog::{DynamicFileCatalog, TableProvider, UrlTableFactory};
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use std::path::Path;
use std::sync::Arc;

/// Makes tables of the paths in a query. All files have the same format.
#[derive(Debug)]
pub struct ProtoFiles {
    format: ProtoFormat,
}

impl ProtoFiles {
    /// Creates it for files of this format.
    pub fn new(format: ProtoFormat) -> ProtoFiles {
        ProtoFiles { format }
    }
}

#[async_trait]
impl UrlTableFactory for ProtoFiles {
    /// Returns the table of a path. A name that looks like a path must be one; any other is a table that does not exist.
    async fn try_new(&self, path: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if !path.contains(['/', '.', '*', '?', '[']) && !Path::new(path).exists() {
            return Ok(None);
        }
        Ok(Some(Arc::new(ProtoTable::new(path, self.format.clone())?)))
    }
}

/// Returns the session with paths as tables: what is no table of the session, and looks like a path, is read as files of
/// this format.
pub fn with_files(ctx: SessionContext, format: ProtoFormat) -> SessionContext {
    let tables = ctx.state().catalog_list().clone();
    let catalogs = Arc::new(DynamicFileCatalog::new(tables, Arc::new(ProtoFiles::new(format))));
    let id = ctx.session_id();
    ctx.into_state_builder().with_session_id(id).with_catalog_list(catalogs).build().into()
}
