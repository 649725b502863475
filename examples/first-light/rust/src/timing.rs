//! Times the pool and prost on one request, in turns: medians, and the allocations of one warm decode.
//! Prints tab-separated rows for `demo.sh`: language, what, nanoseconds, MB/s, allocations.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::hot::prometheus::WriteRequestPool;
use crate::{allocations, stock};

const ROUNDS: usize = 11;
const ROUND: Duration = Duration::from_millis(30);

struct Contender<'a> {
    operation: &'static str,
    decode: Box<dyn FnMut() -> Result<usize, String> + 'a>,
    rounds: Vec<f64>,
}

pub fn run(file: &str) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
    let mut pool = WriteRequestPool::new();
    let mut contenders = [
        Contender {
            operation: "prost, decode",
            decode: Box::new(|| stock::decode_v1(&bytes).map(|request| black_box(request).timeseries.len())),
            rounds: Vec::new(),
        },
        Contender {
            operation: "hotpb pool, decode",
            decode: Box::new(|| {
                let request = pool.decode(&bytes).map_err(|e| e.to_string())?;
                Ok(black_box(request).timeseries().len())
            }),
            rounds: Vec::new(),
        },
    ];
    for c in &mut contenders {
        (c.decode)()?; // warm
    }
    for _ in 0..ROUNDS {
        for c in &mut contenders {
            let (start, mut turns) = (Instant::now(), 0);
            while start.elapsed() < ROUND {
                black_box((c.decode)()?);
                turns += 1;
            }
            c.rounds.push(start.elapsed().as_nanos() as f64 / f64::from(turns));
        }
    }
    for c in &mut contenders {
        c.rounds.sort_by(f64::total_cmp);
        let ns = c.rounds[ROUNDS / 2];
        let (done, allocs, _) = allocations::count(|| (c.decode)());
        done?;
        println!("Rust\t{}\t{ns:.0}\t{:.0}\t{allocs}", c.operation, bytes.len() as f64 / ns * 1e3);
    }
    Ok(())
}
