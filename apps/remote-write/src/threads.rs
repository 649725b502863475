//! What becomes of a panic.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{Builder, JoinHandle};

/// Starts a thread that requests wait for. If it panics, the process ends: requests would wait for ever. What was acknowledged
/// is in the log.
pub fn needed(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new().name(name.to_owned()).spawn(move || {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
            let thread = std::thread::current();
            tracing::error!(thread = thread.name(), why = said(&*panic), "a thread panicked; ending now");
            std::process::exit(1);
        }
    })
}

/// Runs something that reads files. Damage of a file can make the reader of Parquet panic: then that is an error like any other.
pub fn reading<T>(read: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|panic| format!("a file is damaged: {}", said(&*panic)))
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs itself again, with a variable that says so.
    #[test]
    fn a_panic_of_a_thread_that_is_needed_ends_the_process() {
        const AGAIN: &str = "REMOTE_WRITE_TEST_PANICS";
        if std::env::var_os(AGAIN).is_some() {
            let thread = needed("worker", || panic!("for a test")).unwrap();
            _ = thread.join();
            unreachable!("the process ended");
        }
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "threads::tests::a_panic_of_a_thread_that_is_needed_ends_the_process", "--nocapture"]);
        let output = child.env(AGAIN, "1").output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("for a test") && !said.contains("the process ended"), "{said}");
    }

    #[test]
    fn a_panic_while_reading_is_an_error() {
        assert_eq!(reading(|| 7), Ok(7));
        assert_eq!(reading(|| panic!("bad page")), Err::<(), _>("a file is damaged: bad page".to_owned()));
        let page = std::process::id();
        assert_eq!(reading(|| panic!("page {page}")), Err::<(), _>(format!("a file is damaged: page {page}")));
    }
}
