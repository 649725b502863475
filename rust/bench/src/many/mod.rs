//! Task `many-types-decode`: thirty types of a message with forty fields, in random order. Programs with real schemas
//! do not run one warm type in a loop.

mod encode;
mod generated;

use prost::Message as _;

use crate::harness::{Contender, Grid};
use crate::messages::rivals::{Owned, Pool, Prost, ProstReuse, Rival, View};
use crate::random::Random;

/// A rival of any type.
trait Any {
    fn decode(&mut self, input: &'static [u8]) -> Result<(), String>;
    fn encoded(&mut self, input: &'static [u8]) -> Result<Vec<u8>, String>;
}

impl<R: Rival> Any for R {
    fn decode(&mut self, input: &'static [u8]) -> Result<(), String> {
        Rival::decode(self, input)
    }
    fn encoded(&mut self, input: &'static [u8]) -> Result<Vec<u8>, String> {
        Rival::encoded(self, input)
    }
}

/// A rival of each type.
type Types = Vec<Box<dyn Any>>;

macro_rules! types {
    ($rival:ident, $library:ident, $($name:ident)*) => {
        vec![$(Box::<$rival<generated::$library::$name>>::default() as Box<dyn Any>),*]
    };
}

/// Adds the task and its contenders.
pub fn add_to(grid: &mut Grid) {
    macro_rules! add {
        ($name:literal, $rival:ident, $library:ident) => {
            grid.add("many-types-decode", $name, |_| {
                let note = <$rival<generated::$library::Wide00> as Rival>::NOTE;
                Ok(Many::new(generated::each!(types, $rival, $library), note))
            });
        };
    }
    add!("hotpb-pool", Pool, hot);
    add!("hotpb-pool:straight", Pool, straight);
    add!("prost", Prost, prost);
    add!("prost:reuse", ProstReuse, prost);
    add!("buffa:owned", Owned, buffa);
    add!("buffa:view", View, views);
    encode::add_to(grid);
}

/// The messages, each with the index of its type.
type Inputs = Vec<(&'static [u8], usize)>;

/// Returns the messages in their order, with the types in turn.
fn inputs(types: usize) -> Inputs {
    let mut turn = Random::new();
    messages().into_iter().map(|input| (&*input.leak(), turn.below(types as u64) as usize)).collect()
}

/// The types, and the messages with the type that decodes each.
struct Many {
    types: Types,
    inputs: Inputs,
    next: usize,
    note: &'static str,
}

impl Many {
    fn new(types: Types, note: &'static str) -> Many {
        let inputs = inputs(types.len());
        Many { types, inputs, next: 0, note }
    }
}

impl Contender for Many {
    fn op(&mut self) -> Result<u64, String> {
        let (input, kind) = self.inputs[self.next];
        self.next = if self.next + 1 < self.inputs.len() { self.next + 1 } else { 0 };
        self.types[kind].decode(input).map(|()| 0)
    }

    /// Each message, encoded by the rival and decoded by the stock runtime as the first type, must equal the stock
    /// runtime's.
    fn verify(&mut self) -> Result<(), String> {
        let stock = |bytes: &[u8]| generated::prost::Wide00::decode(bytes).map_err(|e| e.to_string());
        for (kind, &(input, _)) in self.types.iter_mut().zip(&self.inputs) {
            kind.decode(input)?;
            if stock(&kind.encoded(input)?)? != stock(input)? {
                return Err("prost decodes another message".into());
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

/// The fields of the types, by number from 1: s(tring), b(ytes), v(arint), (bool) o, 8 and 4 bytes; as in
/// `proto/bench/wide.proto`.
const KINDS: &[u8; 40] = b"svvosvvs8vsvosvvsv4osvvsvobsvv8svossv4sv";

/// Returns the same messages as Go (`go/bench/messages/many.go`): a third with all fields, a third with half of them, a
/// third with five.
fn messages() -> Vec<Vec<u8>> {
    let mut r = Random::new();
    (0..1024)
        .map(|_| {
            let share = [40, 20, 5][r.below(3) as usize];
            let mut out = Vec::new();
            for (number, &kind) in (1..).zip(KINDS) {
                if r.below(40) < share {
                    value(&mut r, &mut out, number, kind);
                }
            }
            out
        })
        .collect()
}

fn value(r: &mut Random, out: &mut Vec<u8>, number: u64, kind: u8) {
    let wire_type = match kind {
        b's' | b'b' => 2,
        b'8' => 1,
        b'4' => 5,
        _ => 0,
    };
    varint(out, number << 3 | wire_type);
    match kind {
        b's' | b'b' => {
            let len = 4 + r.below(20);
            varint(out, len);
            out.extend((0..len).map(|i| if i % 7 == 6 { b' ' } else { b'a' + r.below(26) as u8 }));
        }
        b'8' => out.extend(((1 + r.below(1 << 40)) as f64).to_le_bytes()),
        b'4' => out.extend(((1 + r.below(1 << 20)) as f32).to_le_bytes()),
        b'o' => out.push(1),
        _ => varint(out, 1 + (r.any_length() >> 33)),
    }
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
