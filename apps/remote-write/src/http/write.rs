//! One request of remote write.

use super::headers::{Refusal, classify};
use super::{Shared, text};
use crate::answer::{Answer, Refused};
use crate::ingest::Job;
use crate::log::{Encoding, Kind};
use crate::metrics::RequestLabels;
use crate::tenants::{Guest, check_name};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use http::header::{HeaderMap, RETRY_AFTER};
use http_body_util::BodyExt;
use rows::Version;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::timeout;

/// How long a request waits for room before it is refused.
const WAIT: Duration = Duration::from_secs(5);

/// Returns whether vmagent asks for the version of its protocol, which is remote write 1.0 with zstd.
pub(super) fn is_handshake(uri: &http::Uri) -> bool {
    uri.query().is_some_and(|query| query.split('&').any(|part| part.starts_with("get_vm_proto_version=")))
}

/// Answers that.
pub(super) fn handshake() -> Response {
    text(StatusCode::OK, "1".to_owned())
}

pub(super) async fn write(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    if is_handshake(request.uri()) {
        discard(request.into_body()).await;
        shared.count("handshake", 200);
        return handshake();
    }
    let (version, encoding) = match classify(request.headers()) {
        Ok(found) => found,
        Err(Refusal(why)) => {
            discard(request.into_body()).await;
            shared.ingest.metrics.refused_request("headers", &why);
            return shared.answer(None, Answer::refused(415, why));
        }
    };
    let kind = match version {
        Version::V1 => Kind::V1,
        Version::V2 => Kind::V2,
    };
    let answer = shared.receive(kind, encoding, request).await;
    shared.answer(Some(version), answer)
}

fn too_long(limit: usize) -> Answer {
    Answer::refused(413, format!("the body is longer than {limit} bytes"))
}

/// Reads a body that nobody wants, for a while: a sender that cannot finish its request does not hear the answer.
pub(super) async fn discard(mut body: Body) {
    _ = timeout(WAIT, async { while let Some(Ok(_)) = body.frame().await {} }).await;
}

impl Shared {
    /// Handles a request whose headers said what its body is.
    pub(super) async fn receive(&self, kind: Kind, encoding: Encoding, request: Request) -> Answer {
        match self.hand_over(kind, encoding, request).await {
            Ok(answer) => answer,
            Err((reason, answer)) => {
                self.ingest.metrics.refused_request(reason, &answer.text);
                answer
            }
        }
    }

    async fn hand_over(&self, kind: Kind, encoding: Encoding, request: Request) -> Result<Answer, Refused> {
        let tenant = match self.tenant(request.headers()) {
            Ok(tenant) => tenant,
            Err(refused) => {
                discard(request.into_body()).await;
                return Err(refused);
            }
        };
        let limit = self.ingest.body_limit;
        let declared = request.headers().get(http::header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse().ok());
        if declared.is_some_and(|len: u64| len > limit as u64) {
            discard(request.into_body()).await;
            return Err(("length", too_long(limit)));
        }
        let began = Instant::now();
        let read = timeout(self.ingest.live.get().body_timeout, self.read(request.into_body(), limit)).await;
        let slow = |_| ("slow body", Answer::refused(408, "the body did not come in time"));
        let (body, _room) = read.map_err(slow)??;
        self.ingest.metrics.stage("read", began);
        self.ingest.metrics.bytes.inc_by(body.len() as u64);
        let (reply, answer) = oneshot::channel();
        match timeout(WAIT, self.jobs.send(Job { kind, encoding, body, tenant, reply })).await {
            // The job's answer comes from another thread; without one, that thread has ended.
            Ok(Ok(())) => Ok(answer.await.unwrap_or_else(|_| Answer::busy("the server is stopping"))),
            _ => Err(("busy", Answer::busy("all workers are busy"))),
        }
    }

    /// Reads a body, and takes room for it as it comes: a slow sender holds no more than it sent, whatever length it
    /// declared.
    async fn read(&self, mut body: Body, limit: usize) -> Result<(Bytes, OwnedSemaphorePermit), Refused> {
        let mut room = self.more_room(0, 0).await?;
        let (mut first, mut all) = (Bytes::new(), BytesMut::new());
        while let Some(frame) = body.frame().await {
            let frame =
                frame.map_err(|error| ("half body", Answer::refused(400, format!("the body ended early: {error}"))))?;
            let Ok(data) = frame.into_data() else { continue };
            let len = first.len() + all.len() + data.len();
            if len > limit {
                return Err(("length", too_long(limit)));
            }
            room.merge(self.more_room(len, room.num_permits()).await?);
            match (first.is_empty(), all.is_empty()) {
                (true, true) => first = data,
                _ => {
                    all.extend_from_slice(&std::mem::take(&mut first));
                    all.extend_from_slice(&data);
                }
            }
        }
        Ok((if all.is_empty() { first } else { all.freeze() }, room))
    }

    /// Takes room for a body of `len` bytes and what it inflates to, of which `held` are there. A large body counts as all
    /// the room there is.
    async fn more_room(&self, len: usize, held: usize) -> Result<OwnedSemaphorePermit, Refused> {
        let more = self.room_bytes.min(2 * len + 1024).saturating_sub(held);
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        match timeout(WAIT, Arc::clone(&self.room).acquire_many_owned(more)).await {
            Ok(Ok(room)) => Ok(room),
            _ => Err(("busy", Answer::busy("too many requests at a time"))),
        }
    }

    /// Returns the tenant that the headers name, or why there is none.
    pub(super) fn tenant(&self, headers: &HeaderMap) -> Result<Guest, Refused> {
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

    /// Counts an answer.
    pub(super) fn count(&self, proto: &'static str, code: u16) {
        self.ingest.metrics.requests.get_or_create(&RequestLabels { proto, code }).inc();
    }

    /// Turns an answer into a response, and counts it.
    fn answer(&self, version: Option<Version>, answer: Answer) -> Response {
        let proto = match version {
            Some(Version::V1) => "1.0",
            Some(Version::V2) => "2.0",
            None => "",
        };
        self.count(proto, answer.status);
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
