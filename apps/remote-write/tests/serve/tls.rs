//! TLS, with and without certificates of senders. `tls/generate.sh` wrote the keys and certificates.

use super::common::*;
use super::http2;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

fn pem(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/serve/tls").join(name)
}

fn certificate(name: &str) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(pem(&format!("{name}.pem"))).unwrap()
}

fn client(own: Option<&str>, protocols: &[&str]) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate("authority")).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let mut config = match own {
        None => builder.with_no_client_auth(),
        Some(name) => {
            let key = PrivateKeyDer::from_pem_file(pem(&format!("{name}.key"))).unwrap();
            builder.with_client_auth_cert(vec![certificate(name)], key).unwrap()
        }
    };
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    Arc::new(config)
}

struct Heard {
    text: String,
    protocol: Option<Vec<u8>>,
    certificate: CertificateDer<'static>,
}

/// Sends one request over HTTP/1.1.
fn send(server: &Server, config: Arc<ClientConfig>) -> Result<Heard, std::io::Error> {
    let tcp = TcpStream::connect(server.address())?;
    tcp.set_read_timeout(Some(Duration::from_secs(20)))?;
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = StreamOwned::new(ClientConnection::new(config, name).unwrap(), tcp);
    let body = pack(&one_sample("m", now(), 1.0));
    let head = format!(
        "POST /api/v1/write HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), &body].concat())?;
    let mut bytes = Vec::new();
    // The server closes the connection, with or without a farewell.
    if let Err(error) = stream.read_to_end(&mut bytes)
        && bytes.is_empty()
    {
        return Err(error);
    }
    Ok(Heard {
        text: String::from_utf8(bytes).unwrap(),
        protocol: stream.conn.alpn_protocol().map(<[u8]>::to_vec),
        certificate: stream.conn.peer_certificates().unwrap()[0].clone().into_owned(),
    })
}

/// A server with its certificate in files of its own, which tests replace.
fn start(options: &[&str]) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    copy("server", folder.path());
    let at = |name: &str| folder.path().join(name).display().to_string();
    let own = [format!("--tls-cert={}", at("own.pem")), format!("--tls-key={}", at("own.key"))];
    let own = [&own[0], &own[1], "--enable-reload", "--seal-after=1ms", "--header-timeout=500ms"];
    let server = Server::start(&folder.path().join("data"), &[&own[..], options].concat());
    (folder, server)
}

fn copy(name: &str, to: &Path) {
    for end in ["pem", "key"] {
        fs::copy(pem(&format!("{name}.{end}")), to.join(format!("own.{end}"))).unwrap();
    }
}

#[test]
fn both_versions_of_http_work_over_tls() {
    let (_folder, server) = start(&[]);
    for (offered, agreed) in [(&[][..], None), (&["http/1.1"], Some(b"http/1.1".to_vec()))] {
        let heard = send(&server, client(None, offered)).unwrap();
        assert!(heard.text.starts_with("HTTP/1.1 204"), "{}", heard.text);
        assert_eq!(heard.protocol, agreed);
        assert_eq!(heard.certificate, certificate("server"));
    }
    let bodies: Vec<Vec<u8>> = (0..5).map(|n| pack(&one_sample("m", now() + n, 2.0))).collect();
    let statuses = http2::block_on(async {
        let tcp = tokio::net::TcpStream::connect(server.address()).await.unwrap();
        let connector = tokio_rustls::TlsConnector::from(client(None, &["h2", "http/1.1"]));
        let stream = connector.connect(ServerName::try_from("localhost").unwrap(), tcp).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        http2::post(stream, &bodies).await
    });
    assert_eq!(statuses, [204; 5]);
    // A sender without TLS, and one that is silent, are sent away.
    for begin in [&b"POST /api/v1/write HTTP/1.1\r\nHost: x\r\n\r\n"[..], b""] {
        let mut plain = TcpStream::connect(server.address()).unwrap();
        plain.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        plain.write_all(begin).unwrap();
        let mut bytes = Vec::new();
        _ = plain.read_to_end(&mut bytes);
        assert!(!bytes.starts_with(b"HTTP"), "{bytes:?}");
    }
}

#[test]
fn senders_need_a_certificate_of_the_authority() {
    let option = format!("--tls-client-ca={}", pem("authority.pem").display());
    let (_folder, server) = start(&[&option]);
    assert!(send(&server, client(Some("client"), &[])).unwrap().text.starts_with("HTTP/1.1 204"));
    for own in [None, Some("strange-client"), Some("server")] {
        let error = send(&server, client(own, &[])).map(|heard| heard.text).unwrap_err();
        assert!(!error.to_string().is_empty(), "{own:?}");
    }
    // Whoever runs the server sees why.
    let line = server.wait_said("\"reason\":\"TLS\"");
    assert!(
        line.contains("request refused") && line.contains("127.0.0.1:") && line.contains("no certificates"),
        "{line}"
    );
}

/// A certificate is renewed without a restart; files that do not fit together change nothing.
#[test]
fn certificates_are_read_again() {
    let (folder, server) = start(&[]);
    let before = send(&server, client(None, &[])).unwrap().certificate;
    fs::copy(pem("other-server.pem"), folder.path().join("own.pem")).unwrap();
    server.signal("HUP");
    server.wait_said("nothing changed");
    assert_eq!(send(&server, client(None, &[])).unwrap().certificate, before);
    copy("other-server", folder.path());
    server.signal("HUP");
    server.wait_said("configuration read again");
    let after = send(&server, client(None, &[])).unwrap().certificate;
    assert_eq!((after == before, after), (false, certificate("other-server")));
}
