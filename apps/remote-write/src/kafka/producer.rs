//! librdkafka's producer, and which requests it has delivered.

use rdkafka::ClientContext;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, DeliveryResult, Producer as _, ProducerContext};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// What the server sets itself, because its promise depends on it: each request at least once, and in order.
const OWN: [(&str, &str); 4] = [
    ("acks", "all"),
    ("enable.idempotence", "true"),
    // A message that waits for a broker never fails.
    ("message.timeout.ms", "0"),
    // Java's producers put a series into the same partition.
    ("partitioner", "murmur2_random"),
];

/// Other names of those settings, and settings that can contradict them.
const FORBIDDEN: [&str; 9] = [
    "bootstrap.servers",
    "metadata.broker.list",
    "request.required.acks",
    "delivery.timeout.ms",
    "retries",
    "message.send.max.retries",
    "max.in.flight",
    "max.in.flight.requests.per.connection",
    "transactional.id",
];

/// Settings that a file may change.
const DEFAULTS: [(&str, &str); 4] = [
    ("client.id", "remote-write"),
    ("compression.type", "lz4"),
    ("linger.ms", "20"),
    // What waits is also in the log: more of it would only cost memory.
    ("queue.buffering.max.kbytes", "65536"),
];

/// Returns the settings: ours, and those of a file of lines `name=value`, as Kafka's own tools read it.
pub fn settings(brokers: &str, file: Option<&Path>) -> Result<ClientConfig, String> {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", brokers);
    for (name, value) in DEFAULTS.into_iter().chain(OWN) {
        config.set(name, value);
    }
    let Some(path) = file else { return Ok(config) };
    let failed = |why: String| format!("{}: {why}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    for (line, text) in text.lines().enumerate().map(|(at, text)| (at + 1, text.trim())) {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (name, value) = text.split_once('=').ok_or_else(|| failed(format!("line {line} has no `=`")))?;
        let (name, value) = (name.trim(), value.trim());
        if FORBIDDEN.contains(&name) || OWN.iter().any(|own| own.0 == name) {
            return Err(failed(format!("line {line}: the server sets `{name}` itself")));
        }
        config.set(name, value);
    }
    Ok(config)
}

/// A request on its way.
struct Pending {
    sequence: u64,
    /// Messages that are not delivered.
    left: usize,
    /// Whether all of its messages were sent.
    whole: bool,
}

#[derive(Default)]
struct State {
    /// In order; those at the front that are delivered leave.
    pending: VecDeque<Pending>,
    failed: Option<KafkaError>,
    /// Messages that no broker takes, since this was last asked for.
    refused: Vec<String>,
}

/// What librdkafka calls.
#[derive(Default)]
struct Context(Mutex<State>);

impl ClientContext for Context {
    fn log(&self, level: RDKafkaLogLevel, _facility: &str, text: &str) {
        match level {
            RDKafkaLogLevel::Info | RDKafkaLogLevel::Debug => tracing::debug!(target: "kafka", "{text}"),
            // Whether it is an error shows in the deliveries: a broker that is away is none.
            _ => tracing::warn!(target: "kafka", "{text}"),
        }
    }

    fn error(&self, error: KafkaError, reason: &str) {
        tracing::debug!(target: "kafka", %error, "{reason}");
    }
}

impl ProducerContext for Context {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, sequence: usize) {
        let mut state = self.0.lock().expect("no code panics while it holds the deliveries");
        if let Err((error, _)) = result {
            match error.rdkafka_error_code() {
                Some(RDKafkaErrorCode::MessageSizeTooLarge) => state.refused.push(error.to_string()),
                _ => {
                    state.failed.get_or_insert_with(|| error.clone());
                    return;
                }
            }
        }
        let at = state.pending.partition_point(|pending| pending.sequence < sequence as u64);
        state.pending[at].left -= 1;
    }
}

/// A producer for one topic. One thread uses it.
pub struct Producer {
    inner: BaseProducer<Context>,
    topic: String,
}

impl Producer {
    /// Creates a producer. It connects in the background.
    pub fn new(settings: &ClientConfig, topic: &str) -> Result<Producer, KafkaError> {
        Ok(Producer { inner: settings.create_with_context(Context::default())?, topic: topic.to_owned() })
    }

