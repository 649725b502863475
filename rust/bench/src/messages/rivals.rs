//! The contenders: each decodes any message of its library.

use std::hint::black_box;

use ::buffa::MessageView;
use hotpb::pool::{self, Encode};

/// Decodes messages of one type, and keeps the last one.
pub trait Rival: Default {
    /// The note for the result row.
    const NOTE: &'static str;
    /// Whether all of its memory comes from Rust's allocator.
    const COUNTED: bool = true;
    fn decode(&mut self, input: &'static [u8]) -> Result<(), String>;
    /// Returns the message that was decoded last, from `input`, as the library encodes it.
    fn encoded(&mut self, input: &'static [u8]) -> Result<Vec<u8>, String>;
}

/// prost in its usual setting.
#[derive(Default)]
pub struct Prost<M>(M);

impl<M: prost::Message + Default> Rival for Prost<M> {
    const NOTE: &'static str = "a fresh message each time";
    fn decode(&mut self, input: &'static [u8]) -> Result<(), String> {
        self.0 = M::decode(input).map_err(|e| e.to_string())?;
        Ok(())
    }
    fn encoded(&mut self, _: &'static [u8]) -> Result<Vec<u8>, String> {
        Ok(self.0.encode_to_vec())
    }
}

/// prost's message, cleared and merged into.
#[derive(Default)]
pub struct ProstReuse<M>(M);

impl<M: prost::Message + Default> Rival for ProstReuse<M> {
    const NOTE: &'static str = "one message, cleared and merged into";
    fn decode(&mut self, input: &'static [u8]) -> Result<(), String> {
        self.0.clear();
        self.0.merge(input).map_err(|e| e.to_string())
    }
    fn encoded(&mut self, _: &'static [u8]) -> Result<Vec<u8>, String> {
        Ok(self.0.encode_to_vec())
    }
}

/// buffa's owned message.
#[derive(Default)]
pub struct Owned<M>(M);

impl<M: buffa::Message> Rival for Owned<M> {
    const NOTE: &'static str = "a fresh message each time";
    fn decode(&mut self, input: &'static [u8]) -> Result<(), String> {
        self.0 = M::decode_from_slice(input).map_err(|e| e.to_string())?;
        Ok(())
    }
    fn encoded(&mut self, _: &'static [u8]) -> Result<Vec<u8>, String> {
        Ok(self.0.encode_to_vec())
    }
}

/// buffa's view, decoded whole.
pub struct View<V>(Option<V>);

impl<V> Default for View<V> {
    fn default() -> View<V> {
        View(None)
    }
}

impl<V: MessageView<'static>> Rival for View<V> {
    const NOTE: &'static str = "strings borrow; a fresh view each time; maps are lists of pairs";
    fn decode(&mut self, input: &'static [u8]) -> Result<(), String> {
        self.0 = Some(V::decode_view(input).map_err(|e| e.to_string())?);
        Ok(())
    }
    fn encoded(&mut self, _: &'static [u8]) -> Result<Vec<u8>, String> {
        let owned = self.0.as_ref().ok_or("nothing was decoded")?.to_owned_message().map_err(|e| e.to_string())?;
        Ok(buffa::Message::encode_to_vec(&owned))
    }
}

/// Google's own Rust over upb.
#[derive(Default)]
pub struct Google<M>(M);

impl<M: google_protobuf::Message> Rival for Google<M> {
    const NOTE: &'static str = "upb; strings copied; unknown fields kept; a fresh message each time";
    const COUNTED: bool = false;
    fn decode(&mut self, input: &'static [u8]) -> Result<(), String> {
        self.0 = M::parse(input).map_err(|e| e.to_string())?;
        Ok(())
    }
    fn encoded(&mut self, _: &'static [u8]) -> Result<Vec<u8>, String> {
        self.0.serialize().map_err(|e| e.to_string())
    }
}

/// hotpb's pool.
pub struct Pool<M: pool::Message>(pool::Pool<M>);

impl<M: pool::Message> Default for Pool<M> {
    fn default() -> Pool<M> {
        Pool(pool::Pool::new())
    }
}

impl<M: pool::Message> Rival for Pool<M>
where
    for<'a> M::Handle<'a>: Encode,
{
    const NOTE: &'static str =
        "one pool used again; strings borrow; unknown fields kept; maps unique and ordered by key where large";
    fn decode(&mut self, input: &'static [u8]) -> Result<(), String> {
        black_box(self.0.decode(input).map_err(|e| e.to_string())?);
        Ok(())
    }
    fn encoded(&mut self, input: &'static [u8]) -> Result<Vec<u8>, String> {
        self.0.decode(input).map_err(|e| e.to_string())?.encode_to_vec().map_err(|e| e.to_string())
    }
}
