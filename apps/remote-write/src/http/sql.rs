//! Queries: `GET /api/v1/sql?q=…&format=…`, and POST with the same in a form, or with the query as the body.

use super::write::discard;
use super::{Shared, text};
use crate::metrics::SqlLabels;
use crate::sql::catalog::Wanted;
use crate::sql::format::Format;
use crate::sql::{LONGEST, SqlError};
use crate::store::snapshot::Snapshot;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use http::{HeaderValue, Method};
use http_body_util::BodyExt;
use std::sync::Arc;
use std::time::Instant;
use tokio::time::timeout;

/// The longest body: every byte of a query may take three in a form.
const LONGEST_BODY: usize = 3 * LONGEST + 1024;

/// A query and the format of its answer.
#[derive(Debug, Default, PartialEq)]
struct Question {
    sql: Option<String>,
    format: Option<String>,
}

impl Question {
    fn add_form(&mut self, form: &[u8]) -> Result<(), String> {
        for (name, value) in form_urlencoded::parse(form) {
            let field = match &*name {
                "q" => &mut self.sql,
                "format" => &mut self.format,
                other => return Err(format!("there is no parameter `{other}`: q and format")),
            };
            if field.replace(value.into_owned()).is_some() {
                return Err(format!("the parameter `{name}` is there twice"));
            }
        }
        Ok(())
    }
}

pub(super) async fn sql(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let began = Instant::now();
    let (status, mut response) = match answer(&shared, request).await {
        Ok((format, bytes)) => {
            let mut response = Response::new(Body::from(bytes));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
            (StatusCode::OK, response)
        }
        Err((status, why)) => (status, text(status, format!("{why}\n"))),
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    let metrics = &shared.ingest.metrics;
    metrics.queries.get_or_create(&SqlLabels { code: status.as_u16() }).inc();
    metrics.times.query.observe(began.elapsed().as_secs_f64());
    response
}

async fn answer(shared: &Arc<Shared>, request: Request) -> Result<(Format, Vec<u8>), (StatusCode, String)> {
    let bad = |why: String| (StatusCode::BAD_REQUEST, why);
    let (parts, body) = request.into_parts();
    let tenant = match shared.tenant(&parts.headers) {
        Ok(tenant) => tenant,
        Err((_, answer)) => {
            discard(body).await;
            return Err((StatusCode::from_u16(answer.status).unwrap_or(StatusCode::BAD_REQUEST), answer.text));
        }
    };
    let mut question = Question::default();
    question.add_form(parts.uri.query().unwrap_or_default().as_bytes()).map_err(bad)?;
    if parts.method == Method::POST {
        let read = timeout(shared.ingest.live.get().body_timeout, read(body)).await;
        let body = match read {
            Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "the body did not come in time".to_owned())),
            Ok(body) => body.map_err(bad)?,
        };
        if is_form(&parts.headers) {
            question.add_form(&body).map_err(bad)?;
        } else if question.sql.is_some() && !body.is_empty() {
            return Err(bad("there are two queries: q and the body".to_owned()));
        } else if !body.is_empty() {
            let sql = String::from_utf8(body).map_err(|error| bad(format!("the query: {error}")))?;
            question.sql = Some(sql);
        }
    }
    let format = question.format.map_or(Ok(Format::Json), |name| Format::parse(&name)).map_err(bad)?;
    let sql = question.sql.ok_or_else(|| bad("the query is missing: q".to_owned()))?;
    let ingest = Arc::clone(&shared.ingest);
    let take = move |wanted: &Wanted, reserve: &mut dyn FnMut(usize) -> datafusion::error::Result<()>| {
        let store = (&ingest.log, &ingest.head, &ingest.files);
        Snapshot::take(store, tenant.name(), &|metric| wanted.has(metric), reserve)
    };
    let answer = shared.sql.query(sql, format, Box::new(take)).await;
    answer.map(|bytes| (format, bytes)).map_err(|error| {
        let status = match &error {
            SqlError::Bad(_) => StatusCode::BAD_REQUEST,
            SqlError::TooLarge(_) => StatusCode::UNPROCESSABLE_ENTITY,
            SqlError::Late(_) | SqlError::Busy => StatusCode::SERVICE_UNAVAILABLE,
            SqlError::Gone(_) | SqlError::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            tracing::error!(%error, "a query failed");
        }
        (status, error.to_string())
    })
}

async fn read(mut body: Body) -> Result<Vec<u8>, String> {
    let mut all = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| format!("the body ended early: {error}"))?;
        all.extend_from_slice(frame.data_ref().map_or(&[], |data| &data[..]));
        if all.len() > LONGEST_BODY {
            discard(body).await;
            return Err(format!("the body is longer than {LONGEST_BODY} bytes"));
        }
    }
    Ok(all)
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/x-www-form-urlencoded")
}
