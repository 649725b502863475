//! The generated code of `proto/loopback.proto`.

use hotpb::pool::DecodeOptions;
use hotpb_tonic::{Family, HotCodec, HotDecoder, HotEncoder, Incoming, Outgoing, Settings};

pub mod proto {
    hotpb::include_generated!();
}

/// The same services with [`StrictCodec`].
pub mod own {
    hotpb::include_generated!("own");
}

/// A codec with a limit of its own: at most eight elements in a message.
pub struct StrictCodec<E, D: Family>(HotCodec<E, D>);

impl<E, D: Family> Default for StrictCodec<E, D> {
    fn default() -> Self {
        let decoding = DecodeOptions { elements: Some(8), ..Default::default() };
        StrictCodec(HotCodec::new(hotpb_tonic::pools::<D>(), Settings { decoding, ..Default::default() }))
    }
}

impl<E: Family, D: Family> tonic::codec::Codec for StrictCodec<E, D> {
    type Encode = Outgoing<E>;
    type Decode = Incoming<D>;
    type Encoder = HotEncoder<E>;
    type Decoder = HotDecoder<D>;
    fn encoder(&mut self) -> HotEncoder<E> {
        self.0.encoder()
    }
    fn decoder(&mut self) -> HotDecoder<D> {
        self.0.decoder()
    }
}
