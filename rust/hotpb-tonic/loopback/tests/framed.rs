//! `hotpb::pool::DelimitedCodec` on sockets, in tasks that may move between threads.

use futures_util::{SinkExt as _, StreamExt as _};
use hotpb::pool::{DelimitedCodec, FrameError};
use hotpb_tonic_loopback::proto::loopback::v1::{LabelBuilder, Sample, SampleBuilder};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::codec::Framed;

type Codec = DelimitedCodec<Sample<'static>>;

fn sample(n: i64) -> SampleBuilder {
    let label = LabelBuilder { name: "x".repeat(n as usize), ..Default::default() };
    SampleBuilder { labels: vec![label], timestamp_ms: n, ..Default::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delimited_messages_go_through_sockets() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    // Sends back what it receives, first as it came, then encoded again.
    let server = tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        socket.set_nodelay(true).unwrap(); // a frame is smaller than a packet
        let mut frames = Framed::new(socket, Codec::new());
        while let Some(message) = frames.next().await {
            let message = message?;
            frames.send(message.bytes().clone()).await?;
            frames.send(SampleBuilder::from(message.get())).await?;
        }
        Ok::<(), FrameError>(())
    });
    let client = tokio::spawn(async move {
        let socket = TcpStream::connect(address).await.unwrap();
        socket.set_nodelay(true).unwrap();
        let mut frames = Framed::new(socket, Codec::new());
        for n in 0..300 {
            frames.send(sample(n)).await?;
            for _ in 0..2 {
                let message = frames.next().await.unwrap()?;
                assert_eq!((message.get().timestamp_ms(), SampleBuilder::from(message.get())), (n, sample(n)));
            }
        }
        Ok::<(), FrameError>(())
    });
    client.await.unwrap().unwrap();
    server.await.unwrap().unwrap();
}
