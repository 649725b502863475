//! The tasks on a Prometheus remote-write 1.0 request, and their contenders, one file each.

mod buffa;
mod floor;
pub mod generated;
mod google_protobuf;
pub mod greptime;
mod hotpb_codec;
mod hotpb_pool;
mod hotpb_view;
mod hotpb_visitor;
mod prost;
mod quick_protobuf;
mod rust_protobuf;
pub mod stock;

use crate::harness::{Contender, Grid};
use stock::{WriteRequest, sum_labels, sum_request};

/// Decodes requests of one input; bench/README.md describes the tasks.
pub trait Rival {
    /// Decodes the whole request and keeps the result until the next call.
    fn decode(&mut self) -> Result<(), String>;
    /// Decodes, and sums over every label, value and timestamp of the result.
    fn decode_read(&mut self) -> Result<u64, String>;
    /// Opens the request and sums over the labels of its middle series, with as little other work as possible.
    fn find(&mut self) -> Result<u64, String>;
    /// Opens the request and sums over the value of the first label of its last series.
    fn last_label(&mut self) -> Result<u64, String> {
        Err("this rival does not read single labels".into())
    }
    /// Encodes the result of the last decode, into reused memory if the library supports that.
    fn encode(&mut self) -> Result<&[u8], String> {
        Err("this rival does not encode".into())
    }
    /// Returns the result of the last decode as the stock runtime's message.
    fn stock(&mut self) -> Result<WriteRequest, String>;
    /// Returns the note for the result row.
    fn note(&self) -> &'static str;
    /// Whether all of its memory comes from Rust's allocator.
    fn counted(&self) -> bool {
        true
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Task {
    Decode,
    DecodeRead,
    Find,
    LastLabel,
    Encode,
}

const TASKS: &[(&str, Task)] = &[
    ("rw1-decode", Task::Decode),
    ("rw1-decode-read", Task::DecodeRead),
    ("rw1-find", Task::Find),
    ("rw1-last-label", Task::LastLabel),
    ("rw1-encode", Task::Encode),
];

type Make = fn(&'static [u8]) -> Box<dyn Rival>;

const RIVALS: &[(&str, Make)] = &[
    ("hotpb-pool", |input| Box::new(hotpb_pool::Pool::new(input))),
    ("hotpb-pool:unchecked", |input| Box::new(hotpb_pool::Pool::unchecked(input))),
    ("hotpb-pool:builder", |input| Box::new(hotpb_pool::Builder::new(input))),
    ("hotpb-view", |input| Box::new(hotpb_view::View::new(input))),
    ("hotpb-view:validate", |input| Box::new(hotpb_view::Validate::new(input))),
    ("hotpb-visitor", |input| Box::new(hotpb_visitor::Visitor::new(input))),
    ("hotpb-codec", |input| Box::new(hotpb_codec::Codec::new(input))),
    ("prost", |input| Box::new(prost::Fresh::new(input))),
    ("prost:reuse", |input| Box::new(prost::Reuse::new(input))),
    ("prost:greptime-2-elements", greptime::elements),
    ("prost:greptime-3-bytes", greptime::bytes),
    ("prost:greptime-4-slice", greptime::slice),
    ("prost:greptime-6-without-count", greptime::without_count),
    ("prost:greptime-7-pointers", greptime::pointers),
    ("buffa:owned", |input| Box::new(buffa::Owned::new(input))),
    ("buffa:view", |input| Box::new(buffa::View::new(input))),
    ("buffa:lazy-view", |input| Box::new(buffa::Lazy::new(input))),
    ("quick-protobuf", |input| Box::new(quick_protobuf::Cow::new(input))),
    ("rust-protobuf", |input| Box::new(rust_protobuf::Fresh::new(input))),
    ("google-protobuf", |input| Box::new(google_protobuf::Fresh::new(input))),
    ("floor", |input| Box::new(floor::Floor::new(input))),
];

/// Reports whether a rival takes part in a task. A lazy view defers the work that `rw1-decode` measures, so it does not
/// take part there. A visitor keeps nothing, so it takes part only where everything is read. A builder is for encoding;
/// a second way to decode is not a second way to encode.
fn takes_part(task: Task, rival: &str) -> bool {
    match rival {
        _ if task == Task::LastLabel => {
            matches!(rival, "hotpb-view" | "hotpb-pool" | "prost" | "buffa:view" | "buffa:lazy-view")
        }
        "hotpb-view:validate" => task == Task::Decode,
        "hotpb-visitor" => task == Task::DecodeRead,
        "hotpb-pool:builder" => task == Task::Encode,
        "hotpb-pool" | "prost" | "buffa:owned" | "quick-protobuf" | "rust-protobuf" | "google-protobuf" => true,
        "hotpb-codec" => task == Task::Decode || task == Task::DecodeRead,
        _ if rival.starts_with("prost:greptime") => task == Task::Decode || task == Task::DecodeRead,
        "buffa:lazy-view" => task == Task::DecodeRead || task == Task::Find,
        _ => task != Task::Encode,
    }
}

/// Adds the tasks and their contenders.
pub fn add_to(grid: &mut Grid) {
    for &(name, task) in TASKS {
        for &(rival, make) in RIVALS.iter().filter(|(rival, _)| takes_part(task, rival)) {
            grid.add(name, rival, move |request| {
                let mut rival = make(request.input);
                if task == Task::Encode {
                    rival.decode()?;
                }
                Ok(Bound { task, rival, input: request.input })
            });
        }
    }
}

struct Bound {
    task: Task,
    rival: Box<dyn Rival>,
    input: &'static [u8],
}

impl Contender for Bound {
    fn op(&mut self) -> Result<u64, String> {
        match self.task {
            Task::Decode => self.rival.decode().map(|()| 0),
            Task::DecodeRead => self.rival.decode_read(),
            Task::Find => self.rival.find(),
            Task::LastLabel => self.rival.last_label(),
            Task::Encode => self.rival.encode().map(|bytes| bytes.len() as u64),
        }
    }

    fn verify(&mut self) -> Result<(), String> {
        let want = stock::decode(self.input)?;
        if let Task::Find = self.task {
            let middle = want.timeseries.get(want.timeseries.len() / 2).ok_or("no series to find")?;
            return same_sum(self.rival.find()?, sum_labels(&middle.labels));
        }
        if let Task::LastLabel = self.task {
            let last = want.timeseries.last().and_then(|ts| ts.labels.first()).ok_or("no label to read")?;
            return same_sum(self.rival.last_label()?, sum_string(&last.value));
        }
        if let Task::Encode = self.task {
            return if self.rival.encode()? == stock::encode(&want) {
                Ok(())
            } else {
                Err("prost writes other bytes".into())
            };
        }
        self.rival.decode()?;
        if let Task::DecodeRead = self.task {
            same_sum(self.rival.decode_read()?, sum_request(&want))?;
        }
        if stock::encode(&self.rival.stock()?) != stock::encode(&want) {
            return Err("re-encoded by prost, the result differs from prost's own".into());
        }
        Ok(())
    }

    fn note(&self) -> &'static str {
        self.rival.note()
    }

    fn counted(&self) -> bool {
        self.rival.counted()
    }
}

fn same_sum(got: u64, want: u64) -> Result<(), String> {
    if got == want {
        return Ok(());
    }
    Err(format!("checksum {got:016x}, prost's is {want:016x}"))
}

/// The same in all languages: it reads both ends of a string, not every byte, so that the loop over the fields still
/// has a visible share.
pub fn sum_string(s: &str) -> u64 {
    match s.as_bytes() {
        [] => 0,
        b @ [first, ..] => b.len() as u64 + (u64::from(*first) << 8) + (u64::from(b[b.len() - 1]) << 16),
    }
}

/// The same in all languages.
pub fn sum_sample(value: f64, timestamp: i64) -> u64 {
    value.to_bits().wrapping_add(timestamp as u64)
}
