//! Calls of generated clients to generated servers over TCP.

use crate::{Answers, connect, connected, sample, sent, serve};
use hotpb::pool::Encode as _;
use hotpb_tonic::{Incoming, Outgoing};
use hotpb_tonic_loopback::proto::loopback::types::{SumBuilder, outer::NestedBuilder};
use hotpb_tonic_loopback::proto::loopback::v1::Sample;
use hotpb_tonic_loopback::proto::loopback::v1::loopback__client::Loopback_Client;
use hotpb_tonic_loopback::proto::loopback::v1::loopback__server::Loopback_Server;
use tokio_stream::StreamExt as _;
use tonic::codec::CompressionEncoding;
use tonic::transport::Server;
use tonic::{Code, Request};

type Received = Incoming![Sample];

#[tokio::test]
async fn a_unary_call_returns_the_message() {
    let mut client = Loopback_Client::new(connected().await);
    for labels in [0, 1, 5, 1000] {
        let wanted = sample(labels);
        let reply = client.echo(sent(&wanted)).await.unwrap().into_inner();
        assert_eq!(reply.get().labels().len(), labels);
        assert_eq!(reply.bytes()[..], wanted.encode_to_vec().unwrap());
    }
}

#[tokio::test]
async fn a_message_can_be_sent_again_with_its_unknown_fields() {
    let mut client = Loopback_Client::new(connected().await);
    let mut bytes = sample(2).encode_to_vec().unwrap();
    bytes.extend_from_slice(b"\x11\0\0\0\0\0\0\xf8\x7f\xa2\x06\x03abc"); // value: NaN, and a field with number 100
    let reply = client.echo(Outgoing::from_bytes(bytes.clone())).await.unwrap().into_inner();
    assert_eq!(reply.bytes()[..], bytes);
}

#[tokio::test]
async fn streams_go_both_ways() {
    let mut client = Loopback_Client::new(connected().await);
    let samples = || tokio_stream::iter((0..100).map(|n| sent(&sample(n))));

    let sum = client.collect(samples()).await.unwrap().into_inner();
    assert_eq!((sum.get().count(), sum.get().value()), (100, 150.0));

    let request = Outgoing::encode(&SumBuilder { count: 3000, value: 2.5, ..Default::default() }).unwrap();
    let mut replies = client.repeat(request).await.unwrap().into_inner();
    let mut times = Vec::new();
    while let Some(sample) = replies.message().await.unwrap() {
        assert_eq!(sample.get().value(), 2.5);
        times.push(sample.get().timestamp_ms());
    }
    assert!(times.into_iter().eq(0..3000));

    let replies = client.exchange(samples()).await.unwrap().into_inner();
    let kept: Vec<Received> = replies.map(Result::unwrap).collect().await; // all at the same time
    assert_eq!(kept.len(), 100);
    for (n, reply) in kept.iter().enumerate() {
        assert_eq!(reply.get().labels().len(), n);
        assert_eq!(reply.bytes()[..], sample(n).encode_to_vec().unwrap());
    }
}

#[tokio::test]
async fn well_known_and_nested_types_and_odd_names_are_called() {
    let mut client = Loopback_Client::new(connected().await);
    assert!(client.ping(Outgoing::default()).await.unwrap().get_ref().bytes().is_empty());
    let name = Outgoing::encode(&NestedBuilder { name: "n".into(), ..Default::default() }).unwrap();
    assert_eq!(client.name(name).await.unwrap().get_ref().get().name(), "n");
    assert_eq!(client.connect_(Outgoing::default()).await.unwrap_err().code(), Code::Unimplemented);
    #[allow(deprecated)]
    let status = client.r#type(Outgoing::default()).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::NotFound, "type"));
}

#[tokio::test]
async fn a_malformed_request_is_a_status_with_code_byte_and_field() {
    let mut client = Loopback_Client::new(connected().await);
    let bytes: &'static [u8] = b"\x0a\x03\x0a\x01a\x0a\x03\x0a\x01\xff";
    let status = client.echo(Outgoing::from_bytes(bytes)).await.unwrap_err();
    assert_eq!(status.code(), Code::Internal);
    assert_eq!(status.message(), "InvalidUtf8 at byte 9: labels[1].name");
}

#[tokio::test]
async fn a_malformed_message_of_a_stream_ends_it_after_the_good_ones() {
    let mut client = Loopback_Client::new(connected().await);
    let stream = tokio_stream::iter([sent(&sample(1)), Outgoing::from_bytes(&b"\x0a"[..]), sent(&sample(2))]);
    let mut replies = client.exchange(stream).await.unwrap().into_inner();
    assert_eq!(replies.message().await.unwrap().unwrap().get().labels().len(), 1);
    let status = replies.message().await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::Internal, "Truncated at byte 1: labels[0]"));
}

