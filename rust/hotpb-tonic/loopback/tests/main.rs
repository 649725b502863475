//! The tests in one program, which links tonic once, and what they share: a server that listens on a port of this
//! machine, and its client.

mod calls;
mod framed;
mod hostile;
mod own_codec;

use hotpb::pool::Encode;
use hotpb_tonic::{Incoming, Outgoing};
use hotpb_tonic_loopback::proto::loopback::types::{Sum, SumBuilder, outer::Nested};
use hotpb_tonic_loopback::proto::loopback::v1::loopback__server::{Loopback_, Loopback_Server};
use hotpb_tonic_loopback::proto::loopback::v1::{LabelBuilder, Sample, SampleBuilder, SampleWriter};
use std::net::SocketAddr;
use std::pin::Pin;
use tokio_stream::{Stream, StreamExt as _, wrappers::TcpListenerStream};
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status, Streaming};

/// Answers as the comments of `loopback.proto` say.
pub struct Answers;

type Samples = Pin<Box<dyn Stream<Item = Result<Outgoing![Sample], Status>> + Send>>;

#[tonic::async_trait]
impl Loopback_ for Answers {
    async fn echo(&self, request: Request<Incoming![Sample]>) -> Result<Response<Outgoing![Sample]>, Status> {
        let sample = request.get_ref().get();
        tokio::task::yield_now().await; // a handle may live across an await
        if sample.value().is_nan() {
            return Ok(Response::new(request.into_inner().into())); // the bytes as they came
        }
        Ok(Response::new(Outgoing::encode(&sample)?))
    }

    async fn collect(
        &self,
        request: Request<Streaming<Incoming![Sample]>>,
    ) -> Result<Response<Outgoing![Sum]>, Status> {
        let (mut samples, mut sum) = (request.into_inner(), SumBuilder::default());
        while let Some(sample) = samples.message().await? {
            sum.count += 1;
            sum.value += sample.get().value();
        }
        Ok(Response::new(Outgoing::encode(&sum)?))
    }

    type RepeatStream = Samples;
    async fn repeat(&self, request: Request<Incoming![Sum]>) -> Result<Response<Samples>, Status> {
        let request = request.into_inner();
        let stream = tokio_stream::iter(0..request.get().count()).map(move |n| {
            let value = request.get().value(); // the stream owns the request
            Outgoing::write(|out| {
                let mut sample = SampleWriter::new(out);
                sample.value(value).timestamp_ms(n);
            })
        });
        Ok(Response::new(Box::pin(stream)))
    }

    type ExchangeStream = Samples;
    async fn exchange(&self, request: Request<Streaming<Incoming![Sample]>>) -> Result<Response<Samples>, Status> {
        Ok(Response::new(Box::pin(request.into_inner().map(|sample| Ok(sample?.into())))))
    }

    async fn ping(
        &self,
        _: Request<Incoming![hotpb::wkt::Empty]>,
    ) -> Result<Response<Outgoing![hotpb::wkt::Empty]>, Status> {
        Ok(Response::new(Outgoing::default()))
    }

    async fn name(&self, request: Request<Incoming![Nested]>) -> Result<Response<Outgoing![Nested]>, Status> {
        Ok(Response::new(request.into_inner().into()))
    }

    async fn connect_(
        &self,
        _: Request<Incoming![hotpb::wkt::Empty]>,
    ) -> Result<Response<Outgoing![hotpb::wkt::Empty]>, Status> {
        Err(Status::unimplemented("connect"))
    }

    async fn r#type(
        &self,
        _: Request<Incoming![hotpb::wkt::Empty]>,
    ) -> Result<Response<Outgoing![hotpb::wkt::Empty]>, Status> {
        Err(Status::not_found("type"))
    }
}

/// Starts a server and returns its address.
pub async fn serve(mut server: Server, service: Loopback_Server<Answers>) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        server.add_service(service).serve_with_incoming(TcpListenerStream::new(listener)).await.unwrap();
    });
    address
}

/// Starts a server with the default settings and connects to it.
pub async fn connected() -> Channel {
    connect(serve(Server::builder(), Loopback_Server::new(Answers)).await).await
}

pub async fn connect(address: SocketAddr) -> Channel {
    Endpoint::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap()
}

/// A sample with this many labels.
pub fn sample(labels: usize) -> SampleBuilder {
    let label = |n| LabelBuilder { name: format!("label_{n}"), value: "value".repeat(n % 7), ..Default::default() };
    SampleBuilder { labels: (0..labels).map(label).collect(), value: 1.5, timestamp_ms: 7, ..Default::default() }
}

pub fn sent(message: &impl Encode<Of = Sample<'static>>) -> Outgoing![Sample] {
    Outgoing::encode(message).unwrap()
}
