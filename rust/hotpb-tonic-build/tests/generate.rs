//! The generator's output, and its errors. The crate `hotpb-tonic-loopback` compiles and runs such code.

use hotpb_tonic_build::Services;
use std::path::{Path, PathBuf};

/// A folder with `.proto` files, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = std::env::temp_dir().join(format!("hotpb-tonic-build-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        files.iter().for_each(|(file, text)| std::fs::write(folder.join(file), text).unwrap());
        Folder(folder)
    }

    fn compile(&self, config: &mut hotpb_build::Config) -> Result<(), String> {
        let out = self.0.join("out");
        config.out_dir(&out).compile(&[self.0.join("a.proto")], &[&self.0]).map_err(|error| error.to_string())
    }

    fn read(&self, file: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.0.join("out").join(file)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const SERVICE: (&str, &str) = (
    "a.proto",
    r#"syntax = "proto3"; package a; import "b.proto";
       message A {}
       service S { rpc Call(A) returns (stream b.B); }"#,
);
const IMPORTED: (&str, &str) = ("b.proto", r#"syntax = "proto3"; package b; message B {}"#);

#[test]
fn imported_files_with_requests_and_responses_are_generated_too() {
    let folder = Folder::new("imports", &[SERVICE, IMPORTED]);
    folder.compile(hotpb_build::Config::new().extend(Services::new())).unwrap();
    let code: String = folder.read("a.hot.rs").split_whitespace().collect();
    assert!(code.contains("pubmods_client{") && code.contains("pubmods_server{"));
    assert!(code.contains("::hotpb_tonic::Outgoing<for<'a>fn(&'a())->super::A<'a>>"), "a client sends requests");
    assert!(
        code.contains("::hotpb_tonic::Incoming<for<'a>fn(&'a())->super::super::b::B<'a>>"),
        "and receives responses"
    );
    assert!(folder.0.join("out/b.hot.rs").exists());
}

#[test]
fn without_services_nothing_changes() {
    let folder = Folder::new("plain", &[SERVICE, IMPORTED]);
    folder.compile(&mut hotpb_build::Config::new()).unwrap();
    assert!(!folder.read("a.hot.rs").contains("tonic"));
    assert!(!folder.0.join("out/b.hot.rs").exists(), "no message of a.proto needs it");
}

#[test]
fn one_side_alone_is_generated() {
    let folder = Folder::new("sides", &[SERVICE, IMPORTED]);
    folder.compile(hotpb_build::Config::new().extend(Services::new().server(false).transport(false))).unwrap();
    let code = folder.read("a.hot.rs");
    assert!(code.contains("mod s_client") && !code.contains("mod s_server") && !code.contains("async fn connect"));
    folder.compile(hotpb_build::Config::new().extend(Services::new().client(false))).unwrap();
    let code = folder.read("a.hot.rs");
    assert!(!code.contains("mod s_client") && code.contains("mod s_server"));
}

#[test]
fn a_message_that_is_not_generated_is_an_error() {
    let folder = Folder::new("messages", &[SERVICE, IMPORTED]);
    let error = folder.compile(hotpb_build::Config::new().messages(["a.A"]).extend(Services::new())).unwrap_err();
    assert_eq!(
        error,
        "InvalidSchema: a.proto: a.S.Call: its message b.B is not generated; name the message in messages(), or leave \
         messages() out"
    );
}

#[test]
fn a_codec_that_is_no_path_is_an_error() {
    let folder = Folder::new("codec", &[SERVICE, IMPORTED]);
    let error = folder.compile(hotpb_build::Config::new().extend(Services::new().codec("my codec"))).unwrap_err();
    assert_eq!(
        error,
        "InvalidSchema: \"my codec\" is not the path of a type; write it as in Rust, without parameters: crate::MyCodec"
    );
}
