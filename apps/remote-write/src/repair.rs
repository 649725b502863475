//! `remote-write repair`: what a store can go on with after damage.
//!
//! It says what it would do, and does that with `--yes`. It deletes nothing: what the store does not use afterwards is in
//! `aside/repair-N`. Run again after a crash, it goes on.
//!
//! | damage | what it does |
//! |---|---|
//! | a record of the log | the other records are written again, with an empty one in its place ([`crate::log::repair`]) |
//! | the newest list | a new list, made from the older one and the files |
//! | a file of the list | the list goes on without it. If the log still has its requests, they are read again; if another file has its rows, because it was merged, that one is listed |
//! | both copies of the superblock | new ones |

use crate::log::disk::{Disk, Folder};
use crate::log::repair::{Changes, Remains};
use crate::options::Repair;
use crate::server::lock;
use crate::store::check::Checks;
use crate::store::files::{move_aside, range_of, tenant_of, unnamed};
use crate::store::manifest::{File, Manifest, names};
use crate::store::parquet_file;
use crate::superblock::{Content, Found, NAMES, Superblock};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why nothing can be repaired.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// What is to be done.
#[derive(Default)]
struct Plan {
    store: u128,
    /// Files to move aside, relative to the folder, and why.
    aside: Vec<(PathBuf, String)>,
    /// The new list, if there must be one.
    list: Option<Manifest>,
    /// Whether the superblock is to be written.
    superblock: Option<Content>,
    log: Changes,
    /// What is lost.
    lost: Vec<String>,
}

/// Runs the command, and writes what it does.
pub fn run(options: &Repair, out: &mut dyn Write) -> Result<(), Error> {
    let data = options.data.as_path();
    if !data.is_dir() {
        return Err(format!("{}: there is no such folder", data.display()).into());
    }
    let _lock = lock(data)?;
    let repair = Store::open(data)?;
    let plan = repair.plan()?;
    let would = |done: &'static str, todo: &'static str| if options.yes { done } else { todo };
    if plan.is_empty() {
        writeln!(out, "{}: nothing is to be repaired", data.display())?;
        return Ok(());
    }
    let folder = aside(data);
    for (path, why) in &plan.aside {
        let to = folder.strip_prefix(data).unwrap_or(&folder).display();
        writeln!(out, "{} {} to {to}: {why}", would("moved", "would move"), path.display())?;
    }
    for range in &plan.log.rewrite {
        let (first, last) = (range.start, range.end - 1);
        writeln!(out, "{} log/{first:020}.log with records {first} to {last}", would("wrote", "would write"))?;
    }
    if let Some(list) = &plan.list {
        let (number, files) = (list.number, list.files.len());
        writeln!(out, "{} manifest-{number} with {files} files", would("wrote", "would write"))?;
    }
    if plan.superblock.is_some() {
        writeln!(out, "{} {} and {}", would("wrote", "would write"), NAMES[0], NAMES[1])?;
    }
    match plan.lost.is_empty() {
        true => writeln!(out, "no row is lost")?,
        false => plan.lost.iter().try_for_each(|line| writeln!(out, "lost: {line}"))?,
    }
    if options.yes {
        repair.apply(&plan, &folder)?;
        writeln!(out, "the server can start")?;
    } else {
        writeln!(out, "with --yes, it does so; what it replaces is in {} then", folder.display())?;
    }
    Ok(())
}

/// Returns the first folder that is not there yet.
fn aside(data: &Path) -> PathBuf {
    let free = |number: &u32| !data.join(format!("aside/repair-{number}")).exists();
    data.join(format!("aside/repair-{}", (1..).find(free).unwrap_or(0)))
}

impl Plan {
    fn is_empty(&self) -> bool {
        self.aside.is_empty() && self.list.is_none() && self.superblock.is_none() && self.log == Changes::default()
    }
}

/// The store as it is.
struct Store<'d> {
    data: &'d Path,
    folder: Arc<dyn Disk>,
    log: Folder,
    found: Found,
    /// The newest list that is whole.
    list: Option<Manifest>,
    /// Lists with higher numbers, which are damaged.
    damaged_lists: Vec<String>,
    remains: Remains,
    id: u128,
}

