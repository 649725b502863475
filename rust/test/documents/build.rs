//! Extracts the code from the Markdown files. The first line of a fenced block names its kind:
//!
//! - ` ```proto test NAME `     a .proto of the document: hotpb generates module `proto` from it, prost `stock`
//! - ` ```rust test `           statements; `?` may be used; what they leave in `bytes` is compared below one heading
//! - ` ```rust test global `    items, for all blocks of the document
//! - `<!-- rust test global `   the same, also for proto, hidden from the reader; `-->` ends it
//!
//! Blocks of a document that has .proto are in the same module as these two modules.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const DOCUMENTS: [&str; 4] = ["README.md", "rust/README.md", "docs/migrate-from-prost.md", "docs/rust-remote-write.md"];

struct Block {
    language: String,
    words: Vec<String>,
    heading: String,
    line: usize,
    text: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let mut code = String::new();
    for document in DOCUMENTS {
        let path = root.join(document);
        println!("cargo:rerun-if-changed={}", path.display());
        let blocks = blocks(&std::fs::read_to_string(&path).map_err(|e| format!("{document}: {e}"))?);
        let module: String = document.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        write_module(&mut code, document, &module.to_lowercase(), &blocks, &out)?;
    }
    std::fs::write(out.join("documents.rs"), code)?;
    Ok(())
}

/// Returns the marked blocks of a document.
fn blocks(document: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut end, mut heading) = (None, String::new());
    for (line, text) in document.lines().enumerate() {
        let (fence, rest) = match text.strip_prefix("```") {
            Some(rest) => ("```", rest),
            None => ("-->", text.strip_prefix("<!-- ").unwrap_or("")),
        };
        let words: Vec<String> = rest.split(' ').map(str::to_string).collect();
        let starts = matches!(words[0].as_str(), "rust" | "proto") && words.get(1).is_some_and(|word| word == "test");
        match end {
            Some(fence) if text.starts_with(fence) => end = None,
            Some(_) => {
                let block = blocks.last_mut().expect("a block is open");
                block.text += text;
                block.text.push('\n');
            }
            None if starts => {
                let (language, words) = (words[0].clone(), words[2..].to_vec());
                blocks.push(Block { language, words, heading: heading.clone(), line: line + 2, text: String::new() });
                end = Some(fence);
            }
            None if text.starts_with('#') => heading = text.trim_start_matches(['#', ' ']).to_string(),
            None => {}
        }
    }
    assert!(end.is_none(), "a block does not end");
    blocks
}

/// Writes the document as a module: generated code, then a function for each block, and a test for each heading.
fn write_module(
    code: &mut String,
    document: &str,
    module: &str,
    blocks: &[Block],
    out: &Path,
) -> Result<(), Box<dyn Error>> {
    let (protos, blocks): (Vec<&Block>, Vec<&Block>) = blocks.iter().partition(|block| block.language == "proto");
    if blocks.is_empty() {
        return Ok(());
    }
    let folder = out.join(module);
    std::fs::create_dir_all(folder.join("stock"))?;
    let mut files = Vec::new();
    for proto in protos {
        let file = folder.join(&proto.words[0]);
        std::fs::write(&file, &proto.text)?;
        files.push(file);
    }
    writeln!(code, "/// {document}\n#[allow(clippy::all, dead_code, non_snake_case, unused)]\nmod {module} {{")?;
    if !files.is_empty() {
        hotpb_build::Config::new()
            .faces(["pool", "builder", "visitor", "writer", "view", "codec"])
            .prost([format!("crate::{module}::stock")])
            .unit(module)
            .compile(&files, &[&folder])?;
        writeln!(code, "pub mod proto {{ hotpb::include_generated!({module:?}); }}")?;
        let set = protox::compile(&files, [&folder])?;
        let stock = folder.join("stock");
        prost_build::Config::new().out_dir(&stock).include_file("all.rs").compile_fds(set)?;
        writeln!(code, "pub mod stock {{ include!({:?}); }}", stock.join("all.rs"))?;
    }
    let mut headings: Vec<&str> = Vec::new();
    for block in &blocks {
        if block.words.iter().any(|word| word == "global") {
            code.push_str(&block.text);
            continue;
        }
        if !headings.contains(&block.heading.as_str()) {
            headings.push(&block.heading);
        }
        let bytes = if block.text.contains("let bytes") { "Some(bytes.to_vec())" } else { "None" };
        let (line, text) = (block.line, &block.text);
        writeln!(code, "fn line_{line}() -> Result<Option<Vec<u8>>, crate::Failure> {{")?;
        writeln!(code, "{text}Ok({bytes})\n}}")?;
    }
    for heading in headings {
        let name: String = heading.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let here = blocks.iter().filter(|block| block.heading == heading && !block.words.iter().any(|w| w == "global"));
        let functions: Vec<_> = here.map(|block| format!("({0}, line_{0})", block.line)).collect();
        let (name, functions) = (name.to_lowercase(), functions.join(", "));
        writeln!(code, "#[test]\nfn below_{name}() {{ crate::run({document:?}, {heading:?}, &[{functions}]) }}")?;
    }
    code.push_str("}\n");
    Ok(())
}
