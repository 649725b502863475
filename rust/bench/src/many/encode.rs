//! Task `many-types-encode`: encodes the same messages, decoded beforehand, in the same order into fresh bytes.

use ::buffa::ViewEncode;
use hotpb::pool::{self, Encode, EncodeBuffer};

use super::{Inputs, generated, inputs};
use crate::harness::{Contender, Grid};
use prost::Message as _;

/// A message of any type. The contender owns the buffers.
trait Any {
    fn encode(&self, buffers: &mut Buffers) -> Result<Vec<u8>, String>;
}

/// The memory that a library reuses, if it can.
#[derive(Default)]
struct Buffers {
    bytes: Vec<u8>,
    hotpb: EncodeBuffer,
}

/// The function with which a library decodes one of the types.
type Decode = fn(&'static [u8]) -> Result<Box<dyn Any>, String>;

struct Prost<M>(M);

impl<M: prost::Message + Default + 'static> Prost<M> {
    fn decode(input: &'static [u8]) -> Result<Box<dyn Any>, String> {
        M::decode(input).map(|m| Box::new(Prost(m)) as Box<dyn Any>).map_err(|e| e.to_string())
    }
}

impl<M: prost::Message> Any for Prost<M> {
    fn encode(&self, _: &mut Buffers) -> Result<Vec<u8>, String> {
        Ok(self.0.encode_to_vec())
    }
}

/// Does not compute the lengths first: it encodes into a reused buffer, and copies.
struct ProstReuse<M>(M);

impl<M: prost::Message + Default + 'static> ProstReuse<M> {
    fn decode(input: &'static [u8]) -> Result<Box<dyn Any>, String> {
        M::decode(input).map(|m| Box::new(ProstReuse(m)) as Box<dyn Any>).map_err(|e| e.to_string())
    }
}

impl<M: prost::Message> Any for ProstReuse<M> {
    fn encode(&self, buffers: &mut Buffers) -> Result<Vec<u8>, String> {
        buffers.bytes.clear();
        self.0.encode_raw(&mut buffers.bytes);
        Ok(buffers.bytes.clone())
    }
}

struct Owned<M>(M);

impl<M: buffa::Message + 'static> Owned<M> {
    fn decode(input: &'static [u8]) -> Result<Box<dyn Any>, String> {
        M::decode_from_slice(input).map(|m| Box::new(Owned(m)) as Box<dyn Any>).map_err(|e| e.to_string())
    }
}

impl<M: buffa::Message> Any for Owned<M> {
    fn encode(&self, _: &mut Buffers) -> Result<Vec<u8>, String> {
        Ok(self.0.encode_to_vec())
    }
}

struct View<V>(V);

impl<V: ViewEncode<'static> + 'static> View<V> {
    fn decode(input: &'static [u8]) -> Result<Box<dyn Any>, String> {
        V::decode_view(input).map(|v| Box::new(View(v)) as Box<dyn Any>).map_err(|e| e.to_string())
    }
}

impl<V: ViewEncode<'static>> Any for View<V> {
    fn encode(&self, _: &mut Buffers) -> Result<Vec<u8>, String> {
        Ok(self.0.encode_to_vec())
    }
}

/// The handle of a message, whose pool stays.
struct Pool<M: pool::Message>(M::Handle<'static>);

impl<M: pool::Message + 'static> Pool<M>
where
    M::Handle<'static>: Encode,
{
    fn decode(input: &'static [u8]) -> Result<Box<dyn Any>, String> {
        let pool = Box::leak(Box::new(pool::Pool::<M>::new()));
        pool.decode(input).map(|handle| Box::new(Pool::<M>(handle)) as Box<dyn Any>).map_err(|e| e.to_string())
    }
}

impl<M: pool::Message> Any for Pool<M>
where
    M::Handle<'static>: Encode,
{
    fn encode(&self, buffers: &mut Buffers) -> Result<Vec<u8>, String> {
        self.0.encode_into(&mut buffers.hotpb).map(<[u8]>::to_vec).map_err(|e| e.to_string())
    }
}

macro_rules! types {
    ($rival:ident, $library:ident, $($name:ident)*) => {
        vec![$($rival::<generated::$library::$name>::decode as Decode),*]
    };
}

/// Adds the task and its contenders.
pub fn add_to(grid: &mut Grid) {
    macro_rules! add {
        ($name:literal, $rival:ident, $library:ident, $note:literal) => {
            grid.add("many-types-encode", $name, |_| Many::new(generated::each!(types, $rival, $library), $note));
        };
    }
    add!("hotpb-pool", Pool, hot, "handles of decoded messages, by table; one buffer used again, then copied");
    add!("hotpb-pool:straight", Pool, straight, "the same with hot=*: code for each field");
    add!("prost", Prost, prost, "lengths first, then the bytes");
    add!("prost:reuse", ProstReuse, prost, "one buffer used again, then copied");
    add!("buffa:owned", Owned, buffa, "lengths first, then the bytes");
    add!("buffa:view", View, views, "views of decoded messages; lengths first, then the bytes");
}

/// The messages, in their order.
struct Many {
    messages: Vec<Box<dyn Any>>,
    inputs: Inputs,
    buffers: Buffers,
    next: usize,
    note: &'static str,
}

impl Many {
    fn new(types: Vec<Decode>, note: &'static str) -> Result<Many, String> {
        let inputs = inputs(types.len());
        let messages = inputs.iter().map(|&(input, kind)| types[kind](input)).collect::<Result<_, _>>()?;
        Ok(Many { messages, inputs, buffers: Buffers::default(), next: 0, note })
    }
}

impl Contender for Many {
    fn op(&mut self) -> Result<u64, String> {
        let message = &self.messages[self.next];
        self.next = if self.next + 1 < self.messages.len() { self.next + 1 } else { 0 };
        message.encode(&mut self.buffers).map(|bytes| bytes.len() as u64)
    }

    /// Each result must equal prost's: all fields once, in ascending order of numbers.
    fn verify(&mut self) -> Result<(), String> {
        for (message, &(input, _)) in self.messages.iter().zip(&self.inputs) {
            let stock = generated::prost::Wide00::decode(input).map_err(|e| e.to_string())?;
            if message.encode(&mut self.buffers)? != stock.encode_to_vec() {
                return Err("prost encodes other bytes".into());
            }
        }
        Ok(())
    }

    fn note(&self) -> &'static str {
        self.note
    }

    fn size(&self) -> Option<usize> {
        Some(self.inputs.iter().map(|(input, _)| input.len()).sum::<usize>() / self.inputs.len())
    }
}
