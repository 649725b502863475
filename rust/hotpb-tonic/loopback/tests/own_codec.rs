//! A codec of the program's own, in generated clients and servers.

use crate::{connected, sample, sent};
use hotpb_tonic::Outgoing;
use hotpb_tonic_loopback::own::loopback::v1::{loopback__client::Loopback_Client, second_server::Second};
use tonic::{Code, Request};

#[tokio::test]
async fn the_limits_are_those_of_the_codec_that_was_named() {
    let mut client = Loopback_Client::new(connected().await);
    let bytes = |labels| Outgoing::from_bytes(sent(&sample(labels)).to_bytes());
    assert_eq!(client.echo(bytes(8)).await.unwrap().get_ref().get().labels().len(), 8);
    let status = client.echo(bytes(9)).await.unwrap_err();
    assert_eq!(status.code(), Code::Internal);
    assert!(status.message().starts_with("CountExceeded at byte"), "{status}");
}

#[tokio::test]
async fn a_default_stub_is_unimplemented() {
    struct Nothing;
    impl Second for Nothing {}
    let request =
        hotpb_tonic::pools::<for<'a> fn(&'a ()) -> hotpb::wkt::Empty<'a>>().decode(bytes::Bytes::new()).unwrap();
    let status = Nothing.ping(Request::new(request.into())).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
}
