//! Compares plans (`spec/plan.md`) with the goldens that the generators of all languages print.

use hotpb_codegen::{SchemaError, analyse, descriptor};
use std::path::PathBuf;

fn plans() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../vectors/plans")
}

/// Returns the folder of the golden plans, where tools/vectors/compile puts them.
fn goldens() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../build/vectors/plans")
}

fn rows(list: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(plans().join(list)).unwrap();
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines.map(|l| l.split('\t').map(str::to_string).collect()).collect()
}

fn plan(set: &[u8], files: &[String]) -> Result<Vec<u8>, SchemaError> {
    analyse(&descriptor::read_set(set)?, files).map(|plan| plan.to_json())
}

#[test]
fn golden_plans_are_printed_byte_for_byte() {
    let rows = rows("list.txt");
    assert!(rows.len() >= 16, "only {} goldens are listed", rows.len());
    for row in rows {
        let name = &row[0];
        let files: Vec<_> = row[1].split('+').map(str::to_string).collect();
        let set = std::fs::read(plans().join(format!("{name}.fds"))).unwrap();
        let golden = std::fs::read(goldens().join(format!("{name}.json"))).unwrap();
        let printed = plan(&set, &files).unwrap();
        if let Some(line) = printed.split(|&b| b == b'\n').zip(golden.split(|&b| b == b'\n')).position(|(a, b)| a != b)
        {
            panic!("{name}: line {} differs", line + 1);
        }
        assert!(printed == golden, "{name}: one is longer");
    }
}

#[test]
fn schemas_that_cannot_be_used_are_refused_with_file_element_and_line() {
    let rows = rows("invalid/list.txt");
    assert!(rows.len() >= 40, "only {} are listed", rows.len());
    for row in rows {
        let name = &row[0];
        let expected = |column: usize| row.get(column).map_or("", String::as_str);
        let set = std::fs::read(plans().join(format!("invalid/{name}.fds"))).unwrap();
        let Err(error) = plan(&set, &[]) else { panic!("{name} was accepted") };
        let line = error.line.map_or(String::new(), |line| line.to_string());
        assert_eq!(
            (error.file.as_str(), error.element.as_str(), line.as_str()),
            (expected(1), expected(2), expected(3)),
            "{name}: {error}"
        );
        assert!(!error.problem.is_empty() && !error.fix.is_empty(), "{name}");
        assert!(error.to_string().starts_with("InvalidSchema: "), "{name}: {error}");
    }
}

#[test]
fn a_file_that_is_asked_for_must_be_in_the_set() {
    let set = std::fs::read(plans().join("raft.fds")).unwrap();
    let error = plan(&set, &["gone.proto".into()]).unwrap_err();
    assert_eq!(error.file, "gone.proto");
}

#[test]
fn a_plan_without_a_request_covers_all_files() {
    let set = std::fs::read(plans().join("plugin.fds")).unwrap();
    let json = String::from_utf8(plan(&set, &[]).unwrap()).unwrap();
    for message in ["google.protobuf.compiler.CodeGeneratorRequest", "google.protobuf.FileDescriptorProto"] {
        assert!(json.contains(&format!("\"name\": \"{message}\"")), "{message}");
    }
}
