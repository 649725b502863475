//! From a body to the log and to rows. Worker threads run this; they share nothing while they decode.

use crate::answer::{Answer, MALFORMED, Refused, TOO_MANY_SERIES};
use crate::live::Live;
use crate::log::{Encoding, Entry, Kind, Log, Record};
use crate::metrics::Metrics;
use crate::notes::{self, Notes, is_otlp};
use crate::otlp;
use crate::retries::{Begin, Outcome, Retries, Way, Written, batch_of, kept};
use crate::store::gather::Part;
use crate::store::head::Head;
use crate::store::list::{Files, SealError};
use crate::store::superseded::is_superseded;
use crate::tenants::{Guest, Tenant};
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use rows::body::{Body, BodyError, Encoding as BodyEncoding, Unpacked, said};
use rows::{Options, Proto, Receiver, Report, Store, Version};
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
    /// A receiver for requests that were answered before.
    scratch: Receiver,
    scratch_options: Options,
}

/// The limit of bodies that come from the log: each passed the limit that held when it came.
pub const LOGGED: usize = usize::MAX;

/// The bytes for recognising series that the receiver of answers keeps.
const SCRATCH: usize = 1 << 20;

impl Memory {
    /// Creates memory for bodies up to a limit, before and after inflating, and requests as the options allow them.
    pub fn new(body_limit: usize, options: &Options) -> Memory {
        // A row is several values in JSON.
        let scratch_options = Options { max_series_bytes: SCRATCH, ..options.clone() };
        Memory {
            body: Body::new(body_limit),
            otlp: otlp::Reader::default(),
            json_values: options.max_rows.saturating_mul(8).saturating_add(1000),
            scratch: Receiver::new(scratch_options.clone()),
            scratch_options,
        }
    }

    /// Returns the answer that a request got when it first came, or `None` if this version cannot read it. Its rows are in
    /// `scratch` then.
    fn answer(&mut self, kind: Kind, body: &[u8], way: &Way, metrics: &Metrics) -> Option<Answer> {
        let Notes { options, refused } = notes::decode(kind, way.options, &way.notes)?;
        let Some(options) = options else { return Some(Answer::of_otlp_mapped_otherwise(refused.len())) };
        let inflated = inflate(&mut self.body, body, way.encoding).ok()?;
        let reading = Reading { kind, options: &options, refused: Some(&refused), json_values: usize::MAX };
        self.scratch.clear_rows();
        let read = reading.read(&mut self.scratch, &mut self.otlp, inflated.bytes, metrics);
        read.ok().map(|(_, answer)| answer)
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
        let batch = batch_of(self.store, kind, encoding, tenant.name(), &bytes);
        match self.retries.begin(batch, reply) {
            Begin::New => (),
            Begin::Running => {
                self.metrics.retries.inc();
                return;
            }
            Begin::Again(written) => {
                let next = self.log.next();
                if let Some(answer) = self.known(memory, kind, encoding, &tenant, &bytes, &written)
                    && let Some(reply) = self.retries.learned(batch, &written, answer, || self.log.next() != next)
                {
                    self.metrics.retries.inc();
                    return reply();
                }
            }
        }
        let entry = Entry {
            kind,
            encoding,
            batch,
            received_ms: crate::clock::now_ms(),
            inflated_len: 0,
            options: 0,
            tenant: tenant.name().into(),
            notes: Vec::new(),
            body: bytes,
        };
        let answer = match self.write(worker, memory, entry, &tenant) {
            // The log's thread answers.
            Ok(()) => return,
            Err(NotWritten::Nothing(answer)) => answer,
            Err(NotWritten::Refused((reason, answer))) => {
                let prefix = if tenant.name().is_empty() { String::new() } else { format!("{}: ", tenant.name()) };
                self.metrics.refused_request(reason, &format!("{prefix}{}", answer.text));
                answer
            }
        };
        self.retries.finish(batch, answer, None, crate::clock::now_ms());
    }

