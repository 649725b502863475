//! The status page, and the JSON from which it reads all it shows.

use super::pages::encode;
use super::{Shared, text};
use crate::clock::now_ms;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The rows of each list.
const ROWS: usize = 20;
/// Counting the series of all metrics takes time while workers wait, so the lists are this old at most.
const TOP_FOR: Duration = Duration::from_secs(5);

/// The metrics with most series and most samples, and when they were counted.
#[derive(Default)]
pub struct Top(Mutex<Option<(Instant, Value)>>);

/// The page, without a resource from anywhere else.
pub(super) async fn page() -> Response {
    let mut response = Response::new(Body::from(include_str!("status.html")));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                  img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

pub(super) async fn status(State(shared): State<Arc<Shared>>) -> Response {
    // Counting waits for workers.
    let counted = tokio::task::spawn_blocking(move || value(&shared).map(|value| value.to_string())).await;
    match counted {
        Ok(Ok(json)) => {
            let mut response = text(StatusCode::OK, json);
            let headers = response.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
        Ok(Err(error)) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
        Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
    }
}

fn value(shared: &Shared) -> Result<Value, std::fmt::Error> {
    let encoded = encode(shared)?;
    let metrics: Vec<(&str, &str, f64)> = encoded.lines().filter_map(metric).collect();
    // A family by one label; and a metric without labels.
    let by = |name: &str, label: &str| -> Map<String, Value> {
        let mut found: Map<String, Value> = Map::new();
        for &(_, labels, value) in metrics.iter().filter(|metric| metric.0 == name) {
            let key =
                labels.split(',').find_map(|pair| pair.strip_prefix(label)?.strip_prefix("=\"")?.strip_suffix('"'));
            let before = found.get(key.unwrap_or_default()).and_then(Value::as_f64).unwrap_or(0.0);
            found.insert(key.unwrap_or_default().to_owned(), number(before + value));
        }
        found
    };
    let value_of =
        |name: &str| metrics.iter().find(|metric| metric.0 == name).map_or(Value::Null, |metric| number(metric.2));
    let ingest = &shared.ingest;
    let state = match (ingest.log.check(), shared.ready.load(Ordering::Relaxed)) {
        (Err(failed), _) => format!("the log failed: {failed}"),
        (Ok(()), false) => "stopping".to_owned(),
        (Ok(()), true) => "ready".to_owned(),
    };
    let manifest = ingest.files.manifest();
    let samples = || manifest.files.iter().filter(|file| file.max_time != 0);
    let mut tenants = shared.tenants.all();
    let count = tenants.len();
    let rows = |tenant: &crate::tenants::Tenant| tenant.rows.load(Ordering::Relaxed);
    tenants.sort_by_key(|tenant| std::cmp::Reverse(rows(tenant)));
    let tenants: Vec<Value> = tenants
        .iter()
        .take(ROWS)
        .map(|tenant| {
            let limited = tenant.limited.load(Ordering::Relaxed);
            json!({ "name": tenant.name(), "rows": rows(tenant), "requests_over_rate": limited })
        })
        .collect();
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "now_ms": now_ms(),
        "started_ms": shared.started_ms,
        "state": state,
        "requests": by("hotpb_rw_requests_total", "code"),
        "request_bytes": value_of("hotpb_rw_request_bytes_total"),
        "retries_answered": value_of("hotpb_rw_retries_answered_total"),
        "rows": by("hotpb_rw_written_rows_total", "kind"),
        "refused_requests": by("hotpb_rw_refused_requests_total", "kind"),
        "refused_series": by("hotpb_rw_refused_series_total", "kind"),
        "connections": value_of("hotpb_rw_connections"),
        "in_flight_bytes": value_of("hotpb_rw_in_flight_bytes"),
        "log": {
            "next_sequence": value_of("hotpb_rw_log_next_sequence"),
            "synced_sequence": value_of("hotpb_rw_log_synced_sequence"),
            "bytes": value_of("hotpb_rw_log_bytes"),
            "queue_bytes": value_of("hotpb_rw_log_queue_bytes"),
            "syncs": value_of("hotpb_rw_log_sync_seconds_count"),
            "sync_seconds": value_of("hotpb_rw_log_sync_seconds_sum"),
        },
        "memory": {
            "rows": ingest.head.rows(),
            "age_ms": ingest.head.age(crate::clock::steady_ms()).as_millis() as u64,
            "series": value_of("hotpb_rw_series"),
            "series_bytes": value_of("hotpb_rw_series_bytes"),
        },
        "files": {
            "count": by("hotpb_rw_files", "kind"),
            "bytes": by("hotpb_rw_file_bytes", "kind"),
            "first_ms": samples().map(|file| file.min_time).min(),
            "last_ms": samples().map(|file| file.max_time).max(),
            "seals": value_of("hotpb_rw_seals_total"),
            "seal_failures": value_of("hotpb_rw_seal_failures_total"),
            "merged": value_of("hotpb_rw_merged_files_total"),
            "merge_failures": value_of("hotpb_rw_merge_failures_total"),
            "expired": value_of("hotpb_rw_expired_files_total"),
        },
        "tenants": { "count": count, "most_rows": tenants },
        "top": top(shared),
    }))
}

