//! The server as a whole: opens a store, starts the threads, and stops them in order.

use crate::config::Config;
use crate::http::{Doors, Shared, Top, reload_now, serve};
use crate::ingest::{Ingest, Job, LOGGED, Memory, Replay};
use crate::live::{Live, Reloader, SetLog};
use crate::log::disk::{Disk, Folder};
use crate::log::{self, Log, LogOptions, RecoverError, Rows};
use crate::metrics::Metrics;
use crate::options::Serve;
use crate::retries::{Retries, kept};
use crate::store::files::{FILE_ENDS, all, tenant_of};
use crate::store::head::Head;
use crate::store::list::{Files, Swept};
use crate::store::manifest::Manifest;
use crate::store::merge;
use crate::superblock::{Content, Found, Superblock};
use crate::tenants::Tenants;
use crate::threads::needed;
use prometheus_client::registry::Registry;
use rows::{Names, Options, Rules};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Notify, Semaphore, mpsc};

/// The length of the window that a file covers.
const WINDOW_MS: i64 = 3_600_000;

/// Exports at a time: each has a thread.
const EXPORTS: usize = 4;

/// Why the server cannot start, or ended.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// What a server starts with.
pub struct Start {
    /// The command line, from which a reload starts.
    pub args: Vec<OsString>,
    /// What it led to.
    pub config: Config,
    /// Changes the filter of the log's lines.
    pub set_log: SetLog,
}

/// Runs until SIGTERM or SIGINT, or until the disk fails.
pub fn run(start: Start) -> Result<(), Error> {
    let Start { args, config, set_log } = start;
    let options = config.serve.clone();
    let live = Arc::new(Live::new(&config)?);
    let reloader = Arc::new(Reloader::new(args, config, Arc::clone(&live), set_log));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(options.listen).await.map_err(|e| format!("{}: {e}", options.listen))?;
        tokio::spawn(reload_at_signal(Arc::clone(&reloader)));
        let server = Server::start(&options, live, options.enable_reload.then_some(reloader))?;
        // Whoever reads the next line may send a signal at once.
        let signals = Signals::new()?;
        tracing::info!(listen = %listener.local_addr()?, data = %options.data.display(), "ready");
        let stop = async {
            tokio::select! {
                () = signals.first() => tracing::info!("stopping"),
                () = server.failed.notified() => tracing::error!(error = %server.log_failure(), "the log failed; stopping"),
            }
        };
        let doors = Doors { connections: options.max_connections, streams: options.max_streams };
        serve(listener, Arc::clone(&server.shared), doors, stop).await;
        tokio::task::spawn_blocking(|| server.stop()).await?
    })
}

/// For this long, a signal counts as the one before: a terminal, sudo and timeout each may pass on the same one.
const SAME_SIGNAL: Duration = Duration::from_millis(250);

/// SIGTERM and SIGINT, from the moment when this is created.
struct Signals {
    term: Signal,
    int: Signal,
}

