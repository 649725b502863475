//! Tasks that read two fields of a message: near its start and near its end, or of each of its 1,000 log records.

use ::buffa::LazyMessageView;
use ::buffa::MessageView;
use ::hotpb::view::View as _;
use ::prost::Message;
use ::quick_protobuf::{BytesReader, MessageRead};

use super::data;
use super::generated::buffa::hotpb::bench as buffa;
use super::generated::hotpb::hotpb::bench as hot;
use super::generated::{prost, quick_listing, quick_otlp_logs, quick_shapes};
use crate::harness::{Contender, Grid, Request};
use crate::rw1::sum_string;

/// Opens or decodes a message, and sums over two of its fields.
type Read = fn(&'static [u8]) -> Result<u64, String>;

/// The contenders of one task: rival, note, function. The first is the stock runtime.
type Rivals = &'static [(&'static str, &'static str, Read)];

const LAZY: &str = "the levels that are read are scanned";
const WHOLE: &str = "decodes the whole message; strings borrow";
const FRESH: &str = "decodes the whole message, a fresh one each time";

/// Adds the tasks and their contenders.
pub fn add_to(grid: &mut Grid) {
    add(grid, "googlemsg1-two", data::listings, LISTING);
    add(grid, "small-200B-two", data::spans, SPAN);
    add(grid, "otlp-logs-two", || vec![data::logs()], LOGS);
}

fn add(grid: &mut Grid, task: &'static str, inputs: fn() -> Vec<Vec<u8>>, rivals: Rivals) {
    let stock = rivals[0].2;
    for &(rival, note, read) in rivals {
        grid.add(task, rival, move |_: &Request| {
            let inputs = inputs().into_iter().map(|input| &*input.leak()).collect();
            Ok(Two { read, stock, note, inputs, next: 0 })
        });
    }
}

struct Two {
    read: Read,
    stock: Read,
    note: &'static str,
    inputs: Vec<&'static [u8]>,
    next: usize,
}

impl Contender for Two {
    #[inline(always)]
    fn op(&mut self) -> Result<u64, String> {
        let input = self.inputs[self.next];
        self.next = if self.next + 1 < self.inputs.len() { self.next + 1 } else { 0 };
        (self.read)(input)
    }

    fn verify(&mut self) -> Result<(), String> {
        match self.inputs.iter().all(|input| (self.read)(input) == (self.stock)(input)) {
            true => Ok(()),
            false => Err("prost reads other values".into()),
        }
    }

    fn note(&self) -> &'static str {
        self.note
    }

    fn size(&self) -> Option<usize> {
        Some(self.inputs.iter().map(|input| input.len()).sum::<usize>() / self.inputs.len())
    }
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn quick<'a, M: MessageRead<'a>>(input: &'a [u8]) -> Result<M, String> {
    M::from_reader(&mut BytesReader::from_bytes(input), input).map_err(text)
}

fn sum(string: &str, number: u64) -> u64 {
    sum_string(string).wrapping_add(number)
}

const LISTING: Rivals = &[
    ("prost", FRESH, |input| {
        let m = prost::Listing::decode(input).map_err(text)?;
        Ok(sum(&m.title, m.checksum() as u64))
    }),
    ("hotpb-view", LAZY, |input| {
        let m = hot::ListingView::decode(input).map_err(text)?;
        Ok(sum(m.title().to_str().map_err(text)?, m.checksum() as u64))
    }),
    ("buffa:lazy-view", LAZY, |input| {
        let m = buffa::ListingLazyView::decode_lazy(input).map_err(text)?;
        Ok(sum(m.title, m.checksum.unwrap_or_default() as u64))
    }),
    ("buffa:view", WHOLE, |input| {
        let m = buffa::ListingView::decode_view(input).map_err(text)?;
        Ok(sum(m.title, m.checksum.unwrap_or_default() as u64))
    }),
    ("quick-protobuf", WHOLE, |input| {
        let m: quick_listing::hotpb::bench::Listing<'_> = quick(input)?;
        Ok(sum(&m.title, m.checksum.unwrap_or_default() as u64))
    }),
];

const SPAN: Rivals = &[
    ("prost", FRESH, |input| {
        let m = prost::Span::decode(input).map_err(text)?;
        Ok(sum(&m.host, m.duration_ns))
    }),
    ("hotpb-view", LAZY, |input| {
        let m = hot::SpanView::decode(input).map_err(text)?;
        Ok(sum(m.host(), m.duration_ns()))
    }),
    ("buffa:lazy-view", LAZY, |input| {
        let m = buffa::SpanLazyView::decode_lazy(input).map_err(text)?;
        Ok(sum(m.host, m.duration_ns))
    }),
    ("buffa:view", WHOLE, |input| {
        let m = buffa::SpanView::decode_view(input).map_err(text)?;
        Ok(sum(m.host, m.duration_ns))
    }),
    ("quick-protobuf", WHOLE, |input| {
        let m: quick_shapes::hotpb::bench::Span<'_> = quick(input)?;
        Ok(sum(&m.host, m.duration_ns))
    }),
];

const LOGS: Rivals = &[
    ("prost", FRESH, |input| {
        let m = prost::LogsRequest::decode(input).map_err(text)?;
        let scopes = m.resource_logs.iter().flat_map(|r| &r.scope_logs);
        let records = scopes.flat_map(|s| &s.log_records);
        Ok(records.fold(0, |all, r| sum(&r.severity_text, r.time_unix_nano).wrapping_add(all)))
    }),
    ("hotpb-view", LAZY, |input| {
        let mut all = 0u64;
        for resource in hot::LogsRequestView::decode(input).map_err(text)?.resource_logs() {
            for scope in resource.open().map_err(text)?.scope_logs() {
                for record in scope.open().map_err(text)?.log_records() {
                    let r = record.open().map_err(text)?;
                    all = all.wrapping_add(sum(r.severity_text(), r.time_unix_nano()));
                }
            }
        }
        Ok(all)
    }),
    ("buffa:lazy-view", LAZY, |input| {
        let mut all = 0u64;
        for resource in &buffa::LogsRequestLazyView::decode_lazy(input).map_err(text)?.resource_logs {
            for scope in &resource.map_err(text)?.scope_logs {
                for record in &scope.map_err(text)?.log_records {
                    let r = record.map_err(text)?;
                    all = all.wrapping_add(sum(r.severity_text, r.time_unix_nano));
                }
            }
        }
        Ok(all)
    }),
    ("buffa:view", WHOLE, |input| {
        let m = buffa::LogsRequestView::decode_view(input).map_err(text)?;
        let scopes = m.resource_logs.iter().flat_map(|r| r.scope_logs.iter());
        let records = scopes.flat_map(|s| s.log_records.iter());
        Ok(records.fold(0, |all, r| sum(r.severity_text, r.time_unix_nano).wrapping_add(all)))
    }),
    ("quick-protobuf", WHOLE, |input| {
        let m: quick_otlp_logs::hotpb::bench::LogsRequest<'_> = quick(input)?;
        let scopes = m.resource_logs.iter().flat_map(|r| &r.scope_logs);
        let records = scopes.flat_map(|s| &s.log_records);
        Ok(records.fold(0, |all, r| sum(&r.severity_text, r.time_unix_nano).wrapping_add(all)))
    }),
];
