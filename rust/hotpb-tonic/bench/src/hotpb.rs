//! tonic with hotpb's codec.

use crate::echo::Echo;
use crate::generated::hot::prometheus::{WriteRequest, WriteRequestWriter};
use crate::generated::stock;
use crate::requests::Series;
use hotpb_tonic::{HotCodec, Incoming, Outgoing};
use prost::Message as _;
use tonic::Status;

type Of = for<'a> fn(&'a ()) -> WriteRequest<'a>;
type Sent = Outgoing![WriteRequest];
type Received = Incoming![WriteRequest];

fn written(series: &[Series]) -> Result<Sent, Status> {
    Outgoing::write(|out| {
        let mut request = WriteRequestWriter::new(out);
        for item in series {
            request.timeseries(|series| {
                for (name, value) in &item.labels {
                    series.labels(|label| {
                        label.name(name).value(value);
                    });
                }
                series.samples(|sample| {
                    // As in prost, a zero is not written.
                    if item.value != 0.0 {
                        sample.value(item.value);
                    }
                    sample.timestamp(item.timestamp_ms);
                });
            });
        }
    })
}

fn read(answer: &Received) -> u64 {
    let mut sum = 0;
    for series in answer.get().timeseries().iter() {
        for label in series.labels().iter() {
            sum += (label.name().len() + 3 * label.value().len()) as u64;
        }
        sum += series.samples().iter().map(|sample| sample.timestamp() as u64).sum::<u64>();
    }
    sum
}

fn bytes(answer: &Received) -> Result<Vec<u8>, String> {
    let message = stock::WriteRequest::decode(answer.bytes().clone()).map_err(|error| error.to_string())?;
    Ok(message.encode_to_vec())
}

/// The server encodes the message that it has decoded.
pub struct Pools;

impl Echo for Pools {
    type Codec = HotCodec<Of, Of>;
    const NOTE: &'static str = "the client writes; the server encodes the handle of the message that it received";

    fn request(series: &[Series]) -> Result<Sent, Status> {
        written(series)
    }
    fn answer(request: Received) -> Result<Sent, Status> {
        Outgoing::encode(&request.get())
    }
    fn read(answer: &Received) -> u64 {
        read(answer)
    }
    fn bytes(answer: Received) -> Result<Vec<u8>, String> {
        bytes(&answer)
    }
}

/// The server decodes the message, and sends the bytes that it received.
pub struct SameBytes;

impl Echo for SameBytes {
    type Codec = HotCodec<Of, Of>;
    const NOTE: &'static str = "the client writes; the server answers with the bytes of the message that it received";

    fn request(series: &[Series]) -> Result<Sent, Status> {
        written(series)
    }
    fn answer(request: Received) -> Result<Sent, Status> {
        Ok(request.into())
    }
    fn read(answer: &Received) -> u64 {
        read(answer)
    }
    fn bytes(answer: Received) -> Result<Vec<u8>, String> {
        bytes(&answer)
    }
}
