//! Requests of the log in a topic of Kafka: after they are on the disk, each at least once, and those of a series in order.
//!
//! ```text
//!   log ──Tail──▶ record ──decode again──▶ rows ──Messages──▶ one message a series ──Producer──▶ topic
//!    ▲ hold                                                                              │ acks=all
//!    └──────────────────────────────────── Position ◀── all requests below are delivered ┘
//! ```
//!
//! An answer never waits for Kafka. While no broker takes messages, the log keeps what they did not get; when that is
//! too much, the server refuses requests or leaves out the oldest ([`Full`]). After a crash, messages since the last
//! [`Position`] come again, with the same headers.

#[rustfmt::skip]
#[allow(missing_docs, dead_code)]
#[path = "generated/hotpb.mod.rs"]
mod generated;
mod messages;
mod position;
mod producer;

use crate::ingest::{Ingest, LogReader};
use crate::log::{Kind, Tail};
use clap::{Args, ValueEnum};
use messages::{Failure, Message, Messages};
use position::Position;
use producer::{Outgoing, Producer, settings};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use rdkafka::config::ClientConfig;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why nothing is sent.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The pause after an error, which doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The time between two writes of the position.
const LOOK: Duration = Duration::from_secs(1);
/// The time for what is on its way when the server stops.
const LAST: Duration = Duration::from_secs(5);

/// What the server does when too much waits for Kafka.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Full {
    /// It answers 503, and senders send again later.
    Block,
    /// It leaves out the oldest requests, and counts them. They are in the files.
    Drop,
}

/// The options.
#[derive(Args, Clone, Debug)]
pub struct KafkaOptions {
    /// Kafka's brokers, `HOST:PORT,…`: each series of each request becomes a message of a topic.
    #[arg(long, env = "REMOTE_WRITE_KAFKA", value_parser = brokers, value_name = "BROKERS")]
    pub kafka: Option<String>,
    /// The topic.
    #[arg(long, env = "REMOTE_WRITE_KAFKA_TOPIC", default_value = "remote-write", value_parser = topic, value_name = "NAME")]
    pub kafka_topic: String,
    /// A file of further settings, lines `name=value`, with the names of librdkafka: `security.protocol`,
    /// `sasl.username`, `linger.ms` and so on.
    #[arg(long, env = "REMOTE_WRITE_KAFKA_PROPERTIES", value_name = "FILE")]
    pub kafka_properties: Option<PathBuf>,
    /// Bytes of the log that may wait for Kafka.
    #[arg(long, env = "REMOTE_WRITE_KAFKA_MAX_BACKLOG", default_value = "8GiB", value_parser = crate::values::some_bytes, value_name = "BYTES")]
    pub kafka_max_backlog: u64,
    /// What happens when more bytes wait.
    #[arg(long, env = "REMOTE_WRITE_KAFKA_FULL", value_enum, default_value_t = Full::Block, value_name = "WHAT")]
    pub kafka_full: Full,
}

/// Addresses of brokers. librdkafka takes any text, and tries for ever.
fn brokers(text: &str) -> Result<String, String> {
    let is_broker = |broker: &str| {
        let broker = broker.split_once("://").map_or(broker, |(_, rest)| rest);
        let has_port = !broker.ends_with(']');
        let (host, port) = broker.rsplit_once(':').filter(|_| has_port).unwrap_or((broker, "9092"));
        !host.is_empty() && !host.contains(char::is_whitespace) && port.parse::<u16>().is_ok()
    };
    match text.split(',').map(str::trim).find(|broker| !is_broker(broker)) {
        None => Ok(text.to_owned()),
        Some(broker) => Err(format!("{broker:?} is none of HOST:PORT")),
    }
}

/// The name of a topic, by Kafka's rules: a topic that no broker can have would hold the log for ever.
fn topic(text: &str) -> Result<String, String> {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    match (1..=249).contains(&text.len()) && text.bytes().all(is_sign) && !matches!(text, "." | "..") {
        true => Ok(text.to_owned()),
        false => Err("a topic has 1 to 249 letters, digits and ._- only, and is not . or ..".to_owned()),
    }
}

/// Counters since the start.
#[derive(Clone, Debug, Default)]
struct Stats {
    messages: Counter,
    bytes: Counter,
    failures: Counter,
    refused: Counter,
    dropped: Counter,
    next: Gauge,
    lag: Gauge,
    backlog: Gauge,
}

impl Stats {
    fn register(&self, registry: &mut Registry) {
        let r = registry.sub_registry_with_prefix("hotpb_rw_kafka");
        r.register(
            "messages",
            "Messages that were sent; those that were sent again count again",
            self.messages.clone(),
        );
        r.register("bytes", "Bytes of the values of those messages", self.bytes.clone());
        r.register("failures", "Times that sending began again after an error", self.failures.clone());
        r.register(
            "refused_messages",
            "Messages that are too large for the broker; they are in the files",
            self.refused.clone(),
        );
        r.register(
            "dropped_records",
            "Records of the log that were left out because too many waited",
            self.dropped.clone(),
        );
        r.register("sequence", "All records of the log below this are in the topic", self.next.clone());
        r.register("lag_records", "Records of the log that are not in the topic yet", self.lag.clone());
        r.register("backlog_bytes", "About how many bytes of the log these are", self.backlog.clone());
    }
}

