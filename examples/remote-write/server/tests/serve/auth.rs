//! Credentials from files.

use super::common::*;
use std::fs;

const TOKENS: &str = "# two senders\nfirst-token-0123456789\n\nsecond-token-0123456789\n";

fn basic(user: &str, password: &str) -> String {
    use base64::Engine;
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}")))
}

#[test]
fn requests_need_a_token_or_a_password() {
    let folder = tempfile::tempdir().unwrap();
    let (tokens, users) = (folder.path().join("tokens"), folder.path().join("users"));
    fs::write(&tokens, TOKENS).unwrap();
    // Cost 4 is bcrypt's lowest.
    let hash = |password: &str| bcrypt::hash(password, 4).unwrap();
    fs::write(&users, format!("ann:{}\nbob:{}\n", hash("pass:word"), hash("ü"))).unwrap();
    let options = [format!("--bearer-file={}", tokens.display()), format!("--basic-file={}", users.display())];
    let server =
        Server::start(&folder.path().join("data"), &[&options[0], &options[1], "--enable-reload", "--seal-after=1ms"]);
    let body = pack(&one("m", now(), 1.0));
    let status = |authorization: &str| {
        let headers = [("Content-Type", V1), ("Content-Encoding", "snappy"), ("Authorization", authorization)];
        server.send_as(&headers, &body).unwrap().status
    };
    let heard = server.send(V1, &body).unwrap();
    assert_eq!(heard.status, 401);
    assert_eq!(
        heard.authenticate,
        ["Bearer realm=\"remote-write\"", "Basic realm=\"remote-write\", charset=\"UTF-8\""]
    );
    for good in ["Bearer first-token-0123456789", "bearer  second-token-0123456789"] {
        assert_eq!(status(good), 204, "{good}");
    }
    for (user, password) in [("ann", "pass:word"), ("bob", "ü"), ("ann", "pass:word")] {
        assert_eq!(status(&basic(user, password)), 204, "{user}");
    }
    for bad in [
        "",
        "Bearer",
        "Bearer ",
        "Bearer # two senders",
        "Bearer first-token-012345678",
        "Bearer first-token-0123456789 second-token-0123456789",
        "Digest first-token-0123456789",
        "Basic first-token-0123456789",
        "Basic YW5u",
        &basic("ann", "ü"),
        &basic("ann", ""),
        &basic("ann", "pass:word\0"),
        &basic("eve", "pass:word"),
        &basic("", ""),
    ] {
        assert_eq!(status(bad), 401, "{bad:?}");
    }
    // What operators and their machines ask for.
    for (path, open) in [("/-/healthy", true), ("/-/ready", true), ("/metrics", false)] {
        assert_eq!(server.get(path).status, if open { 200 } else { 401 }, "{path}");
    }
    assert_eq!(server.post("/-/reload").status, 401);
    // New credentials hold after a reload; a bad file changes nothing.
    fs::write(&tokens, "third-token-0123456789\n").unwrap();
    server.signal("HUP");
    server.wait_said("configuration read again");
    assert_eq!(["first", "third"].map(|name| status(&format!("Bearer {name}-token-0123456789"))), [401, 204]);
    fs::write(&users, "ann:plain\n").unwrap();
    server.signal("HUP");
    server.wait_said("the hash of");
    assert_eq!(status(&basic("ann", "pass:word")), 204);
}

#[test]
fn metrics_may_be_open() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    fs::write(&tokens, TOKENS).unwrap();
    let option = format!("--bearer-file={}", tokens.display());
    let server = Server::start(&folder.path().join("data"), &[&option, "--open-status"]);
    assert_eq!(server.send(V1, &pack(&one("m", now(), 1.0))).unwrap().status, 401);
    let metrics = server.get("/metrics");
    assert_eq!(metrics.status, 200);
    assert!(metrics.text.contains("hotpb_rw_refused_requests_total{kind=\"credentials\"} 1"), "{}", metrics.text);
}
