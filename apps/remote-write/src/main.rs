//! The program.

use remote_write_server::config::{Config, ConfigError};
use remote_write_server::options::{Action, Command};
use remote_write_server::repair;
use remote_write_server::server::{Error, Start};
use remote_write_server::shares::set_allocator;
use std::ffi::OsString;
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if let Some(result) = command(&args) {
        return match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&*error),
        };
    }
    let config = match Config::load(&args) {
        Ok(config) => {
            set_allocator();
            config
        }
        Err(ConfigError::Usage(error)) => error.exit(),
        Err(error) => return failed(&error),
    };
    let filter = EnvFilter::new(&config.serve.log);
    let lines = tracing_subscriber::fmt().with_writer(std::io::stderr);
    // Lines as JSON have another type.
    let set_log = match config.serve.log_json {
        true => {
            let lines = lines.json().with_env_filter(filter).with_filter_reloading();
            let handle = lines.reload_handle();
            lines.init();
            boxed(move |filter| handle.reload(filter).map_err(|error| error.to_string()))
        }
        false => {
            let lines = lines.with_env_filter(filter).with_filter_reloading();
            let handle = lines.reload_handle();
            lines.init();
            boxed(move |filter| handle.reload(filter).map_err(|error| error.to_string()))
        }
    };
    match remote_write_server::server::run(Start { args, config, set_log }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&*error),
    }
}

/// Runs the command, if it is not `serve`.
fn command(args: &[OsString]) -> Option<Result<(), Error>> {
    use clap::Parser;
    match Command::try_parse_from(args).ok()?.action {
        // What is wrong with the options of `serve` is said where those are read.
        Action::Serve(_) => None,
        Action::Repair(options) => Some(repair::command(&options)),
        #[cfg(feature = "sql")]
        Action::Sql(options) => Some(remote_write_server::sql::command::run(*options)),
    }
}

fn boxed(set: impl Fn(EnvFilter) -> Result<(), String> + Send + Sync + 'static) -> remote_write_server::live::SetLog {
    Box::new(move |text| set(text.parse().map_err(|error| format!("log: {error}"))?))
}

fn failed(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("remote-write: {error}");
    ExitCode::FAILURE
}
