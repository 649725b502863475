//! The program.

use clap::Parser;
use remote_write_server::options::{Action, Command};
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let Action::Serve(options) = Command::parse().action;
    let filter = EnvFilter::try_from_env("REMOTE_WRITE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match options.log_json {
        true => lines.json().init(),
        false => lines.init(),
    }
    match remote_write_server::server::run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("remote-write: {error}");
            ExitCode::FAILURE
        }
    }
}
