//! Copies the files of a store to an object store, such as S3: each new file, then the manifest that lists it, then the
//! deletions. Whoever reads all files sees rows twice for the moment between a merged file and the deletion of its parts.
//!
//! The store itself stays on the disk: an answer never waits for a copy, and a copy that fails is tried again. Rows that
//! are not in files yet are not in the copy. A copy that is downloaded is a store that the server can go on with.

use crate::store::list::Files;
use crate::store::manifest::{File, Manifest};
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutPayload, WriteMultipart, parse_url_opts};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Runtime;
use url::Url;

/// Bytes that are sent at a time.
const PIECE: usize = 8 << 20;
/// Pieces of one file that are on their way at a time.
const AT_ONCE: usize = 2;
/// The object that says whose the place is.
const CLAIM: &str = "store";
/// The pause after an error, which doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Why something could not be copied.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Counters since the start.
#[derive(Clone, Debug, Default)]
struct Stats {
    /// Files that were copied.
    files: Counter,
    /// Their bytes.
    bytes: Counter,
    /// Attempts that failed.
    failures: Counter,
    /// Files that are not copied yet.
    pending: Gauge,
}

impl Stats {
    fn register(&self, registry: &mut Registry) {
        let r = registry.sub_registry_with_prefix("hotpb_rw");
        r.register("copied_files", "Files that were copied to the object store", self.files.clone());
        r.register("copied_bytes", "Bytes of files that were copied to the object store", self.bytes.clone());
        r.register("copy_failures", "Times that copying files failed", self.failures.clone());
        r.register("copy_behind_files", "Files of the list that are not in the object store yet", self.pending.clone());
    }
}

/// Copies the files of one store.
pub struct Copier {
    to: Box<dyn ObjectStore>,
    prefix: Path,
    stats: Stats,
    runtime: Runtime,
    /// The objects that are there, by their names below the prefix, with their lengths. None after an error, and at first.
    there: Option<HashMap<String, u64>>,
}