    /// Returns the answer to a request that was written before; nothing if its rows were replaced since, or if its answer is not
    /// known any more.
    fn known(
        &self,
        memory: &mut Memory,
        kind: Kind,
        encoding: Encoding,
        tenant: &Tenant,
        bytes: &[u8],
        Written { sequence, outcome, .. }: &Written,
    ) -> Option<Answer> {
        let last = self.log.next() == sequence + 1;
        let (way, answer) = match outcome {
            Outcome::Answer(answer) if last => return Some(answer.clone()),
            Outcome::InLog(way) => (way.clone(), None),
            Outcome::Answer(answer) => {
                let settings = self.live.get();
                let (options, none) = (if is_otlp(kind) { settings.otlp.to_byte() } else { 0 }, []);
                let notes = notes::encode(kind, &settings.otlp, &none).into();
                (Way { encoding, options, notes }, Some(answer.clone()))
            }
        };
        let read = memory.answer(kind, bytes, &way, &self.metrics);
        let receiver = std::mem::replace(&mut memory.scratch, Receiver::new(memory.scratch_options.clone()));
        let answer = answer.or(read)?;
        let rows = Part { receiver, sequences: Vec::new(), worker: 0 };
        let store = (&self.log, &self.head, &self.files);
        (last || !is_superseded(store, tenant.name(), *sequence, rows)).then_some(answer)
    }

    /// Decodes a request and appends it to the log.
    fn write(&self, worker: usize, memory: &mut Memory, mut entry: Entry, tenant: &Tenant) -> Result<(), NotWritten> {
        let settings = self.live.get();
        let limits = settings.tenants.get(tenant.name());
        if let Err(seconds) = tenant.admit(limits, Instant::now()) {
            let text = format!("the tenant may send {} rows a second", limits.rate);
            let answer = Answer { retry_after: Some(seconds), ..Answer::refused(429, text) };
            return Err(NotWritten::Refused(("tenant's rate", answer)));
        }
        let began = Instant::now();
        let Memory { body, otlp, json_values, .. } = memory;
        let inflated = inflate(body, &entry.body, entry.encoding).map_err(|error| match error {
            BodyError::TooLong { .. } | BodyError::WouldBeTooLong { .. } => {
                ("length", Answer::refused(413, format!("the body is longer than {} bytes", self.body_limit)))
            }
            error if matches!(entry.encoding, Encoding::Gzip | Encoding::Zstd) => {
                let name = if entry.encoding == Encoding::Gzip { "gzip" } else { "zstd" };
                (MALFORMED, Answer::refused(400, format!("the body is no {name}, or a damaged one: {error}")))
            }
            error => (MALFORMED, Answer::refused(400, framed(&entry.body).unwrap_or_else(|| error.to_string()))),
        })?;
        self.metrics.stage("inflate", began);
        let Some(_room) = self.head.room(inflated.bytes.len()) else {
            return Err(busy("the memory is full of rows that wait to be written to files"));
        };
        if self.head.rows() > settings.seal_rows.saturating_mul(2) {
            return Err(busy("too many rows wait to be written to files"));
        }
        // The notes are mostly shorter than the body; the log counts them when they are there.
        let permit = self.log.reserve(2 * entry.body.len()).ok_or_else(|| busy("the log is busy"))?;
        let (now, batch) = (entry.received_ms, entry.batch);
        let mut turn = self.head.turn(worker, tenant.name());
        turn.limit_series(if limits.series == 0 { usize::MAX } else { limits.series as usize });
        let ms = |d: Duration| i64::try_from(d.as_millis()).unwrap_or(i64::MAX);
        let times = now.saturating_sub(ms(settings.accept_past))..=now.saturating_add(ms(settings.accept_ahead));
        turn.receiver().accept_times(times);
        let was_empty = turn.receiver().store().label_sets().is_empty();
        let began = Instant::now();
        if is_otlp(entry.kind) {
            entry.options = settings.otlp.to_byte();
        }
        let options = &settings.otlp;
        let reading = Reading { kind: entry.kind, options, refused: None, json_values: *json_values };
        let result = reading.read(turn.receiver(), otlp, inflated.bytes, &self.metrics);
        self.metrics.stage("decode", began);
        let (report, answer) = result.map_err(|refused| match refused.0 {
            // It would be refused again, however often it came.
            TOO_MANY_SERIES if was_empty => {
                (TOO_MANY_SERIES, Answer::refused(413, "its new series need too much memory"))
            }
            _ => refused,
        })?;
        let rows = report.samples + report.histograms + report.exemplars + report.metadata;
        self.metrics.refused(&report);
        if report.bad > 0
            && let Some(unsaid) = self.metrics.throttle.turn("series")
        {
            let first = report.problems.first().first().map(ToString::to_string).unwrap_or_default();
            tracing::warn!(tenant = tenant.name(), series = report.bad, first, unsaid, "series refused");
        }
        if rows == 0 {
            return Err(NotWritten::Nothing(answer));
        }
        entry.inflated_len = inflated.bytes.len() as u32;
        entry.notes = notes::encode(entry.kind, options, &report.refused);
        let (retries, metrics) = (Arc::clone(&self.retries), Arc::clone(&self.metrics));
        // A log that failed takes nothing any more, and the process ends; what is counted here ends with it.
        turn.count(rows, crate::clock::steady_ms());
        // Texts of exemplars are with their rows.
        turn.add_bytes(if report.exemplars > 0 { inflated.bytes.len() } else { 0 });
        tenant.wrote(rows);
        let began = Instant::now();
        let sequence = self.log.append(entry, permit, move |result| {
            metrics.stage("log", began);
            let (answer, written) = match result {
                Ok(at) => {
                    metrics.written(&answer.counts);
                    (answer, Some(at.sequence))
                }
                Err(failed) => (Answer::busy(failed.to_string()), None),
            };
            retries.finish(batch, answer, written, crate::clock::now_ms());
        });
        if let Ok(sequence) = sequence {
            turn.keep(sequence);
        }
        Ok(())
    }
}

