//! `protoc-gen-hotpb-rs`: hotpb's Rust generator, as a protoc plugin or as a program that reads a descriptor set.

mod args;

use hotpb_codegen::{OptionError, Options, Output, analyse, descriptor, generate, generate_all, respond};
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
protoc-gen-hotpb-rs generates hotpb's Rust code from Protocol Buffers schemas.

Usage:
  as a plugin of protoc:
    protoc --hotpb-rs_out=DIR [--hotpb-rs_opt=OPTIONS] FILE…
  without protoc, from a descriptor set:
    protoc-gen-hotpb-rs --descriptor_set=SET --out=DIR [--files=FILES] [--opt=OPTIONS]
    protoc-gen-hotpb-rs --descriptor_set=SET --emit_plan=FILE [--files=FILES]

Arguments:
  --descriptor_set=SET  read the output of
                        protoc --include_imports --include_source_info --descriptor_set_out=SET
  --out=DIR             write the generated files to this folder
  --files=FILES         generate only these files of the set, as in a.proto+b.proto; may be repeated; default: all.
                        A name that holds a +, such as c++.proto, is recognised
  --opt=OPTIONS         set these options; may be repeated
  --emit_plan=FILE      write the plan (the resolved schema) as JSON; - is standard output
  --help, -h            print this help
  --version             print the version

Options, separated by commas:
  faces=pool+writer     generate these faces: pool (default), builder, visitor, writer, view,
                        codec
  messages=pkg.A+pkg.B  generate only these messages and those that they need
  only=pkg.A.f+pkg.A.g  generate only these fields of pkg.A; readers skip the other fields
  skip=pkg.A.f+pkg.B.g  generate all fields except these, which readers skip
  keep_skipped          keep skipped fields among the unknown fields instead of discarding them
  hot=pkg.A+pkg.B       generate straight code for these messages of the pool; * means all others
  cold=pkg.A+pkg.B      read and write these messages of the pool by table; * means all others
  prost=crate::pb       for codec: the module with prost's code; +.pkg=::path adds where a package is elsewhere
  utf8=schema           check strings as the schema requires (default); utf8=strict checks all
  quiet                 say nothing about a file with code for very many messages
  emit_plan=FILE        as a plugin: add the plan as JSON to the generated files
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
    let (plan, output) = run(&args, &set)?;
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

/// Returns the plan as JSON, and the generated files if there is an output folder.
fn run(args: &args::Args, set: &[u8]) -> Result<(Vec<u8>, Option<Output>), String> {
    let options = Options::parse(&args.opt).map_err(|e| e.to_string())?;
    if let Some(file) = options.emit_plan {
        let problem = format!("outside protoc, pass it as an argument: --emit_plan={file}");
        return Err(OptionError { option: "emit_plan".into(), value: file, problem }.to_string());
    }
    let files = descriptor::read_set(set).map_err(|e| e.to_string())?;
    let in_set: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
    let plan = analyse(&files, &args::files_named(&in_set, &args.files)?).map_err(|e| e.to_string())?;
    let output = match &args.out {
        None => None,
        Some(_) if args.files.is_empty() => Some(generate_all(&plan, &options)),
        Some(_) => Some(generate(&plan, &options)),
    }
    .transpose()
    .map_err(|e| e.to_string())?;
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