impl Copier {
    /// Opens a place: `s3://BUCKET/PREFIX`, `file:///FOLDER`. The environment has the rest: `AWS_ACCESS_KEY_ID`,
    /// `AWS_REGION`, `AWS_ENDPOINT` and so on.
    pub fn open(url: &Url, registry: &mut Registry) -> Result<Copier, Error> {
        let text = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?.to_ascii_lowercase(), value.into_string().ok()?))
        };
        let options = std::env::vars_os().filter_map(text);
        let (to, prefix) = parse_url_opts(url, options.filter(|(name, _)| name.starts_with("aws_")))?;
        let stats = Stats::default();
        stats.register(registry);
        Ok(Copier {
            to,
            prefix,
            stats,
            runtime: tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?,
            there: None,
        })
    }

    /// Copies until `stop` is set: after each change of the list, and again after an error.
    pub fn run(mut self, files: &Files, store: u128, stop: &AtomicBool) {
        let (mut copied, mut claimed) = (None, false);
        let (mut pause, mut left) = (FIRST_PAUSE, Duration::ZERO);
        let step = Duration::from_millis(50);
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(step);
            left = left.saturating_sub(step);
            // Its files stay while it is held.
            let manifest = files.manifest();
            if copied == Some(manifest.number) || !left.is_zero() {
                continue;
            }
            match self.attempt(files, &manifest, store, &mut claimed) {
                Ok(()) => (copied, pause) = (Some(manifest.number), FIRST_PAUSE),
                Err(error) => {
                    self.stats.failures.inc();
                    tracing::error!(%error, "files could not be copied; they stay here");
                    (left, pause) = (pause, (pause * 2).min(LONGEST_PAUSE));
                }
            }
        }
    }

    fn attempt(&mut self, files: &Files, manifest: &Manifest, store: u128, claimed: &mut bool) -> Result<(), Error> {
        let handle = self.runtime.handle().clone();
        handle.block_on(async {
            if !*claimed {
                self.claim(store).await?;
                *claimed = true;
            }
            self.copy(files, manifest).await
        })
    }

    /// Makes sure that the place belongs to this store: two stores in one place would delete each other's files, and a new
    /// place must be empty.
    async fn claim(&self, store: u128) -> Result<(), Error> {
        let (at, id) = (self.place_of(CLAIM)?, format!("{store:032x}\n"));
        let there = self.list().await?;
        if !there.contains_key(CLAIM)
            && let Some(other) = there.keys().next()
        {
            return Err(format!("the place is not empty, and not a store's: {other}").into());
        }
        match self.to.put_opts(&at, PutPayload::from(id.clone()), PutMode::Create.into()).await {
            Ok(_) => Ok(()),
            Err(object_store::Error::AlreadyExists { .. }) => {
                let there = self.to.get(&at).await?.bytes().await?;
                if there == id.as_bytes() { Ok(()) } else { Err("the place has the files of another store".into()) }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Makes the place hold exactly the files of a manifest, and the manifest.
    async fn copy(&mut self, files: &Files, manifest: &Manifest) -> Result<(), Error> {
        let mut there = match self.there.take() {
            Some(there) => there,
            None => self.list().await?,
        };
        let name_of = |file: &File| format!("data/{}", file.path);
        let is_new = |file: &&File| there.get(&name_of(file)) != Some(&file.bytes);
        let new: Vec<&File> = manifest.files.iter().filter(is_new).collect();
        self.stats.pending.set(new.len() as i64);
        for file in new {
            self.upload(files, file).await.map_err(|error| format!("{}: {error}", file.path))?;
            there.insert(name_of(file), file.bytes);
            self.stats.files.inc();
            self.stats.bytes.inc_by(file.bytes);
            self.stats.pending.dec();
        }
        // A copy has no superblock, which the next server of it begins.
        let listed = Manifest { superblocks: false, ..manifest.clone() };
        let (name, bytes) = (format!("manifest-{}", manifest.number), listed.encode()?);
        there.insert(name.clone(), bytes.len() as u64);
        self.to.put(&self.place_of(&name)?, bytes.into()).await?;
        let mut listed: HashSet<String> = manifest.files.iter().map(name_of).collect();
        listed.extend([name, CLAIM.to_owned()]);
        let is_copied = |name: &&String| name.starts_with("data/") || name.starts_with("manifest-");
        let gone: Vec<String> =
            there.keys().filter(is_copied).filter(|name| !listed.contains(*name)).cloned().collect();
        for name in gone {
            match self.to.delete(&self.place_of(&name)?).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => there.remove(&name),
                Err(error) => return Err(format!("{name}: {error}").into()),
            };
        }
        self.there = Some(there);
        Ok(())
    }

    /// Returns the place of an object, by its name below the prefix.
    fn place_of(&self, name: &str) -> Result<Path, Error> {
        let name = Path::parse(name)?;
        Ok(name.parts().fold(self.prefix.clone(), Path::join))
    }

    async fn list(&self) -> Result<HashMap<String, u64>, Error> {
        let (mut there, mut listed) = (HashMap::new(), self.to.list(Some(&self.prefix)));
        while let Some(object) = listed.try_next().await? {
            let parts = object.location.prefix_match(&self.prefix).ok_or("a listed object is outside of its prefix")?;
            let name: Vec<_> = parts.map(|part| part.as_ref().to_owned()).collect();
            there.insert(name.join("/"), object.size);
        }
        Ok(there)
    }

    async fn upload(&self, files: &Files, file: &File) -> Result<(), Error> {
        // Damage must not replace what is whole there.
        files.checks.whole(file)?;
        let place = self.place_of(&format!("data/{}", file.path))?;
        let mut from = std::fs::File::open(files.data().join(&file.path))?;
        let mut piece = read_piece(&mut from)?;
        if piece.len() < PIECE {
            self.to.put(&place, piece.into()).await?;
            return Ok(());
        }
        let mut upload = WriteMultipart::new_with_chunk_size(self.to.put_multipart(&place).await?, PIECE);
        let mut send = async || -> Result<(), Error> {
            while !piece.is_empty() {
                upload.wait_for_capacity(AT_ONCE).await?;
                upload.put(std::mem::take(&mut piece).into());
                piece = read_piece(&mut from)?;
            }
            Ok(())
        };
        if let Err(error) = send().await {
            // The pieces that are there would cost money for ever.
            _ = upload.abort().await;
            return Err(error);
        }
        upload.finish().await?;
        Ok(())
    }
}

fn read_piece(from: &mut std::fs::File) -> std::io::Result<Vec<u8>> {
    let mut piece = Vec::with_capacity(PIECE);
    from.take(PIECE as u64).read_to_end(&mut piece)?;
    Ok(piece)
}
