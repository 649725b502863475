//! `only=`, `skip=` and `keep_skipped` (FCE-9): which options the generator rejects, and the behaviour of its code.

use hotpb::pool::{DecodeOptions, UnknownFields};
use hotpb::{Code, Error};
use hotpb_codegen::{Options, analyse, descriptor, generate};
use hotpb_tests::dropped::hotpb::vectors::{p2 as dropped, p3 as dropped_p3};
use hotpb_tests::kept::hotpb::vectors::p2 as kept;
use hotpb_tests::vectors::hotpb::vectors::p3 as whole_p3;
use hotpb_tests::{kept as kept_unit, vectors as whole_unit};
use hotpb_tests_corpus::{Value, bytes, lines, on_a_large_stack, root};

const FILES: [&str; 2] = ["hotpb/vectors.proto", "hotpb/vectors_proto2.proto"];

/// Generates the schemas of the vectors; returns the code, and checks that the plan is unchanged.
fn generated(parameter: &str) -> Result<String, hotpb_codegen::Error> {
    let set = std::fs::read(root().join("vectors/plans/vectors.fds")).unwrap();
    let plan = analyse(&descriptor::read_set(&set)?, &FILES.map(str::to_string))?;
    let before = plan.to_json();
    let output = generate(&plan, &Options::parse(parameter)?)?;
    assert!(plan.to_json() == before, "the plan changed");
    Ok(output.files.into_iter().map(|f| f.content).collect())
}

/// FCE-24, FCE-25.
#[test]
fn fields_that_cannot_be_left_out_are_refused_with_what_exists() {
    for (parameter, expected) in [
        (
            "skip=p2.Child.id",
            "option skip=p2.Child.id: \"p2.Child\" is not a message of the files to generate; write a full name of a field, such as hotpb.vectors.p3.All.single_int32",
        ),
        ("skip=id", "option skip=id: \"\" is not a message of the files to generate; "),
        (
            "skip=google.protobuf.Any.value",
            "option skip=google.protobuf.Any.value: \"google.protobuf.Any\" is not a message of the files to generate; ",
        ),
        (
            "only=hotpb.vectors.p2.Child.pick",
            "option only=hotpb.vectors.p2.Child.pick: the message hotpb.vectors.p2.Child has no field \"pick\"; it has id, name, child, numbers, counts, pick_name, pick_child, pick_id, children",
        ),
        (
            "skip=hotpb.vectors.p2.Empty.id",
            "option skip=hotpb.vectors.p2.Empty.id: the message hotpb.vectors.p2.Empty has no field \"id\"; it has none",
        ),
        (
            "skip=hotpb.vectors.p2.Child.CountsEntry.value",
            "option skip=hotpb.vectors.p2.Child.CountsEntry.value: hotpb.vectors.p2.Child.CountsEntry is an entry of a map; name the map field instead",
        ),
        (
            "skip=hotpb.vectors.p2.Must.id+hotpb.vectors.p2.Must.id",
            "option skip=hotpb.vectors.p2.Must.id+hotpb.vectors.p2.Must.id: hotpb.vectors.p2.Must.id is named twice",
        ),
        (
            "only=hotpb.vectors.p2.Must.id,skip=hotpb.vectors.p2.Must.name",
            "option skip=hotpb.vectors.p2.Must.name: only= also names fields of hotpb.vectors.p2.Must; use only one of the two options for each message",
        ),
        (
            "skip=hotpb.vectors.p2.Needs.other",
            "option skip=hotpb.vectors.p2.Needs.other: the oneof hotpb.vectors.p2.Needs.pick would lose other but keep picked, so readers would not know which member is set; leave out all members or none",
        ),
        (
            "only=hotpb.vectors.p2.Needs.one+hotpb.vectors.p2.Needs.other",
            "option only=hotpb.vectors.p2.Needs.one+hotpb.vectors.p2.Needs.other: the oneof hotpb.vectors.p2.Needs.pick would lose picked but keep other",
        ),
    ] {
        let error = generated(parameter).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{parameter}: {error}");
    }
}

