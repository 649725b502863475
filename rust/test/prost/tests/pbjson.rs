//! JSON beside pbjson's, for the same messages, both ways (JSN-1 to JSN-10). Where the two differ, the test says why.

use hotpb::pool::{Encode, Pool};
use hotpb_prost_tests::{known_json, vectors_json};
use hotpb_tests_corpus::{bytes, lines};
use prost::Message;
use serde_json::{Value, json};
use std::collections::BTreeSet;

type Theirs = vectors_json::pb::All;
type Ours = vectors_json::hotpb::vectors::p3::AllBuilder;
type Handle = vectors_json::hotpb::vectors::p3::All<'static>;

/// Returns the good vectors of `hotpb.vectors.p3.All`, in their canonical form.
fn messages() -> Vec<Vec<u8>> {
    let mut vectors = lines("wire.jsonl");
    // Vectors of limits nest a thousand levels deep.
    vectors.retain(|v| v["message"] == "hotpb.vectors.p3.All" && v["options"].is_null());
    let all: BTreeSet<_> = vectors.iter().map(|v| bytes(&v["canonical"])).collect();
    all.into_iter().collect()
}

#[test]
fn the_messages_of_the_vectors() {
    // Some are 100 levels deep. pbjson's frames without optimisation need more than a test's stack for that.
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(compare_vectors);
    thread.expect("a thread").join().expect("the comparison");
}

fn compare_vectors() {
    let (mut equal, mut undefined, mut refused, mut numbers) = (0, 0, 0, 0);
    let mut pool = Pool::<Handle>::new();
    for bytes in messages() {
        // A known field with another wire type is an unknown field for hotpb, and an error for prost.
        let Ok(message) = Theirs::decode(&*bytes) else {
            refused += 1;
            continue;
        };
        let handle = pool.decode(&bytes).expect("a canonical message");
        let hotpb = serde_json::to_value(handle).expect("JSON");
        let theirs = match serde_json::to_value(&message) {
            Ok(value) => value,
            // JSN-6: a number without a name is a number, as protobuf's mapping has it. pbjson writes an error.
            Err(e) if e.to_string().contains("Invalid variant") => {
                undefined += 1;
                continue;
            }
            Err(e) => panic!("{e}: {hotpb}"),
        };
        if hotpb != theirs {
            let mut hotpb = hotpb;
            as_pbjson(&mut hotpb);
            assert_eq!(hotpb, theirs, "{bytes:02x?}");
            numbers += 1;
            continue;
        }
        // Each reads what the other wrote; the text is the same, so one text serves both.
        let text = hotpb.to_string();
        let read: Theirs = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert_eq!(read, message, "{text}");
        let read: Ours = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
        let read = Theirs::decode(&*read.encode_to_vec().expect("an encoding")).expect("a message");
        assert_eq!(read, message, "{text}");
        equal += 1;
    }
    assert!(
        equal > 200 && undefined > 0 && undefined + refused + numbers < equal / 4,
        "{equal} {undefined} {refused} {numbers}"
    );
}

/// The result of each: the message's encoding, with deterministic maps, or an error.
fn by_hotpb(text: &str) -> Option<known_json::pb::Known> {
    let read: known_json::hotpb::json_tests::KnownBuilder = serde_json::from_str(text).ok()?;
    known_json::pb::Known::decode(&*read.encode_to_vec().ok()?).ok()
}

fn by_pbjson(text: &str) -> Option<known_json::pb::Known> {
    serde_json::from_str(text).ok()
}

#[test]
fn well_known_types() {
    let same = [
        json!({}),
        json!({"time": "1970-01-01T00:00:00Z"}),
        json!({"time": "2026-11-25T10:00:00.500Z"}),
        json!({"durations": ["1s", "1.500s", "-3s", "0s"]}),
        json!({"object": {"b": [true, 1.5, "x", {}], "c": {"d": []}}}),
        json!({"value": "text"}),
        json!({"list": [1.0, "two", [3.0]]}),
        json!({"text": "wrapped"}),
        json!({"double": 0.25}),
        json!({"blobs": {"a": "AAE=", "b": ""}}),
        json!({"flag": false}),
        json!({"wait": "0.000000001s"}),
        json!({"@own": "named"}),
        json!({"snake_case_9": "by the name of the schema"}),
    ];
    let mut compared = 0;
    for text in same.map(|value| value.to_string()) {
        let (a, b) = (by_hotpb(&text), by_pbjson(&text));
        assert!(a.is_some() && a == b, "{text}: {a:?} {b:?}");
        let message = b.expect("compared");
        let bytes = message.encode_to_vec();
        let mut pool = Pool::<known_json::hotpb::json_tests::Known<'static>>::new();
        let written = serde_json::to_value(pool.decode(&bytes).expect("a message")).expect("JSON");
        // Protobuf's mapping has times end in Z (JSN-9); pbjson writes the offset.
        let pbjson = serde_json::to_string(&message).expect("JSON").replace("+00:00\"", "Z\"");
        assert_eq!(written, serde_json::from_str::<Value>(&pbjson).expect("JSON"), "{text}");
        compared += 1;
    }
    assert_eq!(compared, 14);
}

