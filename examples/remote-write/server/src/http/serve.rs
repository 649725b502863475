//! The doors: HTTP/1.1 and HTTP/2 on one port.

use super::headers::{Refusal, classify};
use crate::answer::Answer;
use crate::ingest::{Ingest, Job};
use crate::metrics::RequestLabels;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Router, http::StatusCode};
use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use prometheus_client::registry::Registry;
use remote_write::Version;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;

/// How long a request waits for room before it is refused.
const WAIT: Duration = Duration::from_secs(5);
/// The time in which a sender must have sent its headers, and its body.
const HEADERS: Duration = Duration::from_secs(10);
const BODY: Duration = Duration::from_secs(30);

/// What handlers share.
pub struct Shared {
    /// The way to the log and the rows.
    pub ingest: Arc<Ingest>,
    /// Requests for the workers.
    pub jobs: mpsc::Sender<Job>,
    /// Bytes of bodies that may be in flight.
    pub room: Arc<Semaphore>,
    /// The bytes of room there are in all.
    pub room_bytes: usize,
    /// The counters.
    pub registry: Registry,
    /// Whether the server takes requests.
    pub ready: AtomicBool,
}

/// Returns the routes.
pub fn router(shared: Arc<Shared>) -> Router {
    let write = || post(write).fallback(only_post);
    Router::new()
        .route("/api/v1/write", write())
        .route("/api/v1/push", write())
        .route("/metrics", get(metrics))
        .route("/-/healthy", get(|| async { "healthy\n" }))
        .route("/-/ready", get(ready))
        .with_state(shared)
}

async fn only_post() -> Response {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "remote write uses POST\n".to_owned());
    response.headers_mut().insert(ALLOW, http::HeaderValue::from_static("POST"));
    response
}

async fn ready(State(shared): State<Arc<Shared>>) -> Response {
    let failed = shared.ingest.log.check().err();
    match (failed, shared.ready.load(Ordering::Relaxed)) {
        (Some(failed), _) => text(StatusCode::SERVICE_UNAVAILABLE, format!("{failed}\n")),
        (None, false) => text(StatusCode::SERVICE_UNAVAILABLE, "stopping\n".to_owned()),
        (None, true) => text(StatusCode::OK, "ready\n".to_owned()),
    }
}

async fn metrics(State(shared): State<Arc<Shared>>) -> Response {
    let (ingest, gauges) = (&shared.ingest, &shared.ingest.metrics.gauges);
    let stats = ingest.log.stats();
    gauges.head_rows.set(ingest.head.rows() as i64);
    gauges.log_queue.set(stats.queued as i64);
    gauges.log_groups.set(stats.groups as i64);
    gauges.log_bytes.set(stats.bytes as i64);
    gauges.log_sync_micros.set(stats.sync_micros as i64);
    gauges.log_next.set(ingest.log.next() as i64);
    gauges.log_synced.set(ingest.log.synced() as i64);
    gauges.in_flight.set((shared.room_bytes - shared.room.available_permits()) as i64);
    let mut out = String::new();
    match prometheus_client::encoding::text::encode(&mut out, &shared.registry) {
        Ok(()) => {
            let mut response = text(StatusCode::OK, out);
            let kind = http::HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
            response.headers_mut().insert(CONTENT_TYPE, kind);
            response
        }
        Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

async fn write(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (version, encoding) = match classify(request.headers()) {
        Ok(found) => found,
        Err(Refusal(why)) => {
            discard(request.into_body()).await;
            return shared.answer(None, Answer::refused(415, why));
        }
    };
    let limit = shared.ingest.limits.body;
    let declared = request.headers().get(http::header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse().ok());
    let len = declared.unwrap_or(limit as u64);
    if len > limit as u64 {
        discard(request.into_body()).await;
        let why = format!("the body is longer than {limit} bytes");
        return shared.answer(Some(version), Answer::refused(413, why));
    }
    // A body and what it inflates to count; a large one counts as all the room there is.
    let bytes = u32::try_from(shared.room_bytes.min(len as usize * 2 + 1024)).unwrap_or(u32::MAX);
    let Ok(Ok(_room)) = timeout(WAIT, Arc::clone(&shared.room).acquire_many_owned(bytes)).await else {
        return shared.answer(Some(version), Answer::busy("too many requests at a time"));
    };
    let body = match timeout(BODY, Limited::new(request.into_body(), limit).collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let why = format!("the body is longer than {limit} bytes");
            return shared.answer(Some(version), Answer::refused(413, why));
        }
        Ok(Err(error)) => {
            return shared.answer(Some(version), Answer::refused(400, format!("the body ended early: {error}")));
        }
        Err(_) => return shared.answer(Some(version), Answer::refused(408, "the body did not come in time")),
    };
    shared.ingest.metrics.bytes.inc_by(body.len() as u64);
    let (reply, answer) = oneshot::channel();
    let job = Job { version, encoding, body, reply };
    let answer = match timeout(WAIT, shared.jobs.send(job)).await {
        // The job's answer comes from another thread; without one, that thread has ended.
        Ok(Ok(())) => answer.await.unwrap_or_else(|_| Answer::busy("the server is stopping")),
        _ => Answer::busy("all workers are busy"),
    };
    shared.answer(Some(version), answer)
}

/// Reads a body that nobody wants, for a while: a sender that cannot finish its request does not hear the answer.
async fn discard(mut body: Body) {
    _ = timeout(WAIT, async { while let Some(Ok(_)) = body.frame().await {} }).await;
}

impl Shared {
    /// Turns an answer into a response, and counts it.
    fn answer(&self, version: Option<Version>, answer: Answer) -> Response {
        let proto = match version {
            Some(Version::V1) => "1.0",
            Some(Version::V2) => "2.0",
            None => "",
        };
        self.ingest.metrics.requests.get_or_create(&RequestLabels { proto, code: answer.status }).inc();
        let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = match status {
            StatusCode::NO_CONTENT => empty(),
            status => text(status, format!("{}\n", answer.text)),
        };
        let headers = response.headers_mut();
        if let Some(seconds) = answer.retry_after {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if version == Some(Version::V2) {
            let counts = answer.counts;
            headers.insert("X-Prometheus-Remote-Write-Samples-Written", counts.samples.into());
            headers.insert("X-Prometheus-Remote-Write-Histograms-Written", counts.histograms.into());
            headers.insert("X-Prometheus-Remote-Write-Exemplars-Written", counts.exemplars.into());
        }
        response
    }
}

fn empty() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

fn text(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let plain = http::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}

/// Serves until `stop` completes; then finishes what has begun, for at most `drain`.
pub async fn serve(
    listener: TcpListener,
    shared: Arc<Shared>,
    connections: usize,
    drain: Duration,
    stop: impl Future<Output = ()>,
) {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADERS);
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(HEADERS).max_concurrent_streams(64);
    let (graceful, slots) = (GracefulShutdown::new(), Arc::new(Semaphore::new(connections)));
    let service = router(Arc::clone(&shared));
    tokio::pin!(stop);
    loop {
        let slot = tokio::select! {
            slot = Arc::clone(&slots).acquire_owned() => slot,
            () = &mut stop => break,
        };
        let (stream, from) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file descriptors, or the other side was gone already.
                    tracing::warn!(%error, "accept");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        _ = stream.set_nodelay(true);
        let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service.clone()));
        let connection = graceful.watch(connection.into_owned());
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%from, %error, "connection");
            }
            drop(slot);
        });
    }
    shared.ready.store(false, Ordering::Relaxed);
    drop(listener);
    if timeout(drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("some connections did not end in time");
    }
}
