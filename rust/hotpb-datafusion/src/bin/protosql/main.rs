//! protosql: SQL over files of Protocol Buffers messages. `docs/sql.md` shows how to use it.

mod args;
mod output;
mod plain;
mod schema;

use args::{Args, Table};
use clap::Parser;
use datafusion::error::DataFusionError;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{SessionConfig, SessionContext};
use hotpb_datafusion::{FileError, ProtoFormat, register_protobuf, skipped, with_files};
use output::Output;
use std::process::ExitCode;

/// Why it ends without a result.
enum Failure {
    /// The call is wrong: status 2.
    Usage(String),
    /// The query or its files: status 1.
    Query(String),
    /// Nobody reads the output any further: status 0.
    Closed,
    /// Ctrl-C: status 130.
    Interrupted,
}

impl From<DataFusionError> for Failure {
    fn from(error: DataFusionError) -> Failure {
        Failure::Query(text(&error))
    }
}

/// The error without the names of the engine's layers, if it is one of a file or of the schema.
fn text(error: &DataFusionError) -> String {
    match (FileError::find(error), error.find_root()) {
        (Some(of_file), _) => of_file.to_string(),
        (None, DataFusionError::External(inner)) => inner.to_string(),
        (None, _) => error.strip_backtrace(),
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = args.threads {
        runtime.worker_threads(threads.get());
    }
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return end(Failure::Query(error.to_string())),
    };
    let result = runtime.block_on(async {
        tokio::select! {
            result = run(&args) => result,
            Ok(()) = tokio::signal::ctrl_c() => Err(Failure::Interrupted),
        }
    });
    // A thread that waits for a slow file does not hold up the end.
    runtime.shutdown_background();
    result.map_or_else(end, |()| ExitCode::SUCCESS)
}

fn end(failure: Failure) -> ExitCode {
    match failure {
        Failure::Usage(text) => {
            eprintln!("protosql: {text}");
            ExitCode::from(2)
        }
        Failure::Query(text) => {
            eprintln!("protosql: {text}");
            ExitCode::FAILURE
        }
        Failure::Closed => ExitCode::SUCCESS,
        Failure::Interrupted => ExitCode::from(130),
    }
}

fn session(args: &Args) -> Result<SessionContext, Failure> {
    let types = schema::read(args).map_err(Failure::Usage)?;
    let mut config = SessionConfig::new();
    if let Some(threads) = args.threads {
        config = config.with_target_partitions(threads.get());
    }
    let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
    let mut ctx = SessionContext::new_with_state(state);
    let format = |message: &str| args.format(ProtoFormat::new(types.clone(), message));
    for Table { name, message, path } in &args.tables {
        let Some(message) = message.as_ref().or(args.message.as_ref()) else {
            return Err(Failure::Usage(format!(
                "the table {name} has no message: --message, or {name}:MESSAGE={path}"
            )));
        };
        register_protobuf(&ctx, name, path, format(message))?;
    }
    if let Some(message) = &args.message {
        ctx = with_files(ctx, format(message));
    }
    Ok(ctx)
}

async fn run(args: &Args) -> Result<(), Failure> {
    let output = Output::new(args.out.as_deref(), args.output).map_err(Failure::Usage)?;
    let ctx = session(args)?;
    let plan = ctx.sql(&args.query).await?.create_physical_plan().await?;
    let batches = execute_stream(plan.clone(), ctx.task_ctx())?;
    let result = output.write(batches, args.max_rows).await;
    let skipped = skipped(plan.as_ref());
    match (&skipped.example, skipped.messages) {
        (None, _) => {}
        (Some(example), 1) => eprintln!("protosql: skipped 1 bad message; it is {example}"),
        (Some(example), messages) => eprintln!("protosql: skipped {messages} bad messages; one of them: {example}"),
    }
    match result {
        Err(_) if output.closed() => Err(Failure::Closed),
        result => Ok(result?),
    }
}
