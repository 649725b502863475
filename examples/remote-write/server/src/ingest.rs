//! From a body to the log and to rows. Worker threads run this; they share nothing while they decode.

use crate::answer::Answer;
use crate::live::Live;
use crate::log::{Encoding, Entry, Kind, Log, Record};
use crate::metrics::Metrics;
use crate::otlp;
use crate::refused;
use crate::retries::{Begin, KEPT_MS, Retries, batch_of};
use crate::store::head::Head;
use crate::store::list::{Files, SealError};
use crate::tenants::{Guest, Tenant};
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use remote_write::body::{Body, BodyError, Encoding as BodyEncoding, Unpacked};
use remote_write::{Proto, Receiver, Report, Version};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A request for a worker.
pub struct Job {
    /// The protocol, and its version.
    pub kind: Kind,
    /// The compression that its headers state.
    pub encoding: Encoding,
    /// The body as it came.
    pub body: Bytes,
    /// Whose rows they are.
    pub tenant: Guest,
    /// Where the answer goes.
    pub reply: oneshot::Sender<Answer>,
}

/// A worker's memory for requests.
pub struct Memory {
    body: Body,
    otlp: otlp::Reader,
    /// The most values that a request in JSON may have.
    json_values: usize,
}

impl Memory {
    /// Creates memory for bodies up to a limit, before and after inflating, and requests of so many rows.
    pub fn new(body_limit: usize, max_rows: usize) -> Memory {
        // A row is several values in JSON.
        Memory {
            body: Body::new(body_limit),
            otlp: otlp::Reader::default(),
            json_values: max_rows.saturating_mul(8).saturating_add(1000),
        }
    }
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
    pub fn handle(&self, worker: usize, memory: &mut Memory, job: Job) {
        let Job { kind, encoding, body: bytes, tenant, reply } = job;
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
            options: 0,
            tenant: tenant.name().into(),
            refused: Vec::new(),
            body: bytes,
        };
        let answer = match self.write(worker, memory, entry, &tenant) {
            // The log's thread answers.
            Ok(()) => return,
            Err(answer) => answer,
        };
        self.retries.finish(batch, answer, false, crate::clock::now_ms());
    }

    /// Decodes a request and appends it to the log. Otherwise, the answer: an error, or nothing was to be written.
    fn write(&self, worker: usize, memory: &mut Memory, mut entry: Entry, tenant: &Tenant) -> Result<(), Answer> {
        let settings = self.live.get();
        let limits = settings.tenants.of(tenant.name());
        if let Err(seconds) = tenant.admit(limits, Instant::now()) {
            let text = format!("the tenant may send {} rows a second", limits.rate);
            self.metrics.refused_request("tenant's rate", &format!("{}: {text}", tenant.name()));
            return Err(Answer { retry_after: Some(seconds), ..Answer::refused(429, text) });
        }
        let began = Instant::now();
        let Memory { body, otlp, json_values } = memory;
        let inflated = inflate(body, &entry.body, entry.encoding).map_err(|error| match error {
            BodyError::TooLong { .. } | BodyError::WouldBeTooLong { .. } => {
                Answer::refused(413, format!("the body is longer than {} bytes", self.body_limit))
            }
            error if entry.encoding == Encoding::Gzip => {
                Answer::refused(400, format!("the body is no gzip, or a damaged one: {error}"))
            }
            error => Answer::refused(400, framed(&entry.body).unwrap_or_else(|| error.to_string())),
        })?;
        self.metrics.stage("inflate", began);
        if self.head.rows() > settings.seal_rows.saturating_mul(2) {
            return Err(Answer::busy("too many rows wait to be written to files"));
        }
        // The list of refused series is mostly shorter than the body; the log counts it when it is there.
        let permit = self.log.reserve(2 * entry.body.len()).ok_or_else(|| Answer::busy("the log is busy"))?;
        let (now, batch) = (entry.received_ms, entry.batch);
        let mut turn = self.head.turn(worker, tenant.name());
        turn.limit_series(if limits.series == 0 { usize::MAX } else { limits.series as usize });
        let ms = |d: Duration| i64::try_from(d.as_millis()).unwrap_or(i64::MAX);
        let times = now.saturating_sub(ms(settings.accept_past))..=now.saturating_add(ms(settings.accept_ahead));
        turn.receiver().accept_times(times);
        let began = Instant::now();
        if is_otlp(entry.kind) {
            entry.options = settings.otlp.to_byte();
        }
        let reading = Reading { kind: entry.kind, options: entry.options, refused: None, json_values: *json_values };
        let result = reading.read(turn.receiver(), otlp, inflated.bytes, &self.metrics);
        self.metrics.stage("decode", began);
        let (report, answer) = result?;
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

/// How a request becomes rows: the same way when it comes, and when it is read back from the log.
struct Reading<'r> {
    kind: Kind,
    options: u8,
    /// The series that were refused when it came.
    refused: Option<&'r [u32]>,
    json_values: usize,
}

