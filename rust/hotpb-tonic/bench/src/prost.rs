//! tonic with its codec for prost.

use crate::echo::Echo;
use crate::generated::stock::WriteRequest;
use crate::requests::{Series, stock};
use prost::Message as _;
use tonic::Status;
use tonic_prost::ProstCodec;

pub struct Structs;

impl Echo for Structs {
    type Codec = ProstCodec<WriteRequest, WriteRequest>;
    const NOTE: &'static str = "the client fills in a struct; the server answers with the struct that it received";

    fn request(series: &[Series]) -> Result<WriteRequest, Status> {
        Ok(stock(series))
    }
    fn answer(request: WriteRequest) -> Result<WriteRequest, Status> {
        Ok(request)
    }
    fn read(answer: &WriteRequest) -> u64 {
        let mut sum = 0;
        for series in &answer.timeseries {
            for label in &series.labels {
                sum += (label.name.len() + 3 * label.value.len()) as u64;
            }
            sum += series.samples.iter().map(|sample| sample.timestamp as u64).sum::<u64>();
        }
        sum
    }
    fn bytes(answer: WriteRequest) -> Result<Vec<u8>, String> {
        Ok(answer.encode_to_vec())
    }
}
