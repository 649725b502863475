//! Writes series to a receiver of remote write as fast as it takes them, or at a rate, and prints one JSON object: what was
//! written, how long answers took, and which CPU time and memory the receiver's process needed.
//!
//! ```text
//! cargo run --release --example load -- --url http://127.0.0.1:9411/api/v1/write --pid 4711
//! ```
//!
//! A request has the next sample of each of its series. All of it but times and values is encoded once, so that the load
//! takes little time beside the receiver. Series have five labels besides the name, as a server's own metrics do.

use clap::Parser;
use hotpb::wire::{FIXED64, LEN, VARINT, append_bytes, append_tag, append_varint};
use serde_json::json;
use std::collections::HashMap;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[derive(Parser)]
struct Args {
    /// Where to write.
    #[arg(long)]
    url: String,
    /// The version of remote write.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    version: u8,
    /// The number of series.
    #[arg(long, default_value_t = 100_000)]
    series: usize,
    /// The number of samples of a request, one for each series.
    #[arg(long, default_value_t = 2_000)]
    batch: usize,
    /// The number of connections, each of which waits for an answer before it sends the next request.
    #[arg(long, default_value_t = 4)]
    senders: usize,
    /// How long to write, in seconds.
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Writes each series this often, however long it takes.
    #[arg(long)]
    rounds: Option<u64>,
    /// Samples per second, of all senders together. Without it, as many as the receiver takes.
    #[arg(long)]
    rate: Option<f64>,
    /// The process whose CPU time and memory are printed.
    #[arg(long)]
    pid: Option<u32>,
    /// A name for the output.
    #[arg(long, default_value = "")]
    name: String,
}

/// The bytes of a request, and where its times and values are.
struct Template {
    bytes: Vec<u8>,
    /// The offset of each value; its time is `TIME_AFTER` bytes later.
    values: Vec<usize>,
}

/// From a value to the varint of its time: the value's eight bytes, and a tag.
const TIME_AFTER: usize = 9;
/// Milliseconds since the epoch have six bytes as a varint.
const TIME_BYTES: usize = 6;
/// The metrics that the series belong to.
const METRICS: usize = 200;

/// Returns the labels of a series, sorted by name.
fn labels(series: usize) -> [(&'static str, String); 6] {
    let rest = series / METRICS;
    [
        ("__name__", format!("service_requests_{:03}_total", series % METRICS)),
        ("code", ["200", "404", "500"][rest % 3].into()),
        ("handler", format!("/api/v1/handler/{}", rest / 3 % 5)),
        ("instance", format!("host-{:05}.example.org:9100", rest / 30)),
        ("job", "service".into()),
        ("method", ["GET", "POST"][rest / 15 % 2].into()),
    ]
}

fn append_field(out: &mut Vec<u8>, number: u32, content: &[u8]) {
    append_tag(out, number, LEN);
    append_bytes(out, content);
}

/// Returns a sample, the same in both versions: a value of eight bytes, a time of six.
fn sample() -> Vec<u8> {
    let mut out = Vec::new();
    append_tag(&mut out, 1, FIXED64);
    out.extend_from_slice(&[0; 8]);
    append_tag(&mut out, 2, VARINT);
    append_varint(&mut out, 1 << 40);
    out
}

impl Template {
    fn new(version: u8, series: std::ops::Range<usize>) -> Template {
        let (mut bytes, mut values) = (Vec::new(), Vec::new());
        let mut symbols = vec![String::new()];
        let mut known = HashMap::new();
        for number in series {
            let mut content = Vec::new();
            let mut refs = Vec::new();
            for (name, value) in labels(number) {
                match version {
                    1 => {
                        let mut label = Vec::new();
                        append_field(&mut label, 1, name.as_bytes());
                        append_field(&mut label, 2, value.as_bytes());
                        append_field(&mut content, 1, &label);
                    }
                    _ => {
                        for text in [name.to_string(), value] {
                            let symbol = *known.entry(text.clone()).or_insert_with(|| {
                                symbols.push(text);
                                symbols.len() as u64 - 1
                            });
                            append_varint(&mut refs, symbol);
                        }
                    }
                }
            }
            if version == 2 {
                append_field(&mut content, 1, &refs);
            }
            append_field(&mut content, 2, &sample());
            append_field(&mut bytes, if version == 1 { 1 } else { 5 }, &content);
            // The sample is the end of the series: value, tag, time.
            values.push(bytes.len() - TIME_BYTES - TIME_AFTER);
        }
        if version == 2 {
            let mut whole = Vec::new();
            symbols.iter().for_each(|symbol| append_field(&mut whole, 4, symbol.as_bytes()));
            values.iter_mut().for_each(|at| *at += whole.len());
            whole.extend_from_slice(&bytes);
            bytes = whole;
        }
        Template { bytes, values }
    }

    /// Sets all times and values.
    fn set(&mut self, time: i64, value: f64) {
        let mut varint = Vec::new();
        append_varint(&mut varint, time as u64);
        assert_eq!(varint.len(), TIME_BYTES);
        for (i, &at) in self.values.iter().enumerate() {
            self.bytes[at..at + 8].copy_from_slice(&(value + i as f64).to_le_bytes());
            self.bytes[at + TIME_AFTER..at + TIME_AFTER + TIME_BYTES].copy_from_slice(&varint);
        }
    }
}

/// What a sender saw.
#[derive(Default)]
struct Seen {
    micros: Vec<u32>,
    busy: u64,
    samples: u64,
    bytes: u64,
}

struct Sender<'a> {
    args: &'a Args,
    agent: ureq::Agent,
    seen: Seen,
}

