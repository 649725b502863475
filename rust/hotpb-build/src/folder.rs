//! Writes generated files: only those that change, each completely or not at all.

use crate::Error;
use hotpb_codegen::OutputFile;
use std::path::Path;

/// Writes the files to a folder. It does not touch a file that already has the same content, so that its users are not
/// rebuilt.
pub(crate) fn write(folder: &Path, files: &[OutputFile]) -> Result<(), Error> {
    files.iter().try_for_each(|file| write_file(&folder.join(&file.name), file.content.as_bytes()))
}

/// Writes one file, unless it already has this content.
pub(crate) fn write_file(path: &Path, content: &[u8]) -> Result<(), Error> {
    if std::fs::read(path).is_ok_and(|before| before == content) {
        return Ok(());
    }
    let parent = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(|e| Error::of_file(parent, &e))?;
    let new = path.with_extension(format!("{}.new", std::process::id()));
    let written = std::fs::write(&new, content).and_then(|()| std::fs::rename(&new, path));
    if let Err(error) = written {
        let _ = std::fs::remove_file(&new);
        return Err(Error::of_file(path, &error));
    }
    Ok(())
}