impl Signals {
    fn new() -> io::Result<Signals> {
        Ok(Signals { term: signal(SignalKind::terminate())?, int: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.term.recv() => (),
            _ = self.int.recv() => (),
        }
    }

    /// Completes at the first one. The second one ends the process: what was acknowledged is in the log.
    async fn first(mut self) {
        self.next().await;
        tokio::spawn(async move {
            let first = Instant::now();
            loop {
                self.next().await;
                if first.elapsed() >= SAME_SIGNAL {
                    break;
                }
            }
            tracing::warn!("second signal: ending now");
            std::process::exit(1);
        });
    }
}

async fn reload_at_signal(reloader: Arc<Reloader>) {
    let Ok(mut hangup) = signal(SignalKind::hangup()) else { return };
    while hangup.recv().await.is_some() {
        // The log has the result.
        _ = reload_now(Arc::clone(&reloader)).await;
    }
}

/// A server without its doors.
pub struct Server {
    /// What the doors need.
    pub shared: Arc<Shared>,
    /// Completes when the log fails.
    pub failed: Arc<Notify>,
    threads: Vec<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
    log_folder: PathBuf,
    _lock: [fs::File; 2],
}

impl Server {
    /// Opens the store, reads the log back, and starts the threads.
    pub fn start(options: &Serve, live: Arc<Live>, reloader: Option<Arc<Reloader>>) -> Result<Server, Error> {
        let data = options.data.as_path();
        let at = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        let log_folder = data.join("log");
        fs::create_dir_all(&log_folder).map_err(|e| at(&log_folder, e))?;
        let lock = lock(data)?;
        let folder: Arc<dyn Disk> = Arc::new(Folder::open(data).map_err(|e| at(data, e))?);
        let (manifest, superblock) = open_store(data, folder)?;
        let (store, low) = (manifest.store, manifest.low);
        let (workers, shares) = (options.workers(), options.shares());
        let limit = usize::try_from(options.max_body)?;
        let receivers = receiver_options(options)?;
        let head = Head::new(workers, receivers.clone()).within(&shares);
        let files =
            Files::open(data.to_owned(), WINDOW_MS, manifest, Arc::clone(&superblock)).map_err(|e| at(data, e))?;
        let retries = Arc::new(Retries::default());
        let disk = Arc::new(Folder::open(&log_folder).map_err(|e| at(&log_folder, e))?);
        let (metrics, mut registry) = (Arc::new(Metrics::default()), Registry::default());
        let tenants = Arc::new(Tenants::default());
        for file in &files.manifest().files {
            if !tenant_of(&file.path).is_empty() {
                tenants.keep(tenant_of(&file.path));
            }
        }
        let mut replay = Replay {
            head: &head,
            files: &files,
            retries: &retries,
            metrics: &metrics,
            workers,
            seal_rows: options.seal_rows,
            memory: Memory::new(LOGGED, &receivers),
        };
        let began = Instant::now();
        let synced = superblock.content().synced;
        let recovered = log::recover(&*disk, store, low, synced, &mut |record, rows| match rows {
            Rows::InLog => {
                if !record.tenant.is_empty() {
                    tenants.keep(record.tenant);
                }
                replay.add(record)
            }
            Rows::InFiles => {
                replay.remember(record);
                Ok(())
            }
        })
        .map_err(|error| unreadable(data, &log_folder, error))?;
        drop(replay);
        // Not before the log says that it belongs to this list: whoever mixed up files of two stores may want them back.
        let swept = files.sweep().map_err(|e| at(data, e))?;
        if swept != Swept::default() {
            let Swept { removed, moved, kept } = swept;
            tracing::info!(removed, moved, kept, "files that the list does not name");
        }
        let replay_seconds = began.elapsed().as_secs_f64();
        tracing::info!(rows = head.rows(), torn_bytes = recovered.torn, clean = recovered.closed, "log read back");
        let log_options =
            LogOptions { durability: options.durability, segment_bytes: options.segment, ..LogOptions::default() };
        let log = Log::start(disk, superblock, recovered, log_options).map_err(|e| at(&log_folder, e))?;
        metrics.register(&mut registry);
        #[cfg(feature = "copy")]
        let copier = match &options.copy_to {
            Some(url) => {
                Some(crate::copy::Copier::open(url, &mut registry).map_err(|e| format!("copy-to: {url}: {e}"))?)
            }
            None => None,
        };
        #[cfg(feature = "kafka")]
        let kafka = {
            let records = crate::ingest::LogReader::new(&receivers);
            crate::kafka::Sender::open(&options.kafka, data, store, records, &mut registry)
                .map_err(|e| format!("Kafka: {e}"))?
        };
        // Before anything is sealed, and the log is cut.
        #[cfg(feature = "kafka")]
        if let Some(sender) = &kafka {
            log.hold(sender.next());
        }
        if let Err(error) = files.settle(&head, &log, kept(crate::clock::now_ms())) {
            tracing::warn!(%error, "segments of the log that are not needed stay");
        }
        metrics.gauges.replay_seconds.set(replay_seconds);
        let times = Arc::clone(&metrics);
        log.observe_syncs(move |took, records| {
            times.times.sync.observe(took.as_secs_f64());
            times.times.group.observe(records as f64);
        });
        let ingest = Arc::new(Ingest { store, log, head, files, retries, body_limit: limit, live, metrics });
        let (jobs, queue) = mpsc::channel(workers * 4);
        let room_bytes = shares.requests.min(u32::MAX as usize);
        let shared = Arc::new(Shared {
            ingest: Arc::clone(&ingest),
            tenants,
            tenant_header: options.tenant_header.clone(),
            jobs,
            room: Arc::new(Semaphore::new(room_bytes)),
            room_bytes,
            #[cfg(feature = "sql")]
            sql: crate::sql::Engine::new(crate::options::SqlLimits {
                sql_memory: options.sql_memory(),
                ..options.sql.clone()
            })?,
            registry,
            reloader,
            exports: Arc::new(Semaphore::new(EXPORTS)),
            top: Top::default(),
            started_ms: crate::clock::now_ms(),
            ready: AtomicBool::new(true),
        });
        let (stop, failed) = (Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
        let mut threads = Vec::new();
        #[cfg(feature = "kafka")]
        if let Some(sender) = kafka {
            let (ingest, stopping) = (Arc::clone(&shared.ingest), Arc::clone(&stop));
            let run = move || sender.run(&ingest, &stopping);
            threads.push(std::thread::Builder::new().name("kafka".to_owned()).spawn(run)?);
        }
        let queue = Arc::new(Mutex::new(queue));
        for worker in 0..workers {
            let (ingest, queue) = (Arc::clone(&ingest), Arc::clone(&queue));
            let memory = Memory::new(limit, &receivers);
            let run = move || work(&ingest, worker, memory, &queue);
            threads.push(needed(&format!("worker-{worker}"), run)?);
        }
        let sealer = Sealer { ingest, stop: Arc::clone(&stop), failed: Arc::clone(&failed) };
        threads.push(needed("sealer", move || sealer.run())?);
        let (merging, stopping) = (Arc::clone(&shared.ingest), Arc::clone(&stop));
        let tidy = move || tidy_files(&merging, &stopping);
        threads.push(std::thread::Builder::new().name("merger".to_owned()).spawn(tidy)?);
        #[cfg(feature = "copy")]
        if let Some(copier) = copier {
            let (ingest, stopping) = (Arc::clone(&shared.ingest), Arc::clone(&stop));
            let run = move || copier.run(&ingest.files, store, &stopping);
            threads.push(std::thread::Builder::new().name("copier".to_owned()).spawn(run)?);
        }
        Ok(Server { shared, failed, threads, stop, log_folder, _lock: lock })
    }

    /// Returns where and why the log failed; empty if it did not.
    fn log_failure(&self) -> String {
        match self.shared.ingest.log.check() {
            Ok(()) => String::new(),
            Err(failed) => format!("{}: {failed}", self.log_folder.display()),
        }
    }

    /// Finishes what waits, and closes the log. The doors must be shut.
    pub fn stop(self) -> Result<(), Error> {
        let Server { shared, threads, stop, log_folder, .. } = self;
        let ingest = Arc::clone(&shared.ingest);
        stop.store(true, Ordering::Relaxed);
        drop(shared);
        for thread in threads {
            thread.join().map_err(|_| "a thread panicked")?;
        }
        ingest.log.check().map_err(|failed| format!("{}: {failed}", log_folder.display()).into())
    }
}

/// Only one process may use a store. The operating system releases the locks when the process ends, however it ends.
///
/// The file `lock` stays then, so somebody may delete it for a stale one: the folder itself is locked, too, where the file
/// system can do that.
pub(crate) fn lock(data: &Path) -> Result<[fs::File; 2], Error> {
    let path = data.join("lock");
    let failed = |error: io::Error| format!("{}: {error}", path.display());
    let (folder, file) = (fs::File::open(data).map_err(failed)?, fs::File::create(&path).map_err(failed)?);
    let of_folder = flock(&folder, FlockOperation::NonBlockingLockExclusive);
    let of_file = flock(&file, FlockOperation::NonBlockingLockExclusive);
    if [of_folder, of_file].contains(&Err(Errno::WOULDBLOCK)) {
        return Err(format!("{}: another process uses this store", data.display()).into());
    }
    of_file.map_err(|error| failed(error.into()))?;
    Ok([folder, file])
}

/// What to do when a start is refused.
fn advice(data: &Path) -> String {
    let data = data.display();
    format!(
        "Restore it from a copy; or `remote-write repair --data {data}` shows how to go on without it, and what is lost"
    )
}

/// Says where a log cannot be read, and what to do.
fn unreadable(data: &Path, log_folder: &Path, error: RecoverError) -> String {
    let advice = match error {
        RecoverError::Damage(_) => format!(". {}", advice(data)),
        RecoverError::OtherStore(_) => {
            ". Restore the manifest of that store, or move the file out of this folder".to_owned()
        }
        RecoverError::Io(..) | RecoverError::Refused(_) => String::new(),
    };
    format!("{}: {error}{advice}", log_folder.display())
}

/// Reads the newest list, and compares it with the superblock.
fn open_store(data: &Path, folder: Arc<dyn Disk>) -> Result<(Manifest, Arc<Superblock>), Error> {
    let at = |error: io::Error| format!("{}: {error}", data.display());
    let found = Found::read(&*folder).map_err(at)?;
    let manifest = Manifest::read(data).map_err(|error| format!("{error}. {}", advice(data)))?;
    found.check(manifest.as_ref()).map_err(|why| format!("{}: {why}. {}", data.display(), advice(data)))?;
    let Some(manifest) = manifest else { return new_store(data, folder) };
    if !found.faults().is_empty() {
        tracing::warn!(copies = found.faults(), "the superblock is written again");
    }
    // The store of an older server, or a copy, has none.
    let content = found.content().unwrap_or(Content { store: manifest.store, ..Content::default() });
    let content = Content { list: manifest.number, checksum: manifest.checksum(), ..content };
    Ok((manifest, Superblock::new(folder, content)))
}

/// Begins a store. Files that are there are those of a store that lacks its manifest, or somebody else's: a new manifest would
/// not name them.
fn new_store(data: &Path, folder: Arc<dyn Disk>) -> Result<(Manifest, Arc<Superblock>), Error> {
    let at = |error: io::Error| format!("{}: {error}", data.display());
    let there = [all(&data.join("log"), &["log"]).map_err(at)?, all(&data.join("data"), &FILE_ENDS).map_err(at)?];
    if let Some(path) = there.iter().flatten().next() {
        let (data, path) = (data.display(), path.display());
        let why = format!("{data}: {path} is here, and no manifest, which lists the files of a store");
        return Err(format!("{why}. Restore the manifest from a copy, or choose an empty folder").into());
    }
    let store = u128::from(log::random()) << 64 | u128::from(log::random());
    let superblock = Superblock::new(folder, Content { store, ..Content::default() });
    superblock.write().map_err(at)?;
    let manifest = Manifest { store, number: 1, superblocks: true, ..Manifest::default() };
    manifest.write(data).and_then(|()| superblock.set_list(&manifest)).map_err(at)?;
    Ok((manifest, superblock))
}

fn receiver_options(options: &Serve) -> Result<Options, Error> {
    if options.memory() < options.max_body.saturating_mul(8) {
        return Err("memory: it must be at least eight times max-body".into());
    }
    Ok(Options {
        rules: Rules { lenient: true, one_kind: true, names: Names::Utf8 },
        skip_bad: true,
        max_rows: options.max_rows,
        max_label_names: options.max_label_names,
        max_series_bytes: options.shares().series,
        ..Options::default()
    })
}

/// A worker: takes requests until there are no more.
fn work(ingest: &Ingest, worker: usize, mut memory: Memory, queue: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        let job = queue.lock().expect("no worker panicked").blocking_recv();
        match job {
            Some(job) => ingest.handle(worker, &mut memory, job),
            None => return,
        }
    }
}

/// The bytes of files that are checked in each pause of 50 ms.
const CHECKED_BYTES: u64 = 4 << 20;

/// Checks files, and merges and deletes them now and then.
fn tidy_files(ingest: &Ingest, stop: &AtomicBool) {
    let (mut seen, mut at) = (None, Instant::now());
    let (mut left, mut round) = (1, Instant::now());
    while !stop.load(Ordering::Relaxed) {
        if left > 0 || round.elapsed() >= Duration::from_secs(1) {
            left = ingest.files.checks.round(&ingest.files.manifest(), CHECKED_BYTES);
            ingest.metrics.gauges.unchecked_files.set(left as i64);
            round = Instant::now();
        }
        std::thread::sleep(Duration::from_millis(50));
        // After each change of the list, and every few seconds, because time passes and readers go.
        let number = ingest.files.manifest().number;
        if seen == Some(number) && at.elapsed() < Duration::from_secs(5) {
            continue;
        }
        (seen, at) = (Some(number), Instant::now());
        let (done, failure) = merge::tidy(&ingest.files, ingest.live.get().policy, crate::clock::now_ms());
        let metrics = &ingest.metrics;
        metrics.merged_files.inc_by(done.merged);
        metrics.expired_files.inc_by(done.expired);
        metrics.duplicate("same", done.duplicates.same);
        metrics.duplicate("conflicting", done.duplicates.conflicting);
        if done.merged > 0 {
            metrics.times.merge.observe(at.elapsed().as_secs_f64());
            tracing::info!(files = done.merged, into = done.written, "merged");
        }
        if done.expired > 0 {
            tracing::info!(files = done.expired, "deleted files that are older than the retention");
        }
        if let Some(error) = failure {
            metrics.merge_failures.inc();
            tracing::error!(%error, "files could not be merged or deleted; they stay");
            std::thread::sleep(Duration::from_millis(500));
        }
    }
}

/// Writes rows to files when there are enough of them, or when they are old enough.
struct Sealer {
    ingest: Arc<Ingest>,
    stop: Arc<AtomicBool>,
    failed: Arc<Notify>,
}

impl Sealer {
    fn run(&self) {
        let mut pause = Duration::ZERO;
        while !self.stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
            let Ingest { log, head, files, metrics, .. } = &*self.ingest;
            if log.check().is_err() {
                self.failed.notify_one();
                return;
            }
            pause = pause.saturating_sub(Duration::from_millis(50));
            let settings = self.ingest.live.get();
            let (rows, age) = (head.rows(), head.age(crate::clock::steady_ms()));
            let due = rows > 0 && (rows >= settings.seal_rows || age >= settings.seal_after || head.is_full());
            if !(due || files.has_pending()) || !pause.is_zero() {
                continue;
            }
            let began = Instant::now();
            match files.seal(head, log) {
                Ok(sealed) => {
                    metrics.times.seal.observe(began.elapsed().as_secs_f64());
                    metrics.seals.inc();
                    metrics.sealed_rows.inc_by(sealed.rows);
                    metrics.sealed_bytes.inc_by(sealed.bytes);
                    metrics.duplicate("same", sealed.duplicates.same);
                    metrics.duplicate("conflicting", sealed.duplicates.conflicting);
                    metrics.out_of_order.inc_by(sealed.out_of_order);
                    tracing::info!(files = sealed.files, rows = sealed.rows, bytes = sealed.bytes, "sealed");
                }
                Err(error) => {
                    metrics.seal_failures.inc();
                    tracing::error!(%error, "rows could not be written to files; they are in the log");
                    pause = Duration::from_secs(5);
                }
            }
        }
    }
}
