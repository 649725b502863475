//! Between client and server: nothing, or a connection of this machine. Both sides are in one thread.

use crate::echo::Echo;
use std::convert::Infallible;
use std::future::Ready;
use std::marker::PhantomData;
use std::net::TcpListener;
use std::task::{Context, Poll, Waker};
use tokio::runtime::{Builder, Runtime};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::body::Body;
use tonic::client::{Grpc, GrpcService};
use tonic::codec::Codec;
use tonic::codegen::{BoxFuture, Service, StdError, http};
use tonic::server::{NamedService, UnaryService};
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status};

type Encoded<E> = <<E as Echo>::Codec as Codec>::Encode;
type Decoded<E> = <<E as Echo>::Codec as Codec>::Decode;

/// A client and its server.
pub trait Transport<E: Echo>: Sized {
    fn start() -> Result<Self, String>;
    fn call(&mut self, request: Encoded<E>) -> Result<Decoded<E>, Status>;
}

/// The server, in the form that tonic-build generates.
pub struct Served<E>(PhantomData<fn() -> E>);

impl<E> Clone for Served<E> {
    fn clone(&self) -> Self {
        Served(PhantomData)
    }
}

impl<E> NamedService for Served<E> {
    const NAME: &'static str = "bench.Echo";
}

struct Answers<E>(PhantomData<fn() -> E>);

impl<E: Echo> UnaryService<Decoded<E>> for Answers<E> {
    type Response = Encoded<E>;
    type Future = Ready<Result<Response<Encoded<E>>, Status>>;
    fn call(&mut self, request: Request<Decoded<E>>) -> Self::Future {
        std::future::ready(E::answer(request.into_inner()).map(Response::new))
    }
}

impl<E: Echo> Service<http::Request<Body>> for Served<E> {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<http::Response<Body>, Infallible>;
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }
    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(async {
            let mut grpc = tonic::server::Grpc::new(E::Codec::default());
            Ok(grpc.unary(Answers::<E>(PhantomData), request).await)
        })
    }
}

async fn unary<E: Echo, T>(client: &mut Grpc<T>, request: Encoded<E>) -> Result<Decoded<E>, Status>
where
    T: GrpcService<Body>,
    T::ResponseBody: tonic::codegen::Body<Data = tonic::codegen::Bytes> + Send + 'static,
    <T::ResponseBody as tonic::codegen::Body>::Error: Into<StdError> + Send,
{
    client.ready().await.map_err(|_| Status::unavailable("not ready"))?;
    let path = http::uri::PathAndQuery::from_static("/bench.Echo/Echo");
    Ok(client.unary(Request::new(request), path, E::Codec::default()).await?.into_inner())
}

/// The client calls the server's service: what tonic and the codec cost, without HTTP/2 and the kernel.
pub struct Nothing<E>(Grpc<Served<E>>);

impl<E: Echo> Transport<E> for Nothing<E> {
    fn start() -> Result<Self, String> {
        Ok(Nothing(Grpc::new(Served(PhantomData))))
    }
    fn call(&mut self, request: Encoded<E>) -> Result<Decoded<E>, Status> {
        let mut call = std::pin::pin!(unary::<E, _>(&mut self.0, request));
        loop {
            // Nothing here waits for anything outside of the future.
            if let Poll::Ready(answer) = call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return answer;
            }
        }
    }
}

/// HTTP/2 over TCP.
pub struct Network<E> {
    runtime: Runtime,
    client: Grpc<Channel>,
    marker: PhantomData<fn() -> E>,
}

impl<E: Echo> Transport<E> for Network<E> {
    fn start() -> Result<Self, String> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
        let client = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            let incoming = TcpListenerStream::new(tokio::net::TcpListener::from_std(listener)?);
            tokio::spawn(Server::builder().add_service(Served::<E>(PhantomData)).serve_with_incoming(incoming));
            Endpoint::from_shared(format!("http://{address}"))?.connect().await.map_err(StdError::from)
        });
        let client = Grpc::new(client.map_err(|e: StdError| e.to_string())?);
        Ok(Network { runtime, client, marker: PhantomData })
    }
    fn call(&mut self, request: Encoded<E>) -> Result<Decoded<E>, Status> {
        self.runtime.block_on(unary::<E, _>(&mut self.client, request))
    }
}
