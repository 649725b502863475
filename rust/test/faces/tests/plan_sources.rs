//! The same schema yields the same plan, whatever the source of its descriptors.

use hotpb::wire::{LEN, Reader, append_bytes, append_tag};
use hotpb_codegen::{Options, analyse, descriptor, generate, respond};
use hotpb_tests_corpus::root;
use std::collections::BTreeMap;

fn set(name: &str) -> Vec<u8> {
    std::fs::read(root().join(format!("vectors/plans/{name}.fds"))).unwrap()
}

/// Returns the length-delimited fields of a message, with their numbers.
fn fields(bytes: &[u8]) -> Vec<(u32, &[u8])> {
    let mut reader = Reader::new(bytes);
    let mut fields = Vec::new();
    while let Some(tag) = reader.tag().unwrap() {
        match tag & 7 {
            2 => fields.push((tag >> 3, reader.bytes().unwrap())),
            _ => reader.skip(tag).unwrap(),
        }
    }
    fields
}

fn append(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    append_tag(out, number, LEN);
    append_bytes(out, bytes);
}

/// Returns protoc's request to a plugin, for the files of a set.
fn request(set: &[u8], files: &[&str], parameter: &str) -> Vec<u8> {
    let mut request = Vec::new();
    files.iter().for_each(|file| append(&mut request, 1, file.as_bytes()));
    append(&mut request, 2, parameter.as_bytes());
    fields(set).iter().for_each(|(_, file)| append(&mut request, 15, file));
    request
}

#[test]
fn a_plugin_request_gives_the_plan_of_the_descriptor_set() {
    for (name, file) in [("raft", "hotpb/raft.proto"), ("plugin", "google/protobuf/compiler/plugin.proto")] {
        let set = set(name);
        let files = [file.to_string()];
        let of_set = analyse(&descriptor::read_set(&set).unwrap(), &files).unwrap();
        let request = descriptor::read_request(&request(&set, &[file], "")).unwrap();
        let of_request = analyse(&request.files, &request.file_to_generate).unwrap();
        assert!(of_set.to_json() == of_request.to_json(), "{name}");
    }
}

#[test]
fn the_plugin_answers_with_the_files_that_the_library_generates() {
    let set = set("remote_write_v1");
    let names = ["prometheus/types.proto", "prometheus/remote.proto"];
    let response = respond(&request(&set, &names, "faces=pool")).unwrap();
    let mut answered = BTreeMap::new();
    for (number, file) in fields(&response.bytes) {
        assert_eq!(number, 15, "{}", String::from_utf8_lossy(file));
        let file: BTreeMap<u32, &[u8]> = fields(file).into_iter().collect();
        answered.insert(String::from_utf8(file[&1].into()).unwrap(), String::from_utf8(file[&15].into()).unwrap());
    }
    let plan = analyse(&descriptor::read_set(&set).unwrap(), &names.map(str::to_string)).unwrap();
    let output = generate(&plan, &Options::parse("faces=pool").unwrap()).unwrap();
    let generated: BTreeMap<_, _> = output.files.into_iter().map(|f| (f.name, f.content)).collect();
    assert_eq!(answered, generated);
    let expected = ["hotpb.mod.rs", "prometheus/remote.hot.rs", "prometheus/types.hot.rs"];
    assert_eq!(answered.keys().collect::<Vec<_>>(), expected);
}

#[test]
fn the_plugin_answers_a_bad_option_or_schema_with_an_error() {
    let error = |request: &[u8]| {
        let response = respond(request).unwrap();
        let fields = fields(&response.bytes);
        assert_eq!(fields.len(), 1, "an error and nothing else");
        assert_eq!(fields[0].0, 1);
        String::from_utf8(fields[0].1.into()).unwrap()
    };
    let set = set("raft");
    let file = "hotpb/raft.proto";
    assert!(error(&request(&set, &[file], "faces=columns")).starts_with("option faces=columns: "));
    assert!(error(&request(&set, &[file], "only=a.B.c")).starts_with("option only=a.B.c: \"a.B\" is not a message"));
    let unknown = error(&request(&set, &[file], "messages=raft.Gone"));
    assert!(unknown.starts_with("option messages=raft.Gone: \"raft.Gone\" is not a message"), "{unknown}");
    assert!(error(&request(&set, &["gone.proto"], "")).starts_with("InvalidSchema: gone.proto: "));
    assert!(respond(b"\x0a\xff").is_err(), "an unreadable request has no response");
}

/// protox supports only proto2 and proto3, and has Google's well-known types built in.
#[test]
fn protox_and_protoc_give_the_same_plan() {
    let proto = root().join("proto");
    for (name, files) in [
        ("remote_write_v1", &["prometheus/remote.proto", "prometheus/types.proto"][..]),
        ("remote_write_v2", &["prometheus/write/v2/types.proto"]),
        ("raft", &["hotpb/raft.proto"]),
        ("conformance", &["conformance/conformance.proto"]),
        ("test_messages_proto2", &["google/protobuf/test_messages_proto2.proto"]),
        ("test_messages_proto3", &["google/protobuf/test_messages_proto3.proto"]),
    ] {
        let compiled = protox::Compiler::new([proto.clone(), proto.join("conformance")])
            .unwrap()
            .include_imports(true)
            .include_source_info(true)
            .open_files(files)
            .unwrap()
            .encode_file_descriptor_set();
        let golden = set(name);
        // Each tool orders independent files differently; the plan follows the set, so compare file by file.
        for file in files {
            let file = [file.to_string()];
            let plan = |set: &[u8]| analyse(&descriptor::read_set(set).unwrap(), &file).unwrap().to_json();
            let (imported, theirs) = (plan(&golden), plan(&compiled));
            assert!(imported == theirs, "{name}, {}:\n{}", file[0], first_difference(&imported, &theirs));
        }
    }
}

fn first_difference(a: &[u8], b: &[u8]) -> String {
    let (a, b) = (String::from_utf8_lossy(a), String::from_utf8_lossy(b));
    let differing = a.lines().zip(b.lines()).enumerate().find(|(_, (a, b))| a != b);
    differing.map_or("one is longer".into(), |(i, (a, b))| format!("line {}: {a} / {b}", i + 1))
}
