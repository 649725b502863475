//! `rw1-body`: the same from the compressed body. Ours is the receiver of `examples/rows`, with all that it checks.

use std::collections::BTreeMap;

use rows::body::{Body, Encoding};
use rows::{Options, Proto, Receiver, Version};

use super::{METRIC, Plain, Rival, expected, prost};
use crate::harness::{Contender, Grid, Request};

/// Adds the task and its contenders.
pub fn add_to(grid: &mut Grid) {
    grid.add("rw1-body", "hotpb-receiver", |request: &Request| {
        let receiver = Receiver::new(Options { skip_bad: true, ..Options::default() });
        Ok(Ours { receiver, body: Body::new(1 << 30), packed: packed(request)?, input: request.input })
    });
    add::<prost::Rows<std::hash::RandomState>>(grid, "prost");
    add::<prost::Rows<foldhash::fast::RandomState>>(grid, "prost:foldhash");
}

fn add<R: Rival + 'static>(grid: &mut Grid, rival: &'static str) {
    grid.add("rw1-body", rival, |request: &Request| {
        let (packed, input) = (packed(request)?, request.input);
        Ok(Inflated { rival: R::default(), snappy: snap::raw::Decoder::new(), inflated: Vec::new(), packed, input })
    });
}

fn packed(request: &Request) -> Result<Vec<u8>, String> {
    snap::raw::Encoder::new().compress_vec(request.input).map_err(|e| e.to_string())
}

/// The receiver of the example.
struct Ours {
    receiver: Receiver,
    body: Body,
    packed: Vec<u8>,
    input: &'static [u8],
}

impl Ours {
    fn plain(&self) -> Plain {
        let (store, mut plain) = (self.receiver.store(), Plain::new());
        let (words, sets) = (store.dictionary(), store.label_sets());
        for table in store.tables().iter().filter(|table| !table.samples.is_empty()) {
            let samples = &table.samples;
            let labels = |set: u32| -> BTreeMap<_, _> {
                let pairs = sets.get(set).iter().map(|&(name, value)| (words.get(name), words.get(value)));
                pairs.filter(|(name, _)| *name != METRIC).map(|(n, v)| (n.to_string(), v.to_string())).collect()
            };
            let rows = samples.sets().iter().zip(samples.timestamps()).zip(samples.values());
            let rows = rows.map(|((&set, &time), value)| (labels(set), time, value.to_bits())).collect();
            plain.insert(words.get(table.metric()).to_string(), rows);
        }
        plain
    }
}

impl Contender for Ours {
    fn op(&mut self) -> Result<u64, String> {
        self.receiver.clear_rows();
        let body = self.body.read(&self.packed[..], Encoding::Snappy).map_err(|e| e.to_string())?;
        let report = self.receiver.request(body.bytes, Proto::Is(Version::V1)).map_err(|e| e.to_string())?;
        if report.bad > 0 { Err("the receiver refused a series".into()) } else { Ok(report.samples) }
    }

    fn verify(&mut self) -> Result<(), String> {
        self.op()?;
        if self.plain() == expected(self.input)? { Ok(()) } else { Err("other rows than prost's".into()) }
    }

    fn note(&self) -> &'static str {
        "names, UTF-8 and all other rules checked; series known by the bytes of their labels; columns kept"
    }
}

/// A contender of `rw1-rows`, after snappy.
struct Inflated<R> {
    rival: R,
    snappy: snap::raw::Decoder,
    inflated: Vec<u8>,
    packed: Vec<u8>,
    input: &'static [u8],
}

impl<R: Rival> Contender for Inflated<R> {
    fn op(&mut self) -> Result<u64, String> {
        let len = snap::raw::decompress_len(&self.packed).map_err(|e| e.to_string())?;
        self.inflated.resize(len, 0);
        self.snappy.decompress(&self.packed, &mut self.inflated).map_err(|e| e.to_string())?;
        self.rival.rows(&self.inflated)
    }

    fn verify(&mut self) -> Result<(), String> {
        self.op()?;
        if self.rival.plain()? == expected(self.input)? { Ok(()) } else { Err("other rows than prost's".into()) }
    }

    fn note(&self) -> &'static str {
        R::NOTE
    }
}