impl Sender<'_> {
    /// Sends a body until the receiver accepts it.
    fn send(&mut self, body: &[u8]) -> Result<(), String> {
        let (kind, version) = match self.args.version {
            1 => ("application/x-protobuf", "0.1.0"),
            _ => ("application/x-protobuf;proto=io.prometheus.write.v2.Request", "2.0.0"),
        };
        loop {
            let request =
                self.agent.post(&self.args.url).header("Content-Type", kind).header("Content-Encoding", "snappy");
            let request = request.header("X-Prometheus-Remote-Write-Version", version).header("User-Agent", "load");
            let began = Instant::now();
            let mut answer = request.send(body).map_err(|e| e.to_string())?;
            let text = answer.body_mut().read_to_string().map_err(|e| e.to_string())?;
            match answer.status().as_u16() {
                200..=299 => {
                    self.seen.micros.push(began.elapsed().as_micros() as u32);
                    self.seen.bytes += body.len() as u64;
                    return Ok(());
                }
                429 | 503 => {
                    self.seen.busy += 1;
                    std::thread::sleep(Duration::from_millis(20));
                }
                status => return Err(format!("status {status}: {text}")),
            }
        }
    }

    /// Sends the sender's own requests in turn, round after round.
    fn run(
        mut self,
        own: &mut [Template],
        first_time: i64,
        stop: &AtomicBool,
        total: &AtomicU64,
    ) -> Result<Seen, String> {
        let mut snappy = snap::raw::Encoder::new();
        let began = Instant::now();
        let pause =
            self.args.rate.map(|rate| Duration::from_secs_f64((self.args.batch * self.args.senders) as f64 / rate));
        let mut due = began;
        for round in 0..self.args.rounds.unwrap_or(u64::MAX) {
            for template in &mut *own {
                if stop.load(Ordering::Relaxed) {
                    return Ok(self.seen);
                }
                if let Some(pause) = pause {
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    due += pause;
                }
                template.set(first_time + round as i64 * 1000, round as f64);
                let body = snappy.compress_vec(&template.bytes).map_err(|e| e.to_string())?;
                self.send(&body)?;
                self.seen.samples += template.values.len() as u64;
                total.fetch_add(template.values.len() as u64, Ordering::Relaxed);
            }
        }
        Ok(self.seen)
    }
}

/// Returns the CPU time of a process in seconds, its resident memory, and the most that it ever had, in bytes.
fn process(pid: u32) -> Option<(f64, u64, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let kib = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
    };
    // Linux counts in hundredths of a second.
    Some((ticks / 100.0, kib("VmRSS:")?, kib("VmHWM:")?))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args = Args::parse();
    let batches = args.series.div_ceil(args.batch);
    let senders = args.senders.min(batches);
    let mut own: Vec<Vec<Template>> = (0..senders).map(|_| Vec::new()).collect();
    for batch in 0..batches {
        let series = batch * args.batch..((batch + 1) * args.batch).min(args.series);
        own[batch % senders].push(Template::new(args.version, series));
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as i64;
    let first_time = now - 50 * 60 * 1000;
    let before = args.pid.and_then(process);
    let (stop, total) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut memory = Vec::new();
    let began = Instant::now();
    let seen: Vec<Result<Seen, String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = own
            .iter_mut()
            .map(|own| {
                let sender = Sender { args: &args, agent: agent(), seen: Seen::default() };
                let (stop, total) = (&stop, &total);
                scope.spawn(move || {
                    let result = sender.run(own, first_time, stop, total);
                    if result.is_err() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    result
                })
            })
            .collect();
        while !threads.iter().all(|thread| thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(100));
            memory.extend(args.pid.and_then(process).map(|(_, resident, _)| resident));
            if args.rounds.is_none() && began.elapsed().as_secs_f64() >= args.seconds {
                stop.store(true, Ordering::Relaxed);
            }
        }
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a sender panicked".into()))).collect()
    });
    let seconds = began.elapsed().as_secs_f64();
    let after = args.pid.and_then(process);
    let seen: Vec<Seen> = seen.into_iter().collect::<Result<_, _>>()?;
    let mut micros: Vec<u32> = seen.iter().flat_map(|s| &s.micros).copied().collect();
    micros.sort_unstable();
    let ms = |part: f64| {
        micros
            .get(((micros.len() as f64 * part) as usize).min(micros.len().saturating_sub(1)))
            .map(|&us| f64::from(us) / 1000.0)
    };
    let samples: u64 = seen.iter().map(|s| s.samples).sum();
    let cpu = before.zip(after).map(|(before, after)| after.0 - before.0);
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let most = |part: &[u64]| part.iter().max().map(|&bytes| mib(bytes));
    let (first_half, second_half) = memory.split_at(memory.len() / 2);
    let out = json!({
        "name": args.name,
        "version": args.version,
        "series": args.series,
        "seconds": seconds,
        "samples": samples,
        "samples_per_second": samples as f64 / seconds,
        "wire_bytes_per_sample": seen.iter().map(|s| s.bytes).sum::<u64>() as f64 / samples as f64,
        "busy": seen.iter().map(|s| s.busy).sum::<u64>(),
        "p50_ms": ms(0.5),
        "p99_ms": ms(0.99),
        "max_ms": ms(1.0),
        "cpu_seconds_per_million": cpu.map(|cpu| cpu / samples as f64 * 1e6),
        "resident_mib_first_half": most(first_half),
        "resident_mib_second_half": most(second_half),
        "resident_mib_after": after.map(|after| mib(after.1)),
        "resident_mib_peak": after.map(|after| mib(after.2)),
    });
    println!("{out}");
    Ok(())
}

/// Returns a client that keeps its connection, and to which no status is an error.
fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    config.timeout_global(Some(Duration::from_secs(60))).build().into()
}