    fn state<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.inner.context().0.lock().expect("no code panics while it holds the deliveries"))
    }

    /// Begins a request; [`Producer::send`] sends its messages.
    pub fn begin(&self, sequence: u64) {
        self.state(|state| state.pending.push_back(Pending { sequence, left: 0, whole: false }));
    }

    /// Sends a message of the request that was begun last. Returns false if there is no room for it now.
    pub fn send(&self, message: Outgoing<'_>) -> Result<bool, KafkaError> {
        let sequence = usize::try_from(message.sequence).expect("a sequence fits into a pointer");
        let mut headers = OwnedHeaders::new_with_capacity(4);
        let mut header = |key: &str, value: &str| {
            headers = std::mem::replace(&mut headers, OwnedHeaders::new_with_capacity(0))
                .insert(Header { key, value: Some(value) });
        };
        header("batch", message.batch);
        header("sequence", &message.sequence.to_string());
        if message.part > 0 {
            header("part", &message.part.to_string());
        }
        if !message.tenant.is_empty() {
            header("tenant", message.tenant);
        }
        let record = BaseRecord::with_opaque_to(&self.topic, sequence)
            .key(message.key)
            .payload(message.value)
            .headers(headers)
            .timestamp(message.received_ms);
        let counted = |by: isize| {
            self.state(|state| {
                let last = state.pending.back_mut().expect("a request was begun");
                last.left = last.left.saturating_add_signed(by);
            })
        };
        counted(1);
        match self.inner.send(record) {
            Ok(()) => Ok(true),
            Err((error, _)) => {
                counted(-1);
                match error.rdkafka_error_code() {
                    Some(RDKafkaErrorCode::QueueFull) => Ok(false),
                    Some(RDKafkaErrorCode::MessageSizeTooLarge) => {
                        self.state(|state| state.refused.push(error.to_string()));
                        Ok(true)
                    }
                    _ => Err(error),
                }
            }
        }
    }

    /// Ends the request that was begun last.
    pub fn end(&self) {
        self.state(|state| state.pending.back_mut().expect("a request was begun").whole = true);
    }

    /// Lets librdkafka report what happened, and waits for that, up to a time.
    pub fn poll(&self, wait: Duration) {
        self.inner.poll(wait);
    }

    /// Returns the sequence of the first request that is not delivered; `None` if all are. Otherwise, why one cannot be.
    pub fn delivered(&self) -> Result<Option<u64>, KafkaError> {
        if let Some((error, _)) = self.inner.client().fatal_error() {
            return Err(KafkaError::MessageProduction(error));
        }
        self.state(|state| {
            if let Some(error) = &state.failed {
                return Err(error.clone());
            }
            while state.pending.front().is_some_and(|first| first.whole && first.left == 0) {
                state.pending.pop_front();
            }
            Ok(state.pending.front().map(|first| first.sequence))
        })
    }

    /// Returns the errors of messages that no broker takes, since the last call. They count as delivered.
    pub fn take_refused(&self) -> Vec<String> {
        self.state(|state| std::mem::take(&mut state.refused))
    }
}

/// A message for a topic.
pub struct Outgoing<'m> {
    /// The key, which decides on the partition.
    pub key: &'m str,
    /// The content.
    pub value: &'m [u8],
    /// The number among the messages of its series and request.
    pub part: usize,
    /// The request.
    pub sequence: u64,
    /// The request's hash, in hexadecimal digits.
    pub batch: &'m str,
    /// The tenant, or nothing.
    pub tenant: &'m str,
    /// When the request came.
    pub received_ms: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_changes_settings_but_not_the_promise() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kafka.properties");
        let settings_of = |text: &str| {
            std::fs::write(&path, text).unwrap();
            settings("a:1,b:2", Some(&path))
        };
        let config = settings_of("# comment\n\n linger.ms = 5\nsasl.password=a=b\n").unwrap();
        let value = |name| config.get(name).unwrap();
        assert_eq!(
            (value("bootstrap.servers"), value("acks"), value("enable.idempotence")),
            ("a:1,b:2", "all", "true")
        );
        assert_eq!((value("linger.ms"), value("sasl.password"), value("compression.type")), ("5", "a=b", "lz4"));
        for (text, why) in [
            ("\nacks=1", "line 2: the server sets `acks` itself"),
            ("bootstrap.servers=c", "line 1: the server sets `bootstrap.servers` itself"),
            ("linger.ms", "line 1 has no `=`"),
        ] {
            assert_eq!(settings_of(text).unwrap_err(), format!("{}: {why}", path.display()));
        }
        assert!(settings("a:1", Some(&folder.path().join("none"))).unwrap_err().contains("none: "));
    }
}
