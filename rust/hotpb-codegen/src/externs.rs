//! `extern_path=`: packages whose code another crate, or another unit, has.

use crate::error::OptionError;
use crate::plan::{FileId, Plan};
use crate::shipped::is_shipped;

/// A package of the schema, and the Rust module that has its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternPath {
    /// The package, without the dot before it; empty for all packages.
    pub package: String,
    /// The path of the module: `::crate_name::module` or `crate::module`.
    pub path: String,
}

impl ExternPath {
    /// Reads `.package=::path`.
    pub(crate) fn parse(value: &str) -> Result<ExternPath, OptionError> {
        let refuse = |problem: &str| {
            Err(OptionError { option: "extern_path".into(), value: value.into(), problem: problem.into() })
        };
        let Some((package, path)) = value.split_once('=') else {
            return refuse(
                "write a package and the module that has its code, as in extern_path=.google.api=::google_api",
            );
        };
        let Some(package) = package.strip_prefix('.') else {
            return refuse("the package begins with a dot, as in .google.api");
        };
        let absolute = path.starts_with("::") || path == "crate" || path.starts_with("crate::");
        if !absolute || syn::parse_str::<syn::Path>(path).is_err() {
            return refuse("the path of the module begins with :: or crate, as in ::google_api or crate::api");
        }
        Ok(ExternPath { package: package.into(), path: path.into() })
    }

    /// Returns the parts of a package after this one; `None` if it is another package.
    pub(crate) fn rest<'p>(&self, package: &'p str) -> Option<&'p str> {
        if self.package.is_empty() {
            return Some(package);
        }
        let rest = package.strip_prefix(&*self.package)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
    }
}

/// Returns the index of the path that has the code of a file's package, the longest one that fits; `None` for files that
/// ship with the runtime.
pub(crate) fn find(plan: &Plan, file: FileId, externs: &[ExternPath]) -> Option<usize> {
    if is_shipped(&plan[file].name) {
        return None;
    }
    let fits = externs.iter().enumerate().filter(|(_, x)| x.rest(&plan[file].package).is_some());
    fits.max_by_key(|(_, x)| x.package.len()).map(|(index, _)| index)
}

/// Reports whether the code of a file is elsewhere: in the runtime, or where one of the paths says.
pub fn is_elsewhere(plan: &Plan, file: FileId, externs: &[ExternPath]) -> bool {
    is_shipped(&plan[file].name) || find(plan, file, externs).is_some()
}