/// Sends a log to a topic.
pub struct Sender {
    settings: ClientConfig,
    log: LogReader,
    messages: Messages,
    progress: Progress,
}

/// How far Kafka is, and what follows from that.
struct Progress {
    options: KafkaOptions,
    position: Position,
    stats: Stats,
    looked: Instant,
}

/// The time that is left after the server began to stop.
struct Stop<'s> {
    flag: &'s AtomicBool,
    since: Option<Instant>,
}

impl Stop<'_> {
    fn is_set(&mut self) -> bool {
        if self.flag.load(Ordering::Relaxed) {
            self.since.get_or_insert_with(Instant::now);
        }
        self.since.is_some()
    }

    fn is_over(&mut self) -> bool {
        self.is_set() && self.since.is_some_and(|since| since.elapsed() >= LAST)
    }
}

/// Why a record was not sent.
enum Ended {
    Stopped,
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Ended {
    fn from(error: E) -> Ended {
        Ended::Failed(error.into())
    }
}

impl Sender {
    /// Prepares to send the log of a store; `None` without brokers. The brokers need not be there yet.
    pub fn open(
        options: &KafkaOptions,
        folder: &Path,
        store: u128,
        log: LogReader,
        registry: &mut Registry,
    ) -> Result<Option<Sender>, Error> {
        let Some(brokers) = &options.kafka else {
            return match &options.kafka_properties {
                Some(path) => Err(format!("kafka-properties, which names {}, needs kafka", path.display()).into()),
                None => Ok(None),
            };
        };
        let settings = settings(brokers, options.kafka_properties.as_deref())?;
        // A setting that does not exist, or does not fit the others, shows here and not later.
        drop(Producer::new(&settings, &options.kafka_topic)?);
        let position = Position::read(folder, store, &options.kafka_topic)?;
        let stats = Stats::default();
        stats.register(registry);
        let progress = Progress { options: options.clone(), position, stats, looked: Instant::now() };
        Ok(Some(Sender { settings, log, messages: Messages::default(), progress }))
    }

    /// Returns the sequence from which on the log must be kept.
    pub fn next(&self) -> u64 {
        self.progress.position.next
    }

