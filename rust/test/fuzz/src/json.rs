//! JSON and text of messages: the targets `json`, `json-text` and `text`.

use crate::drive::Run;
use hotpb_json_tests::properties;
use hotpb_tests::mutate::Rng;

/// Any bytes: those that decode become JSON, and the same message again.
pub fn of_bytes() -> Run {
    let checks = properties::all();
    Box::new(move |bytes, rng| {
        (checks[rng.below(checks.len())].json_of_bytes)(bytes);
    })
}

/// Any text: what is read as JSON is a message.
pub fn of_text() -> Run {
    let checks = properties::all();
    Box::new(move |bytes, rng| {
        let text = with_pieces(rng, &String::from_utf8_lossy(bytes));
        let _ = (checks[rng.below(checks.len())].bytes_of_json)(&text, rng.below(2) == 0);
    })
}

/// Text format, equality and walk of any messages.
pub fn shown() -> Run {
    let (checks, mut before) = (properties::all(), Vec::new());
    Box::new(move |bytes, rng| {
        (checks[rng.below(checks.len())].shown)(bytes, &before);
        before = bytes.to_vec();
    })
}

/// Pieces of JSON that are difficult for readers: numbers at the edges, surrogates, the values of well-known types.
const PIECES: [&str; 44] = [
    "null",
    "true",
    "{}",
    "[]",
    "\"\"",
    "0",
    "-0",
    "-0.0",
    "1e0",
    "1.0",
    "0.5",
    "1e-400",
    "1e400",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "3.4028235e38",
    "3.4028236e38",
    "1e-46",
    "\"NaN\"",
    "\"-Infinity\"",
    "\"1e3\"",
    "\"\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\\ud83d\\ude00\"",
    "\"\\u0000\"",
    "\"_-8=\"",
    "\"0001-01-01T00:00:00Z\"",
    "\"9999-12-31T23:59:59.999999999+00:01\"",
    "\"-315576000000.999999999s\"",
    "\"0.5s\"",
    "\"a.bC,d\"",
    "\"ZERO\"",
    "\"type.googleapis.com/google.protobuf.Any\"",
    "\"@type\"",
    "\"value\"",
];

/// Puts a piece in some places where a value begins, and sometimes nests the whole.
fn with_pieces(rng: &mut Rng, text: &str) -> String {
    let mut text = text.to_string();
    for _ in 0..rng.below(3) {
        let starts: Vec<usize> = text.match_indices([':', '[', ',']).map(|(at, _)| at + 1).collect();
        if let Some(&at) = starts.get(rng.below(starts.len())) {
            let end = text[at..].find([',', '}', ']']).map_or(text.len(), |end| at + end);
            text.replace_range(at..end, PIECES[rng.below(PIECES.len())]);
        }
    }
    if rng.below(16) == 0 {
        let any = "{\"@type\":\"type.googleapis.com/google.protobuf.Any\",\"value\":";
        let (open, close) = [("{\"singleAll\":", "}"), ("[", "]"), ("{\"a\":", "}"), (any, "}")][rng.below(4)];
        let levels = [1, 49, 50, 51, 98, 99, 100, 101, 300][rng.below(9)];
        text = format!("{}{text}{}", open.repeat(levels), close.repeat(levels));
    }
    text
}

/// The JSON of the vectors' messages, and of the well-known types.
pub fn texts() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = KNOWN.iter().map(|text| text.as_bytes().to_vec()).collect();
    seeds.extend(PIECES.map(|piece| piece.into()));
    for (name, bytes) in hotpb_json_tests::canonical_messages() {
        (hotpb_json_tests::functions(&name).0)(&bytes, &mut |message| {
            seeds.extend(serde_json::to_vec(&message).ok().filter(|text| text.len() < 2000));
        });
    }
    assert!(seeds.len() > 500, "{} texts", seeds.len());
    seeds
}

const KNOWN: [&str; 10] = [
    r#"{"a":[1.5,"x",true,null,{}],"b":{"c":[]}}"#,
    r#"[null,[],{},"",0,false]"#,
    r#"{"@type":"type.googleapis.com/google.protobuf.Timestamp","value":"1970-01-01T00:00:00.001Z"}"#,
    r#"{"@type":"a/google.protobuf.Any","value":{"@type":"/google.protobuf.Struct","value":{"a":null}}}"#,
    r#"{"@type":"a/hotpb.vectors.p3.All","singleInt32":1,"keyString":{"a":"1"},"singleChild":{"id":7}}"#,
    r#"{"@type":"a/google.protobuf.Empty","value":{}}"#,
    r#"{"@type":"a/hotpb.vectors.p2.Must","id":1}"#,
    r#""2000-02-29T12:00:00.000000001+23:59""#,
    r#""-315576000000.999999999s""#,
    r#""userId,name.firstName""#,
];
