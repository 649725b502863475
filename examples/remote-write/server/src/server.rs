//! The server as a whole: opens a store, starts the threads, and stops them in order.

use crate::http::{Shared, serve};
use crate::ingest::{Ingest, Job, Limits, remember, replay};
use crate::log::disk::Folder;
use crate::log::{self, Log, LogOptions, Rows};
use crate::metrics::Metrics;
use crate::options::Serve;
use crate::retries::Retries;
use crate::store::head::{Files, Head};
use crate::store::manifest::Manifest;
use prometheus_client::registry::Registry;
use remote_write::body::Body;
use remote_write::{Names, Options, Receiver, Rules};
use rustix::fs::{FlockOperation, flock};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Notify, Semaphore, mpsc};

/// The length of the window that a file covers.
const WINDOW_MS: i64 = 3_600_000;

/// Why the server cannot start, or ended.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Runs until SIGTERM or SIGINT, or until the disk fails.
pub fn run(options: &Serve) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(options.listen).await.map_err(|e| format!("{}: {e}", options.listen))?;
        let server = Server::start(options)?;
        tracing::info!(listen = %listener.local_addr()?, data = %options.data.display(), "ready");
        let stop = async {
            tokio::select! {
                () = signal() => tracing::info!("stopping"),
                () = server.failed.notified() => tracing::error!("the log failed; stopping"),
            }
        };
        serve(listener, Arc::clone(&server.shared), options.max_connections, options.drain, stop).await;
        tokio::task::spawn_blocking(|| server.stop()).await?
    })
}

async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => (),
        _ = int.recv() => (),
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
    _lock: fs::File,
}

impl Server {
    /// Opens the store, reads the log back, and starts the threads.
    pub fn start(options: &Serve) -> Result<Server, Error> {
        let data = options.data.as_path();
        let at = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        let log_folder = data.join("log");
        fs::create_dir_all(&log_folder).map_err(|e| at(&log_folder, e))?;
        let lock = lock(data)?;
        let manifest = match Manifest::read(data).map_err(|e| at(data, e))? {
            Some(manifest) => manifest,
            None => new_store(data).map_err(|e| at(data, e))?,
        };
        let (store, low) = (manifest.store, manifest.low);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = if options.workers == 0 { cores } else { options.workers };
        let limit = usize::try_from(options.max_body)?;
        let head = Head::new(workers, receiver_options(options)?);
        let files = Files::open(data.to_owned(), WINDOW_MS, manifest).map_err(|e| at(data, e))?;
        let retries = Arc::new(Retries::default());
        let disk = Arc::new(Folder::open(&log_folder).map_err(|e| at(&log_folder, e))?);
        let mut body = Body::new(limit);
        let mut scratch = Receiver::new(receiver_options(options)?);
        let recovered = log::recover(&*disk, store, low, &mut |record, rows| match rows {
            Rows::InLog => replay(&head, &files, &retries, &mut body, workers, options.seal_rows, record),
            Rows::InFiles => {
                remember(&mut scratch, &retries, &mut body, record);
                Ok(())
            }
        })?;
        drop(scratch);
        tracing::info!(rows = head.rows(), torn_bytes = recovered.torn, clean = recovered.closed, "log read back");
        let log_options =
            LogOptions { durability: options.durability, segment_bytes: options.segment, ..LogOptions::default() };
        let log = Log::start(disk, store, recovered, log_options).map_err(|e| at(&log_folder, e))?;
        let (metrics, mut registry) = (Arc::new(Metrics::default()), Registry::default());
        metrics.register(&mut registry);
        let limits = Limits {
            body: limit,
            rows: options.seal_rows.saturating_mul(2),
            past: options.accept_past,
            ahead: options.accept_ahead,
        };
        let ingest = Arc::new(Ingest { store, log, head, files, retries, limits, metrics });
        let (jobs, queue) = mpsc::channel(workers * 4);
        let room_bytes = usize::try_from(options.max_in_flight.min(u64::from(u32::MAX)))?;
        let shared = Arc::new(Shared {
            ingest: Arc::clone(&ingest),
            jobs,
            room: Arc::new(Semaphore::new(room_bytes)),
            room_bytes,
            registry,
            ready: AtomicBool::new(true),
        });
        let (stop, failed) = (Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
        let mut threads = Vec::new();
        let queue = Arc::new(Mutex::new(queue));
        for worker in 0..workers {
            let (ingest, queue) = (Arc::clone(&ingest), Arc::clone(&queue));
            let run = move || work(&ingest, worker, &queue);
            threads.push(std::thread::Builder::new().name(format!("worker-{worker}")).spawn(run)?);
        }
        let sealer = Sealer {
            ingest,
            rows: options.seal_rows,
            after: options.seal_after,
            stop: Arc::clone(&stop),
            failed: Arc::clone(&failed),
        };
        threads.push(std::thread::Builder::new().name("sealer".to_owned()).spawn(move || sealer.run())?);
        Ok(Server { shared, failed, threads, stop, _lock: lock })
    }

    /// Finishes what waits, and closes the log. The doors must be shut.
    pub fn stop(self) -> Result<(), Error> {
        let Server { shared, threads, stop, .. } = self;
        let ingest = Arc::clone(&shared.ingest);
        stop.store(true, Ordering::Relaxed);
        drop(shared);
        for thread in threads {
            thread.join().map_err(|_| "a thread panicked")?;
        }
        let result = ingest.log.check();
        drop(ingest);
        Ok(result?)
    }
}

/// Only one process may use a store. The operating system releases the lock when the process ends, however it ends.
fn lock(data: &Path) -> Result<fs::File, Error> {
    let path = data.join("lock");
    let file = fs::File::create(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(_) => Err(format!("{}: another process uses this store", data.display()).into()),
    }
}

fn new_store(data: &Path) -> io::Result<Manifest> {
    let store = u128::from(log::random()) << 64 | u128::from(log::random());
    let manifest = Manifest { store, number: 1, ..Manifest::default() };
    manifest.write(data)?;
    Ok(manifest)
}

fn receiver_options(options: &Serve) -> Result<Options, Error> {
    Ok(Options {
        rules: Rules { lenient: true, one_kind: true, names: Names::Utf8 },
        skip_bad: true,
        max_rows: options.max_rows,
        max_label_names: options.max_label_names,
        max_series_bytes: usize::try_from(options.max_series_bytes)?,
        ..Options::default()
    })
}

/// A worker: takes requests until there are no more.
fn work(ingest: &Ingest, worker: usize, queue: &Mutex<mpsc::Receiver<Job>>) {
    let mut body = Body::new(ingest.limits.body);
    loop {
        let job = queue.lock().expect("no worker panicked").blocking_recv();
        match job {
            Some(job) => ingest.handle(worker, &mut body, job),
            None => return,
        }
    }
}

/// Writes rows to files when there are enough of them, or when they are old enough.
struct Sealer {
    ingest: Arc<Ingest>,
    rows: u64,
    after: Duration,
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
            let due = head.rows() >= self.rows || head.age(crate::clock::now_ms()) >= self.after;
            if !(due || files.has_pending()) || !pause.is_zero() {
                continue;
            }
            match files.seal(head, log) {
                Ok(sealed) => {
                    metrics.seals.inc();
                    metrics.sealed_rows.inc_by(sealed.rows);
                    metrics.sealed_bytes.inc_by(sealed.bytes);
                    metrics.duplicate("same", sealed.duplicates.same);
                    metrics.duplicate("conflicting", sealed.duplicates.conflicting);
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
