//! Text and JSON against stock runtimes: protoc for text, and prost-reflect for both, on the vectors' messages.

use hotpb_json_tests::{canonical_messages, functions};
use hotpb_tests_corpus::root;
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, ReflectMessage as _};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Returns the descriptors of the proto2 and proto3 vectors: prost-reflect reads no editions, and no numbers of message
/// sets.
fn stock() -> DescriptorPool {
    let bytes = std::fs::read(root().join("vectors/plans/vectors.fds")).expect("vectors.fds");
    let mut set = prost_types::FileDescriptorSet::decode(&*bytes).expect("a descriptor set");
    set.file.retain(|file| file.syntax() != "editions" && !file.name().contains("elsewhere"));
    fn strip(extensions: &mut Vec<prost_types::FieldDescriptorProto>, messages: &mut [prost_types::DescriptorProto]) {
        extensions.retain(|field| field.number() < 1 << 29);
        for message in messages {
            message.extension_range.iter_mut().for_each(|range| range.end = Some(range.end().min(1 << 29)));
            strip(&mut message.extension, &mut message.nested_type);
        }
    }
    set.file.iter_mut().for_each(|file| strip(&mut file.extension, &mut file.message_type));
    DescriptorPool::decode(&*set.encode_to_vec()).expect("descriptors")
}

fn has_unknown(message: &DynamicMessage) -> bool {
    fn inside(value: &prost_reflect::Value) -> bool {
        match value {
            prost_reflect::Value::Message(m) => has_unknown(m),
            prost_reflect::Value::List(all) => all.iter().any(inside),
            prost_reflect::Value::Map(all) => all.values().any(inside),
            _ => false,
        }
    }
    message.unknown_fields().next().is_some()
        || message.extensions().next().is_some()
        || message.fields().any(|(_, value)| inside(value))
}

/// The messages that prost-reflect understands as a whole, with their stock form.
fn shared() -> Vec<(String, Vec<u8>, DynamicMessage)> {
    let pool = stock();
    let all = canonical_messages().into_iter().filter_map(|(name, bytes)| {
        let message = DynamicMessage::decode(pool.get_message_by_name(&name)?, &*bytes).ok()?;
        // Values that a closed enum does not define are unknown fields for us, and values for prost-reflect.
        let mut known = !has_unknown(&message);
        functions(&name).0(&bytes, &mut |shown| {
            let text = format!("{shown:#?}");
            known &= !text.lines().any(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
            // Neither text nor JSON keeps the bits of a NaN, and prost-reflect drops a negative zero.
            known &= !text.contains(": nan") && !text.contains(": -0\n") && !text.ends_with(": -0");
        });
        known.then_some((name, bytes, message))
    });
    let all: Vec<_> = all.collect();
    assert!(all.len() > 400, "only {} messages", all.len());
    all
}

/// RTX-1, RTX-3.
#[test]
fn text_is_read_back_as_the_same_message() {
    let mut compared = 0;
    for (name, bytes, message) in shared() {
        functions(&name).0(&bytes, &mut |shown| {
            // Groups have the names of their fields here, those of their types in prost-reflect.
            let one_line = format!("{shown:?}");
            let of_type = message.descriptor();
            let mut groups = of_type.fields().filter(prost_reflect::FieldDescriptor::is_group);
            if groups.any(|group| one_line.contains(&format!("{} {{", group.name()))) {
                return;
            }
            for text in [format!("{shown:?}"), format!("{shown:#?}")] {
                let read = DynamicMessage::parse_text_format(message.descriptor(), &text);
                let read = read.unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
                assert_eq!(read, message, "{name}: {text}");
            }
            compared += 1;
        });
    }
    assert!(compared > 300, "only {compared} messages");
}

/// RTX-2, RTX-4, RTX-5, RTX-6: exactly as protoc prints it, unknown fields included. Protoc runs once for each message, so
/// most are left to `rust/check-all.sh thorough`.
#[test]
fn text_is_that_of_protoc() {
    let root = root();
    let every = if std::env::var_os("HOTPB_THOROUGH").is_some() { 1 } else { 8 };
    let mut compared = 0;
    for (name, bytes) in canonical_messages().into_iter().step_by(every) {
        let mut protoc = Command::new(root.join("build/tools/protoc/bin/protoc"))
            .arg(format!("--descriptor_set_in={}", root.join("vectors/plans/vectors.fds").display()))
            .arg(format!("--decode={name}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("protoc of tools/setup");
        protoc.stdin.take().expect("stdin").write_all(&bytes).expect("a pipe");
        let out = protoc.wait_with_output().expect("protoc");
        let expected = String::from_utf8(out.stdout).expect("ASCII");
        // protoc knows the extensions, prints groups under the name of their type, refuses what lacks a field, keeps less
        // of an entry whose value a closed enum does not define (field 717), drops an item of a message set that has no
        // type, and prints the smallest of all floats with nine digits where six are enough.
        let differs = expected.contains('[')
            || expected.contains("717 {")
            || expected.contains("e-45")
            || expected.lines().any(is_group)
            || name.ends_with(".MessageSet");
        if !out.status.success() || differs {
            continue;
        }
        functions(&name).0(&bytes, &mut |message| {
            let text = format!("{message:#?}");
            assert_eq!(text, expected.trim_end_matches('\n'), "{name}");
        });
        compared += 1;
    }
    assert!(compared > 900 / every, "only {compared} messages");
}

fn is_group(line: &str) -> bool {
    line.trim_start().starts_with(|c: char| c.is_ascii_uppercase())
}

/// JSN-1 to JSN-8.
#[test]
fn json_is_that_of_prost_reflect() {
    let mut compared = 0;
    for (name, bytes, message) in shared() {
        let Ok(expected) = serde_json::to_value(&message) else { continue };
        functions(&name).0(&bytes, &mut |shown| {
            assert_eq!(serde_json::to_value(shown).unwrap_or_else(|e| panic!("{name}: {e}")), expected, "{name}");
        });
        compared += 1;
    }
    assert!(compared > 400, "only {compared} messages");
}

/// JSN-10: what one writes, the other reads.
#[test]
fn json_is_read_back_as_the_same_message() {
    for (name, bytes, message) in shared() {
        let (decode, from_json) = functions(&name);
        let mut text = String::new();
        decode(&bytes, &mut |shown| text = serde_json::to_string(&shown).unwrap_or_default());
        if text.is_empty() {
            continue; // a string that is not UTF-8
        }
        let read = from_json(&text).unwrap_or_else(|e| panic!("{name}: {e}: {text}"));
        let read = DynamicMessage::decode(message.descriptor(), &*read).expect("an encoding");
        assert_eq!(read, message, "{name}: {text}");
    }
}