    /// Sends until `stop` is set, and then for a moment what is on its way.
    pub fn run(mut self, ingest: &Ingest, stop: &AtomicBool) {
        let mut stop = Stop { flag: stop, since: None };
        let mut pause = FIRST_PAUSE;
        while !stop.is_set() {
            let before = self.next();
            let Err(error) = self.session(ingest, &mut stop) else { return };
            self.progress.stats.failures.inc();
            let topic = &self.progress.options.kafka_topic;
            tracing::error!(%error, topic, "Kafka does not get the requests now; they stay in the log");
            if self.next() > before {
                pause = FIRST_PAUSE;
            }
            let began = Instant::now();
            while began.elapsed() < pause && !stop.is_set() {
                std::thread::sleep(Duration::from_millis(50));
                if let Err(error) = self.progress.look(ingest, self.next()) {
                    tracing::error!(%error, "the log of what waits for Kafka");
                }
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Sends from the position on, with a producer of its own, until `stop` is set or something fails.
    fn session(&mut self, ingest: &Ingest, stop: &mut Stop<'_>) -> Result<(), Error> {
        let producer = Producer::new(&self.settings, &self.progress.options.kafka_topic)?;
        let mut tail = self.progress.begin(ingest);
        loop {
            let sent = match self.record(ingest, &mut tail, &producer, stop) {
                Ok(sent) => sent,
                Err(Ended::Stopped) => return Ok(()),
                Err(Ended::Failed(error)) => return Err(error),
            };
            producer.poll(if sent { Duration::ZERO } else { Duration::from_millis(20) });
            let waiting = producer.delivered()?;
            self.progress.refused(&producer);
            let next = waiting.unwrap_or(tail.next());
            self.progress.look(ingest, next)?;
            if stop.is_set() && !sent && waiting.is_none() || stop.is_over() {
                return self.progress.save(ingest, next);
            }
        }
    }

    /// Sends the next record. Returns whether there was one.
    fn record(
        &mut self,
        ingest: &Ingest,
        tail: &mut Tail,
        producer: &Producer,
        stop: &mut Stop<'_>,
    ) -> Result<bool, Ended> {
        // What a power cut could take back must not be in the topic.
        let Some(record) = tail.read(ingest.log.synced())? else { return Ok(false) };
        let header = record.header;
        if matches!(header.kind, Kind::Mark | Kind::Close) {
            return Ok(true);
        }
        let Sender { log, messages, progress, .. } = self;
        let (sequence, received_ms, tenant) = (header.sequence, header.received_ms, record.tenant);
        let batch = format!("{:032x}", header.batch);
        let store = log.read(&record, &ingest.metrics)?;
        producer.begin(sequence);
        let sent = messages.each(store, |Message { key, part, value }| {
            let outgoing = || Outgoing { key, value, part, sequence, batch: &batch, tenant, received_ms };
            while !producer.send(outgoing())? {
                producer.poll(Duration::from_millis(20));
                progress.look(ingest, producer.delivered()?.unwrap_or(sequence))?;
                if stop.is_over() {
                    return Err(Ended::Stopped);
                }
            }
            progress.stats.messages.inc();
            progress.stats.bytes.inc_by(value.len() as u64);
            Ok(())
        });
        sent.map_err(|failure| match failure {
            Failure::Write(error) => error.into(),
            Failure::Taken(ended) => ended,
        })?;
        producer.end();
        Ok(true)
    }
}

impl Progress {
    /// Returns a reader of the log from the position on, or from what is left of it.
    fn begin(&mut self, ingest: &Ingest) -> Tail {
        if self.position.next > ingest.log.next() {
            tracing::error!("the log ends before what Kafka has of it: it is an older one");
            self.position.next = ingest.log.next();
        }
        let mut tail = ingest.log.tail(self.position.next);
        let gone = tail.skip_deleted();
        // The first time, Kafka gets what the log has.
        if gone > 0 && self.position.next > 0 {
            tracing::error!(records = gone, "the log does not have these any more: Kafka does not get them");
            self.stats.dropped.inc_by(gone);
        }
        self.show(ingest);
        tail
    }

    /// Counts messages that no broker takes.
    fn refused(&self, producer: &Producer) {
        for error in producer.take_refused() {
            self.stats.refused.inc();
            tracing::error!(error, "a message is too large for Kafka: its rows are in the files only");
        }
    }

    /// Now and then records that all requests below a sequence are in the topic, and looks how much waits.
    fn look(&mut self, ingest: &Ingest, next: u64) -> Result<(), Error> {
        if self.looked.elapsed() < LOOK {
            return Ok(());
        }
        self.looked = Instant::now();
        self.save(ingest, next)?;
        let mut waiting = ingest.log.lengths_from(self.position.next)?;
        // What is delivered of the first segment does not wait. Of its end, a mark that is not synced does not, either.
        let end = waiting.get(1).map_or(ingest.log.synced(), |(next, _)| next.first);
        if let Some((segment, len)) = waiting.first_mut() {
            *len = part_of(*len, end.saturating_sub(self.position.next), end.saturating_sub(segment.first));
        }
        let (limit, mut bytes) = (self.options.kafka_max_backlog, waiting.iter().map(|(_, len)| len).sum::<u64>());
        let full = bytes > limit;
        ingest.log.pause(full && self.options.kafka_full == Full::Block);
        let mut begin = self.position.next;
        for pair in waiting.windows(2).filter(|_| self.options.kafka_full == Full::Drop) {
            if bytes > limit {
                (bytes, begin) = (bytes - pair[0].1, pair[1].0.first);
            }
        }
        self.stats.backlog.set(bytes as i64);
        let dropped = begin - self.position.next;
        if dropped > 0 {
            self.stats.dropped.inc_by(dropped);
            self.save(ingest, begin)?;
            return Err(format!("too much waits, and the {dropped} oldest records were left out").into());
        }
        Ok(())
    }

    fn save(&mut self, ingest: &Ingest, next: u64) -> Result<(), Error> {
        if next > self.position.next {
            self.position.next = next;
            self.position.write()?;
            ingest.log.hold(next);
        }
        self.show(ingest);
        Ok(())
    }

    fn show(&self, ingest: &Ingest) {
        self.stats.next.set(self.position.next as i64);
        self.stats.lag.set(ingest.log.next().saturating_sub(self.position.next) as i64);
    }
}

/// Returns the bytes of some of the records of a segment, as if all had the same length.
fn part_of(bytes: u64, some: u64, all: u64) -> u64 {
    (u128::from(bytes) * u128::from(some.min(all)) / u128::from(all.max(1))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brokers_and_topics_that_cannot_be_are_errors() {
        for good in ["a", "a:9092", "a:1, b:2", "[::1]:9092", "[::1]", "10.0.0.1:9092", "SSL://a", "SSL://a:1"] {
            assert_eq!(brokers(good).as_deref(), Ok(good));
        }
        for bad in ["", "a:xx", "a b:1", ":9092", "a:1,", "a:70000"] {
            assert!(brokers(bad).unwrap_err().ends_with("is none of HOST:PORT"), "{bad}");
        }
        assert!(topic("a.B_c-1").is_ok());
        for bad in ["", "a b", ".", "..", "ö", &"x".repeat(250)] {
            assert!(topic(bad).is_err(), "{bad}");
        }
    }
}
