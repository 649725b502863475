//! `GET /api/v1/export`: samples of the files as a stream of Arrow.

use super::{Shared, text};
use crate::export::{Wanted, write};
use crate::threads::reading;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use http::HeaderValue;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http_body::Frame;
use std::io::{self, BufWriter, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// The bytes of a piece of the body.
const PIECE: usize = 64 << 10;
/// Pieces that wait for the receiver.
const WAITING: usize = 4;
/// How long the receiver may take for a piece.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) async fn export(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let tenant = match shared.tenant(request.headers()) {
        Ok(tenant) => tenant.name().to_owned(),
        Err((_, answer)) => return text(StatusCode::BAD_REQUEST, format!("{}\n", answer.text)),
    };
    let wanted = match wanted(request.uri().query().unwrap_or_default(), tenant) {
        Ok(wanted) => wanted,
        Err(why) => return text(StatusCode::BAD_REQUEST, format!("{why}\n")),
    };
    let Ok(permit) = Arc::clone(&shared.exports).try_acquire_owned() else {
        let mut response = text(StatusCode::SERVICE_UNAVAILABLE, "too many exports at a time\n".to_owned());
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("10"));
        return response;
    };
    let files = &shared.ingest.files;
    let (data, manifest, checks) = (files.data(), files.manifest(), Arc::clone(&files.checks));
    let next = manifest.low;
    let (pieces, receiver) = mpsc::channel(WAITING);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let pipe = Pipe { pieces: pieces.clone(), runtime: runtime.clone(), patience: PATIENCE };
        let result = reading(|| write(&data, &manifest, &checks, &wanted, BufWriter::with_capacity(PIECE, pipe)));
        if let Err(error) = result.unwrap_or_else(|why| Err(io::Error::other(why))) {
            tracing::warn!(%error, "export ended early");
            // The receiver sees that the body has no end.
            _ = runtime.block_on(async { timeout(PATIENCE, pieces.send(Err(error))).await });
        }
        drop(permit);
    });
    let mut response = Response::new(Body::new(Pieces(receiver)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/vnd.apache.arrow.stream"));
    headers.insert("X-Remote-Write-Next", next.into());
    response
}

fn wanted(query: &str, tenant: String) -> Result<Wanted, String> {
    let mut wanted = Wanted { tenant, ..Wanted::default() };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let bad = || format!("{name}: it is a whole number");
        match name {
            "since" => wanted.since = value.parse().map_err(|_| bad())?,
            "from" => wanted.from = Some(value.parse().map_err(|_| bad())?),
            "to" => wanted.to = Some(value.parse().map_err(|_| bad())?),
            _ => return Err(format!("{name:?}: the parameters are since, from and to")),
        }
    }
    Ok(wanted)
}

type Piece = io::Result<Bytes>;

/// The way from the thread that reads files.
struct Pipe {
    pieces: mpsc::Sender<Piece>,
    runtime: Handle,
    patience: Duration,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = Bytes::copy_from_slice(bytes);
        match self.runtime.block_on(async { timeout(self.patience, self.pieces.send(Ok(piece))).await }) {
            Ok(Ok(())) => Ok(bytes.len()),
            Ok(Err(_)) => Err(io::Error::other("the receiver is gone")),
            Err(_) => Err(io::Error::other("the receiver is too slow")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The body.
struct Pieces(mpsc::Receiver<Piece>);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;
    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(cx).map(|piece| Some(piece?.map(Frame::data)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_that_is_slow_or_gone_ends_an_export() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build().unwrap();
        let (pieces, mut receiver) = mpsc::channel(1);
        let mut pipe = Pipe { pieces, runtime: runtime.handle().clone(), patience: Duration::from_millis(20) };
        assert_eq!(pipe.write(b"one").unwrap(), 3);
        assert_eq!(pipe.write(b"two").unwrap_err().to_string(), "the receiver is too slow");
        assert_eq!(receiver.blocking_recv().unwrap().unwrap(), "one");
        assert_eq!(pipe.write(b"three").unwrap(), 5);
        drop(receiver);
        assert_eq!(pipe.write(b"four").unwrap_err().to_string(), "the receiver is gone");
    }

    #[test]
    fn parameters_are_numbers() {
        let parsed = |query: &str| wanted(query, String::new());
        let all = Wanted { since: 7, from: Some(-1), to: Some(9), ..Wanted::default() };
        assert_eq!((parsed(""), parsed("since=7&from=-1&to=9")), (Ok(Wanted::default()), Ok(all)));
        assert!(["since=-1", "from", "to=1e3", "until=3"].into_iter().all(|query| parsed(query).is_err()));
    }
}
