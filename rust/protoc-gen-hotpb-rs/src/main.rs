//! `protoc-gen-hotpb-rs`: hotpb's Rust generator as a protoc plugin, or by itself over a descriptor set.

mod args;

use hotpb_codegen::{Error, OptionError, Options, Output, analyse, descriptor, generate, generate_all, respond};
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
protoc-gen-hotpb-rs: hotpb's Rust generator

As a plugin of protoc (no arguments):
  protoc --hotpb-rs_out=OUT [--hotpb-rs_opt=OPTIONS] FILE…

By itself, over what protoc --include_imports --include_source_info --descriptor_set_out=SET wrote:
  protoc-gen-hotpb-rs --descriptor_set=SET [--files=a.proto+b.proto] [--opt=OPTIONS] --out=DIR
  protoc-gen-hotpb-rs --descriptor_set=SET [--files=a.proto+b.proto] --emit_plan=FILE|-

OPTIONS, separated by commas:
  faces=pool            faces to generate, joined by +: pool, builder, visitor, writer
  messages=pkg.A+pkg.B  only these messages and what they need
  only=pkg.A.f+pkg.A.g  of each message named, only these fields
  skip=pkg.A.f+pkg.B.g  all fields but these
  keep_skipped          keep what is left out so among the unknown fields, instead of dropping it
  hot=pkg.A+pkg.B       straight code for these messages, whatever their size (pool); hot=* for all
  cold=pkg.A+pkg.B      these messages by table; cold=* for all
  utf8=schema|strict    which strings generated decoders check by default
  emit_plan=FILE        the plan as JSON among the files a plugin answers with
";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let done = if arguments.is_empty() { plugin() } else { command(&arguments) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("protoc-gen-hotpb-rs: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn plugin() -> Result<(), String> {
    let mut request = Vec::new();
    std::io::stdin().lock().read_to_end(&mut request).map_err(|e| format!("standard input: {e}"))?;
    let response = respond(&request).map_err(|e| e.to_string())?;
    tell(&response.notes);
    std::io::stdout().lock().write_all(&response.bytes).map_err(|e| format!("standard output: {e}"))
}

fn command(arguments: &[String]) -> Result<(), String> {
    if arguments.iter().any(|a| a == "--help" || a == "-h") {
        print!("{USAGE}");
        return Ok(());
    }
    if arguments == ["--version"] {
        println!("protoc-gen-hotpb-rs {}", env!("CARGO_PKG_VERSION"));
        return Ok(());
    }
    let args = args::parse(arguments)?;
    let set = std::fs::read(&args.descriptor_set).map_err(|e| format!("{}: {e}", args.descriptor_set))?;
    let (plan, output) = run(&args, &set).map_err(|e| e.to_string())?;
    if let Some(file) = &args.emit_plan {
        write(file, &plan)?;
    }
    if let (Some(folder), Some(output)) = (&args.out, output) {
        tell(&output.notes);
        for file in &output.files {
            let path = Path::new(folder).join(&file.name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
            }
            std::fs::write(&path, &file.content).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(())
}

/// The plan as JSON, and the generated files when an output folder is given.
fn run(args: &args::Args, set: &[u8]) -> Result<(Vec<u8>, Option<Output>), Error> {
    let options = Options::parse(&args.opt)?;
    if let Some(file) = options.emit_plan {
        let problem = format!("outside of protoc it is an argument: --emit_plan={file}");
        return Err(OptionError { option: "emit_plan".into(), value: file, problem }.into());
    }
    let files = descriptor::read_set(set)?;
    let plan = analyse(&files, &args.files)?;
    let output = match &args.out {
        None => None,
        Some(_) if args.files.is_empty() => Some(generate_all(&plan, &options)?),
        Some(_) => Some(generate(&plan, &options)?),
    };
    Ok((plan.to_json(), output))
}

fn write(file: &str, bytes: &[u8]) -> Result<(), String> {
    if file == "-" {
        return std::io::stdout().lock().write_all(bytes).map_err(|e| format!("standard output: {e}"));
    }
    std::fs::write(file, bytes).map_err(|e| format!("{file}: {e}"))
}

fn tell(notes: &[String]) {
    for note in notes {
        eprintln!("protoc-gen-hotpb-rs: {note}");
    }
}
