//! Connections: HTTP/1.1 and HTTP/2 on one port, with or without TLS, and how long they may stay.
//!
//! A sender must send the headers of a request in the time of `--header-timeout`, from the start of the connection or from
//! the request's first byte. A connection without a request is closed after `--idle-timeout`. The handlers limit the time
//! of bodies.

use super::Shared;
use super::activity::{Activity, Counted, Watched};
use super::routes::router;
use crate::live::Settings;
#[cfg(feature = "tls")]
use crate::metrics::Metrics;
use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Limits of connections that need a restart.
#[derive(Clone, Copy, Debug)]
pub struct Doors {
    /// Connections at a time.
    pub connections: usize,
    /// Requests at a time in one connection of HTTP/2.
    pub streams: u32,
}

/// Bytes of headers that a sender may have, and of the buffer for them.
const HEADER_BYTES: u32 = 64 << 10;
/// Bytes of bodies that a sender may send before a handler reads them, in one stream and in one connection of HTTP/2.
const WINDOWS: [u32; 2] = [256 << 10, 1 << 20];

fn builder(doors: Doors) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    // `Activity` has the times; it knows idle connections from slow ones.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(HEADER_BYTES as usize);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(20))
        .max_concurrent_streams(doors.streams)
        .max_header_list_size(HEADER_BYTES)
        .initial_stream_window_size(WINDOWS[0])
        .initial_connection_window_size(WINDOWS[1]);
    builder
}

/// Serves until `stop` completes; then finishes what has begun, for at most the time of the option `drain`.
pub async fn serve(listener: TcpListener, shared: Arc<Shared>, doors: Doors, stop: impl Future<Output = ()>) {
    let builder = builder(doors);
    let (graceful, slots) = (GracefulShutdown::new(), Arc::new(Semaphore::new(doors.connections)));
    let service = router(Arc::clone(&shared));
    let mut connections = JoinSet::new();
    tokio::pin!(stop);
    loop {
        let slot = tokio::select! {
            slot = Arc::clone(&slots).acquire_owned() => slot,
            () = &mut stop => break,
        };
        let (stream, from) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file descriptors, or the other side was gone already.
                    tracing::warn!(%error, "accept");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        _ = stream.set_nodelay(true);
        let settings = shared.ingest.live.get();
        let (metrics, watcher) = (Arc::clone(&shared.ingest.metrics), graceful.watcher());
        let connection = Connection {
            builder: builder.clone(),
            service: service.clone(),
            watcher,
            settings,
            from,
            #[cfg(feature = "tls")]
            metrics: Arc::clone(&metrics),
        };
        while connections.try_join_next().is_some() {}
        connections.spawn(async move {
            metrics.gauges.connections.inc();
            connection.run(stream).await;
            metrics.gauges.connections.dec();
            drop(slot);
        });
    }
    shared.ready.store(false, Ordering::Relaxed);
    drop(listener);
    let drain = shared.ingest.live.get().drain;
    if timeout(drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("some connections did not end in time");
    }
    // They hold what the workers wait for.
    connections.shutdown().await;
}

struct Connection {
    builder: Builder<TokioExecutor>,
    service: Router,
    watcher: Watcher,
    settings: Arc<Settings>,
    from: SocketAddr,
    /// Where refused handshakes count.
    #[cfg(feature = "tls")]
    metrics: Arc<Metrics>,
}

impl Connection {
    #[cfg(not(feature = "tls"))]
    async fn run(self, stream: tokio::net::TcpStream) {
        self.http(stream).await;
    }

    #[cfg(feature = "tls")]
    async fn run(self, stream: tokio::net::TcpStream) {
        let Some(tls) = self.settings.tls.clone() else { return self.http(stream).await };
        let accepted = timeout(self.settings.header_timeout, tokio_rustls::TlsAcceptor::from(tls).accept(stream));
        match accepted.await {
            Ok(Ok(stream)) => self.http(stream).await,
            // Somebody who only looks whether the port is open.
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                tracing::debug!(from = %self.from, %error, "TLS");
            }
            Ok(Err(error)) => self.metrics.refused_request("TLS", &format!("{}: {error}", self.from)),
            Err(_) => tracing::debug!(from = %self.from, "TLS: the handshake took too long"),
        }
    }

    async fn http(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let Connection { builder, service, watcher, settings, from, .. } = self;
        let activity = Arc::new(Activity::default());
        let service = TowerToHyperService::new(Counted::new(service, Arc::clone(&activity)));
        let io = TokioIo::new(Watched::new(stream, Arc::clone(&activity)));
        let mut connection = pin!(watcher.watch(builder.serve_connection(io, service).into_owned()));
        loop {
            // What the connection does may change meanwhile, so the check comes at least so often.
            let late = activity.late_in(settings.header_timeout, settings.idle_timeout);
            let late = late.min(settings.header_timeout).min(settings.idle_timeout);
            tokio::select! {
                result = &mut connection => {
                    if let Err(error) = result {
                        tracing::debug!(%from, %error, "connection");
                    }
                    return;
                }
                () = tokio::time::sleep(late) => {
                    if activity.late_in(settings.header_timeout, settings.idle_timeout).is_zero() {
                        tracing::debug!(%from, "the connection was silent, or its headers came too slowly");
                        return;
                    }
                }
            }
        }
    }
}
