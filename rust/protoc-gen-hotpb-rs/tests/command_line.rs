//! Calls the program as protoc and users call it (PLN-30, PLN-31).

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn plans() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/plans")
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_protoc-gen-hotpb-rs"))
}

fn run(arguments: &[&str]) -> Output {
    program().args(arguments).stdin(Stdio::null()).output().unwrap()
}

/// Returns the response to a request, as protoc receives it: status, standard output, standard error.
fn plugin(request: &[u8]) -> Output {
    let mut child =
        program().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().unwrap().write_all(request).unwrap();
    child.wait_with_output().unwrap()
}

fn set(name: &str) -> String {
    format!("--descriptor_set={}", plans().join(name).display())
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A temporary folder, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("hotpb-command-line-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_plan_goes_to_standard_output_or_into_a_file() {
    let golden = std::fs::read(plans().join("raft.json")).unwrap();
    let files = "--files=hotpb/raft.proto";
    let printed = run(&[&set("raft.fds"), files, "--emit_plan=-"]);
    assert!(printed.status.success(), "{}", stderr(&printed));
    assert!(printed.stdout == golden);

    let folder = Folder::new("plan");
    let file = folder.0.join("raft.json");
    let written = run(&[&set("raft.fds"), files, &format!("--emit_plan={}", file.display())]);
    assert!(written.status.success() && written.stdout.is_empty(), "{}", stderr(&written));
    assert!(std::fs::read(file).unwrap() == golden);
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1, "the plan alone, without --out");
}

#[test]
fn code_goes_into_the_folder_in_the_folders_of_the_proto_files() {
    let folder = Folder::new("code");
    let out = format!("--out={}", folder.0.join("new").display());
    let done = run(&[&set("remote_write_v2.fds"), "--opt=faces=pool", &out]);
    assert!(done.status.success(), "{}", stderr(&done));
    for name in ["new/hotpb.mod.rs", "new/prometheus/write/v2/types.hot.rs"] {
        assert!(std::fs::metadata(folder.0.join(name)).is_ok_and(|m| m.len() > 100), "{name}");
    }
}

#[test]
fn errors_go_to_standard_error_with_the_program_and_the_place_and_the_status_is_not_0() {
    for (arguments, expected) in [
        (
            vec![set("invalid/line_of_the_element.fds"), "--emit_plan=-".into()],
            "protoc-gen-hotpb-rs: InvalidSchema: x.proto:7: p.M.f: its type \".p.Gone\" is not a message of the set; \
             create the set with --include_imports\n",
        ),
        (
            vec![set("raft.fds"), "--files=gone.proto".into(), "--emit_plan=-".into()],
            "protoc-gen-hotpb-rs: InvalidSchema: gone.proto: the file is requested, but is not in the descriptor set; \
             name a file of the set, or create the set with --include_imports\n",
        ),
        (
            vec![set("raft.fds"), "--opt=faces=json".into(), "--emit_plan=-".into()],
            "protoc-gen-hotpb-rs: option faces=json: the face \"json\" is not in this version of the Rust generator; \
             it has pool, builder, visitor, writer, view, codec\n",
        ),
        (
            vec![set("raft.fds"), "--opt=emit_plan=x".into(), "--emit_plan=-".into()],
            "protoc-gen-hotpb-rs: option emit_plan=x: outside protoc, pass it as an argument: --emit_plan=x\n",
        ),
        (vec![set("raft.fds")], "protoc-gen-hotpb-rs: --out=DIR or --emit_plan=FILE is missing\n"),
    ] {
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let refused = run(&arguments);
        assert_eq!(stderr(&refused), expected);
        assert!(refused.status.code().is_some_and(|code| code != 0) && refused.stdout.is_empty());
    }
}

#[test]
fn without_arguments_it_is_a_plugin() {
    // file_to_generate and parameter; then proto_file, which is field 15 here, with the bytes that are field 1 of a
    // set.
    let mut request = b"\x0a\x10hotpb/raft.proto\x12\x13emit_plan=raft.json".to_vec();
    let set = std::fs::read(plans().join("raft.fds")).unwrap();
    assert_eq!(set[0], 1 << 3 | 2, "raft.fds is one file");
    request.push(15 << 3 | 2);
    request.extend(&set[1..]);
    let answer = plugin(&request);
    assert!(answer.status.success(), "{}", stderr(&answer));
    let golden = std::fs::read(plans().join("raft.json")).unwrap();
    assert!(answer.stdout.ends_with(&golden), "the plan is the last file of the response");

    let refused = plugin(&request.iter().map(|&b| if b == b'e' { b'f' } else { b }).collect::<Vec<_>>());
    assert!(refused.status.success(), "the response reports errors in the schema or the options");
    assert_eq!(refused.stdout[0], 1 << 3 | 2, "field 1 is the error");

    let unreadable = plugin(b"\x0a\xff");
    assert!(!unreadable.status.success());
    assert!(stderr(&unreadable).starts_with("protoc-gen-hotpb-rs: InvalidSchema: the input is not a readable"));
}

/// Returns a descriptor set with one file of this many messages, of which the last has an entry of a map.
fn messages(count: usize) -> Vec<u8> {
    let field = |tag: u8, bytes: &[u8]| {
        let mut out = vec![tag];
        hotpb::wire::append_bytes(&mut out, bytes);
        out
    };
    let mut file = [field(0x0a, b"many.proto"), field(0x12, b"pkg"), field(0x62, b"proto3")].concat();
    for at in 1..count {
        file.extend(field(0x22, &field(0x0a, format!("M{at}").as_bytes())));
    }
    let number = |name: &[u8], number: u8| [field(0x0a, name), vec![0x18, number, 0x20, 1, 0x28, 5]].concat();
    let entry = [field(0x0a, b"AEntry"), field(0x12, &number(b"key", 1)), field(0x12, &number(b"value", 2)), field(0x3a, &[0x38, 1])];
    let map = [field(0x0a, b"a"), vec![0x18, 1, 0x20, 3, 0x28, 11], field(0x32, b".pkg.Last.AEntry")].concat();
    file.extend(field(0x22, &[field(0x0a, b"Last"), field(0x12, &map), field(0x1a, &entry.concat())].concat()));
    field(0x0a, &file)
}

#[test]
fn a_file_with_very_many_messages_is_named_once_with_the_option_that_selects_some() {
    let folder = Folder::new("many");
    let run = |count: usize, options: &str| {
        let set = folder.0.join("many.fds");
        std::fs::write(&set, messages(count)).unwrap();
        let out = run(&[
            &format!("--descriptor_set={}", set.display()),
            &format!("--out={}", folder.0.display()),
            &format!("--opt={options}"),
        ]);
        assert!(out.status.success(), "{}", stderr(&out));
        stderr(&out)
    };
    assert_eq!(run(200, "faces=writer"), "");
    assert_eq!(
        run(201, "faces=writer"),
        "protoc-gen-hotpb-rs: many.proto: 201 messages, code for all of them; messages=pkg.A+pkg.B writes only those \
         and the messages that they need (quiet leaves this line out)\n"
    );
    assert_eq!(run(201, "faces=writer,quiet"), "");
    assert_eq!(run(201, "faces=writer,messages=pkg.M1+pkg.Last"), "");
}
