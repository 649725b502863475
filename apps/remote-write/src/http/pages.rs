//! Pages for operators: readiness, metrics, reload.

use super::{Shared, text};
use crate::live::{Reloaded, Reloader};
use crate::metrics::Labelled;
use crate::store::head::row_bytes;
use crate::store::merge::kind_of;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// It asks for no credentials. So it says how many files are damaged, but not their names, which have those of tenants.
pub(super) async fn ready(State(shared): State<Arc<Shared>>) -> Response {
    let failed = shared.ingest.log.check().err();
    let damaged = shared.ingest.files.checks.damaged().len();
    match (failed, shared.ready.load(Ordering::Relaxed)) {
        (Some(failed), _) => text(StatusCode::SERVICE_UNAVAILABLE, format!("{failed}\n")),
        (None, false) => text(StatusCode::SERVICE_UNAVAILABLE, "stopping\n".to_owned()),
        (None, true) if damaged == 0 => text(StatusCode::OK, "ready\n".to_owned()),
        (None, true) => {
            let files = if damaged == 1 { "file is" } else { "files are" };
            let body = format!("{damaged} {files} damaged; the server's log says which\n");
            text(StatusCode::SERVICE_UNAVAILABLE, body)
        }
    }
}

pub(super) async fn reload(State(shared): State<Arc<Shared>>) -> Response {
    let Some(reloader) = shared.reloader.clone() else {
        return text(StatusCode::FORBIDDEN, "the server runs without --enable-reload\n".to_owned());
    };
    match reload_now(reloader).await {
        Ok(reloaded) => text(StatusCode::OK, format!("{reloaded}\n")),
        Err(why) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("nothing changed: {why}\n")),
    }
}

/// Reads the configuration again, and says in the log what came of it.
pub async fn reload_now(reloader: Arc<Reloader>) -> Result<Reloaded, String> {
    let result = tokio::task::spawn_blocking(move || reloader.reload()).await.map_err(|error| error.to_string())?;
    match &result {
        Ok(Reloaded { changed, restart }) => {
            tracing::info!(changed = changed.join(" "), needs_restart = restart.join(" "), "configuration read again");
        }
        Err(error) => tracing::error!(%error, "the configuration cannot be read; nothing changed"),
    }
    result
}

pub(super) async fn metrics(State(shared): State<Arc<Shared>>) -> Response {
    match encode(&shared) {
        Ok(out) => {
            let mut response = text(StatusCode::OK, out);
            let kind = http::HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
            response.headers_mut().insert(CONTENT_TYPE, kind);
            response
        }
        Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

/// Returns all metrics as text, after the gauges were set.
pub(super) fn encode(shared: &Shared) -> Result<String, std::fmt::Error> {
    let (ingest, gauges) = (&shared.ingest, &shared.ingest.metrics.gauges);
    let stats = ingest.log.stats();
    gauges.head_rows.set(ingest.head.rows_in_memory() as i64);
    gauges.log_queue.set(stats.queued as i64);
    gauges.log_groups.set(stats.groups as i64);
    gauges.log_bytes.set(stats.bytes as i64);
    gauges.log_sync_micros.set(stats.sync_micros as i64);
    gauges.log_next.set(ingest.log.next() as i64);
    gauges.log_synced.set(ingest.log.synced() as i64);
    gauges.in_flight.set((shared.room_bytes - shared.room.available_permits()) as i64);
    gauges.tenants.set(shared.tenants.len() as i64);
    let (mut series, mut bytes) = (BTreeMap::<String, usize>::new(), 0);
    // Rows that go to files meanwhile are counted twice rather than not at all.
    let mut rows = 0;
    ingest.head.each(|tenant, receiver| {
        let count = series.entry(tenant.to_owned()).or_default();
        *count = receiver.store().label_sets().len().max(*count);
        bytes += receiver.store().series_bytes();
        rows += row_bytes(receiver.store(), &|_| true);
    });
    gauges.head_bytes.set((rows + ingest.files.sealing_bytes()) as i64);
    gauges.series.set(series.values().sum::<usize>() as i64);
    gauges.series_bytes.set(bytes as i64);
    gauges.damaged_files.set(ingest.files.checks.damaged().len() as i64);
    let manifest = ingest.files.manifest();
    for kind in ["samples", "histograms", "exemplars", "metadata"] {
        let files = || manifest.files.iter().filter(|file| kind_of(&file.path) == kind);
        gauges.files.get_or_create(&Labelled { kind }).set(files().count() as i64);
        gauges.file_bytes.get_or_create(&Labelled { kind }).set(files().map(|file| file.bytes as i64).sum());
    }
    let mut out = String::new();
    prometheus_client::encoding::text::encode(&mut out, &shared.registry)?;
    Ok(out)
}
