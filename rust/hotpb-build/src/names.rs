//! The names of files as in imports: relative to an include folder, with `/`.

use crate::Error;
use hotpb_codegen::plan::{Field, FileId, Plan};
use hotpb_codegen::{ExternPath, is_elsewhere};
use std::path::{Component, Path, PathBuf};

/// Returns the names that protoc uses for files given by path. A file that exists must be inside one of the folders;
/// any other path must already be such a name.
pub(crate) fn in_includes(protos: &[&Path], includes: &[&Path]) -> Result<Vec<String>, Error> {
    if protos.is_empty() {
        return Err(Error::new("there is no .proto file to compile"));
    }
    let folders: Vec<PathBuf> = includes.iter().map(|folder| plain(folder)).collect();
    let mut names = Vec::new();
    for proto in protos {
        let path = plain(proto);
        let below = folders.iter().find_map(|folder| path.strip_prefix(folder).ok());
        let name = match below {
            Some(name) if proto.exists() => name,
            _ if proto.exists()
                && !includes.iter().any(|folder| proto.is_relative() && folder.join(proto).exists()) =>
            {
                let folders: Vec<_> = includes.iter().map(|folder| folder.display().to_string()).collect();
                return Err(Error::new(format!(
                    "{} is in none of the include folders ({}): add the folder to which its imports are relative",
                    proto.display(),
                    folders.join(", ")
                )));
            }
            _ => &path,
        };
        let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
        let name = parts.join("/");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Removes `.` parts.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, Component::CurDir)).collect()
}

/// Adds the files that define the field types of the named files, and so on; files whose code is
/// elsewhere are not needed. With `services`, the files of their requests and responses are needed, too.
pub(crate) fn add_needed(plan: &Plan, services: bool, externs: &[ExternPath], names: &mut Vec<String>) {
    let mut wanted: Vec<FileId> = (0..plan.files.len()).map(FileId).filter(|&id| plan[id].requested).collect();
    let mut next = 0;
    while let Some(&file) = wanted.get(next) {
        next += 1;
        let (mut files, mut extendees) = (Vec::new(), Vec::new());
        let mut types_of = |field: &Field| {
            files.extend(field.message.map(|id| plan[id].file));
            files.extend(field.enum_type.map(|id| plan[id].file));
        };
        plan.messages_of(file).flat_map(|id| &plan[id].fields).for_each(&mut types_of);
        for (extendee, extension) in plan.extensions_of(file) {
            types_of(&extension.field);
            extendees.push(plan[extendee].file);
        }
        for method in plan.services.iter().filter(|s| services && s.file == file).flat_map(|s| &s.methods) {
            files.extend([plan[method.input].file, plan[method.output].file]);
        }
        for file in files.into_iter().chain(extendees) {
            if !is_elsewhere(plan, file, externs) && !wanted.contains(&file) {
                wanted.push(file);
                names.push(plan[file].name.clone());
            }
        }
    }
}
