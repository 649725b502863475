//! Shared by the tests: the rows as prost, Rust's stock runtime, decodes them, and as the tables have them; and random
//! requests.

#![allow(dead_code)]

pub mod ours;
pub mod random;
pub mod stock;

#[path = "../../../../rust/test/faces/src/mutate.rs"]
pub mod mutate;

use std::collections::BTreeMap;

/// A captured body, uncompressed.
pub fn capture(version: u32) -> Vec<u8> {
    let path = format!("{}/../../vectors/corpora/prometheus_0.315_v{version}.snappy", env!("CARGO_MANIFEST_DIR"));
    let block = std::fs::read(path).unwrap();
    snap::raw::Decoder::new().decompress_vec(&block).unwrap()
}

pub type Labels = Vec<(String, String)>;

/// All rows that a receiver keeps, by metric.
pub type Rows = BTreeMap<String, MetricRows>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricRows {
    pub samples: Vec<Sample>,
    pub histograms: Vec<Histogram>,
    pub exemplars: Vec<Exemplar>,
    pub metadata: Vec<Metadata>,
}

/// Floats are compared as bits: stale markers are NaNs, which must be equal, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub labels: Labels,
    pub timestamp: i64,
    pub value: u64,
    pub start: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    pub labels: Labels,
    pub timestamp: i64,
    pub start: i64,
    /// Whether it is a float's bits, and the bits or the number.
    pub count: Option<(bool, u64)>,
    pub zero_count: Option<(bool, u64)>,
    pub sum: u64,
    pub schema: i32,
    pub zero_threshold: u64,
    pub reset_hint: i32,
    pub negative: Buckets,
    pub positive: Buckets,
    pub custom_values: Vec<u64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Buckets {
    pub spans: Vec<(i32, u32)>,
    pub deltas: Vec<i64>,
    pub counts: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Exemplar {
    pub labels: Labels,
    pub own: Labels,
    pub value: u64,
    pub timestamp: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    pub kind: i32,
    pub help: String,
    pub unit: String,
}

pub fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}
