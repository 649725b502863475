//! gRPC with tonic and hotpb.
//!
//! A server or client receives an [`Incoming![Event]`](struct@Incoming): a decoded message that owns the bytes it was
//! received in, and a pool that is used again when you drop the message. Nothing in it is copied. It sends an
//! [`Outgoing![Event]`](struct@Outgoing): the encoding of a builder, a handle, a writer's output or finished bytes.
//!
//! [`HotCodec`] is the codec between these and tonic's transport. Compression, size limits, TLS, interceptors and
//! deadlines are tonic's own, and work as they do with prost.
//!
//! The crate `hotpb-tonic-build` generates clients and servers for the services of a `.proto`. `rust/README.md` has an
//! example that is compiled and run. Without generated services, use the codec with tonic's `Grpc`:
//!
//! ```
//! use hotpb::wkt::{Struct, StructBuilder};
//! use hotpb_tonic::{HotCodec, Incoming, Outgoing};
//! use tonic::codegen::{Body, StdError, http::uri::PathAndQuery};
//!
//! async fn call<T>(transport: T) -> Result<tonic::Response<Incoming![Struct]>, tonic::Status>
//! where
//!     T: tonic::client::GrpcService<tonic::body::Body>,
//!     T::ResponseBody: Body<Data = bytes::Bytes> + Send + 'static,
//!     <T::ResponseBody as Body>::Error: Into<StdError> + Send,
//! {
//!     let mut client = tonic::client::Grpc::new(transport);
//!     client.ready().await.map_err(|_| tonic::Status::unavailable("not ready"))?;
//!     let request: Outgoing![Struct] = Outgoing::encode(&StructBuilder::default())?;
//!     let path = PathAndQuery::from_static("/demo.Demo/Call");
//!     client.unary(tonic::Request::new(request), path, HotCodec::default()).await
//! }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod codec;
mod family;
mod incoming;
mod outgoing;
mod stock;

pub use codec::{HotCodec, HotDecoder, HotEncoder, Settings};
pub use family::Family;
pub use incoming::Incoming;
pub use outgoing::Outgoing;
pub use stock::pools;
