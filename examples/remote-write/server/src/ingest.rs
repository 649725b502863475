//! From a body to the log and to rows. Worker threads run this; they share nothing while they decode.

use crate::answer::Answer;
use crate::live::Live;
use crate::log::{Encoding, Entry, Kind, Log, Record};
use crate::metrics::Metrics;
use crate::refused;
use crate::retries::{Begin, KEPT_MS, Retries, batch_of};
use crate::store::head::Head;
use crate::store::list::{Files, SealError};
use crate::tenants::{Guest, Tenant};
use bytes::Bytes;
use remote_write::body::{Body, BodyError, Encoding as BodyEncoding};
use remote_write::{Proto, Receiver, Version};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A request for a worker.
pub struct Job {
    /// The version that its headers state.
    pub version: Version,
    /// The compression that its headers state.
    pub encoding: Encoding,
    /// The body as it came.
    pub body: Bytes,
    /// Whose rows they are.
    pub tenant: Guest,
    /// Where the answer goes.
    pub reply: oneshot::Sender<Answer>,
}

/// What all workers share.
pub struct Ingest {
    /// The store's id.
    pub store: u128,
    /// The log.
    pub log: Log,
    /// The rows in memory.
    pub head: Head,
    /// The rows in files.
    pub files: Files,
    /// The answers of the last minutes.
    pub retries: Arc<Retries>,
    /// The length of a body, before and after inflating.
    pub body_limit: usize,
    /// The settings that can change.
    pub live: Arc<Live>,
    /// The counters.
    pub metrics: Arc<Metrics>,
}

impl Ingest {
    /// Handles one request.
    pub fn handle(&self, worker: usize, body: &mut Body, job: Job) {
        let Job { version, encoding, body: bytes, tenant, reply } = job;
        let kind = kind_of(version);
        let batch = batch_of(self.store, kind, tenant.name(), &bytes);
        if matches!(self.retries.begin(batch, reply), Begin::Again) {
            self.metrics.retries.inc();
            return;
        }
        let entry = Entry {
            kind,
            encoding,
            batch,
            received_ms: crate::clock::now_ms(),
            inflated_len: 0,
            tenant: tenant.name().into(),
            refused: Vec::new(),
            body: bytes,
        };
        let answer = match self.write(worker, body, version, entry, &tenant) {
            // The log's thread answers.
            Ok(()) => return,
            Err(answer) => answer,
        };
        self.retries.finish(batch, answer, false, crate::clock::now_ms());
    }

    /// Decodes a request and appends it to the log. Otherwise, the answer: an error, or nothing was to be written.
    fn write(
        &self,
        worker: usize,
        body: &mut Body,
        version: Version,
        mut entry: Entry,
        tenant: &Tenant,
    ) -> Result<(), Answer> {
        let settings = self.live.get();
        let limits = settings.tenants.of(tenant.name());
        if let Err(seconds) = tenant.admit(limits, Instant::now()) {
            let text = format!("the tenant may send {} rows a second", limits.rate);
            self.metrics.refused_request("tenant's rate", &format!("{}: {text}", tenant.name()));
            return Err(Answer { retry_after: Some(seconds), ..Answer::refused(429, text) });
        }
        let began = Instant::now();
        let inflated = body.read(&entry.body[..], body_encoding(entry.encoding)).map_err(|error| match error {
            BodyError::TooLong { .. } | BodyError::WouldBeTooLong { .. } => {
                Answer::refused(413, format!("the body is longer than {} bytes", self.body_limit))
            }
            error => Answer::refused(400, framed(&entry.body).unwrap_or_else(|| error.to_string())),
        })?;
        self.metrics.stage("inflate", began);
        if self.head.rows() > settings.seal_rows.saturating_mul(2) {
            return Err(Answer::busy("too many rows wait to be written to files"));
        }
        // The list of refused series is shorter than the body.
        let permit = self.log.reserve(2 * entry.body.len()).ok_or_else(|| Answer::busy("the log is busy"))?;
        let (now, batch) = (entry.received_ms, entry.batch);
        let mut turn = self.head.turn(worker, tenant.name());
        turn.limit_series(if limits.series == 0 { usize::MAX } else { limits.series as usize });
        let ms = |d: Duration| i64::try_from(d.as_millis()).unwrap_or(i64::MAX);
        let times = now.saturating_sub(ms(settings.accept_past))..=now.saturating_add(ms(settings.accept_ahead));
        turn.receiver().accept_times(times);
        let began = Instant::now();
        let result = turn.receiver().request(inflated.bytes, Proto::Is(version));
        self.metrics.stage("decode", began);
        let report = result.map_err(|error| Answer::of_error(&error, version))?;
        let answer = Answer::of(&report);
        let rows = report.samples + report.histograms + report.exemplars + report.metadata;
        self.metrics.refused(&report);
        if report.bad > 0
            && let Some(unsaid) = self.metrics.throttle.turn("series")
        {
            let first = report.problems.first().first().map(ToString::to_string).unwrap_or_default();
            tracing::warn!(tenant = tenant.name(), series = report.bad, first, unsaid, "series refused");
        }
        if rows == 0 {
            return Err(answer);
        }
        entry.inflated_len = inflated.bytes.len() as u32;
        entry.refused = refused::encode(&report.refused);
        let (retries, metrics) = (Arc::clone(&self.retries), Arc::clone(&self.metrics));
        // A log that failed takes nothing any more, and the process ends; what is counted here ends with it.
        turn.count(rows, now);
        tenant.wrote(rows);
        let began = Instant::now();
        let sequence = self.log.append(entry, permit, move |result| {
            metrics.stage("log", began);
            let (answer, written) = match result {
                Ok(_) => {
                    metrics.written(&answer.counts);
                    (answer, true)
                }
                Err(failed) => (Answer::busy(failed.to_string()), false),
            };
            retries.finish(batch, answer, written, crate::clock::now_ms());
        });
        if let Ok(sequence) = sequence {
            turn.keep(sequence);
        }
        Ok(())
    }
}

