//! Generated code of difficult schemas compiles wherever it is included: with names at the root of a unit, with the
//! macros and lints of the surrounding crate, and for very large messages. The runtime is compiled once for all tests.

use hotpb_build::Config;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A temporary folder, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("hotpb-compiles-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles a crate, or returns the compiler's messages. It uses `clippy` if that is installed; otherwise it does not
/// check clippy's lints.
fn compile(source: &Path, arguments: &[&str], clippy: bool) -> Result<(), String> {
    let driver = Path::new("clippy-driver");
    let has_clippy = || Command::new(driver).arg("--version").output().is_ok_and(|done| done.status.success());
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let compiler = if clippy && has_clippy() { driver.into() } else { rustc };
    let folder = source.parent().unwrap();
    let done = Command::new(compiler)
        .arg("--edition=2024")
        .args(arguments)
        .arg("--out-dir")
        .arg(folder)
        .arg(source)
        .output()
        .expect("a compiler");
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

/// Returns the compiled runtime, for linking.
fn runtime() -> &'static str {
    static RUNTIME: OnceLock<(Folder, String)> = OnceLock::new();
    let (_, path) = RUNTIME.get_or_init(|| {
        let folder = Folder::new();
        let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hotpb/src/lib.rs").canonicalize().unwrap();
        let out = folder.0.join("libhotpb.rlib");
        let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
        let done = Command::new(rustc)
            .args(["--crate-name=hotpb", "--edition=2024", "--crate-type=rlib", "--cap-lints=allow"])
            .arg("-o")
            .arg(&out)
            .arg(&library)
            .output()
            .expect("a compiler");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let path = format!("hotpb={}", out.display());
        (folder, path)
    });
    path
}

/// Generates the code of all faces, and compiles a crate that contains it in place of `UNIT` in `around`.
fn compiled(protos: &[(&str, &str)], config: &mut Config, around: &str) -> Result<(), String> {
    config.faces(["pool", "builder", "visitor", "writer"]);
    let arguments = ["--crate-type=lib", "--emit=metadata"];
    compiled_in(&Folder::new(), protos, config, around, &arguments)
}

fn compiled_in(
    folder: &Folder,
    protos: &[(&str, &str)],
    config: &mut Config,
    around: &str,
    arguments: &[&str],
) -> Result<(), String> {
    for (name, text) in protos {
        std::fs::write(folder.0.join(name), text).unwrap();
    }
    let files: Vec<&str> = protos.iter().map(|(name, _)| *name).collect();
    config.out_dir(&folder.0);
    config.compile(&files, &[&folder.0]).map_err(|error| error.to_string())?;
    let unit = format!("include!({:?});", folder.0.join("hotpb.mod.rs"));
    let source = folder.0.join("around.rs");
    std::fs::write(&source, around.replace("UNIT", &unit)).unwrap();
    compile(&source, &[&["--extern", runtime()], arguments].concat(), around.contains("clippy"))
}

const PLAIN: &str = "#![deny(warnings)] pub mod unit { UNIT }";

/// A message with each kind of field for which generated code differs.
const KINDS: &str = r#"
syntax = "proto2";
package kinds;
import "google/protobuf/timestamp.proto";
enum Kind { ZERO = 0; TWO = 2; }
message Pair { optional string key = 1; optional string value = 2; }
message Small { optional int32 a = 1; optional sint64 b = 2; }
message All {
  optional int32 number = 1;
  repeated All all = 2;
  map<string, All> named = 3;
  oneof choice { All one = 4; string text = 5; double real = 6; Kind other = 7; }
  repeated string texts = 8;
  repeated int32 packed = 9 [packed = true];
  optional Kind kind = 10 [default = TWO];
  repeated Kind kinds = 11 [packed = true];
  map<int32, Kind> by_number = 12;
  repeated Pair pairs = 13;
  repeated Small smalls = 14;
  optional google.protobuf.Timestamp time = 15;
  optional group Group = 16 { required int32 x = 1; }
  optional bytes default = 17 [default = "x\001"];
  extensions 100 to 200;
}
message Chosen { optional Kind kind = 1; repeated Kind kinds = 2; oneof choice { Kind other = 3; } }
extend All { optional Kind extended = 100; repeated Kind many = 101; repeated All messages = 102; }
"#;

#[test]
fn macros_of_the_crate_around_are_not_called() {
    let names = "assert assert_eq debug_assert matches panic unreachable vec format write concat stringify todo";
    let own = names.split(' ').map(|name| {
        format!(
            "#[allow(unused_macros)] macro_rules! {name} {{ ($($t:tt)*) => {{ ::core::compile_error!(\"{name}\") }} }} "
        )
    });
    let around = format!("{}{}", own.collect::<String>(), "pub mod unit { UNIT }");
    for tier in ["hot", "cold"] {
        let mut config = Config::new();
        if tier == "hot" {
            config.hot(["*"])
        } else {
            config.cold(["*"])
        };
        assert_eq!(compiled(&[("kinds.proto", KINDS)], &mut config, &around), Ok(()), "{tier}");
    }
}

#[test]
fn packages_and_messages_may_be_called_what_stands_at_the_root() {
    let message = |package: &str, name: &str| {
        format!(
            "syntax = \"proto3\"; package {package}; import \"google/protobuf/timestamp.proto\"; \
             message {name} {{ int32 a = 1; repeated {name} b = 2; map<string, {name}> c = 3; \
             google.protobuf.Timestamp at = 4; }}"
        )
    };
    let names = [("Tables", "M"), ("Tables_", "Tables"), ("scalars", "_"), ("side", "_"), ("keep", "_"), ("wkt", "_")];
    let more = [("self", "_"), ("all", "_"), ("of", "__"), ("_1", "_"), ("_", "_1"), ("__", "_"), ("no_package", "_")];
    let texts: Vec<(String, String)> = names
        .iter()
        .chain(&more)
        .enumerate()
        .map(|(i, (package, name))| (format!("f{i}.proto"), message(package, name)))
        .collect();
    let protos: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (&**name, &**text)).collect();
    for (name, text) in &protos {
        assert_eq!(compiled(&[(name, text)], &mut Config::new(), PLAIN), Ok(()), "{text}");
    }
    assert_eq!(compiled(&protos, &mut Config::new(), PLAIN), Ok(()));
}