#[tokio::test]
async fn gzip_compresses_both_ways() {
    let service = Loopback_Server::new(Answers)
        .accept_compressed(CompressionEncoding::Gzip)
        .send_compressed(CompressionEncoding::Gzip);
    let channel = connect(serve(Server::builder(), service).await).await;
    let mut client = Loopback_Client::new(channel.clone())
        .send_compressed(CompressionEncoding::Gzip)
        .accept_compressed(CompressionEncoding::Gzip);
    let wanted = sample(5000);
    let reply = client.echo(sent(&wanted)).await.unwrap();
    assert_eq!(reply.metadata().get("grpc-encoding").unwrap(), "gzip");
    assert_eq!(reply.get_ref().bytes()[..], wanted.encode_to_vec().unwrap());
    let samples = tokio_stream::iter((0..50).map(|n| sent(&sample(n))));
    let replies: Vec<_> = client.exchange(samples).await.unwrap().into_inner().map(Result::unwrap).collect().await;
    assert!(replies.iter().enumerate().all(|(n, reply)| reply.get().labels().len() == n));
    // A server without compression refuses it.
    let mut client = Loopback_Client::new(connected().await).send_compressed(CompressionEncoding::Gzip);
    assert_eq!(client.echo(sent(&wanted)).await.unwrap_err().code(), Code::Unimplemented);
}

#[tokio::test]
async fn size_limits_are_those_of_tonic() {
    let service = Loopback_Server::new(Answers).max_decoding_message_size(1000).max_encoding_message_size(900);
    let channel = connect(serve(Server::builder(), service).await).await;
    let mut client = Loopback_Client::new(channel.clone());
    let padded = |length: usize| {
        let mut bytes = b"\xa2\x06".to_vec(); // an unknown field that is as long as it takes
        hotpb::wire::append_bytes(&mut bytes, &vec![b'x'; length - 4]);
        assert_eq!(bytes.len(), length);
        Outgoing::from_bytes(bytes)
    };
    assert!(client.echo(padded(900)).await.is_ok());
    let status = client.echo(padded(1001)).await.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange);
    assert!(status.message().contains("decoded message length too large: found 1001 bytes, the limit is: 1000 bytes"));
    let status = client.echo(padded(1000)).await.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange);
    assert!(status.message().contains("encoded message length too large: found 1000 bytes"));
    let mut client = Loopback_Client::new(channel).max_decoding_message_size(500);
    assert_eq!(client.echo(padded(501)).await.unwrap_err().code(), Code::OutOfRange);
    assert!(client.echo(padded(500)).await.is_ok());
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn calls_go_through_tls() {
    use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, ServerTlsConfig};

    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
    let (certificate, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let tls = ServerTlsConfig::new().identity(Identity::from_pem(&certificate, key));
    let address = serve(Server::builder().tls_config(tls).unwrap(), Loopback_Server::new(Answers)).await;
    let endpoint = || Endpoint::from_shared(format!("https://localhost:{}", address.port())).unwrap();
    let trusting = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(certificate));
    let channel = endpoint().tls_config(trusting).unwrap().connect().await.unwrap();
    let reply = Loopback_Client::new(channel).echo(sent(&sample(9))).await.unwrap();
    assert_eq!(reply.get_ref().get().labels().len(), 9);
    let distrusting = ClientTlsConfig::new();
    assert!(endpoint().tls_config(distrusting).unwrap().connect().await.is_err());
}

#[tokio::test]
async fn messages_are_sent_to_other_tasks_and_pools_are_used_again() {
    let pools = hotpb_tonic::pools::<for<'a> fn(&'a ()) -> hotpb::wkt::Struct<'a>>();
    let task = |n: u8| {
        let pools = pools.clone();
        tokio::spawn(async move {
            let message: Incoming![hotpb::wkt::Struct] =
                pools.decode(bytes::Bytes::from(vec![0x0a, 3, 0x0a, 1, n])).unwrap().into();
            tokio::task::yield_now().await;
            assert!(message.get().fields().get(std::str::from_utf8(&[n]).unwrap()).is_some());
            message
        })
    };
    let messages = [task(b'a').await.unwrap(), task(b'b').await.unwrap()];
    assert_eq!(pools.idle(), 0);
    drop(messages);
    assert_eq!(pools.idle(), 2);
    let request = Request::new(task(b'c').await.unwrap());
    assert_eq!((pools.idle(), request.get_ref().bytes().len()), (1, 5));
}
