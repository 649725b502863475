//! `hotpb-testgen`: `protoc-gen-hotpb-rs --descriptor_set=…`, and the extras of this crate in `faces=`.

#[allow(dead_code)] // There is no plan to write.
#[path = "../../../protoc-gen-hotpb-rs/src/args.rs"]
mod args;

use hotpb_codegen::{analyse, descriptor};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let args = args::parse(&std::env::args().skip(1).collect::<Vec<_>>())?;
    let files = descriptor::read_set(&std::fs::read(&args.descriptor_set)?).map_err(hotpb_codegen::Error::from)?;
    let in_set: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
    let plan = analyse(&files, &args::files_named(&in_set, &args.files)?).map_err(hotpb_codegen::Error::from)?;
    let output = hotpb_tests_emitters::generate(&plan, &args.opt)?;
    for note in &output.notes {
        eprintln!("hotpb-testgen: {note}");
    }
    for file in &output.files {
        let path = Path::new(args.out.as_deref().unwrap_or(".")).join(&file.name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        std::fs::write(path, &file.content)?;
    }
    Ok(())
}
