//! Micro-benchmarks of the wire layer: varints in several mixes of lengths, and UTF-8 validation against the standard
//! library.
//! `cargo bench -p hotpb` prints one row per case: the median of the rounds, in nanoseconds per value or string.

use hotpb::wire::{__rt::Cursor, append_varint, is_utf8};
use std::hint::black_box;
use std::time::Instant;

/// Pseudo-random numbers from one seed, so that every run reads the same bytes.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

const ROUNDS: usize = 41;

/// Median time of one call, divided by `n`.
fn measure(n: usize, mut call: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_nanos() as f64 / n as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// The loop that most decoders use, as a baseline.
fn by_bytes(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (i, &b) in bytes.iter().enumerate().take(10) {
        value |= ((b & 0x7f) as u64) << (7 * i);
        if b < 0x80 {
            return Some((value, i + 1));
        }
    }
    None
}

/// Returns the length in bytes of the next varint.
type Mix = fn(&mut Rng) -> u32;

/// Returns the text for a number.
type Text = fn(u64) -> String;

fn varints() {
    const N: usize = 10_000;
    println!("{:<28}{:>12}{:>12}", "varints, ns each", "hotpb", "byte loop");
    let mixes: [(&str, Mix); 5] = [
        ("one byte", |_| 1),
        ("90 % one byte", |r| if r.next() % 10 == 0 { 2 + (r.next() % 4) as u32 } else { 1 }),
        ("1 to 2 bytes", |r| 1 + (r.next() % 2) as u32),
        ("1 to 10 bytes", |r| 1 + (r.next() % 10) as u32),
        ("ten bytes", |_| 10),
    ];
    for (name, len) in mixes {
        let (mut rng, mut bytes) = (Rng(88172645463325252), Vec::new());
        for _ in 0..N {
            let bits = 7 * len(&mut rng);
            let high = 1u64.checked_shl(bits - 1).unwrap_or(1 << 63);
            append_varint(&mut bytes, if bits == 7 { rng.next() & 0x7f } else { high | rng.next() & (high - 1) });
        }
        let hotpb = measure(N, || {
            let (mut cursor, mut sum) = (Cursor::new(black_box(&bytes)), 0u64);
            while let Some(v) = cursor.varint() {
                sum = sum.wrapping_add(v);
            }
            black_box(sum);
        });
        let theirs = measure(N, || {
            let (mut rest, mut sum) = (&black_box(&bytes)[..], 0u64);
            while let Some((v, n)) = by_bytes(rest) {
                sum = sum.wrapping_add(v);
                rest = &rest[n..];
            }
            black_box(sum);
        });
        println!("{name:<28}{hotpb:>12.2}{theirs:>12.2}");
    }
}

fn utf8() {
    const N: usize = 10_000;
    println!("{:<28}{:>12}{:>12}", "UTF-8, ns each", "hotpb", "core::str");
    let texts: [(&str, Text); 5] = [
        ("4 to 20 bytes, ASCII", |r| "x".repeat(4 + (r % 17) as usize)),
        ("30 to 60 bytes, ASCII", |r| "x".repeat(30 + (r % 31) as usize)),
        ("1,000 bytes, ASCII", |_| "x".repeat(1000)),
        ("20 bytes, 30 % multibyte", |r| if r % 10 < 3 { "città sul mare".into() } else { "x".repeat(20) }),
        ("60 bytes, Cyrillic", |_| "Съешь ещё этих мягких булок, да".into()),
    ];
    for (name, make) in texts {
        let mut rng = Rng(88172645463325252);
        let all: Vec<String> = (0..N).map(|_| make(rng.next())).collect();
        let run =
            |check: fn(&[u8]) -> bool| measure(N, || assert!(black_box(&all).iter().all(|s| check(s.as_bytes()))));
        let (hotpb, theirs) = (run(is_utf8), run(|b| core::str::from_utf8(b).is_ok()));
        println!("{name:<28}{hotpb:>12.2}{theirs:>12.2}");
    }
}

fn main() {
    varints();
    utf8();
}
