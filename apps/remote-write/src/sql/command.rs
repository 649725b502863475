//! `remote-write sql`: a query over the files of a folder.
//!
//! It reads the folder itself, by the list of files and without the lock, so that it works while a server runs and while
//! none does. Rows that are still in a server's memory are not in files; a server is asked for those over HTTP.

use super::format::Format;
use super::{Engine, SqlError};
use crate::options::Sql;
use crate::store::files::tenant_of;
use crate::store::manifest::Manifest;
use crate::store::snapshot::Snapshot;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::PathBuf;

/// How often a query begins again because a server deleted a file meanwhile.
const ATTEMPTS: u32 = 5;

/// Why there is no answer.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Answers the query on the command line.
pub fn run(options: Sql) -> Result<(), Error> {
    let mut sql = options.query.clone();
    if sql == "-" {
        sql.clear();
        std::io::stdin().read_to_string(&mut sql)?;
    }
    check_tenant(&options)?;
    let answer = answer(&options, &sql)?;
    let mut out = std::io::stdout().lock();
    // Whoever reads may have enough.
    match out.write_all(&answer).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// The tenants that an error names.
const NAMED: usize = 10;

/// Reports a tenant of whom there is no file: an answer without rows would look as if there were none.
fn check_tenant(options: &Sql) -> Result<(), Error> {
    let Some(manifest) = Manifest::read(&options.data)? else { return Ok(()) };
    let tenants: BTreeSet<&str> = manifest.files.iter().map(|file| tenant_of(&file.path)).collect();
    let tenant = options.tenant.as_str();
    if tenants.contains(tenant) || tenant.is_empty() && tenants.is_empty() {
        return Ok(());
    }
    let data = options.data.display();
    let mut names: Vec<&str> = tenants.into_iter().filter(|name| !name.is_empty()).collect();
    if names.len() > NAMED {
        names.truncate(NAMED);
        names.push("…");
    }
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Err(match tenant {
        "" => format!("{data} has files of tenants only: name one with --tenant (there are: {names})"),
        _ => format!("--tenant={tenant}: {data} has no file of this tenant (there are: {names})"),
    }
    .into())
}

fn answer(options: &Sql, sql: &str) -> Result<Vec<u8>, Error> {
    let engine = Engine::new(options.limits.clone())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let mut attempt = 0;
    loop {
        attempt += 1;
        let (folder, tenant): (PathBuf, String) = (options.data.clone(), options.tenant.clone());
        let take = move |_: &_, _: &mut dyn FnMut(usize) -> _| Ok(Snapshot::of_folder(&folder, &tenant)?);
        match runtime.block_on(engine.query(sql.to_owned(), options.format, Box::new(take))) {
            // The files of an older list: the newest list has others.
            Err(SqlError::Gone(_)) if attempt < ATTEMPTS => (),
            result => return Ok(result?),
        }
    }
}

/// The format of answers without another wish.
pub const FORMAT: Format = Format::Table;
