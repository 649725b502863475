//! The configuration file, and changes of it while the server runs.

use super::common::*;
use super::otlp::{export, lines};
use super::otlp_messages::*;
use std::fs;

#[test]
fn the_configuration_changes_while_the_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    let config = format!("--config={}", file.display());
    let write = |text: &str| fs::write(&file, text).unwrap();
    write("accept-past = \"1h\"\nworkers = 1\n");
    let server = Server::start(&folder.path().join("data"), &[&config, "--enable-reload", "--accept-ahead=1h"]);
    let old = now() - 2 * 3_600_000;
    let status = |value: f64| server.send(V1, &pack(&one_sample("m", old, value))).unwrap().status;
    assert_eq!(status(1.0), 400);
    // The command line wins over the file, before and after.
    write("accept-past = \"3h\"\nworkers = 7\naccept-ahead = \"9h\"\nlog = \"debug\"\n");
    let heard = server.post("/-/reload");
    assert_eq!(
        (heard.status, heard.text.as_str()),
        (200, "changed: accept-past, log\nnot changed until the next start: workers\n")
    );
    assert_eq!(status(1.0), 204);
    // A bad file changes nothing.
    for (text, part) in [
        ("accept-past = \"1h\"\nworkerz = 3\n", "config.toml:2: there is no option `workerz`"),
        ("accept-past = \"1h\"\nlog = \"x=loud\"\n", "config.toml:2: "),
        ("accept-past = 1h\n", "config.toml:1: "),
    ] {
        write(text);
        let heard = server.post("/-/reload");
        assert_eq!(heard.status, 500, "{heard:?}");
        assert!(heard.text.starts_with("nothing changed: ") && heard.text.contains(part), "{heard:?}");
        assert_eq!(status(2.0), 204);
    }
    fs::remove_file(&file).unwrap();
    assert!(server.post("/-/reload").text.contains("config.toml: No such file"));
    // A signal does the same, and its result is in the log.
    let (bad, good) = ("the configuration cannot be read; nothing changed", "configuration read again");
    server.wait_said_again(bad, 3);
    server.signal("HUP");
    server.wait_said_again(bad, 4);
    write("accept-past = \"1h\"\n");
    server.signal("HUP");
    let line = server.wait_said_again(good, 1);
    assert!(line.contains("\"changed\":\"accept-past log\""), "{line}");
    assert!(line.contains("\"needs_restart\":\"workers\""), "{line}");
    assert_eq!(status(3.0), 400);
    assert!(server.stop());
}

/// A new token in the same file is a change, too.
#[test]
fn a_file_of_credentials_that_changed_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    fs::write(&tokens, "0123456789abcdef\n").unwrap();
    let option = format!("--bearer-file={}", tokens.display());
    let server = Server::start(&folder.path().join("data"), &[&option]);
    let said = |before: usize, changed: &str| {
        server.signal("HUP");
        let line = server.wait_said_again("configuration read again", before);
        assert!(line.contains(&format!("\"changed\":\"{changed}\"")), "{line}");
    };
    said(0, "");
    fs::write(&tokens, "fedcba9876543210\n").unwrap();
    said(1, "bearer-file");
    said(2, "");
    assert!(server.stop());
}

/// Options that contradict each other are an error, at the start and later, and the next request has the new ones.
#[test]
fn promoted_attributes_change_while_the_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    let config = format!("--config={}", file.display());
    let write = |text: &str| fs::write(&file, text).unwrap();
    let data = folder.path().join("data");
    write("otlp-promote = ['zone']\notlp-promote-all = true\n");
    let start =
        std::process::Command::new(env!("CARGO_BIN_EXE_remote-write")).args(["serve", &config]).output().unwrap();
    let said = String::from_utf8(start.stderr).unwrap();
    let refusal = "otlp-promote-all promotes all attributes: leave out otlp-promote, which names \"zone\"";
    assert!(!start.status.success() && said.contains(refusal), "{said}");

    write("otlp-promote = ['zone']\n");
    let server = Server::start(&data, &[&config, "--enable-reload", "--seal-after=10ms"]);
    let base = now();
    let send = |at: i64| {
        let point = vec![number(base + at, 1.0, &[])];
        assert_eq!(
            export(&server, &request(&[("zone", "z"), ("host", "h")], vec![gauge("m", point)])),
            (0, String::new())
        );
    };
    send(0);
    write("otlp-promote = ['zone']\notlp-promote-except = ['host']\n");
    let heard = server.post("/-/reload");
    let except = "nothing changed: otlp-promote-except, which names \"host\", needs otlp-promote-all";
    assert!(heard.status == 500 && heard.text.starts_with(except), "{heard:?}");
    send(1);
    write(
        "otlp-promote-all = true\notlp-promote-except = ['zone']\notlp-histograms = 'custom'\notlp-keep-identifying = true\n",
    );
    let heard = server.post("/-/reload").text;
    assert_eq!(
        heard,
        "changed: otlp-histograms, otlp-keep-identifying, otlp-promote, otlp-promote-all, otlp-promote-except\n"
    );
    send(2);
    server.wait_sealed();
    assert!(server.stop());
    assert_eq!(lines(&data, "samples", base), ["m{host=h} 1 @2", "m{zone=z} 1 @0", "m{zone=z} 1 @1"]);
}

#[test]
fn reload_by_http_is_off_unless_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    assert_eq!(server.post("/-/reload").status, 403);
    server.signal("HUP");
    server.wait_said("configuration read again");
    assert_eq!(server.get("/-/reload").status, 405);
}

#[test]
fn a_bad_file_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    for (content, part) in [
        ("\nmax-body = \"lots\"\n", "config.toml:2: invalid value 'lots'"),
        // Limits of tenants without tenants would be no limits.
        ("[tenants.a]\nrate = 5\n", "[tenants.a] needs the option tenant-header"),
    ] {
        fs::write(&file, content).unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_remote-write"))
            .args(["serve", "--listen=127.0.0.1:0", "--config"])
            .arg(&file)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.contains(part), "{text}");
    }
}
