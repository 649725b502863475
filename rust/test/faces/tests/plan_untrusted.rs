//! Descriptors are untrusted bytes: whatever they contain, the generator returns code or an error.

use hotpb_codegen::{Options, analyse, descriptor, generate, respond};
use std::path::PathBuf;

/// xorshift64*: the same mutations in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }
}

fn mutate(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            2 if !bytes.is_empty() => bytes[at] = random.below(256) as u8,
            3 => bytes.insert(at, random.below(256) as u8),
            4 if !bytes.is_empty() => {
                bytes.remove(at);
            }
            _ => {
                let end = (at + random.below(40)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

/// Names of the smaller golden sets: they contain every construct, and a run over them is quick.
fn seeds() -> Vec<Vec<u8>> {
    let plans = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../vectors/plans");
    let small = ["raft", "features", "remote_write_v1", "option_dependency", "conformance"]
        .map(|n| plans.join(format!("{n}.fds")));
    let invalid = std::fs::read_dir(plans.join("invalid")).unwrap().map(|e| e.unwrap().path());
    let mut paths: Vec<_> =
        small.into_iter().chain(invalid.filter(|p| p.extension().is_some_and(|e| e == "fds"))).collect();
    paths.sort();
    paths.iter().map(|p| std::fs::read(p).unwrap()).collect()
}

#[test]
fn mutated_descriptors_give_code_or_an_error() {
    let seeds = seeds();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut plans, mut refused) = (0, 0);
    let rounds = if std::env::var_os("HOTPB_THOROUGH").is_some() { 20_000 } else { 4000 };
    for round in 0..rounds {
        let set = mutate(&seeds[round % seeds.len()], &mut random);
        match descriptor::read_set(&set).and_then(|files| analyse(&files, &[])) {
            Ok(plan) => {
                plans += 1;
                assert!(plan.to_json().ends_with(b"\n"));
                // Some names, such as that of a file, are checked only when code is generated.
                if round % 16 == 0 {
                    if let Err(hotpb_codegen::Error::Emitter(problem)) = generate(&plan, &Options::default()) {
                        panic!("round {round}: {problem}");
                    }
                }
            }
            Err(error) => {
                refused += 1;
                assert!(!error.fix.is_empty());
            }
        }
    }
    assert!(plans > 50 && refused > 500, "{plans} plans, {refused} refused: the mutations miss one side");
}

#[test]
fn names_changed_at_random_never_give_invalid_rust() {
    let plans = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../vectors/plans");
    let raft = std::fs::read(plans.join("raft.fds")).unwrap();
    let mut random = Random(0x0123_4567_89ab_cdef);
    let mut generated = 0;
    for round in 0..400 {
        let mut set = raft.clone();
        for _ in 0..6 {
            let at = random.below(set.len());
            // Letters stay letters, so that most of these are names that collide or have a meaning in Rust.
            if set[at].is_ascii_lowercase() {
                set[at] = b"_aAsefSE1"[random.below(9)];
            }
        }
        let Ok(plan) = descriptor::read_set(&set).and_then(|files| analyse(&files, &[])) else { continue };
        match hotpb_tests_emitters::generate(&plan, "faces=pool+reencode") {
            Ok(_) => generated += 1,
            Err(hotpb_codegen::Error::Emitter(problem)) => panic!("round {round}: {problem}"),
            Err(_) => {}
        }
    }
    assert!(generated > 20, "{generated}");
}

#[test]
fn a_request_cut_anywhere_gives_an_answer_or_an_error() {
    let mut request = b"\x0a\x10hotpb/raft.proto\x12\x0afaces=pool".to_vec();
    let plans = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../vectors/plans");
    let set = std::fs::read(plans.join("raft.fds")).unwrap();
    // Field 1 of a descriptor set is field 15 of a request, and both tags have one byte.
    let mut reader = hotpb::wire::Reader::new(&set);
    while reader.tag().unwrap().is_some() {
        request.push(15 << 3 | 2);
        hotpb::wire::append_bytes(&mut request, reader.bytes().unwrap());
    }
    assert!(respond(&request).is_ok());
    let mut unreadable = 0;
    for end in (0..request.len()).step_by(7) {
        unreadable += usize::from(respond(&request[..end]).is_err());
    }
    assert!(unreadable > 100, "{unreadable}");
}

#[test]
fn messages_nested_deeper_than_any_schema_are_refused() {
    // message_type within nested_type within nested_type …
    let mut bytes = Vec::new();
    for level in 0..5000 {
        let mut outer = vec![if level == 4999 { 4 << 3 | 2 } else { 3 << 3 | 2 }];
        hotpb::wire::append_varint(&mut outer, bytes.len() as u64);
        outer.append(&mut bytes);
        bytes = outer;
    }
    let mut set = vec![1 << 3 | 2];
    hotpb::wire::append_bytes(&mut set, &bytes);
    let error = descriptor::read_set(&set).unwrap_err();
    assert!(error.problem.contains("deeper than 100"), "{error}");
}

#[test]
fn a_long_chain_of_messages_is_measured_without_recursion() {
    // M0 contains M1 contains M2 …: 20,000 deep in the graph, flat in the file.
    let text = |out: &mut Vec<u8>, number: u8, text: &str| {
        out.push(number << 3 | 2);
        hotpb::wire::append_bytes(out, text.as_bytes());
    };
    let mut file = Vec::new();
    text(&mut file, 1, "chain.proto");
    for i in 0..20_000 {
        let mut field = Vec::new();
        text(&mut field, 1, "next");
        field.extend([3 << 3, 1, 4 << 3, 1, 5 << 3, 11]);
        text(&mut field, 6, &format!(".M{}", (i + 1).min(19_999)));
        let mut message = Vec::new();
        text(&mut message, 1, &format!("M{i}"));
        message.push(2 << 3 | 2);
        hotpb::wire::append_bytes(&mut message, &field);
        file.push(4 << 3 | 2);
        hotpb::wire::append_bytes(&mut file, &message);
    }
    let mut set = vec![1 << 3 | 2];
    hotpb::wire::append_bytes(&mut set, &file);
    let plan = analyse(&descriptor::read_set(&set).unwrap(), &[]).unwrap();
    assert_eq!(plan.messages.len(), 20_000);
    assert_eq!(plan.messages[19_999].recursion, 1);
    assert_eq!(plan.messages[0].recursion, 0);
}