#[test]
fn what_is_left_out_is_not_reached_and_its_neighbours_keep_their_names() {
    let code = generated("messages=hotpb.vectors.p2.Needs").unwrap();
    assert!(["Must", "ByIdEntry", "Grp"].iter().all(|name| code.contains(&format!(" {name}<'a>, {name}Row"))));
    let skip = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| format!("hotpb.vectors.p2.Needs.{name}")).collect();
        generated(&format!("messages=hotpb.vectors.p2.Needs,skip={}", names.join("+"))).unwrap()
    };
    let code = skip(&["by_id", "grp"]);
    assert!(code.contains(" Must<'a>, MustRow") && !code.contains("ByIdEntry") && !code.contains(" Grp<'a>"));
    // The extension of Needs still reaches Must.
    let code = skip(&["one", "many", "by_id", "picked", "other", "grp"]);
    assert!(code.contains(" Must<'a>, MustRow") && code.contains(" Needs<'a>, NeedsRow"));
    let code = generated("messages=hotpb.vectors.p2.Child,skip=hotpb.vectors.p2.Child.counts").unwrap();
    assert!(code.contains("pick_name member(") && !code.contains("CountsEntry"));
    // Without messages= all messages are generated, except an entry without its map.
    let code = generated("skip=hotpb.vectors.p2.Child.counts").unwrap();
    assert!(code.contains(" MustAll<'a>, MustAllRow"));
    assert_eq!(code.matches("\"hotpb.vectors.p2.Child.CountsEntry\"").count(), 0);
    assert!(code.contains("\"hotpb.vectors.p3.Child.CountsEntry\""));
}

/// The results of the methods below: an existing accessor would take precedence over them and return something else.
#[derive(Debug, PartialEq)]
struct Gone;

trait Absent: Copy {
    fn name(self) -> Gone {
        Gone
    }
    fn has_name(self) -> Gone {
        Gone
    }
    fn numbers(self) -> Gone {
        Gone
    }
    fn counts(self) -> Gone {
        Gone
    }
    fn pick(self) -> Gone {
        Gone
    }
    fn pick_id(self) -> Gone {
        Gone
    }
}
impl Absent for dropped::Child<'_> {}
impl Absent for kept::Child<'_> {}

#[test]
fn a_skipped_field_has_no_accessor() {
    let (mut d, mut k) = (dropped::ChildPool::new(), kept::ChildPool::new());
    let (d, k) = (d.decode(b"\x08\x07").unwrap(), k.decode(b"\x08\x07").unwrap());
    assert_eq!([d.name(), d.has_name(), d.numbers(), d.counts(), d.pick(), d.pick_id()], [const { Gone }; 6]);
    assert_eq!([k.name(), k.has_name(), k.numbers(), k.counts(), k.pick(), k.pick_id()], [const { Gone }; 6]);
    assert_eq!((d.id(), k.id()), (7, 7));
}

fn records(unknown: UnknownFields<'_>) -> Vec<u8> {
    unknown.flat_map(|u| u.record.to_vec()).collect()
}

/// Every field of a Child, with skipped fields around the others, and three unknown fields.
const RECORDS: &[u8] = b"\x12\x01x\x20\x05\xd8\x01\x01\x08\x07\x22\x02\x01\x02\x2a\x05\x0a\x01k\x10\x09\
    \xd8\x01\x02\x10\x63\x32\x01p\x1a\x05\x08\x08\x12\x01y\x3a\x02\x08\x01\x4a\x04\x12\x00\x08\x09\x40\x01\xd8\x01\x03\x12\x01z";
/// The rest of it without the skipped fields.
const KNOWN: &[u8] = b"\xd8\x01\x01\x08\x07\xd8\x01\x02\x1a\x02\x08\x08\x4a\x02\x08\x09\xd8\x01\x03";

/// FCE-19.
#[test]
fn a_message_reads_as_if_skipped_fields_had_not_been_there() {
    let mut pool = dropped::ChildPool::new();
    for input in [RECORDS, KNOWN, RECORDS] {
        let child = pool.decode(input).unwrap();
        assert_eq!(child.id(), 7);
        assert_eq!(records(child.unknown_fields()), b"\xd8\x01\x01\xd8\x01\x02\xd8\x01\x03");
        let inner = child.child().unwrap();
        assert_eq!((inner.id(), inner.unknown_fields().count()), (8, 0));
        let children: Vec<_> = child.children().iter().map(|c| (c.id(), c.unknown_fields().count())).collect();
        assert_eq!(children, [(9, 0)]);
    }
}

