//! The plugin and hotpb-build write the same code, whatever the source of the descriptors; and hotpb-build's errors are
//! helpful.

use hotpb_build::Config;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The original value of PROTOC. The variable is removed from the environment before anything is compiled, because
/// hotpb-build would use it.
static OF_ENVIRONMENT: LazyLock<Option<OsString>> = LazyLock::new(|| {
    let protoc = std::env::var_os("PROTOC");
    // SAFETY: no thread of this program reads the environment except through `std`, which locks it.
    unsafe { std::env::remove_var("PROTOC") };
    protoc
});

/// Returns that protoc, or the one that tools/setup installs.
fn protoc() -> PathBuf {
    let protoc = OF_ENVIRONMENT.clone().map_or(root().join("build/tools/protoc/bin/protoc"), PathBuf::from);
    assert!(protoc.exists(), "{} does not exist: run tools/setup protoc", protoc.display());
    protoc
}

/// A temporary folder, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        LazyLock::force(&OF_ENVIRONMENT);
        let folder = std::env::temp_dir().join(format!("hotpb-doors-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Returns all files in the folder.
    fn files(&self) -> BTreeMap<PathBuf, String> {
        fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { walk(&path, found) } else { found.push(path) }
            }
        }
        let mut found = Vec::new();
        walk(&self.0, &mut found);
        let text =
            |path: PathBuf| (path.strip_prefix(&self.0).unwrap().into(), std::fs::read_to_string(&path).unwrap());
        found.into_iter().map(text).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the plugin's output for these files, run by protoc.
fn of_plugin(name: &str, files: &[&str], include: &Path, options: &str) -> BTreeMap<PathBuf, String> {
    let folder = Folder::new(&format!("plugin-{name}"));
    let done = Command::new(protoc())
        .arg(format!("--plugin=protoc-gen-hotpb-rs={}", env!("CARGO_BIN_EXE_protoc-gen-hotpb-rs")))
        .arg(format!("--hotpb-rs_out={options}:{}", folder.0.display()))
        .arg(format!("--proto_path={}", include.display()))
        .args(files)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    folder.files()
}

/// Returns the output of hotpb-build.
fn of_build(name: &str, config: &mut Config, files: &[&str], include: &Path) -> BTreeMap<PathBuf, String> {
    let folder = Folder::new(&format!("build-{name}"));
    config.out_dir(&folder.0).compile(files, &[include]).unwrap();
    folder.files()
}

fn assert_same(subject: &str, built: &BTreeMap<PathBuf, String>, theirs: &BTreeMap<PathBuf, String>) {
    assert_eq!(built.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "{subject}");
    for (path, text) in built {
        assert!(*text == theirs[path], "{subject}: {} differs", path.display());
    }
    assert!(built.values().all(|text| text.len() > 100), "{subject}: there is something to compare");
}

#[test]
fn without_protoc_the_code_is_that_of_the_plugin() {
    let proto = root().join("proto");
    for (name, files, include) in [
        ("remote_write_v1", &["prometheus/remote.proto", "prometheus/types.proto"][..], proto.clone()),
        ("remote_write_v2", &["prometheus/write/v2/types.proto"], proto.clone()),
        ("raft", &["hotpb/raft.proto"], proto.clone()),
        ("proto2", &["google/protobuf/test_messages_proto2.proto"], proto.join("conformance")),
        ("proto3", &["google/protobuf/test_messages_proto3.proto"], proto.join("conformance")),
    ] {
        let built = of_build(name, Config::new().faces(["pool", "writer"]), files, &include);
        assert_same(name, &built, &of_plugin(name, files, &include, "faces=pool+writer"));
    }
}

#[test]
fn editions_through_protoc_or_a_descriptor_set_give_the_code_of_the_plugin() {
    let proto = root().join("proto");
    let list = std::fs::read_to_string(root().join("vectors/plans/list.txt")).unwrap();
    let files = list.lines().find_map(|line| line.strip_prefix("nasty\t")).expect("nasty in the list");
    let files: Vec<&str> = files.split('+').collect();
    let theirs = of_plugin("nasty", &files, &proto, "faces=pool");
    let through_protoc = of_build("protoc", Config::new().protoc(protoc()), &files, &proto);
    assert_same("protoc", &through_protoc, &theirs);
    let folder = Folder::new("set");
    let set = folder.0.join("nasty.fds");
    let made = Command::new(protoc())
        .args(["--include_imports", "--include_source_info"])
        .args([format!("--descriptor_set_out={}", set.display()), format!("--proto_path={}", proto.display())])
        .args(&files)
        .output();
    assert!(made.unwrap().status.success());
    let through_set = of_build("set", Config::new().descriptor_set(set), &files, &proto);
    assert_same("descriptor set", &through_set, &theirs);
}

#[test]
fn options_are_those_of_the_plugin() {
    let proto = root().join("proto");
    let files = ["prometheus/remote.proto", "prometheus/types.proto"];
    let skipped = "prometheus.TimeSeries.exemplars";
    let built = of_build(
        "options",
        Config::new()
            .faces(["pool", "builder", "visitor"])
            .messages(["prometheus.WriteRequest"])
            .skip([skipped])
            .keep_skipped()
            .strict_utf8(),
        &files,
        &proto,
    );
    let options =
        format!("faces=pool+builder+visitor,messages=prometheus.WriteRequest,skip={skipped},keep_skipped,utf8=strict");
    assert_same("options", &built, &of_plugin("options", &files, &proto, &options));
    let only = of_build("only", Config::new().only(["prometheus.Label.name"]), &files, &proto);
    assert_same("only", &only, &of_plugin("only", &files, &proto, "only=prometheus.Label.name"));
    let codec = of_build("codec", Config::new().faces(["codec"]).prost(["pb", ".a=b"]), &files, &proto);
    assert_same("codec", &codec, &of_plugin("codec", &files, &proto, "faces=codec,prost=pb+.a=b"));
    let wrong = Config::new().faces(["json"]).out_dir("unused").compile(&files, &[&proto]).unwrap_err();
    assert!(wrong.to_string().starts_with("option faces=json: the face \"json\" is not in this version"), "{wrong}");
}

#[test]
fn the_codec_refuses_what_prost_s_structs_cannot_be() {
    let proto = root().join("proto");
    let refused =
        |config: &mut Config, file: &str| config.out_dir("unused").compile(&[file], &[&proto]).unwrap_err().to_string();
    let mut codec = Config::new();
    let codec = codec.faces(["codec"]);
    let no_path = refused(&mut codec.clone(), "prometheus/types.proto");
    assert!(no_path.starts_with("option prost=: the module with prost's code is missing"), "{no_path}");
    let codec = codec.prost(["crate::pb"]);
    // prost's structs have the fields that are left out, builders do not.
    let mut combined = Config::new();
    let combined = combined.faces(["pool", "builder", "codec"]).prost(["crate::pb"]);
    for (option, config) in [
        ("skip", combined.clone().skip(["prometheus.Label.name"])),
        ("only", combined.clone().only(["prometheus.Label.name"])),
        ("skip", combined.clone().skip(["prometheus.Label.name"]).keep_skipped()),
    ] {
        let refusal = refused(config, "prometheus/types.proto");
        let expected = "=prometheus.Label.name: a builder that is converted from prost's struct would lose these fields; \
                        leave builder out of faces=, or generate the codec in a unit of its own";
        assert_eq!(refusal, format!("option {option}{expected}"));
    }
    let edition = refused(codec.clone().protoc(protoc()), "hotpb/vectors_2023.proto");
    assert!(edition.contains("prost-build does not read editions"), "{edition}");
    let alone = refused(Config::new().prost(["crate::pb"]), "prometheus/types.proto");
    assert!(alone.starts_with("option prost=crate::pb: only the codec reads it"), "{alone}");
}

#[test]
fn comments_of_the_schema_are_in_every_face() {
    let folder = Folder::new("comments");
    let text = "syntax = \"proto2\"; package p;\n// The message.\nmessage M {\n// The field.\noptional int32 x = 1;\n\
        // The choice.\noneof choice {\n// The member.\nstring s = 2; }\n// The inner one.\nmessage Inner {}\n\
        // The kind.\nenum Kind {\n// The value.\nA = 0; }\nextensions 100; }\nextend M {\n// The extension.\noptional int32 e = 100; }";
    let file = folder.write("in/m.proto", text);
    let compile = |faces: &[&str], name: &str| {
        let out = folder.0.join(name);
        Config::new().faces(faces).out_dir(&out).compile(&[&file], &[folder.0.join("in")]).unwrap();
        std::fs::read_to_string(out.join("m.hot.rs")).unwrap()
    };
    // The number of places that have each comment: types and methods; of the oneof, its enum.
    let all = ["message", "field", "choice", "member", "inner one", "kind", "value", "extension"];
    let writer = compile(&["writer"], "writer");
    let pool = compile(&["pool"], "pool");
    let more = compile(&["pool", "builder", "visitor"], "more");
    for item in all {
        let count = |code: &str| code.matches(&format!("/// The {item}.")).count();
        assert!(item == "choice" || count(&writer) > 0, "{item}: nothing in the writer");
        assert!(count(&pool) > 0, "{item}: nothing in the pool");
        let common = matches!(item, "kind" | "value" | "extension");
        assert!(common || count(&more) > count(&pool), "{item}: nothing in builder or visitor");
    }
}

#[test]
fn imported_files_whose_types_are_used_are_generated_too() {
    let folder = Folder::new("imports");
    let import = "syntax = \"proto3\"; package p; import \"unused.proto\"; import \"google/protobuf/timestamp.proto\";";
    folder.write("in/unused.proto", "syntax = \"proto3\"; package p; message Unused {}");
    folder.write("in/far.proto", &format!("{import} enum Far {{ FAR_UNKNOWN = 0; }}"));
    let near = "message Near { Far far = 1; google.protobuf.Timestamp at = 2; }";
    folder.write("in/near.proto", &format!("{import} import \"far.proto\"; {near}"));
    let top =
        folder.write("in/top.proto", &format!("{import} import \"near.proto\"; message Top {{ Near near = 1; }}"));
    let out = folder.0.join("out");
    Config::new().out_dir(&out).compile(&[&top], &[folder.0.join("in")]).unwrap();
    let files: Vec<_> = folder.files().into_keys().filter(|path| path.starts_with("out")).collect();
    let expected = ["out/far.hot.rs", "out/hotpb.mod.rs", "out/near.hot.rs", "out/top.hot.rs"].map(PathBuf::from);
    assert_eq!(files, expected);
}

#[test]
fn what_has_not_changed_is_not_written_again() {
    let folder = Folder::new("again");
    let file = folder.write("in/a.proto", "syntax = \"proto3\"; package p; message A { int32 x = 1; }");
    let (include, out) = (folder.0.join("in"), folder.0.join("out"));
    let compile = || Config::new().out_dir(&out).unit("unit").compile(&[&file], &[&include]).unwrap();
    compile();
    let code = out.join("unit/a.hot.rs");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    std::fs::File::options().write(true).open(&code).unwrap().set_modified(old).unwrap();
    compile();
    assert_eq!(std::fs::metadata(&code).unwrap().modified().unwrap(), old);
    std::fs::write(&file, "syntax = \"proto3\"; package p; message A { int32 y = 1; }").unwrap();
    compile();
    assert!(std::fs::read_to_string(&code).unwrap().contains("y value("));
    let left: Vec<_> = folder.files().into_keys().collect();
    assert_eq!(left, ["in/a.proto", "out/unit/a.hot.rs", "out/unit/hotpb.mod.rs"].map(PathBuf::from));
}

#[test]
fn errors_name_the_place_and_the_three_ways() {
    let folder = Folder::new("errors");
    let include = &folder.0;
    let wrong = |name: &str, text: &str, config: &mut Config| {
        let file = folder.write(name, text);
        config.out_dir(include.join("out")).compile(&[file], &[include]).unwrap_err().to_string()
    };
    let edition = "// A comment.\n/* and */ edition = \"2023\"; package p; message M { int32 x = 1; }";
    let refused = wrong("e.proto", edition, Config::new().faces(["pool", "writer"]));
    for part in [
        "e.proto is written in edition 2023; protox, which reads .proto files here, supports only proto2 and proto3."
            .into(),
        "set PROTOC=/path/to/protoc, or write into build.rs\n       .protoc(\"/path/to/protoc\")".into(),
        format!(
            "protoc -I {} --include_imports --include_source_info --descriptor_set_out=schema.fds e.proto\n   \
             and in build.rs\n       .descriptor_set(\"schema.fds\")",
            include.display()
        ),
        format!("protoc -I {} --hotpb-rs_out=src/gen --hotpb-rs_opt=faces=pool+writer e.proto", include.display()),
    ] {
        let part: String = part;
        assert!(refused.contains(&part), "no `{part}` in:\n{refused}");
    }
    assert_eq!(wrong("e.proto", edition, Config::new().protoc(include.join("gone"))).lines().count(), 11);

    let syntax = wrong("s.proto", "syntax = \"proto3\";\nmessage M { int32 x = ; }", &mut Config::new());
    assert!(syntax.starts_with("s.proto:2:23: "), "{syntax}");
    let syntax = wrong("s.proto", "syntax = \"proto3\";\nmessage M { int32 x = ; }", Config::new().protoc(protoc()));
    assert!(syntax.contains("s.proto:2:23: Expected field number."), "{syntax}");
    let import = wrong("i.proto", "syntax = \"proto3\"; import \"gone.proto\";", &mut Config::new());
    let folders = format!("; the include folders are {}, relative to Cargo.toml: look at", include.display());
    assert!(import.contains("i.proto:1:20: import 'gone.proto' not found") && import.contains(&folders), "{import}");
    let missing = Config::new().out_dir(include.join("out")).compile(&["misspelt.proto"], &[include]);
    let missing = missing.unwrap_err().to_string();
    assert!(missing.starts_with(&format!("file 'misspelt.proto' is not in any include path{folders}")), "{missing}");

    let elsewhere = Config::new().compile(&[include.join("e.proto")], &[include.join("out")]).unwrap_err().to_string();
    assert!(elsewhere.contains("OUT_DIR is not set"), "{elsewhere}");
    let mut config = Config::new();
    let elsewhere = config.out_dir("out").compile(&[include.join("e.proto")], &["src"]).unwrap_err().to_string();
    assert!(elsewhere.ends_with(
        "e.proto is in none of the include folders (src): add the folder to which its imports are relative"
    ));
    let gone = config.descriptor_set("gone.fds").compile(&["e.proto"], &["src"]).unwrap_err().to_string();
    assert!(gone.starts_with("gone.fds: "), "{gone}");
}
