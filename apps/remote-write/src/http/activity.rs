//! What a connection is doing: whether it has requests, waits for the next one, or receives its headers.

use http::{Request, Version};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tower_service::Service;

#[derive(Clone, Copy, Debug)]
struct State {
    /// Requests that are being answered.
    active: usize,
    /// Whether headers are awaited: since the start of the connection, or since the first byte after a request. HTTP/2
    /// has bytes that belong to no request, so this is for HTTP/1 and for the start.
    headers_since: Option<Instant>,
    /// When the last request ended.
    idle_since: Instant,
    /// Whether the connection speaks HTTP/2.
    http2: bool,
}

/// The activity of one connection.
#[derive(Debug)]
pub struct Activity(Mutex<State>);

impl Default for Activity {
    fn default() -> Activity {
        let now = Instant::now();
        Activity(Mutex::new(State { active: 0, headers_since: Some(now), idle_since: now, http2: false }))
    }
}

impl Activity {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no code panics while it holds the state")
    }

    /// Returns the time after which the connection will be late, if nothing happens; zero if it is late.
    pub fn late_in(&self, headers: Duration, idle: Duration) -> Duration {
        let state = *self.lock();
        match (state.active, state.headers_since) {
            // The request that is being answered has its own times.
            (1.., _) => headers.min(idle),
            (0, Some(since)) => headers.saturating_sub(since.elapsed()),
            (0, None) => idle.saturating_sub(state.idle_since.elapsed()),
        }
    }

    fn begin(&self, version: Version) {
        let mut state = self.lock();
        state.active += 1;
        state.headers_since = None;
        state.http2 = version == Version::HTTP_2;
    }

    fn end(&self) {
        let mut state = self.lock();
        state.active -= 1;
        state.idle_since = Instant::now();
    }

    fn bytes(&self) {
        let mut state = self.lock();
        if state.active == 0 && !state.http2 && state.headers_since.is_none() {
            state.headers_since = Some(Instant::now());
        }
    }
}

/// A service that counts the requests of a connection.
#[derive(Clone)]
pub struct Counted<S> {
    inner: S,
    activity: Arc<Activity>,
}

impl<S> Counted<S> {
    /// Counts the requests to `inner`.
    pub fn new(inner: S, activity: Arc<Activity>) -> Counted<S> {
        Counted { inner, activity }
    }
}

/// A request that is being answered, or whose sender has gone.
struct Running(Arc<Activity>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl<S, B> Service<Request<B>> for Counted<S>
where
    S: Service<Request<B>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        self.activity.begin(request.version());
        let running = Running(Arc::clone(&self.activity));
        let response = self.inner.call(request);
        Box::pin(async move {
            let response = response.await;
            drop(running);
            response
        })
    }
}

/// A stream that reports its bytes.
pub struct Watched<S> {
    inner: S,
    activity: Arc<Activity>,
}

impl<S> Watched<S> {
    /// Reports the bytes of `inner`.
    pub fn new(inner: S, activity: Arc<Activity>) -> Watched<S> {
        Watched { inner, activity }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.activity.bytes();
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_late_without_headers_and_when_idle() {
        let (short, long) = (Duration::from_millis(5), Duration::from_secs(60));
        let activity = Activity::default();
        assert!(!activity.late_in(long, long).is_zero());
        std::thread::sleep(short);
        assert!(activity.late_in(short, long).is_zero());
        // A request that is being answered is not late, however long it takes.
        activity.begin(Version::HTTP_11);
        std::thread::sleep(short);
        assert!(!activity.late_in(short, short).is_zero());
        activity.end();
        assert!(!activity.late_in(short, long).is_zero());
        std::thread::sleep(short);
        assert!(activity.late_in(long, short).is_zero());
        assert!(!activity.late_in(short, long).is_zero());
        // The first byte of the next request begins its headers; bytes of HTTP/2 need not belong to one.
        for (version, late) in [(Version::HTTP_11, true), (Version::HTTP_2, false)] {
            activity.begin(version);
            activity.end();
            activity.bytes();
            std::thread::sleep(short);
            assert_eq!(activity.late_in(short, long).is_zero(), late);
        }
    }
}