/// FCE-20.
#[test]
fn kept_skipped_fields_are_unknown_fields() {
    const UNKNOWN: &[u8] = b"\x12\x01x\x20\x05\xd8\x01\x01\x22\x02\x01\x02\x2a\x05\x0a\x01k\x10\x09\
        \xd8\x01\x02\x10\x63\x32\x01p\x3a\x02\x08\x01\x40\x01\xd8\x01\x03\x12\x01z";
    let mut pool = kept::ChildPool::new();
    let child = pool.decode(RECORDS).unwrap();
    assert_eq!(records(child.unknown_fields()), UNKNOWN);
    assert_eq!(records(child.child().unwrap().unknown_fields()), b"\x12\x01y");
    let mut reencode = reencoder(kept_unit::reencode::TABLE, "hotpb.vectors.p2.Child");
    let known = b"\x08\x07\x1a\x05\x08\x08\x12\x01y\x4a\x04\x08\x09\x12\x00";
    assert_eq!(reencode(RECORDS, &DecodeOptions::default()).unwrap(), [known, UNKNOWN].concat());
}

/// FCE-18, FCE-21.
#[test]
fn a_skipped_field_is_checked_in_its_wire_form_only() {
    let options = DecodeOptions { strict: true, depth: 1, ..DecodeOptions::default() };
    let (mut d, mut k) = (dropped::ChildPool::new(), kept::ChildPool::new());
    for (what, input) in [
        ("not UTF-8", &b"\x12\x01\xff"[..]),
        ("damage in a packed record", b"\x22\x01\x80"),
        ("damage in a map entry", b"\x2a\x01\x0a"),
        ("damage in a message", b"\x3a\x02\x00\x07"),
        ("another wire type", b"\x15\x01\x02\x03\x04"),
        ("too many messages inside each other", b"\x3a\x02\x3a\x00"),
    ] {
        assert_eq!(d.decode_with(input, &options).map(|m| m.unknown_fields().count()), Ok(0), "{what}");
        assert_eq!(k.decode_with(input, &options).map(|m| records(m.unknown_fields())), Ok(input.to_vec()), "{what}");
    }
    for (input, code, offset, path) in [
        (&b"\x08\x01\x12\x05x"[..], Code::Truncated, 4, "2"),
        (b"\x08\x01\x20\x80", Code::Truncated, 3, "4"),
        (b"\x08\x01\x23\x08\x01", Code::Truncated, 5, "4"),
        (b"\x23\x2c", Code::GroupMismatch, 1, "4"),
        (b"\x23\x23\x24\x24", Code::DepthExceeded, 1, "4.4"),
        (b"\x12\xff\xff\xff\xff\x0f", Code::SizeExceeded, 0, "2"),
        (b"\x17", Code::InvalidWireType, 0, ""),
        (b"\x1a\x03\x12\x02x", Code::Truncated, 4, "child.2"),
    ] {
        let is = |e: Error| (e.code(), e.offset(), e.path().to_string());
        let expected = Some((code, offset, path.to_string()));
        assert_eq!(d.decode_with(input, &options).err().map(is), expected, "{input:x?}");
        assert_eq!(k.decode_with(input, &options).err().map(is), expected, "{input:x?}");
    }
}

/// FCE-22.
#[test]
fn a_skipped_required_field_is_not_missed() {
    let mut pool = dropped::NeedsPool::new();
    for (input, missing) in [
        (&b"\x0a\x02\x08\x01"[..], None), // one.name is skipped
        (b"\x12\x02\x08\x01\x12\x02\x20\x01", Some("many[1].id")),
        (b"\x1a\x02\x12\x00\x22\x00\x3b\x3c", None), // all of by_id, picked and grp is skipped
        (b"\x32\x06\x22\x00\x0a\x02\x20\x01", Some("needs.one.id")),
    ] {
        let error = pool.decode(input).err().map(|e| (e.code(), e.path().to_string()));
        assert_eq!(error, missing.map(|path| (Code::MissingRequired, path.to_string())), "{input:x?}");
    }
}

