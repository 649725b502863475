//! Tasks that decode messages of many shapes. The inputs are seeded (`data`) or real; the contenders (`rivals`) are the
//! same for all messages.

mod data;
mod generated;
pub mod rivals;
mod two;

use ::buffa_descriptor::generated::descriptor as buffa_descriptor;

use crate::harness::{Contender, Grid, Request};
use generated::buffa::hotpb::bench as buffa;
use generated::hotpb::hotpb::bench as hot;
use generated::{google, prost, prost_descriptor};
use rivals::{Google, Owned, Pool, Prost, ProstReuse, Rival, View};

/// The messages that a task decodes in turn, one per operation.
type Inputs = fn(&Request) -> Result<Vec<Vec<u8>>, String>;

/// Adds the tasks and their contenders.
pub fn add_to(grid: &mut Grid) {
    add::<prost::Listing, buffa::Listing, buffa::ListingView, hot::Listing>(grid, "googlemsg1", |_| {
        Ok(data::listings())
    });
    add::<prost::LogsRequest, buffa::LogsRequest, buffa::LogsRequestView, hot::LogsRequest>(grid, "otlp-logs", |_| {
        Ok(vec![data::logs()])
    });
    add::<
        prost_descriptor::FileDescriptorSet,
        buffa_descriptor::FileDescriptorSet,
        buffa_descriptor::FileDescriptorSetView,
        ::hotpb::wkt::FileDescriptorSet,
    >(grid, "descriptor-set", |_| Ok(vec![include_bytes!("../../../../vectors/plans/descriptor.fds").to_vec()]));
    add::<prost::Packed, buffa::Packed, buffa::PackedView, hot::Packed>(grid, "packed-ints", |_| {
        Ok(vec![data::packed()])
    });
    add::<prost::Maps, buffa::Maps, buffa::MapsView, hot::Maps>(grid, "maps", |_| Ok(vec![data::maps()]));
    add::<prost::Node, buffa::Node, buffa::NodeView, hot::Node>(grid, "deep", |_| Ok(vec![data::deep()]));
    add::<prost::Span, buffa::Span, buffa::SpanView, hot::Span>(grid, "small-200B", |_| Ok(data::spans()));

    add_google::<prost::Listing, google::Listing>(grid, "googlemsg1", |_| Ok(data::listings()));
    add_google::<prost::LogsRequest, google::LogsRequest>(grid, "otlp-logs", |_| Ok(vec![data::logs()]));
    add_google::<prost::Packed, google::Packed>(grid, "packed-ints", |_| Ok(vec![data::packed()]));
    add_google::<prost::Maps, google::Maps>(grid, "maps", |_| Ok(vec![data::maps()]));
    add_google::<prost::Node, google::Node>(grid, "deep", |_| Ok(vec![data::deep()]));
    add_google::<prost::Span, google::Span>(grid, "small-200B", |_| Ok(data::spans()));

    two::add_to(grid);
}

/// Adds one task: `S` is the stock runtime's message; `O` and `V` are buffa's owned message and view, `H` is hotpb's.
pub fn add<S, O, V, H>(grid: &mut Grid, task: &'static str, inputs: Inputs)
where
    S: ::prost::Message + Default + PartialEq + 'static,
    O: ::buffa::Message + 'static,
    V: ::buffa::MessageView<'static> + 'static,
    H: ::hotpb::pool::Message + 'static,
    for<'a> H::Handle<'a>: ::hotpb::pool::Encode,
{
    grid.add(task, "hotpb-pool", move |r| Decode::<Pool<H>, S>::new(inputs(r)?));
    grid.add(task, "prost", move |r| Decode::<Prost<S>, S>::new(inputs(r)?));
    grid.add(task, "prost:reuse", move |r| Decode::<ProstReuse<S>, S>::new(inputs(r)?));
    grid.add(task, "buffa:owned", move |r| Decode::<Owned<O>, S>::new(inputs(r)?));
    grid.add(task, "buffa:view", move |r| Decode::<View<V>, S>::new(inputs(r)?));
}

/// Adds Google's own Rust to a task; `S` is the stock runtime's message.
pub fn add_google<S, G>(grid: &mut Grid, task: &'static str, inputs: Inputs)
where
    S: ::prost::Message + Default + PartialEq + 'static,
    G: ::google_protobuf::Message + 'static,
{
    grid.add(task, "google-protobuf", move |r| Decode::<Google<G>, S>::new(inputs(r)?));
}

/// A rival, bound to messages that are decoded in turn.
struct Decode<R, S> {
    rival: R,
    inputs: Vec<&'static [u8]>,
    next: usize,
    stock: std::marker::PhantomData<S>,
}

impl<R: Rival, S> Decode<R, S> {
    fn new(inputs: Vec<Vec<u8>>) -> Result<Self, String> {
        let inputs = inputs.into_iter().map(|input| &*input.leak()).collect();
        Ok(Decode { rival: R::default(), inputs, next: 0, stock: std::marker::PhantomData })
    }
}

impl<R: Rival, S: ::prost::Message + Default + PartialEq> Contender for Decode<R, S> {
    #[inline(always)]
    fn op(&mut self) -> Result<u64, String> {
        let input = self.inputs[self.next];
        self.next = if self.next + 1 < self.inputs.len() { self.next + 1 } else { 0 };
        self.rival.decode(input).map(|()| 0)
    }

    /// Each message, encoded by the rival and decoded by the stock runtime, must equal the stock runtime's.
    fn verify(&mut self) -> Result<(), String> {
        for input in &self.inputs {
            self.rival.decode(input)?;
            let got = S::decode(&*self.rival.encoded(input)?).map_err(|e| e.to_string())?;
            if got != S::decode(*input).map_err(|e| e.to_string())? {
                return Err("prost decodes another message".into());
            }
        }
        Ok(())
    }

    fn note(&self) -> &'static str {
        R::NOTE
    }

    fn counted(&self) -> bool {
        R::COUNTED
    }

    fn size(&self) -> Option<usize> {
        Some(self.inputs.iter().map(|input| input.len()).sum::<usize>() / self.inputs.len())
    }
}
