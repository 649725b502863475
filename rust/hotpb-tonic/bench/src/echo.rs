//! The tasks `grpc-echo` and `grpc-echo-tcp`: a client builds a request from its own data and calls a server, which
//! answers with the message that it received; the client reads every label of the answer.

use crate::harness::{Contender, Grid, Request};
use crate::requests::{Series, series, stock};
use crate::transport::{Network, Nothing, Transport};
use crate::{hotpb, prost};
use ::prost::Message as _;
use tonic::Status;
use tonic::codec::Codec;

/// One way to encode and decode messages.
pub trait Echo: Send + Sync + 'static {
    /// The codec of both sides.
    type Codec: Codec<Encode: Sync, Decode: Sync> + Default + Send + 'static;
    /// The note of the row.
    const NOTE: &'static str;
    /// Builds a request.
    fn request(series: &[Series]) -> Result<<Self::Codec as Codec>::Encode, Status>;
    /// Returns the answer to a request.
    fn answer(request: <Self::Codec as Codec>::Decode) -> Result<<Self::Codec as Codec>::Encode, Status>;
    /// Sums over the lengths of all labels, and over the timestamps.
    fn read(answer: &<Self::Codec as Codec>::Decode) -> u64;
    /// Returns an answer as the stock runtime encodes it.
    fn bytes(answer: <Self::Codec as Codec>::Decode) -> Result<Vec<u8>, String>;
}

struct Calls<E: Echo, T: Transport<E>> {
    series: Vec<Series>,
    size: usize,
    transport: T,
    marker: std::marker::PhantomData<E>,
}

impl<E: Echo, T: Transport<E>> Calls<E, T> {
    fn new(request: &Request) -> Result<Self, String> {
        // A request that is larger than the case by less than one series.
        let bytes = match request.case.as_str() {
            "100B" => 70,
            "1KiB" => 1024 - 50,
            "1MiB" => (1 << 20) - 50,
            other => return Err(format!("no case {other:?}")),
        };
        let series = series(bytes);
        let size = stock(&series).encoded_len();
        Ok(Calls { series, size, transport: T::start()?, marker: std::marker::PhantomData })
    }

    fn call(&mut self) -> Result<<E::Codec as Codec>::Decode, String> {
        let request = E::request(&self.series).map_err(|status| status.to_string())?;
        self.transport.call(request).map_err(|status| status.to_string())
    }
}

impl<E: Echo, T: Transport<E>> Contender for Calls<E, T> {
    fn op(&mut self) -> Result<u64, String> {
        Ok(E::read(&self.call()?))
    }
    fn verify(&mut self) -> Result<(), String> {
        let (got, wanted) = (E::bytes(self.call()?)?, stock(&self.series).encode_to_vec());
        if got == wanted { Ok(()) } else { Err("the answer is not the request".into()) }
    }
    fn note(&self) -> &'static str {
        E::NOTE
    }
    fn size(&self) -> Option<usize> {
        Some(self.size)
    }
}

/// Adds the tasks and their contenders.
pub fn add_to(grid: &mut Grid) {
    add::<Nothing<prost::Structs>, Nothing<hotpb::Pools>, Nothing<hotpb::SameBytes>>(grid, "grpc-echo");
    add::<Network<prost::Structs>, Network<hotpb::Pools>, Network<hotpb::SameBytes>>(grid, "grpc-echo-tcp");
}

fn add<P, H, S>(grid: &mut Grid, task: &'static str)
where
    P: Transport<prost::Structs> + 'static,
    H: Transport<hotpb::Pools> + 'static,
    S: Transport<hotpb::SameBytes> + 'static,
{
    grid.add(task, "prost", Calls::<prost::Structs, P>::new);
    grid.add(task, "hotpb-pool", Calls::<hotpb::Pools, H>::new);
    grid.add(task, "hotpb-pool:same-bytes", Calls::<hotpb::SameBytes, S>::new);
}
