//! One request of OTLP, and the answers that OTLP asks for: a message in the encoding of the request.

use super::Shared;
use super::headers::{Refusal, classify_otlp, otlp_format};
use super::write::discard;
use crate::log::Kind;
use crate::otlp::{Format, answer};
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use std::sync::Arc;

/// The longest text of a refusal.
const TEXT: usize = 64 << 10;

pub(super) async fn export(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (format, encoding) = match classify_otlp(request.headers()) {
        Ok(found) => found,
        Err(Refusal(why)) => {
            discard(request.into_body()).await;
            shared.ingest.metrics.refused_request("headers", &why);
            return super::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("{why}\n"));
        }
    };
    let kind = match format {
        Format::Protobuf => Kind::Otlp,
        Format::Json => Kind::OtlpJson,
    };
    let heard = shared.receive(kind, encoding, request).await;
    let status = match heard.status {
        // A sender of OTLP does not send a request again that was too slow, but it does after 503.
        408 => StatusCode::SERVICE_UNAVAILABLE,
        status => StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
    };
    if status == StatusCode::OK {
        return message(status, format, answer::accepted(format, heard.refused_points, &heard.text));
    }
    let mut response = super::text(status, heard.text);
    if let Some(seconds) = heard.retry_after {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

/// Counts answers, and turns the text of refusals, whoever refused, into a message.
pub(super) async fn in_form(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    // Without a type that it could have, a sender that speaks another language can read JSON.
    let known = otlp_format(request.headers());
    let format = known.unwrap_or(Format::Json);
    let response = next.run(request).await;
    let status = response.status();
    shared.count(if known == Some(Format::Protobuf) { "otlp" } else { "otlp json" }, status.as_u16());
    if status.is_success() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let text = to_bytes(body, TEXT).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let made = message(status, format, answer::refused(format, status.as_u16(), text.trim_end()));
    // The length is another one, and the type.
    parts.headers.remove(http::header::CONTENT_LENGTH);
    let (made, body) = made.into_parts();
    parts.headers.extend(made.headers);
    Response::from_parts(parts, body)
}

fn message(status: StatusCode, format: Format, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let name = match format {
        Format::Protobuf => "application/x-protobuf",
        Format::Json => "application/json",
    };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(name));
    response
}