/// Adds a record of the log to the rows again, with the outcome that it had the first time.
pub fn replay(
    head: &Head,
    files: &Files,
    retries: &Retries,
    body: &mut Body,
    workers: usize,
    seal_rows: u64,
    record: Record<'_>,
) -> Result<(), String> {
    let header = record.header;
    let Some(version) = version_of(header.kind) else { return Ok(()) };
    let how = body_encoding(header.encoding);
    let failed = |why: String| format!("record {} of the log cannot be read again: {why}", header.sequence);
    let inflated = body.read(record.body, how).map_err(|e| failed(e.to_string()))?;
    let refused = refused::decode(record.refused).ok_or_else(|| failed("its list of refused series".to_owned()))?;
    let worker = usize::try_from(header.sequence).unwrap_or(0) % workers;
    let mut turn = head.turn(worker, record.tenant);
    let report = turn.receiver().replay(inflated.bytes, version, &refused).map_err(|e| failed(e.to_string()))?;
    let rows = report.samples + report.histograms + report.exemplars + report.metadata;
    turn.count(rows, crate::clock::now_ms());
    turn.keep(header.sequence);
    drop(turn);
    retries.finish(header.batch, Answer::of(&report), true, header.received_ms);
    if head.rows() >= seal_rows {
        files.seal_replay(head, header.sequence + 1).map_err(|e: SealError| e.to_string())?;
    }
    Ok(())
}

/// Learns the answer to a request whose rows are in files, so that it is not written again if it comes again. `scratch`
/// keeps no rows. A record that cannot be read is no error: its rows do not depend on it.
pub fn remember(scratch: &mut Receiver, retries: &Retries, body: &mut Body, record: Record<'_>) {
    let header = record.header;
    let old = header.received_ms < crate::clock::now_ms() - KEPT_MS;
    let Some(version) = version_of(header.kind).filter(|_| !old) else { return };
    let Ok(inflated) = body.read(record.body, body_encoding(header.encoding)) else { return };
    let Some(refused) = refused::decode(record.refused) else { return };
    if let Ok(report) = scratch.replay(inflated.bytes, version, &refused) {
        retries.finish(header.batch, Answer::of(&report), true, header.received_ms);
    }
    scratch.clear_rows();
}

fn kind_of(version: Version) -> Kind {
    match version {
        Version::V1 => Kind::V1,
        Version::V2 => Kind::V2,
    }
}

fn version_of(kind: Kind) -> Option<Version> {
    match kind {
        Kind::V1 => Some(Version::V1),
        Kind::V2 => Some(Version::V2),
        Kind::Mark | Kind::Close => None,
    }
}

fn body_encoding(encoding: Encoding) -> BodyEncoding {
    match encoding {
        Encoding::Snappy => BodyEncoding::Snappy,
        Encoding::None => BodyEncoding::Raw,
    }
}

/// Recognises snappy's other format, which senders mistake for the one that the protocol asks for.
fn framed(body: &[u8]) -> Option<String> {
    body.starts_with(b"\xff\x06\x00\x00sNaPpY")
        .then(|| "the body is in snappy's framed format; remote write asks for the block format".to_owned())
}
