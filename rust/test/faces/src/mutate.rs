//! Deterministic damage to bytes, for bounded fuzzing on stable Rust: the same seed yields the same bytes everywhere.

use hotpb::wire;

/// A small generator of numbers (xorshift64*).
pub struct Rng(u64);

impl Rng {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns the next number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.number() % n as u64) as usize }
    }
}

/// Returns a few records of all wire types, with the field numbers of `number`.
pub fn records(rng: &mut Rng, number: impl Fn(&mut Rng) -> usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..1 + rng.below(6) {
        let number = number(rng) as u32;
        let wire_type = [0, 1, 2, 2, 2, 3, 5][rng.below(7)];
        wire::append_tag(&mut bytes, number, wire_type);
        match wire_type {
            0 => wire::append_varint(&mut bytes, rng.number() >> rng.below(64)),
            1 => wire::append_fixed64(&mut bytes, rng.number()),
            5 => wire::append_fixed32(&mut bytes, rng.number() as u32),
            3 => wire::append_tag(&mut bytes, number, 4),
            _ => {
                let inner = [&b"\x0a\x01k\x12\x01v"[..], b"\x08\x01\x10\x02", b"\x01\x02\x03", b"text", b""];
                wire::append_bytes(&mut bytes, inner[rng.below(5)]);
            }
        }
    }
    bytes
}

/// Bytes that are difficult for parsers: ends of varints, tags of groups, high bytes.
const ODD: [u8; 16] = [0, 1, 2, 3, 4, 7, 0x0a, 0x0b, 0x0c, 0x7f, 0x80, 0x81, 0xc3, 0xed, 0xfe, 0xff];

/// Changes a few places of `bytes`, or joins it with a part of `other`.
pub fn mutate(rng: &mut Rng, bytes: &[u8], donor: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(out.len() + 1);
        match rng.below(8) {
            0 if at < out.len() => out[at] = rng.number() as u8,
            1 if at < out.len() => out[at] = ODD[rng.below(ODD.len())],
            2 if at < out.len() => out[at] ^= 1 << rng.below(8),
            3 => out.insert(at, ODD[rng.below(ODD.len())]),
            4 if at < out.len() => {
                out.remove(at);
            }
            5 => out.truncate(at),
            6 => {
                let (from, to) = (rng.below(donor.len() + 1), rng.below(donor.len() + 1));
                out.splice(at..at, donor[from.min(to)..from.max(to)].iter().copied());
            }
            _ => {
                // Repeats a record: merging, last wins, duplicate keys.
                let to = rng.below(out.len() + 1);
                let part = out[at.min(to)..at.max(to)].to_vec();
                out.splice(at..at, part);
            }
        }
    }
    out.truncate(1 << 14);
    out
}
