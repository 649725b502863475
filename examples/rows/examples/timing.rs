//! Times the way from the bytes of a 1.0 request to columns, beside prost: all contenders take turns in one run;
//! medians, allocations.
//!
//!     cargo run --release --example timing -- FILE      (an uncompressed 1.0 request)
//!
//! prost decodes into structs. `rows` then builds the usual result of a receiver: a list of labels, timestamp and value
//! for each metric, in a hash map. hotpb's visitor builds columns, dictionary-encoded and checked as README.md says:
//! once with a receiver that has never seen a series, once with one that knows them all.

#[path = "../../../rust/bench/src/allocations.rs"]
#[allow(unexpected_cfgs, unsafe_code)]
mod allocations;

#[path = "../../first-light/rust/src/generated/stock/prometheus.rs"]
#[allow(dead_code, clippy::all)]
mod stock;

use prost::Message;
use rows::{Options, Proto, Receiver, Version};
use std::collections::HashMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

const ROUNDS: usize = 11;
const ROUND: Duration = Duration::from_millis(40);

/// A row as most receivers store it.
type Row = (Vec<(String, String)>, i64, f64);

/// A contender: its name, a function that returns the number of samples in the bytes, and its times.
type Contender<'c> = (&'c str, Box<dyn FnMut() -> usize + 'c>, Vec<f64>);

fn main() {
    let file = std::env::args().nth(1).expect("usage: timing FILE");
    let body = std::fs::read(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
    let options = Options { skip_bad: true, ..Options::default() };
    let mut known = Receiver::new(options.clone());
    let series = known.request(&body, Proto::Is(Version::V1)).expect("an uncompressed 1.0 request").series;
    let mut contenders: [Contender<'_>; 4] = [
        ("prost, decode", Box::new(|| samples(&decode(&body))), Vec::new()),
        (
            "prost, decode, rows in a hash map",
            Box::new(|| rows(decode(&body)).values().map(Vec::len).sum()),
            Vec::new(),
        ),
        (
            "hotpb visitor to columns, all series new",
            Box::new(|| {
                let mut receiver = Receiver::new(options.clone());
                receiver.request(&body, Proto::Is(Version::V1)).unwrap().samples as usize
            }),
            Vec::new(),
        ),
        (
            "hotpb visitor to columns, series known",
            Box::new(|| {
                known.clear_rows();
                known.request(&body, Proto::Is(Version::V1)).unwrap().samples as usize
            }),
            Vec::new(),
        ),
    ];
    let counts: Vec<usize> = contenders.iter_mut().map(|(_, run, _)| run()).collect();
    assert!(counts.iter().all(|&count| count == counts[0]), "not the same samples: {counts:?}");
    for _ in 0..ROUNDS {
        for (_, run, rounds) in &mut contenders {
            let (start, mut turns) = (Instant::now(), 0);
            while start.elapsed() < ROUND {
                black_box(run());
                turns += 1;
            }
            rounds.push(start.elapsed().as_secs_f64() / f64::from(turns));
        }
    }
    println!("{series} series, {} samples, {} bytes", counts[0], body.len());
    let mut slowest = 0.0;
    for (what, run, rounds) in &mut contenders {
        rounds.sort_by(f64::total_cmp);
        let seconds = rounds[ROUNDS / 2];
        slowest = f64::max(slowest, seconds);
        let (_, calls, _) = allocations::of(run);
        println!(
            "  {what:42} {:8.2} ms {:10.0} samples/ms {calls:>9} allocations {:6.1}x",
            seconds * 1e3,
            counts[0] as f64 / seconds / 1e3,
            slowest / seconds
        );
    }
}

fn decode(body: &[u8]) -> stock::WriteRequest {
    stock::WriteRequest::decode(body).expect("the receiver has read it")
}

fn samples(request: &stock::WriteRequest) -> usize {
    request.timeseries.iter().map(|ts| ts.samples.len()).sum()
}

fn rows(request: stock::WriteRequest) -> HashMap<String, Vec<Row>> {
    let mut tables = HashMap::<String, Vec<Row>>::new();
    for ts in request.timeseries {
        let (mut labels, mut metric) = (Vec::with_capacity(ts.labels.len()), String::new());
        for label in ts.labels {
            if label.name == "__name__" { metric = label.value } else { labels.push((label.name, label.value)) }
        }
        let table = tables.entry(metric).or_default();
        table.extend(ts.samples.iter().map(|sample| (labels.clone(), sample.timestamp, sample.value)));
    }
    tables
}
