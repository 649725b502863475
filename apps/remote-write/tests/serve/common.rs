//! A server in a folder of its own, requests to it, and the rows of its files.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampMillisecondType};
use arrow_array::{Array, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use prost::Message;
use remote_write_server::log::format::{HEADER, SegmentHeader};
use remote_write_server::store::manifest::Manifest;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub use super::library::stock::{v1, v2};

pub const V1: &str = "application/x-protobuf";
pub const V2: &str = "application/x-protobuf;proto=io.prometheus.write.v2.Request";

/// Whoever holds it starts no process. A new process has the sockets of this one for a moment, and keeps ports from being bound
/// again.
pub static STARTS: Mutex<()> = Mutex::new(());

/// Starts a process.
pub fn spawn(command: &mut Command) -> Child {
    let _starts = STARTS.lock().unwrap();
    command.spawn().unwrap()
}

/// A server process.
pub struct Server {
    process: Child,
    pub url: String,
    agent: ureq::Agent,
    said: Arc<Mutex<Vec<String>>>,
}

/// What a sender hears.
#[derive(Debug, PartialEq)]
pub struct Heard {
    pub status: u16,
    pub text: String,
    /// Samples, histograms, exemplars, if the headers were there.
    pub counts: Option<[u64; 3]>,
    pub retry_after: Option<String>,
    pub authenticate: Vec<String>,
}

/// What a sender of OTLP hears.
#[derive(Debug, PartialEq)]
pub struct Otlp {
    pub status: u16,
    pub content_type: String,
    pub retry_after: Option<String>,
    pub body: Vec<u8>,
}

impl Server {
    pub fn start(data: &Path, options: &[&str]) -> Server {
        Server::start_by(Command::new(env!("CARGO_BIN_EXE_remote-write")), data, options)
    }

    /// Starts the server by a command that takes its arguments.
    pub fn start_by(mut command: Command, data: &Path, options: &[&str]) -> Server {
        command.args(["serve", "--listen=127.0.0.1:0", "--log-json", "--data"]).arg(data).args(options);
        let mut process = spawn(command.stderr(Stdio::piped()));
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut seen = Vec::new();
        let address = loop {
            let Some(Ok(line)) = lines.next() else { panic!("the server ended:\n{}", seen.join("\n")) };
            if let Some((_, rest)) = line.split_once("\"listen\":\"") {
                break rest.split('"').next().unwrap().to_owned();
            }
            seen.push(line);
        };
        // Someone must read what the server says.
        let said = Arc::new(Mutex::new(seen));
        let also = Arc::clone(&said);
        std::thread::spawn(move || lines.for_each(|line| also.lock().unwrap().extend(line)));
        let config =
            ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(30)));
        Server { process, url: format!("http://{address}"), agent: config.build().into(), said }
    }

    /// Waits for a line of the log with this text, and returns it.
    pub fn wait_said(&self, part: &str) -> String {
        self.wait_said_again(part, 0)
    }

    /// Waits for one more line than `before` with this text, and returns the last one.
    pub fn wait_said_again(&self, part: &str, before: usize) -> String {
        for _ in 0..500 {
            if self.said(part) > before {
                let said = self.said.lock().unwrap();
                return said.iter().rfind(|line| line.contains(part)).unwrap().clone();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server did not say {part:?}:\n{}", self.said.lock().unwrap().join("\n"));
    }

    /// Returns how many lines of the log have this text.
    pub fn said(&self, part: &str) -> usize {
        self.said.lock().unwrap().iter().filter(|line| line.contains(part)).count()
    }

    /// Sends a signal, such as `HUP`.
    pub fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        assert!(spawn(Command::new("kill").args(["-s", name, &id])).wait().unwrap().success());
    }

    pub fn address(&self) -> String {
        self.url.trim_start_matches("http://").to_owned()
    }

    pub fn send(&self, content_type: &str, body: &[u8]) -> Result<Heard, ureq::Error> {
        self.send_as(&[("Content-Type", content_type), ("Content-Encoding", "snappy")], body)
    }

    pub fn send_as(&self, headers: &[(&str, &str)], body: &[u8]) -> Result<Heard, ureq::Error> {
        let mut request = self.agent.post(format!("{}/api/v1/write", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        heard(request.send(body)?)
    }

    /// Sends a request of OTLP.
    pub fn send_otlp(&self, headers: &[(&str, &str)], body: &[u8]) -> Otlp {
        self.try_send_otlp(headers, body).unwrap()
    }

    pub fn try_send_otlp(&self, headers: &[(&str, &str)], body: &[u8]) -> Result<Otlp, ureq::Error> {
        let mut request = self.agent.post(format!("{}/v1/metrics", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = request.send(body)?;
        let header = |name: &str| response.headers().get(name).map(|v| v.to_str().unwrap().to_owned());
        Ok(Otlp {
            status: response.status().as_u16(),
            content_type: header("Content-Type").unwrap_or_default(),
            retry_after: header("Retry-After"),
            body: response.body_mut().read_to_vec()?,
        })
    }

    pub fn post(&self, path: &str) -> Heard {
        heard(self.agent.post(format!("{}{path}", self.url)).send_empty().unwrap()).unwrap()
    }

    pub fn get(&self, path: &str) -> Heard {
        self.get_as(path, &[])
    }

    pub fn get_as(&self, path: &str, headers: &[(&str, &str)]) -> Heard {
        let mut request = self.agent.get(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        heard(request.call().unwrap()).unwrap()
    }

    /// Sends a body of text to a path.
    #[cfg(feature = "sql")]
    pub fn post_text(&self, path: &str, headers: &[(&str, &str)], text: &str) -> Heard {
        let mut request = self.agent.post(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        heard(request.send(text).unwrap()).unwrap()
    }

    /// Waits until all rows are in files.
    pub fn wait_sealed(&self) {
        // Rows count until their files are in the manifest.
        for _ in 0..1500 {
            if self.metric("hotpb_rw_head_rows") == 0.0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("rows stay in memory");
    }

    /// Returns a number of `/metrics`, by its name and labels.
    pub fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").text;
        let mut values = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
        values.next().unwrap_or_else(|| panic!("there is no {name}:\n{text}"))
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Asks the server to stop, and returns whether it ended well.
    pub fn stop(self) -> bool {
        self.signal("TERM");
        self.wait()
    }

    /// Waits until the server has ended, and returns whether it ended well.
    pub fn wait(mut self) -> bool {
        self.process.wait().unwrap().success()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

fn heard(mut response: ureq::http::Response<ureq::Body>) -> Result<Heard, ureq::Error> {
    let header = |name: &str| response.headers().get(name).map(|v| v.to_str().unwrap().to_owned());
    let count = |kind: &str| header(&format!("X-Prometheus-Remote-Write-{kind}-Written"))?.parse::<u64>().ok();
    let counts = count("Samples").map(|samples| [samples, count("Histograms").unwrap(), count("Exemplars").unwrap()]);
    let retry_after = header("Retry-After");
    let authenticate = response.headers().get_all("WWW-Authenticate").iter();
    let authenticate = authenticate.map(|value| value.to_str().unwrap().to_owned()).collect();
    let (status, text) = (response.status().as_u16(), response.body_mut().read_to_string()?);
    Ok(Heard { status, counts, retry_after, authenticate, text })
}

pub fn snappy(bytes: &[u8]) -> Vec<u8> {
    snap::raw::Encoder::new().compress_vec(bytes).unwrap()
}

pub fn pack(message: &impl Message) -> Vec<u8> {
    snappy(&message.encode_to_vec())
}

/// Moves the times at which the segments of a log were created.
pub fn date_segments(data: &Path, by_ms: i64) {
    for segment in std::fs::read_dir(data.join("log")).unwrap() {
        let path = segment.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        let mut header = SegmentHeader::decode(bytes[..HEADER].try_into().unwrap()).unwrap();
        header.created_ms += by_ms;
        bytes[..HEADER].copy_from_slice(&header.encode());
        std::fs::write(&path, bytes).unwrap();
    }
}

/// A row of a file, with all columns but its time as text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    pub labels: BTreeMap<String, String>,
    pub time: i64,
    pub value: u64,
}

/// Reads the rows of all files of a kind that the manifest names.
pub fn batches(data: &Path, kind: &str) -> Vec<RecordBatch> {
    let manifest = Manifest::read(data).unwrap().unwrap();
    let files = manifest.files.iter().filter(|file| file.path.starts_with(kind));
    let paths = files.map(|file| data.join("data").join(&file.path)).collect::<Vec<PathBuf>>();
    let read = |path: &PathBuf| {
        let file = std::fs::File::open(path).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
        reader.map(Result::unwrap).collect::<Vec<_>>()
    };
    paths.iter().flat_map(read).collect()
}

pub fn samples(data: &Path) -> Vec<Row> {
    samples_in(data, "samples/")
}

/// Reads the samples of a folder, such as that of a tenant.
pub fn samples_in(data: &Path, folder: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = batches(data, folder).iter().flat_map(|batch| rows_of(batch, "__value__")).collect();
    rows.sort();
    rows
}

/// Returns labels, times, and the bits of one column of floats.
pub fn rows_of(batch: &RecordBatch, value: &str) -> Vec<Row> {
    let schema = batch.schema();
    let times = batch.column_by_name("__time__").unwrap().as_primitive::<TimestampMillisecondType>();
    let values = batch.column_by_name(value).unwrap().as_primitive::<Float64Type>();
    let mut rows: Vec<Row> = (0..batch.num_rows())
        .map(|row| Row { labels: BTreeMap::new(), time: times.value(row), value: values.value(row).to_bits() })
        .collect();
    for (field, column) in schema.fields().iter().zip(batch.columns()) {
        if let Some(words) = column.as_dictionary_opt::<Int32Type>() {
            let texts = words.values().as_string::<i32>();
            for (at, row) in rows.iter_mut().enumerate() {
                if words.is_valid(at) {
                    let text = texts.value(words.keys().value(at) as usize);
                    row.labels.insert(field.name().clone(), text.to_owned());
                }
            }
        }
        if field.name() == "__labels__" {
            let map = column.as_map();
            for (at, row) in rows.iter_mut().enumerate() {
                let entry = map.value(at);
                let (keys, values) = (entry.column(0).as_string::<i32>(), entry.column(1).as_string::<i32>());
                row.labels.extend(keys.iter().zip(values).map(|(k, v)| (k.unwrap().into(), v.unwrap().into())));
            }
        }
    }
    rows
}

/// A request with one sample.
pub fn one_sample(metric: &str, time: i64, value: f64) -> v1::WriteRequest {
    v1::WriteRequest {
        timeseries: vec![v1::TimeSeries {
            labels: vec![v1::Label { name: "__name__".into(), value: metric.into() }],
            samples: vec![v1::Sample { value, timestamp: time }],
            ..Default::default()
        }],
        ..Default::default()
    }
}

pub fn now() -> i64 {
    remote_write_server::clock::now_ms()
}

pub fn capture(version: u32) -> Vec<u8> {
    let path = format!("{}/../../vectors/corpora/prometheus_0.315_v{version}.snappy", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap()
}
