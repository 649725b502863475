//! `remote-write sql`: a query over the files of a folder.
//!
//! It reads the folder itself, by the list of files and without the lock, so that it works while a server runs and while
//! none does. Rows that are still in a server's memory are not in files; a server is asked for those over HTTP.

use super::format::Format;
use super::{Engine, SqlError};
use crate::options::Sql;
use crate::store::snapshot::Snapshot;
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
    let answer = answer(&options, &sql)?;
    let mut out = std::io::stdout().lock();
    // Whoever reads may have enough.
    match out.write_all(&answer).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
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