#[test]
fn extensions_are_read_beside_skipped_fields() {
    let (mut pool, mut must) = (dropped::NeedsPool::new(), dropped::MustPool::new());
    // by_id, the extension, grp with a field that has the extension's number, the extension again.
    let input = b"\x1a\x00\xa2\x06\x02\x08\x05\x3b\xa2\x06\x02\x08\x07\x3c\xa2\x06\x02\x20\x06";
    let needs = pool.decode(input).unwrap();
    assert_eq!(records(needs.unknown_fields()), b"\xa2\x06\x02\x08\x05\xa2\x06\x02\x20\x06");
    let parts = needs.extension(&dropped::scope::MUST_EXTENSION).unwrap().expect("the extension is there");
    let must = parts.decode(&mut must).unwrap();
    assert_eq!((must.id(), must.number()), (5, 6));
}

/// Returns the good vectors of some messages that need no options.
fn vectors(messages: &[&str]) -> Vec<(String, String, Vec<u8>)> {
    let lines = lines("wire.jsonl").into_iter();
    let text = |v: &Value| v.as_str().expect("text").to_string();
    let lines = lines.filter(|v| v["options"].is_null() && messages.contains(&v["message"].as_str().unwrap()));
    lines.map(|v| (text(&v["name"]), text(&v["message"]), bytes(&v["input"]))).collect()
}

type Table = [(&'static str, fn() -> Reencode)];
type Reencode = Box<dyn FnMut(&[u8], &DecodeOptions) -> Result<Vec<u8>, Error>>;

fn reencoder(table: &Table, message: &str) -> Reencode {
    table.iter().find(|(name, _)| *name == message).unwrap_or_else(|| panic!("no {message}")).1()
}

/// Code that keeps skipped fields encodes the same message.
#[test]
fn vectors_encode_again_through_kept_skipped_fields() {
    // Vectors nest deeply, and the unoptimised re-encoder needs stack for that.
    on_a_large_stack(encode_again);
}

fn encode_again() {
    let options = DecodeOptions { allow_partial: true, ..DecodeOptions::default() };
    let mut total = 0;
    for message in ["p2.Child", "p2.Needs", "p2.Must", "p2.Numbers", "p3.All"].map(|m| format!("hotpb.vectors.{m}")) {
        let mut kept = reencoder(kept_unit::reencode::TABLE, &message);
        let mut whole = reencoder(whole_unit::reencode::TABLE, &message);
        for (name, _, input) in vectors(&[&message]) {
            total += 1;
            let between = kept(&input, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(whole(&between, &options).unwrap(), whole(&input, &options).unwrap(), "{name}: {between:x?}");
        }
    }
    assert!(total > 900, "only {total} vectors were tested");
}

#[test]
fn unknown_fields_of_vectors_are_the_same_without_skipped_fields() {
    const KEPT: [u32; 8] = [14, 18, 19, 301, 319, 719, 831, 832];
    let set = std::fs::read(root().join("vectors/plans/vectors.fds")).unwrap();
    let plan = analyse(&descriptor::read_set(&set).unwrap(), &FILES.map(str::to_string)).unwrap();
    let all = plan.find_message("hotpb.vectors.p3.All").unwrap();
    let numbers: Vec<u32> = plan[all].fields.iter().map(|f| f.number).collect();
    let (mut whole, mut dropped) = (whole_p3::AllPool::new(), dropped_p3::AllPool::new());
    let all = vectors(&["hotpb.vectors.p3.All"]);
    assert!(all.len() > 500, "only {} vectors were tested", all.len());
    for (name, _, input) in &all {
        let (w, d) = (whole.decode(input).unwrap(), dropped.decode(input).unwrap());
        // A record with another wire type is unknown to the whole schema; under a skipped number it is discarded, too.
        let known = |number: u32| numbers.contains(&number) && !KEPT.contains(&number);
        let unknown: Vec<u8> =
            w.unknown_fields().filter(|u| !known(u.number)).flat_map(|u| u.record.to_vec()).collect();
        assert_eq!(records(d.unknown_fields()), unknown, "{name}");
        assert_eq!(d.single_string(), w.single_string(), "{name}");
        assert_eq!(d.repeated_int32(), w.repeated_int32(), "{name}");
        assert_eq!(d.repeated_all().len(), w.repeated_all().len(), "{name}");
        assert_eq!(d.value_all().len(), w.value_all().len(), "{name}");
        assert_eq!((d.has_other_number(), d.has_other_text()), (w.has_other_number(), w.has_other_text()), "{name}");
    }
}
