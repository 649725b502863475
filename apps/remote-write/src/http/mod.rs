//! The protocol: what a request must say, and how the server answers.

mod activity;
mod export;
mod headers;
mod listen;
mod otlp;
mod pages;
mod routes;
#[cfg(feature = "sql")]
mod sql;
mod status;
#[cfg(feature = "tls")]
pub mod tls;
mod write;

pub use headers::{Refusal, classify};
pub use listen::{Doors, serve};
pub use pages::reload_now;
pub use routes::router;
pub use status::Top;

use crate::ingest::{Ingest, Job};
use crate::live::Reloader;
use crate::tenants::Tenants;
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;
use http::header::{CONTENT_TYPE, HeaderName};
use prometheus_client::registry::Registry;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::sync::{Semaphore, mpsc};

/// What handlers share.
pub struct Shared {
    /// The way to the log and the rows.
    pub ingest: Arc<Ingest>,
    /// The tenants.
    pub tenants: Arc<Tenants>,
    /// The header that names the tenant; without it there are no tenants.
    pub tenant_header: Option<HeaderName>,
    /// Requests for the workers.
    pub jobs: mpsc::Sender<Job>,
    /// Bytes of bodies that may be in flight.
    pub room: Arc<Semaphore>,
    /// The bytes of room there are in all.
    pub room_bytes: usize,
    /// Answers queries.
    #[cfg(feature = "sql")]
    pub sql: crate::sql::Engine,
    /// The counters.
    pub registry: Registry,
    /// Reads the configuration again; `None` if senders may not ask for it.
    pub reloader: Option<Arc<Reloader>>,
    /// How many exports may run.
    pub exports: Arc<Semaphore>,
    /// Lists for the status page.
    pub top: Top,
    /// When the server started, in milliseconds since the epoch.
    pub started_ms: i64,
    /// Whether the server takes requests.
    pub ready: AtomicBool,
}

/// Returns a response of plain text.
fn text(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let plain = http::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}
