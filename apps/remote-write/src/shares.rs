//! What becomes of the option `memory`: each part of the server has a share.

/// The bytes that parts of the server may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Bodies of requests that are being handled.
    pub requests: usize,
    /// Rows in memory, and what is known of their series: those that come, and those that are being written to files.
    pub rows: usize,
    /// What one worker learns of series. A request that needs twice as much is refused.
    pub series: usize,
    /// What one worker still knows of series when its rows have gone to files.
    pub known: usize,
    /// The files of one merge.
    pub merge: u64,
}

impl Shares {
    /// Divides the memory. To write rows to files takes about as much again as the rows that are written, which are half of
    /// `rows`.
    pub fn divide(memory: usize, workers: usize) -> Shares {
        let rows = memory / 8 * 3;
        Shares { requests: memory / 8, rows, series: rows / 4, known: rows / 6 / workers, merge: memory as u64 / 4 }
    }
}

/// The variables by which glibc's allocator keeps large blocks apart, so that it returns them to the system, and does not have a
/// heap for each thread. Without them a server that had large requests keeps twice as much.
#[cfg(target_env = "gnu")]
const ALLOCATOR: [(&str, &str); 3] =
    [("MALLOC_ARENA_MAX", "2"), ("MALLOC_MMAP_THRESHOLD_", "1048576"), ("MALLOC_TRIM_THRESHOLD_", "8388608")];

/// Sets the allocator's variables, and starts the program again in the same process: they are read when it starts. Variables that
/// are set stay as they are.
#[cfg(target_env = "gnu")]
pub fn set_allocator() {
    use std::os::unix::process::CommandExt;
    let mut args = std::env::args_os();
    let (Some(name), Ok(program)) = (args.next(), std::env::current_exe()) else { return };
    if ALLOCATOR.iter().any(|(variable, _)| std::env::var_os(variable).is_some()) {
        return;
    }
    // It returns only if it fails; then the server runs as it is.
    _ = std::process::Command::new(program).arg0(name).args(args).envs(ALLOCATOR).exec();
}

/// Other allocators have no such variables.
#[cfg(not(target_env = "gnu"))]
pub fn set_allocator() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_within_the_memory() {
        for (memory, workers) in [(64 << 20, 1), (2 << 30, 2), (7 << 30, 64)] {
            let Shares { requests, rows, series, known, merge } = Shares::divide(memory, workers);
            // Half of the rows are being written, which takes as much again.
            assert!(requests + rows + rows / 2 + merge as usize <= memory);
            // What is known is no reason to write files.
            assert!(known * workers / 2 * 3 <= rows / 4 && known > 0 && series <= rows / 4);
        }
    }
}