/// Why a request is not in the log.
enum NotWritten {
    /// It was refused as a whole.
    Refused(Refused),
    /// Nothing was to be written.
    Nothing(Answer),
}

impl From<Refused> for NotWritten {
    fn from(refused: Refused) -> NotWritten {
        NotWritten::Refused(refused)
    }
}

fn busy(text: &str) -> NotWritten {
    NotWritten::Refused(("busy", Answer::busy(text)))
}

/// How a request becomes rows: the same way when it comes, and when it is read back from the log.
struct Reading<'r> {
    kind: Kind,
    /// How it is mapped, if it is one of OTLP.
    options: &'r otlp::Options,
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
    ) -> Result<(Report, Answer), Refused> {
        let format = match self.kind {
            Kind::Otlp => otlp::Format::Protobuf,
            Kind::OtlpJson => otlp::Format::Json,
            kind => {
                let version = if kind == Kind::V1 { Version::V1 } else { Version::V2 };
                #[cfg(feature = "rival-prost")]
                if kind == Kind::V1 {
                    let report = crate::by_prost::request(receiver, bytes, self.refused);
                    let report = report.map_err(|error| Answer::of_error(&error, version))?;
                    let answer = Answer::from_report(&report);
                    return Ok((report, answer));
                }
                let result = match self.refused {
                    None => receiver.request(bytes, Proto::Is(version)),
                    Some(refused) => receiver.replay(bytes, version, refused),
                };
                let report = result.map_err(|error| Answer::of_error(&error, version))?;
                let answer = Answer::from_report(&report);
                return Ok((report, answer));
            }
        };
        let read = otlp.read(receiver, bytes, format, self.json_values, self.options, self.refused);
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
}

impl Replay<'_> {
    /// Adds a record of the log to the rows again, with the outcome that it had the first time.
    pub fn add(&mut self, record: Record<'_>) -> Result<(), String> {
        let header = record.header;
        if !is_request(header.kind) {
            return Ok(());
        }
        let worker = usize::try_from(header.sequence).unwrap_or(0) % self.workers;
        let mut turn = self.head.turn(worker, record.tenant);
        let (report, answer) = read_again(&record, turn.receiver(), &mut self.memory, self.metrics)?;
        let rows = report.samples + report.histograms + report.exemplars + report.metadata;
        turn.count(rows, crate::clock::steady_ms());
        turn.keep(header.sequence);
        drop(turn);
        self.retries.finish(header.batch, answer, Some(header.sequence), header.received_ms);
        if self.head.rows() >= self.seal_rows || self.head.is_full() {
            self.files.seal_replay(self.head, header.sequence + 1).map_err(|e: SealError| e.to_string())?;
        }
        Ok(())
    }

    /// Learns of a request whose rows are in files, so that it is not written again if it comes again. Its answer is in its
    /// body, which comes with it then. A record that cannot be read is no error: its rows do not depend on it.
    pub fn remember(&mut self, record: Record<'_>) {
        let header = record.header;
        let now = crate::clock::now_ms();
        if !is_request(header.kind) || !kept(now).contains(&header.received_ms) {
            return;
        }
        let way = Way { encoding: header.encoding, options: header.options, notes: record.notes.into() };
        if self.retries.in_log(header.batch, header.sequence, way.clone(), header.received_ms, now) {
            return;
        }
        if let Some(answer) = self.memory.answer(header.kind, record.body, &way, self.metrics) {
            self.retries.finish(header.batch, answer, Some(header.sequence), header.received_ms);
        }
    }
}

