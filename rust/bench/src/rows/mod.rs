//! `rw1-rows`: from the bytes of a request to one table per metric.

mod body;
mod columns;
mod greptime;
mod hotpb;
mod known;
mod prost;
mod tables;

use std::collections::BTreeMap;

use crate::harness::{Contender, Grid, Request};
use crate::rw1::generated::prost::WriteRequest;

/// A contender: it keeps its memory from request to request, and the tables of the last one.
pub trait Rival: Default {
    /// The note for the result row.
    const NOTE: &'static str;
    /// Builds the tables of one request; returns the number of rows.
    fn rows(&mut self, request: &[u8]) -> Result<u64, String>;
    /// Returns the tables in a form that can be compared.
    fn plain(&self) -> Result<Plain, String>;
}

/// Metric -> its rows, in the order of the request: labels by name, time, bits of the value.
pub type Plain = BTreeMap<String, Vec<(BTreeMap<String, String>, i64, u64)>>;

/// The label that names the metric.
const METRIC: &str = "__name__";

/// Returns the expected tables.
fn expected(request: &[u8]) -> Result<Plain, String> {
    let request: WriteRequest = ::prost::Message::decode(request).map_err(|e: ::prost::DecodeError| e.to_string())?;
    let mut tables = Plain::new();
    for series in request.timeseries {
        let mut labels: BTreeMap<_, _> = series.labels.into_iter().map(|l| (l.name, l.value)).collect();
        let rows = tables.entry(labels.remove(METRIC).ok_or("a series without a metric")?).or_default();
        rows.extend(series.samples.iter().map(|s| (labels.clone(), s.timestamp, s.value.to_bits())));
    }
    tables.retain(|_, rows| !rows.is_empty());
    Ok(tables)
}

/// Adds the task and its contenders.
pub fn add_to(grid: &mut Grid) {
    add::<rows::Tables>(grid, "hotpb-tables");
    add::<tables::Cold>(grid, "hotpb-tables:cold");
    add::<hotpb::Rows<foldhash::fast::RandomState>>(grid, "hotpb-visitor");
    add::<hotpb::Rows<std::hash::RandomState>>(grid, "hotpb-visitor:siphash");
    add::<hotpb::Cold>(grid, "hotpb-visitor:cold");
    add::<hotpb::NoRows>(grid, "hotpb-pool:no-rows");
    add::<prost::Rows<std::hash::RandomState>>(grid, "prost");
    add::<prost::Rows<foldhash::fast::RandomState>>(grid, "prost:foldhash");
    add::<greptime::Rows>(grid, "prost:greptime-rows");
    body::add_to(grid);
}

fn add<R: Rival + 'static>(grid: &mut Grid, rival: &'static str) {
    grid.add("rw1-rows", rival, |request: &Request| Ok(Bound { rival: R::default(), input: request.input }));
}

struct Bound<R> {
    rival: R,
    input: &'static [u8],
}

impl<R: Rival> Contender for Bound<R> {
    fn op(&mut self) -> Result<u64, String> {
        self.rival.rows(self.input)
    }

    fn verify(&mut self) -> Result<(), String> {
        self.rival.rows(self.input)?;
        if self.rival.plain()? == expected(self.input)? { Ok(()) } else { Err("other rows than prost's".into()) }
    }

    fn note(&self) -> &'static str {
        R::NOTE
    }
}