/// Whole numbers without a point.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}

/// Splits a line of OpenMetrics: name, labels, value.
fn metric(line: &str) -> Option<(&str, &str, f64)> {
    let (key, value) = line.rsplit_once(' ').filter(|_| !line.starts_with('#'))?;
    let (name, labels) = match key.split_once('{') {
        Some((name, rest)) => (name, rest.strip_suffix('}')?),
        None => (key, ""),
    };
    Some((name, labels, value.parse().ok()?))
}

fn top(shared: &Shared) -> Value {
    let mut kept = shared.top.0.lock().expect("no code panics while it holds the lists");
    if let Some((_, value)) = kept.as_ref().filter(|(at, _)| at.elapsed() < TOP_FOR) {
        return value.clone();
    }
    // Series are known to several workers, rows are with one of them.
    let mut counts: HashMap<(String, String), (u64, u64)> = HashMap::new();
    shared.ingest.head.each(|tenant, receiver| {
        let store = receiver.store();
        let mut series = vec![0u64; store.tables().len()];
        for set in 0..store.label_sets().len() as u32 {
            series[store.label_sets().table(set) as usize] += 1;
        }
        for (table, series) in store.tables().iter().zip(series) {
            let metric = store.dictionary().get(table.metric()).to_owned();
            let rows = table.samples.timestamps().len() + table.histograms.timestamps().len();
            let count = counts.entry((tenant.to_owned(), metric)).or_default();
            *count = (count.0.max(series), count.1 + rows as u64);
        }
    });
    let mut all: Vec<_> = counts.into_iter().collect();
    let mut list = |of: fn(&(u64, u64)) -> u64| -> Vec<Value> {
        all.sort_by(|a, b| of(&b.1).cmp(&of(&a.1)).then_with(|| a.0.cmp(&b.0)));
        let first = all.iter().take(ROWS).filter(|(_, count)| of(count) > 0);
        first
            .map(|((tenant, metric), count)| json!({ "tenant": tenant, "metric": metric, "count": of(count) }))
            .collect()
    };
    let value = json!({ "by_series": list(|count| count.0), "by_rows_in_memory": list(|count| count.1) });
    *kept = Some((Instant::now(), value.clone()));
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_metrics_are_split() {
        assert_eq!(metric("a_total{kind=\"x y\",code=\"204\"} 7"), Some(("a_total", "kind=\"x y\",code=\"204\"", 7.0)));
        assert_eq!(metric("b 1.5"), Some(("b", "", 1.5)));
        assert_eq!(metric("# HELP b of 3"), None);
        assert_eq!(metric("# EOF"), None);
    }
}