/// Where one reads what the other does not, and the requirement that decides.
#[test]
fn differences() {
    let differ = [
        (json!({"null": "NULL_VALUE"}), true, "JSN-6: the name of an enum value"),
        (json!({"numbers": ["8.0", 7.0, 1e3]}), true, "JSN-3: integers with an exponent or a fraction of zero"),
        (json!({"mask": "one,two.threeFour"}), true, "JSN-9: a mask is text; pbjson has no form of its own for it"),
        (json!({"double": "1e999"}), false, "JSN-10: out of the range of the type"),
        (json!({"time": "1970-01-01T00:00:00.1234567891Z"}), false, "JSN-9: no more than nine digits of a second"),
        (json!({"time": "0000-01-01T00:00:00Z"}), false, "JSN-9: years begin with 1"),
        (json!({"time": "2026-11-25 10:00:00Z"}), false, "JSN-9: date and time are joined by T"),
        (json!({"wait": "315576000001s"}), false, "JSN-9: at most 10,000 years"),
    ];
    for (value, we, why) in differ {
        let text = value.to_string();
        assert_eq!((by_hotpb(&text).is_some(), by_pbjson(&text).is_some()), (we, !we), "{why}: {text}");
    }
    // JSN-8: null is the null of a `Value`, which pbjson reads as a value that holds nothing.
    let text = json!({"object": {"a": null}}).to_string();
    assert_ne!(by_hotpb(&text).expect("a message"), by_pbjson(&text).expect("a message"));
}

/// Where both refuse, or both accept and agree.
#[test]
fn limits_of_values() {
    let refused = [
        json!({"time": "2026-11-25T10:00:00"}),
        json!({"time": "10000-01-01T00:00:00Z"}),
        json!({"wait": "1.5"}),
        json!({"wait": "1.0000000001s"}),
        json!({"wait": "1e3s"}),
        json!({"mask": "snake_case"}),
        json!({"flag": true, "wait": "1s"}),
        json!({"unknown": 1}),
        json!({"blobs": {"a": "!"}}),
        json!({"numbers": [1.5]}),
        json!({"numbers": [null]}),
        json!({"durations": [null]}),
        json!({"empty": {"x": 1}}),
    ];
    for text in refused.map(|value| value.to_string()) {
        assert!(by_hotpb(&text).is_none() && by_pbjson(&text).is_none(), "{text}");
    }
    let accepted = [
        json!({"time": "9999-12-31T23:59:59.999999999Z"}),
        json!({"wait": "-0.5s"}),
        json!({"flag": null, "wait": "1s"}),
        json!({"blobs": {"a": "AAE", "b": "-_8="}}),
        json!({"double": "0.5"}),
        json!({"text": null, "list": null, "object": null, "null": null}),
        json!({"any": {}}),
    ];
    for text in accepted.map(|value| value.to_string()) {
        assert!(by_hotpb(&text).is_some() && by_hotpb(&text) == by_pbjson(&text), "{text}");
    }
}

/// Brings our JSON of numbers that pbjson writes in another way into its form. JSN-8: -0.0 is not the default, so the
/// field is present; for pbjson it is absent. JSN-4: numbers that are not finite are strings; pbjson writes null.
fn as_pbjson(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.as_f64().is_some_and(|number| number == 0.0 && number.is_sign_negative()));
            fields.values_mut().for_each(as_pbjson);
        }
        Value::Array(elements) => elements.iter_mut().for_each(as_pbjson),
        Value::String(text) if matches!(text.as_str(), "NaN" | "Infinity" | "-Infinity") => *value = Value::Null,
        _ => {}
    }
}