/// Reads the rows of a record of the log, as they were when the request came.
fn read_again(
    record: &Record<'_>,
    receiver: &mut Receiver,
    memory: &mut Memory,
    metrics: &Metrics,
) -> Result<(Report, Answer), String> {
    let header = record.header;
    let failed = |why: String| format!("record {} of the log cannot be read again: {why}", header.sequence);
    let (kind, options) = (header.kind, header.options);
    let notes = notes::decode(kind, options, record.notes);
    let Notes { options: Some(options), refused } = notes.ok_or_else(|| failed("its notes are damaged".to_owned()))?
    else {
        return Err(failed(format!(
            "it was mapped by version {} of the mapping of OTLP, and this program has version {}. Which of its series were \
             refused would be wrong, so other rows could be lost. Start the program that wrote it, with --seal-after=1ms, \
             until hotpb_rw_head_rows is 0 and, with Kafka, hotpb_rw_kafka_lag_records is 1 or less; then this program needs \
             it no more",
            otlp::mapping_of(options),
            otlp::MAPPING
        )));
    };
    let Memory { body, otlp, .. } = memory;
    let inflated = inflate(body, record.body, header.encoding).map_err(|error| failed(error.to_string()))?;
    let reading = Reading { kind, options: &options, refused: Some(&refused), json_values: usize::MAX };
    reading.read(receiver, otlp, inflated.bytes, metrics).map_err(|(_, answer)| failed(answer.text))
}

/// Reads records of the log, one at a time.
pub struct LogReader {
    memory: Memory,
    receiver: Receiver,
}

impl LogReader {
    /// Creates a reader with the options of those that read the requests first.
    pub fn new(options: &Options) -> LogReader {
        LogReader { memory: Memory::new(LOGGED, options), receiver: Receiver::new(options.clone()) }
    }

    /// Returns the rows of a request.
    pub fn read(&mut self, record: &Record<'_>, metrics: &Metrics) -> Result<&Store, String> {
        self.receiver.clear_rows();
        read_again(record, &mut self.receiver, &mut self.memory, metrics)?;
        Ok(self.receiver.store())
    }
}

fn is_request(kind: Kind) -> bool {
    !matches!(kind, Kind::Mark | Kind::Close)
}

/// The largest window of a frame of Zstandard, 8 MiB: RFC 8878 recommends that decoders support that, and encoders ask for no
/// more. The sender decides about it, and it costs memory whatever the body's length.
const ZSTD_WINDOW_LOG: u32 = 23;

/// Returns a body without its compression, within the limit.
fn inflate<'b>(body: &'b mut Body, bytes: &[u8], encoding: Encoding) -> Result<Unpacked<'b>, BodyError> {
    match encoding {
        Encoding::Snappy => body.read(bytes, BodyEncoding::Snappy),
        Encoding::None => body.read(bytes, BodyEncoding::Raw),
        Encoding::Gzip => body.read(MultiGzDecoder::new(bytes), BodyEncoding::Raw),
        Encoding::Zstd if bytes.is_empty() => Err(BodyError::Damaged("it is empty".to_owned())),
        Encoding::Zstd => {
            let mut frames = zstd::Decoder::with_buffer(bytes).map_err(|error| BodyError::Read(said(&error)))?;
            frames.window_log_max(ZSTD_WINDOW_LOG).map_err(|error| BodyError::Read(said(&error)))?;
            body.read(frames, BodyEncoding::Raw)
        }
    }
}

/// Recognises snappy's other format, which senders mistake for the one that the protocol asks for.
fn framed(body: &[u8]) -> Option<String> {
    body.starts_with(b"\xff\x06\x00\x00sNaPpY")
        .then(|| "the body is in snappy's framed format; remote write asks for the block format".to_owned())
}
