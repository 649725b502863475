//! The schema: a descriptor set, or a .proto file.

use crate::args::Args;
use hotpb_arrow::Types;
use std::path::{Path, PathBuf};

/// Reads the schema that the command line names. The error says which file is wrong, and why.
pub fn read(args: &Args) -> Result<Types, String> {
    let (path, set) = match (&args.proto, &args.descriptor_set) {
        (Some(path), _) => (path, compile(path, &args.proto_path)?),
        (None, Some(path)) => (path, std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?),
        (None, None) => return Err("--proto or --descriptor_set names the schema".to_string()),
    };
    Types::read(&set).map_err(|e| format!("{}: {e}", path.display()))
}

/// Compiles a .proto file, and those that it imports, to a descriptor set.
fn compile(file: &Path, folders: &[PathBuf]) -> Result<Vec<u8>, String> {
    let own = [file.parent().unwrap_or(Path::new("")).to_path_buf()];
    let folders = if folders.is_empty() { &own[..] } else { folders };
    let compiled = || {
        let mut compiler = protox::Compiler::new(folders)?;
        compiler.include_imports(true).open_file(file)?;
        Ok(compiler.encode_file_descriptor_set())
    };
    // `Debug` prints the line and the column.
    compiled().map_err(|error: protox::Error| {
        let editions = match is_of_an_edition(file) {
            true => {
                "\nIt is written in an edition: protoc --include_imports --descriptor_set_out=F, and --descriptor_set=F"
            }
            false => "",
        };
        format!("{}: {error:?}{editions}", file.display())
    })
}

/// Reports whether a file begins with an edition, which protox does not read.
fn is_of_an_edition(file: &Path) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().any(|line| line.trim_start().starts_with("edition"))
}
