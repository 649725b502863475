//! One request of remote write.

use super::headers::{Refusal, classify};
use super::{Shared, text};
use crate::answer::Answer;
use crate::ingest::Job;
use crate::metrics::RequestLabels;
use crate::tenants::{Guest, check_name};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use http::header::{HeaderMap, RETRY_AFTER};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use remote_write::Version;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How long a request waits for room before it is refused.
const WAIT: Duration = Duration::from_secs(5);

pub(super) async fn write(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (version, encoding) = match classify(request.headers()) {
        Ok(found) => found,
        Err(Refusal(why)) => {
            discard(request.into_body()).await;
            shared.ingest.metrics.refused_request("headers", &why);
            return shared.answer(None, Answer::refused(415, why));
        }
    };
    let tenant = match shared.tenant(request.headers()) {
        Ok(tenant) => tenant,
        Err((reason, answer)) => {
            discard(request.into_body()).await;
            return shared.refuse(version, reason, answer);
        }
    };
    let limit = shared.ingest.body_limit;
    let declared = request.headers().get(http::header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse().ok());
    let len = declared.unwrap_or(limit as u64);
    if len > limit as u64 {
        discard(request.into_body()).await;
        return shared.refuse(
            version,
            "length",
            Answer::refused(413, format!("the body is longer than {limit} bytes")),
        );
    }
    // A body and what it inflates to count; a large one counts as all the room there is.
    let bytes = u32::try_from(shared.room_bytes.min(len as usize * 2 + 1024)).unwrap_or(u32::MAX);
    let Ok(Ok(_room)) = timeout(WAIT, Arc::clone(&shared.room).acquire_many_owned(bytes)).await else {
        return shared.refuse(version, "busy", Answer::busy("too many requests at a time"));
    };
    let began = Instant::now();
    let body = match timeout(shared.ingest.live.get().body_timeout, Limited::new(request.into_body(), limit).collect())
        .await
    {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let why = format!("the body is longer than {limit} bytes");
            return shared.refuse(version, "length", Answer::refused(413, why));
        }
        Ok(Err(error)) => {
            let why = format!("the body ended early: {error}");
            return shared.refuse(version, "half body", Answer::refused(400, why));
        }
        Err(_) => return shared.refuse(version, "slow body", Answer::refused(408, "the body did not come in time")),
    };
    shared.ingest.metrics.stage("read", began);
    shared.ingest.metrics.bytes.inc_by(body.len() as u64);
    let (reply, answer) = oneshot::channel();
    let job = Job { version, encoding, body, tenant, reply };
    let answer = match timeout(WAIT, shared.jobs.send(job)).await {
        // The job's answer comes from another thread; without one, that thread has ended.
        Ok(Ok(())) => answer.await.unwrap_or_else(|_| Answer::busy("the server is stopping")),
        _ => return shared.refuse(version, "busy", Answer::busy("all workers are busy")),
    };
    shared.answer(Some(version), answer)
}

/// Reads a body that nobody wants, for a while: a sender that cannot finish its request does not hear the answer.
pub(super) async fn discard(mut body: Body) {
    _ = timeout(WAIT, async { while let Some(Ok(_)) = body.frame().await {} }).await;
}

impl Shared {
    /// Returns the tenant that the headers name, or why there is none.
    fn tenant(&self, headers: &HeaderMap) -> Result<Guest, (&'static str, Answer)> {
        let most = self.ingest.live.get().tenants.tenants;
        let name = match &self.tenant_header {
            None => return Ok(self.tenants.enter("", usize::MAX).expect("there is no limit")),
            Some(header) => {
                let refused = |why: String| ("tenant's name", Answer::refused(400, format!("{header}: {why}")));
                let mut values = headers.get_all(header).iter();
                let value =
                    values.next().ok_or_else(|| refused("the header is missing; it names the tenant".to_owned()))?;
                if values.next().is_some() {
                    return Err(refused("the header is there twice".to_owned()));
                }
                let name = value.to_str().map_err(|error| refused(error.to_string()))?;
                check_name(name).map_err(refused)?;
                name
            }
        };
        let full =
            || ("too many tenants", Answer::refused(403, format!("this server takes {most} tenants, and has them")));
        self.tenants.enter(name, most).ok_or_else(full)
    }

    /// Turns a refusal into a response, counts it, and says so in the log.
    fn refuse(&self, version: Version, reason: &'static str, answer: Answer) -> Response {
        self.ingest.metrics.refused_request(reason, &answer.text);
        self.answer(Some(version), answer)
    }

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
