//! A builder is decoded without a pool: the same message, and the same error, as through a pool.
#![cfg(feature = "descriptor")]

use hotpb::Error;
use hotpb::pool::{Builder, Encode, EncodeOptions, Pool};
use hotpb::wkt::google::protobuf::{FileDescriptorProtoBuilder, StructBuilder};

fn encoded(builder: &impl Encode) -> Result<Vec<u8>, Error> {
    builder.encode_to_vec_with(&EncodeOptions { allow_partial: true, ..EncodeOptions::default() })
}

fn compare<B: Builder>(bytes: &[u8]) {
    let mut pool = Pool::<B::Of>::new();
    let through = pool.decode(bytes).map(B::from).and_then(|built| encoded(&built));
    let direct = B::decode(bytes).and_then(|built| encoded(&built));
    assert_eq!(direct, through, "{bytes:x?}");
}

/// Compares for the input, for its parts, and with each byte changed.
fn compare_all<B: Builder>(bytes: &[u8]) {
    let step = if cfg!(miri) { 29 } else { 1 };
    compare::<B>(bytes);
    for at in (0..bytes.len()).step_by(step) {
        compare::<B>(&bytes[..at]);
        for change in [1, 2, 3, 7, 8, 0x10, 0x80, 0xff] {
            let mut changed = bytes.to_vec();
            changed[at] ^= change;
            compare::<B>(&changed);
        }
        // A second message merges with the first one.
        let twice = [bytes, &bytes[at..]].concat();
        compare::<B>(&twice);
    }
}

#[test]
fn members_maps_and_messages_that_nest() {
    let number = b"\x11\0\0\0\0\0\0\xf0\x3f";
    let list = b"\x32\x0b\x0a\x09\x11\0\0\0\0\0\0\xf0\x3f";
    let entry = |key: &[u8], value: &[u8]| {
        let inner = [&[0x0a, key.len() as u8], key, &[0x12, value.len() as u8], value].concat();
        [&[0x0a, inner.len() as u8], &inner[..]].concat()
    };
    let bytes =
        [entry(b"a", number), entry(b"b", list), entry(b"a", b"\x1a\x01x"), vec![0x0a, 0], vec![0x28, 7]].concat();
    compare_all::<StructBuilder>(&bytes);
    let mut deep = number.to_vec();
    while deep.len() < 400 {
        let mut outer = vec![0x32];
        hotpb::wire::append_varint(&mut outer, deep.len() as u64 + 3);
        outer.push(0x0a);
        hotpb::wire::append_varint(&mut outer, deep.len() as u64);
        if deep.len() < 0x7d {
            outer[1] = deep.len() as u8 + 2;
        }
        deep = [outer, deep].concat();
        compare::<StructBuilder>(&entry(b"a", &deep[..deep.len().min(120)]));
        compare::<hotpb::wkt::google::protobuf::ValueBuilder>(&deep);
    }
}

#[test]
fn closed_enums_packed_lists_and_required_fields() {
    // A field of undefined label and type, options with an uninterpreted part that misses its name, and locations whose
    // numbers are packed, not packed, and cut off.
    let field = b"\x0a\x01f\x18\x01\x20\x09\x28\x63\x42\x04\x08\x01\x10\x02";
    let name = b"\x12\x03\x0a\x01n";
    let location = [&[0x0a, 9][..], b"\x0a\x03\x04\x80\x01\x08\x05\x12\x00"].concat();
    let bytes = [
        &[0x0a, 1, b'p', 0x22, field.len() as u8 + 2, 0x12, field.len() as u8][..],
        field,
        &[0x4a, location.len() as u8],
        &location,
        &[0x42, 7, 0xba, 0x3e, 0x04, 0x08, 0x01, 0x48, 0x63],
        name,
        &[0x50, 0x01, 0x5a, 0x02, 0x01, 0x80, 0xf8, 0x07, 0x01],
    ]
    .concat();
    compare_all::<FileDescriptorProtoBuilder>(&bytes);
}
