//! First light in Rust: decodes a remote-write request with hotpb's pool into rows, compares them with prost's, and
//! times both. `demo.sh` beside it runs this program and Go's.
//!
//!     first-light FILE           what the request holds
//!     first-light --time FILE    a table of times on an uncompressed 1.0 request

#[path = "../../../../rust/bench/src/allocations.rs"]
mod allocations;
mod body;
mod pool;
mod rows;
mod stock;
mod timing;

/// What `build.rs` has generated.
mod hot {
    hotpb::include_generated!();
}

use std::io::Write;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--time", file] => timing::run(file),
        [file] if !file.starts_with('-') => show(file),
        _ => Err("usage: first-light FILE | --time FILE".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("first-light: {message}");
            ExitCode::FAILURE
        }
    }
}

fn show(file: &str) -> Result<(), String> {
    let body = body::read(file)?;
    let report = pool::report(&body).map_err(|why| format!("{file}: {}{why}", body.doubt()))?;
    std::io::stdout().write_all(report.as_bytes()).map_err(|e| e.to_string())
}