impl Store<'_> {
    fn open(data: &Path) -> Result<Store<'_>, Error> {
        let at = |path: &Path, error: &dyn Display| format!("{}: {error}", path.display());
        let folder: Arc<dyn Disk> = Arc::new(Folder::open(data).map_err(|e| at(data, &e))?);
        let found = Found::read(&*folder).map_err(|e| at(data, &e))?;
        let (mut lists, mut damaged_lists, mut list) = (names(data)?, Vec::new(), None);
        lists.sort();
        for (number, name) in lists.into_iter().rev() {
            match Manifest::read_one(data, number)? {
                Some(whole) => {
                    list = Some(whole);
                    break;
                }
                None => damaged_lists.push(name),
            }
        }
        let log_folder = data.join("log");
        if !log_folder.is_dir() && list.is_none() {
            return Err(format!("{}: no store is here", data.display()).into());
        }
        fs::create_dir_all(&log_folder)?;
        let log = Folder::open(&log_folder)?;
        let id = list.as_ref().map(|list| list.store).or(found.content().map(|content| content.store));
        let id = match id {
            Some(id) => id,
            None => Remains::store(&log)?.ok_or_else(|| format!("{}: no store is here", data.display()))?,
        };
        let remains = Remains::read(&log, id).map_err(|e| at(&log_folder, &e))?;
        Ok(Store { data, folder, log, found, list, damaged_lists, remains, id })
    }

    fn plan(&self) -> Result<Plan, Error> {
        let mut plan = Plan { store: self.id, ..Plan::default() };
        let content = self.found.content_of(self.id);
        let synced = content.map_or(0, |content| content.synced);
        let newest = content.map_or(0, |content| content.list);
        // Without a superblock, nobody knows whether there was a newer one.
        let is_newest = self.list.as_ref().is_some_and(|list| {
            let agrees = match content {
                Some(content) => content.list != list.number || content.checksum == list.checksum(),
                None => !list.superblocks,
            };
            self.damaged_lists.is_empty() && list.number >= newest && agrees
        });
        for name in &self.damaged_lists {
            plan.aside.push((name.into(), "the list of files is damaged".to_owned()));
        }
        let list = self.list.clone().unwrap_or(Manifest { store: self.id, ..Manifest::default() });
        let list_ended = list.low;
        let (list, changed) = self.files(list, is_newest, &mut plan)?;
        // Requests that the older list does not have are in the log, or in files.
        plan.log = self.remains.changes(list.low, synced);
        for range in &plan.log.lost {
            let (first, last) = (range.start, range.end - 1);
            plan.lost.push(format!("what requests {first} to {last} of the log had, unless they had no rows"));
        }
        if !is_newest && list.low > list_ended {
            let last = list.low - 1;
            plan.lost
                .push(format!("rows of requests {list_ended} to {last} that are in no file: the log begins later"));
        }
        for name in &plan.log.foreign {
            plan.aside.push((Path::new("log").join(name), "it is no segment of this log".to_owned()));
        }
        let highest =
            newest.max(list.number).max(self.damaged_lists.iter().filter_map(|name| number(name)).max().unwrap_or(0));
        let disagrees = self.found.check(Some(&list)).is_err() && is_newest;
        if changed || !is_newest {
            plan.list = Some(Manifest { number: highest + 1, superblocks: true, ..list.clone() });
        }
        if plan.list.is_some() || disagrees || !self.found.faults().is_empty() && list.superblocks {
            let list = plan.list.as_ref().unwrap_or(&list);
            let (number, checksum) = (list.number, list.checksum());
            plan.superblock = Some(Content { store: self.id, list: number, checksum, synced });
        }
        Ok(plan)
    }

    /// Returns the list without damaged files, and with others that have their rows.
    fn files(&self, mut list: Manifest, is_newest: bool, plan: &mut Plan) -> Result<(Manifest, bool), Error> {
        let data = self.data.join("data");
        let checks = Checks::new(data.clone());
        let (mut damaged, mut kept) = (Vec::new(), Vec::new());
        for file in std::mem::take(&mut list.files) {
            match checks.whole(&file) {
                Ok(()) => kept.push(file),
                Err(why) => damaged.push((file, why)),
            }
        }
        if is_newest && damaged.is_empty() {
            list.files = kept;
            return Ok((list, false));
        }
        // Where an older list ends, the log goes on, or files of which the newest list had the names.
        if !is_newest {
            list.low = list.low.max(self.remains.first().unwrap_or(0));
        }
        // Files that have rows which the list lacks.
        let needed = |path: &Path, range: (u64, u64)| {
            let same = |file: &File| Path::new(&file.path).parent() == path.parent();
            let touches = |file: &File| same(file) && file.first <= range.1 && range.0 <= file.last;
            !is_newest && range.0 < list.low || damaged.iter().any(|(file, _)| touches(file))
        };
        let mut more: Vec<File> = Vec::new();
        for path in unnamed(&data, &[&kept[..], &damaged.iter().map(|d| d.0.clone()).collect::<Vec<_>>()].concat())? {
            let Some(range) = range_of(&path).filter(|_| path.extension().is_some_and(|end| end == "parquet")) else {
                continue;
            };
            if needed(&path, range)
                && let Ok(file) = parquet_file::describe(&data, &path, range)
            {
                more.push(file);
            }
        }
        // What was merged is in the file that has the wider range.
        let inside = |file: &File, wide: &File| {
            let same = Path::new(&file.path).parent() == Path::new(&wide.path).parent();
            same && file.path != wide.path && wide.first <= file.first && file.last <= wide.last
        };
        let all = [&kept[..], &more[..]].concat();
        let (merged, listed): (Vec<File>, Vec<File>) =
            all.iter().cloned().partition(|file| all.iter().any(|wide| inside(file, wide)));
        for file in merged {
            plan.aside.push((Path::new("data").join(&file.path), "a merged file has its rows".to_owned()));
        }
        for (file, why) in &damaged {
            let path = Path::new("data").join(&file.path);
            if self.data.join(&path).exists() {
                plan.aside.push((path, why.clone()));
            }
            // The file into which it was merged, or those that were merged into it: all, if they reach as far and have as many rows.
            let parts: Vec<&File> = listed.iter().filter(|part| inside(part, file)).collect();
            let reach = (parts.iter().map(|part| part.first).min(), parts.iter().map(|part| part.last).max());
            let rows = parts.iter().map(|part| part.rows).sum::<u64>();
            let covered = listed.iter().any(|wide| inside(file, wide))
                || reach == (Some(file.first), Some(file.last)) && rows >= file.rows;
            let in_log = file.first >= list.low || self.remains.has_all(file.first..list.low);
            if in_log && !covered {
                list.low = list.low.min(file.first);
            }
            if !in_log && !covered {
                let tenant = if tenant_of(&file.path).is_empty() {
                    String::new()
                } else {
                    format!(", of tenant {}", tenant_of(&file.path))
                };
                let File { path, rows, first, last, min_time, max_time, .. } = file;
                plan.lost.push(format!(
                    "{rows} rows of {path}{tenant}: requests {first} to {last}, times {min_time} to {max_time}; {why}"
                ));
            }
        }
        list.files = listed;
        let left = unnamed(&data, &list.files)?;
        let moved: BTreeSet<PathBuf> = plan.aside.iter().map(|(path, _)| path.clone()).collect();
        for path in left.into_iter().filter(|path| !moved.contains(&Path::new("data").join(path))) {
            let why = match range_of(&path) {
                Some((_, last)) if last >= list.low => "the log has its rows",
                _ => "no list names it",
            };
            plan.aside.push((Path::new("data").join(path), why.to_owned()));
        }
        Ok((list, true))
    }

    fn apply(&self, plan: &Plan, aside: &Path) -> Result<(), Error> {
        // What is replaced stays under its name until the new one is there.
        for range in &plan.log.rewrite {
            let name = format!("{:020}.log", range.start);
            let (path, part) = (self.data.join("log").join(&name), self.data.join("log").join(format!("{name}.part")));
            let bytes = self.remains.segment(&self.log, plan.store, range.clone())?;
            let mut file = fs::File::create(&part)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            if path.exists() {
                fs::create_dir_all(aside.join("log"))?;
                fs::copy(&path, aside.join("log").join(&name))?;
                fs::File::open(aside.join("log").join(&name))?.sync_all()?;
            }
        }
        for range in &plan.log.rewrite {
            let path = self.data.join("log").join(format!("{:020}.log", range.start));
            fs::rename(self.data.join("log").join(format!("{:020}.log.part", range.start)), path)?;
        }
        self.log.sync()?;
        let (lists, files): (Vec<_>, Vec<_>) = plan.aside.iter().partition(|(path, _)| path.starts_with("manifest"));
        for (path, _) in files {
            move_aside(self.data, path, aside)?;
        }
        if let Some(list) = &plan.list {
            list.write(self.data)?;
        }
        if let Some(content) = plan.superblock {
            for name in NAMES.map(|name| self.data.join(name)).iter().filter(|path| path.exists()) {
                fs::create_dir_all(aside)?;
                fs::copy(name, aside.join(name.file_name().expect("it has a name")))?;
            }
            Superblock::new(Arc::clone(&self.folder), content).write()?;
        }
        for (path, _) in lists {
            move_aside(self.data, path, aside)?;
        }
        Ok(())
    }
}

fn number(name: &str) -> Option<u64> {
    name.strip_prefix("manifest-")?.parse().ok()
}

/// Writes to standard output.
pub fn command(options: &Repair) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    run(options, &mut out)
}