impl Reading<'_> {
    fn read(
        &self,
        receiver: &mut Receiver,
        otlp: &mut otlp::Reader,
        bytes: &[u8],
        metrics: &Metrics,
    ) -> Result<(Report, Answer), Answer> {
        let format = match self.kind {
            Kind::Otlp => otlp::Format::Protobuf,
            Kind::OtlpJson => otlp::Format::Json,
            kind => {
                let version = if kind == Kind::V1 { Version::V1 } else { Version::V2 };
                #[cfg(feature = "rival-prost")]
                if kind == Kind::V1 {
                    let report = crate::by_prost::request(receiver, bytes, self.refused);
                    let report = report.map_err(|error| Answer::of_error(&error, version))?;
                    let answer = Answer::of(&report);
                    return Ok((report, answer));
                }
                let result = match self.refused {
                    None => receiver.request(bytes, Proto::Is(version)),
                    Some(refused) => receiver.replay(bytes, version, refused),
                };
                let report = result.map_err(|error| Answer::of_error(&error, version))?;
                let answer = Answer::of(&report);
                return Ok((report, answer));
            }
        };
        let options = otlp::Options::from_byte(self.options);
        let options = options.ok_or_else(|| Answer::refused(400, "options that this version does not have"))?;
        let read = otlp.read(receiver, bytes, format, self.json_values, options, self.refused);
        let (report, refusals) = read.map_err(Answer::of_rejected)?;
        for (reason, points) in refusals.reasons().filter(|_| self.refused.is_none()) {
            metrics.refused_points(reason, points);
        }
        let answer = Answer::of_otlp(&report, &refusals);
        Ok((report, answer))
    }
}

/// What reads a log back.
pub struct Replay<'r> {
    /// The rows in memory.
    pub head: &'r Head,
    /// The rows in files.
    pub files: &'r Files,
    /// The answers of the last minutes.
    pub retries: &'r Retries,
    /// The counters.
    pub metrics: &'r Metrics,
    /// The number of workers.
    pub workers: usize,
    /// Rows in memory at which they are written to files.
    pub seal_rows: u64,
    /// Memory for requests.
    pub memory: Memory,
    /// A receiver that keeps no rows.
    pub scratch: Receiver,
}

impl Replay<'_> {
    /// Adds a record of the log to the rows again, with the outcome that it had the first time.
    pub fn add(&mut self, record: Record<'_>) -> Result<(), String> {
        let header = record.header;
        if !is_request(header.kind) {
            return Ok(());
        }
        let failed = |why: String| format!("record {} of the log cannot be read again: {why}", header.sequence);
        let Memory { body, otlp, .. } = &mut self.memory;
        let inflated = inflate(body, record.body, header.encoding).map_err(|e| failed(e.to_string()))?;
        let refused = refused::decode(record.refused).ok_or_else(|| failed("its list of refused series".to_owned()))?;
        let worker = usize::try_from(header.sequence).unwrap_or(0) % self.workers;
        let mut turn = self.head.turn(worker, record.tenant);
        let (report, answer) = again(&record, &refused)
            .read(turn.receiver(), otlp, inflated.bytes, self.metrics)
            .map_err(|answer| failed(answer.text))?;
        let rows = report.samples + report.histograms + report.exemplars + report.metadata;
        turn.count(rows, crate::clock::now_ms());
        turn.keep(header.sequence);
        drop(turn);
        self.retries.finish(header.batch, answer, true, header.received_ms);
        if self.head.rows() >= self.seal_rows {
            self.files.seal_replay(self.head, header.sequence + 1).map_err(|e: SealError| e.to_string())?;
        }
        Ok(())
    }

    /// Learns the answer to a request whose rows are in files, so that it is not written again if it comes again. A record
    /// that cannot be read is no error: its rows do not depend on it.
    pub fn remember(&mut self, record: Record<'_>) {
        let header = record.header;
        if !is_request(header.kind) || header.received_ms < crate::clock::now_ms() - KEPT_MS {
            return;
        }
        let Memory { body, otlp, .. } = &mut self.memory;
        let Ok(inflated) = inflate(body, record.body, header.encoding) else { return };
        let Some(refused) = refused::decode(record.refused) else { return };
        let read = again(&record, &refused).read(&mut self.scratch, otlp, inflated.bytes, self.metrics);
        if let Ok((_, answer)) = read {
            self.retries.finish(header.batch, answer, true, header.received_ms);
        }
        self.scratch.clear_rows();
    }
}

/// How a record is read a second time.
fn again<'r>(record: &Record<'_>, refused: &'r [u32]) -> Reading<'r> {
    let (kind, options) = (record.header.kind, record.header.options);
    Reading { kind, options, refused: Some(refused), json_values: usize::MAX }
}

fn is_request(kind: Kind) -> bool {
    !matches!(kind, Kind::Mark | Kind::Close)
}

fn is_otlp(kind: Kind) -> bool {
    matches!(kind, Kind::Otlp | Kind::OtlpJson)
}

/// Returns a body without its compression, within the limit.
fn inflate<'b>(body: &'b mut Body, bytes: &[u8], encoding: Encoding) -> Result<Unpacked<'b>, BodyError> {
    match encoding {
        Encoding::Snappy => body.read(bytes, BodyEncoding::Snappy),
        Encoding::None => body.read(bytes, BodyEncoding::Raw),
        Encoding::Gzip => body.read(MultiGzDecoder::new(bytes), BodyEncoding::Raw),
    }
}

/// Recognises snappy's other format, which senders mistake for the one that the protocol asks for.
fn framed(body: &[u8]) -> Option<String> {
    body.starts_with(b"\xff\x06\x00\x00sNaPpY")
        .then(|| "the body is in snappy's framed format; remote write asks for the block format".to_owned())
}
