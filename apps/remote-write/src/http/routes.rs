//! The routes, and who may use them.

use super::write::{discard, handshake, is_handshake, write};
use super::{Shared, export, otlp, pages, status, text};
use crate::auth::{Scope, Verdict};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use std::sync::Arc;

/// Returns the routes.
pub fn router(shared: Arc<Shared>) -> Router {
    let writes = || post(write).fallback(no_write);
    let closed = Router::new()
        .route("/api/v1/write", writes())
        .route("/api/v1/push", writes())
        .route("/api/v1/export", get(export::export));
    #[cfg(feature = "sql")]
    let closed = closed.route("/api/v1/sql", get(super::sql::sql).post(super::sql::sql));
    let closed = closed.layer(from_fn_with_state(Arc::clone(&shared), with_credentials));
    let otlp = Router::new()
        .route("/v1/metrics", post(otlp::export).fallback(only_post))
        .layer(from_fn_with_state(Arc::clone(&shared), with_credentials))
        // Outside of the others, because their refusals need the form, too.
        .layer(from_fn_with_state(Arc::clone(&shared), otlp::in_form));
    let reload = Router::new()
        .route("/-/reload", post(pages::reload).fallback(only_post))
        .layer(from_fn_with_state(Arc::clone(&shared), with_credentials_of_all));
    let status = Router::new()
        .route("/", get(status::page))
        .route("/api/v1/status", get(status::status))
        .route("/metrics", get(pages::metrics))
        .layer(from_fn_with_state(Arc::clone(&shared), with_credentials_unless_open));
    Router::new()
        .route("/-/healthy", get(|| async { "healthy\n" }))
        .route("/-/ready", get(pages::ready))
        .merge(closed)
        .merge(otlp)
        .merge(reload)
        .merge(status)
        .fallback(no_such_path)
        .with_state(shared)
}

/// Says which paths there are: a sender's configuration has the wrong one, or the build has no SQL.
async fn no_such_path(request: Request) -> Response {
    let path: String = request.uri().path().chars().take(100).collect();
    discard(request.into_body()).await;
    let sql =
        if cfg!(feature = "sql") { "/api/v1/sql" } else { "/api/v1/sql in a server that is built with --features sql" };
    let why = format!(
        "there is no {path} here: senders use POST /api/v1/write and POST /v1/metrics; others are /, /metrics, \
         /api/v1/status, /api/v1/export, /-/healthy, /-/ready and {sql}\n"
    );
    text(StatusCode::NOT_FOUND, why)
}

/// Another method than POST, with which vmagent before 1.90 asked ([`is_handshake`]).
async fn no_write(request: Request) -> Response {
    if is_handshake(request.uri()) { handshake() } else { only_post().await }
}

async fn only_post() -> Response {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "the method is POST\n".to_owned());
    response.headers_mut().insert(ALLOW, http::HeaderValue::from_static("POST"));
    response
}

async fn with_credentials_unless_open(state: State<Arc<Shared>>, request: Request, next: Next) -> Response {
    match state.ingest.live.get().open_status {
        true => next.run(request).await,
        false => with_credentials_of_all(state, request, next).await,
    }
}

/// For what concerns the rows of one tenant.
async fn with_credentials(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let header = shared.tenant_header.as_ref();
    let may = |scope: &Scope, request: &Request| match header {
        // A request that names no tenant, or several, gets no further; its answer says why.
        Some(header) => {
            request.headers().get_all(header).iter().all(|name| name.to_str().is_ok_and(|name| scope.has(name)))
        }
        None => scope.is_all(),
    };
    check(&shared, request, next, may).await
}

/// For what concerns all tenants.
async fn with_credentials_of_all(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    check(&shared, request, next, |scope, _| scope.is_all()).await
}

async fn check(shared: &Shared, request: Request, next: Next, may: impl Fn(&Scope, &Request) -> bool) -> Response {
    let settings = shared.ingest.live.get();
    let metrics = &shared.ingest.metrics;
    match settings.auth.check(request.headers()).await {
        Verdict::Accepted(scope) if scope.is_all() || may(&scope, &request) => next.run(request).await,
        Verdict::Accepted(_) => {
            discard(request.into_body()).await;
            let why = "the credentials of the request are for other tenants";
            metrics.refused_request("other tenant", why);
            text(StatusCode::FORBIDDEN, format!("{why}\n"))
        }
        Verdict::Refused => {
            discard(request.into_body()).await;
            let why = "this server asks for credentials, and those of the request are missing or wrong";
            metrics.refused_request("credentials", why);
            let mut response = text(StatusCode::UNAUTHORIZED, format!("{why}\n"));
            for challenge in settings.auth.challenges() {
                response.headers_mut().append(WWW_AUTHENTICATE, http::HeaderValue::from_static(challenge));
            }
            response
        }
        Verdict::Busy => {
            discard(request.into_body()).await;
            let why = "too many passwords are being checked";
            metrics.refused_request("checking credentials", why);
            let mut response = text(StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n"));
            response.headers_mut().insert(RETRY_AFTER, http::HeaderValue::from_static("1"));
            response
        }
    }
}