#[test]
fn lints_of_the_crate_around_find_nothing() {
    let around = "
        #![deny(warnings, missing_docs, unsafe_code, unused, deprecated, non_snake_case)]
        #![deny(unreachable_pub, single_use_lifetimes, missing_debug_implementations, missing_copy_implementations)]
        #![deny(unused_results, unused_qualifications, unused_lifetimes, trivial_casts, trivial_numeric_casts)]
        #![deny(clippy::all, clippy::pedantic, clippy::nursery)]
        #![deny(clippy::absolute_paths, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
        #![deny(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::implicit_return, clippy::min_ident_chars)]
        #![deny(clippy::missing_docs_in_private_items, clippy::question_mark_used, clippy::unseparated_literal_suffix)]
        //! Generated code, in a private module.
        /// It.
        mod unit { UNIT }
    ";
    for tier in ["hot", "cold"] {
        let mut config = Config::new();
        if tier == "hot" {
            config.hot(["*"])
        } else {
            config.cold(["*"])
        };
        assert_eq!(compiled(&[("kinds.proto", KINDS)], &mut config, around), Ok(()), "{tier}");
    }
}

#[test]
fn a_oneof_may_have_more_than_a_thousand_members() {
    let members: String = (1..=1_200).map(|i| format!("int32 m{i} = {i}; ")).collect();
    let text = format!("syntax = \"proto3\"; package many; message Many {{ oneof one {{ {members} }} }}");
    assert_eq!(compiled(&[("many.proto", &text)], Config::new().hot(["*"]), PLAIN), Ok(()));
}

/// A builder with very many fields does not take their stack space again on each level.
#[test]
fn builders_of_very_many_fields_are_copied_as_deep_as_they_are_decoded() {
    let fields: String = (10..810).map(|i| format!("string s{i} = {i}; ")).collect();
    let text = format!(
        "syntax = \"proto3\"; package wide; message Wide {{ Wide child = 1; repeated Wide many = 2; \
         map<string, Wide> named = 3; oneof one {{ Wide member = 4; }} {fields} }}"
    );
    let program = r#"
        mod unit { UNIT }
        use hotpb::pool::Builder;
        use unit::wide::WideBuilder;

        /// Messages in messages, through the fields with these tags in turn; the innermost one has a text in field 106.
        fn nested(path: &[u8], levels: usize) -> Vec<u8> {
            let mut bytes = b"\xd2\x06\x01x".to_vec();
            for tag in path.iter().rev().cycle().take(levels) {
                let mut outer = vec![*tag];
                hotpb::wire::append_varint(&mut outer, bytes.len() as u64);
                outer.extend(&bytes);
                bytes = outer;
            }
            bytes
        }

        fn main() {
            let deep = || {
                // A child, an element, the value of a map's entry, a member of a oneof.
                for (path, levels) in [(&[0x0a][..], 99), (&[0x12], 99), (&[0x1a, 0x12], 98), (&[0x22], 99)] {
                    let built = WideBuilder::decode(&nested(path, levels)).expect("as deep as may be");
                    let copy = built.clone();
                    assert!(copy == built);
                    assert!(copy != WideBuilder::default());
                    let again = WideBuilder { one: copy.one.clone(), ..copy.clone() };
                    assert!(again == built);
                }
            };
            std::thread::Builder::new().stack_size(2 << 20).spawn(deep).unwrap().join().unwrap();
        }
    "#;
    let (folder, mut config) = (Folder::new(), Config::new());
    config.faces(["pool", "builder"]);
    let arguments = ["--crate-type=bin", "--crate-name=wide"];
    assert_eq!(compiled_in(&folder, &[("wide.proto", &text)], &mut config, program, &arguments), Ok(()));
    let done = Command::new(folder.0.join("wide")).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
