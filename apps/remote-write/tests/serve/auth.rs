//! Credentials from files.

use super::common::*;
use prost::Message;
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
    let body = pack(&one_sample("m", now(), 1.0));
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

/// Credentials may be for some tenants: then they are for nothing else, in any protocol.
#[test]
fn credentials_may_be_for_some_tenants() {
    let folder = tempfile::tempdir().unwrap();
    let [tokens, users, bound] = ["tokens", "users", "bound"].map(|name| folder.path().join(name));
    fs::write(&tokens, "all-tenants-0123456789\none-tenant-0123456789\ta\ntwo-tenants-0123456789 a, b\n").unwrap();
    let hash = |password: &str| bcrypt::hash(password, 4).unwrap();
    fs::write(&users, format!("ann:{}\nbob:{}\n", hash("1"), hash("2"))).unwrap();
    fs::write(&bound, "# only bob\nbob:b,c\n").unwrap();
    let options = [("bearer-file", &tokens), ("basic-file", &users), ("basic-tenants-file", &bound)];
    let options = options.map(|(name, path)| format!("--{name}={}", path.display()));
    let mut options: Vec<&str> = options.iter().map(String::as_str).collect();
    options.extend(["--tenant-header=X-Tenant", "--enable-reload"]);
    let data = folder.path().join("data");
    let server = Server::start(&data, &options);
    let body = pack(&one_sample("m", now(), 1.0));
    let write = |authorization: &str, tenants: &[&str]| {
        let mut headers = vec![("Content-Encoding", "snappy"), ("Authorization", authorization)];
        headers.extend(tenants.iter().map(|&tenant| ("X-Tenant", tenant)));
        server.send_as(&headers, &body).unwrap().status
    };
    let [all, one_, two] = ["all-tenants", "one-tenant", "two-tenants"].map(|name| format!("Bearer {name}-0123456789"));
    let (ann, bob) = (basic("ann", "1"), basic("bob", "2"));
    let every = ["a", "b", "c"];
    for (authorization, good) in [(&all, "abc"), (&one_, "a"), (&two, "ab"), (&ann, "abc"), (&bob, "bc"), (&bob, "bc")]
    {
        let status = every.map(|tenant| write(authorization, &[tenant]));
        assert_eq!(status, every.map(|tenant| if good.contains(tenant) { 204 } else { 403 }), "{authorization}");
    }
    assert_eq!(write(&basic("bob", "1"), &["b"]), 401);
    // No tenant, one that is no name, one that is another in upper case, and two at once.
    for (tenants, status) in [(&[][..], 400), (&[""], 403), (&["A"], 403), (&["a", "b"], 403), (&["a", "a"], 400)] {
        assert_eq!(write(&one_, tenants), status, "{tenants:?}");
    }
    let otlp = super::otlp_messages::request(&[], vec![]).encode_to_vec();
    let mut status = Vec::new();
    for tenant in ["a", "b"] {
        let headers = [("Content-Type", V1), ("Authorization", one_.as_str()), ("X-Tenant", tenant)];
        status.push(server.send_otlp(&headers, &otlp).status);
        status.push(super::export::export(&server, "", &headers[1..]).unwrap().0);
    }
    assert_eq!(status, [200, 200, 403, 403]);
    // These show or change what is of all tenants.
    for path in ["/", "/metrics", "/api/v1/status"] {
        let get =
            |authorization: &str| server.get_as(path, &[("Authorization", authorization), ("X-Tenant", "a")]).status;
        assert_eq!((get(&one_), get(&all)), (403, 200), "{path}");
    }
    let metrics = server.get_as("/metrics", &[("Authorization", &all)]).text;
    assert!(metrics.contains("hotpb_rw_refused_requests_total{kind=\"other tenant\"} "), "{metrics}");
    // A reload takes tenants away and adds others.
    fs::write(&bound, "bob:a\n").unwrap();
    server.signal("HUP");
    server.wait_said("configuration read again");
    assert_eq!(every.map(|tenant| write(&bob, &[tenant])), [204, 403, 403]);
}

/// Without tenants, nobody can say whose a request is: names of tenants are an error then.
#[test]
fn credentials_of_tenants_need_tenants() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    fs::write(&tokens, "one-tenant-0123456789 a\n").unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_remote-write"))
        .args(["serve", "--listen=127.0.0.1:0", "--data"])
        .arg(folder.path().join("data"))
        .arg("--bearer-file")
        .arg(&tokens)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("tokens:1: tenants need the option tenant-header"), "{said}");
}

#[test]
fn metrics_may_be_open() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    fs::write(&tokens, TOKENS).unwrap();
    let option = format!("--bearer-file={}", tokens.display());
    let server = Server::start(&folder.path().join("data"), &[&option, "--open-status"]);
    assert_eq!(server.send(V1, &pack(&one_sample("m", now(), 1.0))).unwrap().status, 401);
    let metrics = server.get("/metrics");
    assert_eq!(metrics.status, 200);
    assert!(metrics.text.contains("hotpb_rw_refused_requests_total{kind=\"credentials\"} 1"), "{}", metrics.text);
}
