//! The source of the descriptors: a descriptor set, protoc, or protox.

use crate::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The user's settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub descriptor_set: Option<PathBuf>,
    pub protoc: Option<PathBuf>,
    pub protoc_args: Vec<OsString>,
}

/// An encoded `FileDescriptorSet`, and the files that were read to create it.
pub(crate) struct Source {
    pub set: Vec<u8>,
    pub files: Vec<PathBuf>,
}

/// The files to read.
struct Request<'a> {
    names: &'a [String],
    includes: &'a [&'a Path],
    /// The options of the generator, for messages to the user.
    parameter: &'a str,
}

/// Reads the files with these names.
pub(crate) fn read(
    settings: &Settings,
    names: &[String],
    includes: &[&Path],
    parameter: &str,
) -> Result<Source, Error> {
    let request = Request { names, includes, parameter };
    if let Some(file) = &settings.descriptor_set {
        let set = std::fs::read(file).map_err(|e| Error::of_file(file, &e))?;
        return Ok(Source { set, files: vec![file.clone()] });
    }
    let of_environment = || std::env::var_os("PROTOC").filter(|path| !path.is_empty()).map(PathBuf::from);
    match settings.protoc.clone().or_else(of_environment) {
        Some(protoc) => request.with_protoc(&protoc, &settings.protoc_args),
        None => request.with_protox(),
    }
}

impl Request<'_> {
    fn with_protoc(&self, protoc: &Path, arguments: &[OsString]) -> Result<Source, Error> {
        let out = std::env::temp_dir().join(format!("hotpb-build-{}-{}.fds", std::process::id(), unique()));
        let mut command = Command::new(protoc);
        command.args(["--include_imports", "--include_source_info"]).args(arguments);
        command.arg(joined("--descriptor_set_out=", &out));
        let more = std::env::var_os("PROTOC_INCLUDE").map(PathBuf::from);
        for folder in self.includes.iter().copied().chain(more.as_deref()) {
            command.arg(joined("--proto_path=", folder));
        }
        command.args(self.names);
        let done = command
            .output()
            .map_err(|e| Error::new(format!("{} cannot be run: {e}\n{}", protoc.display(), self.three_ways())))?;
        let set = std::fs::read(&out);
        let _ = std::fs::remove_file(&out);
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            return Err(Error::new(format!("{}: {}", protoc.display(), said.trim_end())));
        }
        let set = set.map_err(|e| Error::of_file(&out, &e))?;
        let files = hotpb_codegen::descriptor::read_set(&set).map_err(hotpb_codegen::Error::from)?;
        let files = files.iter().filter_map(|file| self.find(&file.name)).collect();
        Ok(Source { set, files })
    }

    #[cfg(feature = "protox")]
    fn with_protox(&self) -> Result<Source, Error> {
        let compiled = || {
            let mut compiler = protox::Compiler::new(self.includes)?;
            compiler.include_imports(true).include_source_info(true).open_files(self.names)?;
            let files = compiler.files().filter_map(|file| file.path().map(PathBuf::from)).collect();
            Ok(Source { set: compiler.encode_file_descriptor_set(), files })
        };
        compiled().map_err(|error: protox::Error| {
            let file = error.file().map(str::to_string);
            match file.and_then(|name| edition(&self.find(&name)?).map(|edition| (name, edition))) {
                Some((name, edition)) => Error::new(format!(
                    "{name} is written in edition {edition}; protox, which reads .proto files here, supports only proto2 \
                     and proto3.\n{}",
                    self.three_ways()
                )),
                // `Debug` prints the line and the column.
                None if error.is_file_not_found() => {
                    let folders: Vec<_> = self.includes.iter().map(|folder| folder.display().to_string()).collect();
                    Error::new(format!(
                        "{error:?}; the include folders are {}, relative to Cargo.toml: look at the spelling, or add the \
                         folder of that file",
                        folders.join(", ")
                    ))
                }
                None => Error::new(format!("{error:?}")),
            }
        })
    }

    #[cfg(not(feature = "protox"))]
    fn with_protox(&self) -> Result<Source, Error> {
        let problem = "nothing here reads .proto files: hotpb-build was built without its feature protox";
        Err(Error::new(format!("{problem}.\n{}", self.three_ways())))
    }

    /// Returns the path of the file with this name.
    fn find(&self, name: &str) -> Option<PathBuf> {
        self.includes.iter().map(|folder| folder.join(name)).find(|path| path.exists())
    }

    /// Returns the ways to fix the problem, with the lines to write.
    fn three_ways(&self) -> String {
        let folders: Vec<_> = self.includes.iter().map(|folder| format!("-I {} ", folder.display())).collect();
        let (folders, files) = (folders.concat(), self.names.join(" "));
        let options = match self.parameter {
            "" => String::new(),
            parameter => format!(" --hotpb-rs_opt={parameter}"),
        };
        format!(
            "There are three ways:\n\
             1. protoc 27 or newer: set PROTOC=/path/to/protoc, or write into build.rs\n\
             \x20      .protoc(\"/path/to/protoc\")\n\
             2. a descriptor set, which you create once with protoc and commit:\n\
             \x20      protoc {folders}--include_imports --include_source_info --descriptor_set_out=schema.fds {files}\n\
             \x20  and in build.rs\n\
             \x20      .descriptor_set(\"schema.fds\")\n\
             3. no build.rs: the plugin writes the same code, which you commit:\n\
             \x20      cargo install protoc-gen-hotpb-rs\n\
             \x20      protoc {folders}--hotpb-rs_out=src/gen{options} {files}"
        )
    }
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(flag);
    argument.push(path);
    argument
}

/// Returns a different number for each call in this process.
fn unique() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Returns the edition that a file declares, which only comments may precede.
#[cfg(feature = "protox")]
fn edition(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        rest = if let Some(comment) = rest.strip_prefix("//") {
            comment.split_once('\n')?.1
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/")?.1
        } else {
            break;
        }
        .trim_start();
    }
    let value = rest.strip_prefix("edition")?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split_once(quote).map(|(edition, _)| edition.to_string())
}
