//! Writes generated files: only those that change, each completely or not at all.

use crate::Error;
use hotpb_codegen::OutputFile;
use std::path::Path;

/// Writes the files to a folder. It does not touch a file that already has the same content, so that its users are not
/// rebuilt.
pub(crate) fn write(folder: &Path, files: &[OutputFile]) -> Result<(), Error> {
    for file in files {
        let path = folder.join(&file.name);
        if std::fs::read(&path).is_ok_and(|before| before == file.content.as_bytes()) {
            continue;
        }
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|e| Error::of_file(parent, &e))?;
        let new = path.with_extension(format!("{}.new", std::process::id()));
        let written = std::fs::write(&new, &file.content).and_then(|()| std::fs::rename(&new, &path));
        if let Err(error) = written {
            let _ = std::fs::remove_file(&new);
            return Err(Error::of_file(&path, &error));
        }
    }
    Ok(())
}
