//! HTTP/2, without TLS.

use super::common::*;
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};

/// Posts bodies in one connection of HTTP/2, all but the first at a time, and returns the statuses in their order.
pub async fn post(io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, bodies: &[Vec<u8>]) -> Vec<u16> {
    let (mut client, connection) = h2::client::handshake(io).await.unwrap();
    tokio::spawn(connection);
    let (mut responses, mut statuses) = (Vec::new(), Vec::new());
    for (number, body) in bodies.iter().enumerate() {
        client = client.ready().await.unwrap();
        let request = http::Request::post("https://localhost/api/v1/write")
            .header("content-type", V1)
            .header("content-encoding", "snappy")
            .body(())
            .unwrap();
        let (response, mut stream) = client.send_request(request, false).unwrap();
        stream.send_data(Bytes::from(body.clone()), true).unwrap();
        match number {
            // With its answer come the limits of the server.
            0 => statuses.push(response.await.unwrap().status().as_u16()),
            _ => responses.push(tokio::spawn(response)),
        }
    }
    for response in responses {
        statuses.push(response.await.unwrap().unwrap().status().as_u16());
    }
    statuses
}

pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

#[test]
fn requests_share_a_connection() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1ms", "--max-streams=4"]);
    let time = now();
    let mut bodies: Vec<Vec<u8>> = (0..20).map(|n| pack(&one_sample("m", time + n, n as f64))).collect();
    bodies.push(b"bad".to_vec());
    let address = server.address();
    let statuses = block_on(async { post(tokio::net::TcpStream::connect(address).await.unwrap(), &bodies).await });
    assert_eq!(statuses, [vec![204; 20], vec![400]].concat());
    server.wait_sealed();
    assert!(server.stop());
    assert_eq!(samples(folder.path()).len(), 20);
}
