//! prost's structs as prost-build writes them, and hotpb's codecs for them.

macro_rules! units {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        pub mod $name {
            #[allow(clippy::all, missing_docs)]
            pub mod pb {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), "/prost/mod.rs"));
            }
            include!(concat!(env!("OUT_DIR"), "/", stringify!($name), "/hotpb/hotpb.mod.rs"));
        }
    )*};
}

units! {
    /// The schemas of the vectors.
    plain
    /// The same with `BTreeMap`, `Bytes` and more boxes.
    ordered
    /// The messages of the conformance suite.
    proto2
    /// The same in proto3.
    proto3
    /// Remote write 1.0, and OTLP's logs.
    others
    /// Odd names, and the well-known types.
    names
    /// Odd names in all places where a schema has names.
    spelling
    /// Structs of which some fields are left out.
    skipped
}

/// The names of prost's code, used on hotpb's.
#[allow(dead_code)]
pub mod spelled {
    use crate::spelling as hot;
    use crate::spelling::pb;

    include!(concat!(env!("OUT_DIR"), "/spelling/names.rs"));
}

/// A package of prost's structs with pbjson's JSON for them, and hotpb's pools and builders.
macro_rules! json {
    ($($(#[$doc:meta])* $name:ident $package:literal)*) => {$(
        $(#[$doc])*
        pub mod $name {
            #[allow(clippy::all, missing_docs)]
            pub mod pb {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), "/prost/", $package, ".rs"));
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), "/prost/", $package, ".serde.rs"));
            }
            include!(concat!(env!("OUT_DIR"), "/", stringify!($name), "/hotpb/hotpb.mod.rs"));
        }
    )*};
}

json! {
    /// The proto3 schema of the vectors.
    vectors_json "hotpb.vectors.p3"
    /// The well-known types.
    known_json "hotpb.json_tests"
}

/// An allocator that counts.
#[path = "../../faces/src/counting.rs"]
pub mod counting;
/// Random and damaged bytes.
#[path = "../../faces/src/mutate.rs"]
pub mod damage;

use hotpb::Error;
use hotpb::codec::{DecodeOptions, Reuse, Root};
use prost::Message;
use std::fmt::Debug;

/// A message type: what prost decodes, and what hotpb decodes into a struct that is used again.
pub struct Pair {
    /// The full name of the message.
    pub name: &'static str,
    /// Decodes with prost; returns the text of the struct.
    pub prost: fn(&[u8]) -> Result<String, prost::DecodeError>,
    /// Decodes two messages with prost, the second one merged into the first.
    pub prost_merged: fn(&[u8], &[u8]) -> Result<String, prost::DecodeError>,
    /// Creates a decoder with a struct of its own.
    pub hotpb: fn() -> Box<dyn Decode>,
}

/// A struct of prost with its `Reuse`.
pub trait Decode {
    /// Decodes, and returns the text of the struct.
    fn decode(&mut self, input: &[u8], options: &DecodeOptions) -> Result<String, Error>;
    /// Merges a message.
    fn merge(&mut self, input: &[u8]) -> Result<String, Error>;
    /// Decodes only.
    fn quietly(&mut self, input: &[u8]) -> Result<(), Error>;
    /// Encodes the struct with prost.
    fn encoded(&self) -> Vec<u8>;
}

struct Reused<C: Root> {
    reuse: Reuse<C>,
    message: C::Struct,
}

impl<C: Root<Struct: Message + Debug + Default>> Decode for Reused<C> {
    fn decode(&mut self, input: &[u8], options: &DecodeOptions) -> Result<String, Error> {
        self.reuse.decode_with(&mut self.message, input, options)?;
        Ok(text(&self.message))
    }
    fn merge(&mut self, input: &[u8]) -> Result<String, Error> {
        self.reuse.merge(&mut self.message, input)?;
        Ok(text(&self.message))
    }
    fn quietly(&mut self, input: &[u8]) -> Result<(), Error> {
        self.reuse.decode(&mut self.message, input)
    }
    fn encoded(&self) -> Vec<u8> {
        self.message.encode_to_vec()
    }
}

/// The text of a struct: equal for equal structs, also where a value is NaN. Maps must be ordered.
fn text(message: &impl Debug) -> String {
    format!("{message:?}")
}

fn decoder<C: Root<Struct: Message + Debug + Default> + 'static>() -> Box<dyn Decode> {
    Box::new(Reused::<C> { reuse: Reuse::new(), message: C::Struct::default() })
}

fn with_prost<T: Message + Default + Debug>(input: &[u8]) -> Result<String, prost::DecodeError> {
    T::decode(input).map(|message| text(&message))
}

fn merged_by_prost<T: Message + Default + Debug>(a: &[u8], b: &[u8]) -> Result<String, prost::DecodeError> {
    let mut message = T::decode(a)?;
    message.merge(b)?;
    Ok(text(&message))
}

macro_rules! pairs {
    ($($name:literal $codec:ty;)*) => {
        /// The messages whose text does not depend on the order of a `HashMap`.
        pub static PAIRS: &[Pair] = &[$(Pair {
            name: $name,
            prost: with_prost::<<$codec as Root>::Struct>,
            prost_merged: merged_by_prost::<<$codec as Root>::Struct>,
            hotpb: decoder::<$codec>,
        }),*];
    };
}

pairs! {
    "hotpb.vectors.p3.All" ordered::hotpb::vectors::p3::AllCodec;
    "hotpb.vectors.p3.Child" ordered::hotpb::vectors::p3::ChildCodec;
    "hotpb.vectors.p3.Empty" ordered::hotpb::vectors::p3::EmptyCodec;
    "hotpb.vectors.p3.Numbers" ordered::hotpb::vectors::p3::NumbersCodec;
    "hotpb.vectors.p2.All" ordered::hotpb::vectors::p2::AllCodec;
    "hotpb.vectors.p2.Child" ordered::hotpb::vectors::p2::ChildCodec;
    "hotpb.vectors.p2.Needs" ordered::hotpb::vectors::p2::NeedsCodec;
    "hotpb.vectors.p2.Numbers" ordered::hotpb::vectors::p2::NumbersCodec;
    "protobuf_test_messages.proto2.TestAllTypesProto2" proto2::protobuf_test_messages::proto2::TestAllTypesProto2Codec;
    "protobuf_test_messages.proto3.TestAllTypesProto3" proto3::protobuf_test_messages::proto3::TestAllTypesProto3Codec;
    "prometheus.WriteRequest" others::prometheus::WriteRequestCodec;
}
