//! The testee `rust-json`: it reads and writes JSON with the runtime's feature `serde`, and binary messages with the
//! pool. Text is `skipped`.

use hotpb::json::{ReadOptions, Types, Written, to_wire};
use hotpb::pool::walk::{AnyMessage, Described};
use hotpb::pool::{DecodeOptions, Encode, EncodeOptions, Message, Pool};
use hotpb::wkt;
use hotpb_conformance::protocol::conformance::conformance_request::Payload;
use hotpb_conformance::protocol::conformance::{ConformanceRequest, TestCategory, WireFormat};
use hotpb_conformance::testee::{self, Fault, PARSE_ERROR, PROTOBUF_PAYLOAD, RUNTIME_ERROR, SKIPPED, fault};

const JSON_PAYLOAD: u32 = 4;
const SERIALIZE_ERROR: u32 = 6;

/// Answers a request about messages `M`.
fn answer<M>(request: ConformanceRequest<'_>, payload: Payload<'_>, types: &Types) -> (u32, Vec<u8>)
where
    M: Message + Described,
    for<'a> M::Handle<'a>: Encode,
{
    let read = match payload {
        Payload::ProtobufPayload(bytes) => {
            Ok(fault::spoil(Fault::requested(), bytes).unwrap_or_else(|| bytes.to_vec()))
        }
        Payload::JsonPayload(text) => {
            let ignore_unknown_fields = request.test_category() == TestCategory::JsonIgnoreUnknownParsingTest;
            let options = ReadOptions { ignore_unknown_fields, types: Some(types) };
            let mut from = serde_json::Deserializer::from_str(text);
            to_wire::<M, _>(&mut from, &options).and_then(|bytes| from.end().map(|()| bytes)).map_err(|e| e.to_string())
        }
        _ => return (SKIPPED, b"this testee reads binary messages and JSON".to_vec()),
    };
    let mut pool = Pool::<M>::new();
    let decoded = match &read {
        Ok(bytes) => pool.decode_with(bytes, &DecodeOptions::default()).map_err(|e| e.to_string()),
        Err(error) => Err(error.clone()),
    };
    let message = match decoded {
        Ok(message) => message,
        Err(error) => return (PARSE_ERROR, error.into_bytes()),
    };
    match request.requested_output_format() {
        WireFormat::Protobuf => match message.encode_to_vec_with(&EncodeOptions::default()) {
            Ok(bytes) => (PROTOBUF_PAYLOAD, bytes),
            Err(error) => (SERIALIZE_ERROR, error.to_string().into_bytes()),
        },
        WireFormat::Json => {
            let message: AnyMessage<'_> = message.into();
            match serde_json::to_vec(&Written::new(message).types(types)) {
                Ok(text) => (JSON_PAYLOAD, text),
                Err(error) => (SERIALIZE_ERROR, error.to_string().into_bytes()),
            }
        }
        _ => (SKIPPED, b"this testee writes binary messages and JSON".to_vec()),
    }
}

fn main() -> std::io::Result<()> {
    use hotpb_conformance::{edition2023, proto2, proto2_editions, proto3, proto3_editions};
    type Proto2 = proto2::protobuf_test_messages::proto2::TestAllTypesProto2<'static>;
    type Proto3 = proto3::protobuf_test_messages::proto3::TestAllTypesProto3<'static>;
    type Editions2 = proto2_editions::protobuf_test_messages::editions::proto2::TestAllTypesProto2<'static>;
    type Editions3 = proto3_editions::protobuf_test_messages::editions::proto3::TestAllTypesProto3<'static>;
    type Edition2023 = edition2023::protobuf_test_messages::editions::TestAllTypesEdition2023<'static>;
    let types = Types::new()
        .add::<Proto2>()
        .add::<Proto3>()
        .add::<Editions2>()
        .add::<Editions3>()
        .add::<wkt::Any<'static>>()
        .add::<wkt::Duration<'static>>()
        .add::<wkt::Empty<'static>>()
        .add::<wkt::FieldMask<'static>>()
        .add::<wkt::Int32Value<'static>>()
        .add::<wkt::Struct<'static>>()
        .add::<wkt::Timestamp<'static>>()
        .add::<wkt::Value<'static>>();
    testee::serve(|request| {
        if request.message_type() == "conformance.FailureSet" {
            return (PROTOBUF_PAYLOAD, Vec::new());
        }
        let Some(payload) = request.payload() else { return (RUNTIME_ERROR, b"no payload".to_vec()) };
        match request.message_type() {
            "protobuf_test_messages.proto2.TestAllTypesProto2" => answer::<Proto2>(request, payload, &types),
            "protobuf_test_messages.proto3.TestAllTypesProto3" => answer::<Proto3>(request, payload, &types),
            "protobuf_test_messages.editions.proto2.TestAllTypesProto2" => {
                answer::<Editions2>(request, payload, &types)
            }
            "protobuf_test_messages.editions.proto3.TestAllTypesProto3" => {
                answer::<Editions3>(request, payload, &types)
            }
            "protobuf_test_messages.editions.TestAllTypesEdition2023" => {
                answer::<Edition2023>(request, payload, &types)
            }
            other => (RUNTIME_ERROR, format!("no message type {other}").into_bytes()),
        }
    })
}
