//! [`HotCodec`]: the codec between tonic's frames and hotpb's messages.

use crate::outgoing::one_piece;
use crate::{Family, Incoming, Outgoing, pools};
use hotpb::pool::{DecodeOptions, Pools};
use std::fmt;
use std::marker::PhantomData;
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

/// A codec that sends [`Outgoing<E>`](struct@Outgoing) and receives [`Incoming<D>`](struct@Incoming), for `application/grpc`.
///
/// A message that is malformed is a [`Status`] with the code `Internal`, as with tonic's codec for prost. Its text has
/// the kind of the error, the byte and the field: `InvalidUtf8 at byte 17: children[1].name`. A path above 1 KiB is cut. No message
/// of the stream follows it.
///
/// Generated clients and servers use `HotCodec::default()`. For other limits, write a codec of your own that calls
/// [`HotCodec::new`], and name it in the build script (`hotpb_tonic_build::Services::codec`).
pub struct HotCodec<E, D: Family> {
    pools: Pools<D::Message>,
    settings: Settings,
    marker: PhantomData<fn(E) -> D>,
}

/// The settings of a [`HotCodec`].
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The limits of a decode. tonic's limit for the size of a message applies before them.
    pub decoding: DecodeOptions,
    /// How tonic allocates and grows buffers.
    pub buffers: BufferSettings,
}

impl<E, D: Family> HotCodec<E, D> {
    /// Creates a codec that decodes with these pools. tonic creates a codec for each call: keep the pools somewhere, and
    /// pass a clone.
    pub fn new(pools: Pools<D::Message>, settings: Settings) -> HotCodec<E, D> {
        HotCodec { pools, settings, marker: PhantomData }
    }
}

impl<E, D: Family> Default for HotCodec<E, D> {
    /// Creates a codec with the default limits. It decodes with the pools that all calls of the process share ([`pools`]).
    fn default() -> HotCodec<E, D> {
        HotCodec::new(pools::<D>(), Settings::default())
    }
}

impl<E, D: Family> Clone for HotCodec<E, D> {
    fn clone(&self) -> HotCodec<E, D> {
        HotCodec::new(self.pools.clone(), self.settings.clone())
    }
}

impl<E, D: Family> fmt::Debug for HotCodec<E, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HotCodec({:?})", self.pools)
    }
}

impl<E: Family, D: Family> Codec for HotCodec<E, D> {
    type Encode = Outgoing<E>;
    type Decode = Incoming<D>;
    type Encoder = HotEncoder<E>;
    type Decoder = HotDecoder<D>;

    fn encoder(&mut self) -> HotEncoder<E> {
        HotEncoder { buffers: self.settings.buffers, marker: PhantomData }
    }

    fn decoder(&mut self) -> HotDecoder<D> {
        HotDecoder { pools: self.pools.clone(), settings: self.settings.clone(), failed: false }
    }
}

/// The encoder of a [`HotCodec`].
pub struct HotEncoder<E> {
    buffers: BufferSettings,
    marker: PhantomData<fn(E)>,
}

impl<E> fmt::Debug for HotEncoder<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HotEncoder")
    }
}

impl<E> Encoder for HotEncoder<E> {
    type Item = Outgoing<E>;
    type Error = Status;

    fn encode(&mut self, message: Outgoing<E>, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        out.reserve(message.len());
        message.put(out);
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        self.buffers
    }
}

/// The decoder of a [`HotCodec`].
#[derive(Debug)]
pub struct HotDecoder<D: Family> {
    pools: Pools<D::Message>,
    settings: Settings,
    /// Whether it has refused a message. Asked again, tonic takes what follows for the rest of that message.
    failed: bool,
}

impl<D: Family> Decoder for HotDecoder<D> {
    type Item = Incoming<D>;
    type Error = Status;

    fn decode(&mut self, buf: &mut DecodeBuf<'_>) -> Result<Option<Incoming<D>>, Status> {
        let bytes = one_piece(buf);
        if self.failed {
            return Err(Status::internal("an earlier message of the stream was refused"));
        }
        let message = self.pools.decode_with(bytes, &self.settings.decoding);
        self.failed = message.is_err();
        message.map(|message| Some(message.into())).map_err(|error| Status::internal(short(error.to_string())))
    }

    fn buffer_settings(&self) -> BufferSettings {
        self.settings.buffers
    }
}

/// Cuts a text that is too long for a header: HTTP/2 limits all headers together, some peers to 8 KiB.
fn short(mut text: String) -> String {
    const LONGEST: usize = 1024;
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(end.unwrap_or_default());
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn a_long_path_is_cut() {
        assert_eq!(short("InvalidUtf8 at byte 7: name".into()), "InvalidUtf8 at byte 7: name");
        let long = short("\u{1f980}".repeat(1000));
        assert!(long.ends_with("\u{1f980}...") && long.len() <= 1027);
    }
}
