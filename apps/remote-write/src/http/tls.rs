//! TLS: a certificate and its key, and the certificates of senders.

use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::path::Path;
use std::sync::Arc;

/// Reads the files of a server. With `client_ca`, a sender needs a certificate that one of the authorities there signed.
pub fn read(certificate: &Path, key: &Path, client_ca: Option<&Path>) -> Result<Arc<ServerConfig>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = certificates(certificate).map_err(|why| format!("tls-cert: {why}"))?;
    let private = PrivateKeyDer::from_pem_file(key);
    let private = private.map_err(|error| format!("tls-key: {}: no private key: {}", key.display(), text(error)))?;
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let builder = match client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let at = |error: &dyn std::fmt::Display| format!("tls-client-ca: {}: {error}", path.display());
            let mut roots = RootCertStore::empty();
            for root in certificates(path).map_err(|why| format!("tls-client-ca: {why}"))? {
                roots.add(root).map_err(|error| at(&error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().map_err(|error| at(&error))?)
        }
    };
    let pair = |error| format!("tls-cert {} and tls-key {}: {error}", certificate.display(), key.display());
    let mut config = builder.with_single_cert(chain, private).map_err(pair)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let at = |error| format!("{}: no certificate: {}", path.display(), text(error));
    let read = CertificateDer::pem_file_iter(path).map_err(at)?.collect::<Result<Vec<_>, _>>().map_err(at)?;
    match read.is_empty() {
        true => Err(format!("{}: the file has no certificate", path.display())),
        false => Ok(read),
    }
}

/// Returns what is wrong with a PEM file in words; the library shows lines as lists of numbers.
fn text(error: pem::Error) -> String {
    match error {
        pem::Error::MissingSectionEnd { end_marker } => {
            format!("the line -----END {}----- is missing", String::from_utf8_lossy(&end_marker))
        }
        pem::Error::IllegalSectionStart { line } => {
            format!("the line {:?} does not begin a part", String::from_utf8_lossy(&line).trim_end())
        }
        pem::Error::NoItemsFound => "there is none".to_owned(),
        pem::Error::Io(error) => error.to_string(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_wrong_are_named_with_their_option() {
        let folder = tempfile::tempdir().unwrap();
        let own = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/serve/tls").join(name);
        let made = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let certificate = std::fs::read(own("server.pem")).unwrap();
        let (cut, empty) = (made("cut", &certificate[..certificate.len() / 2]), made("empty", b""));
        let odd = made("odd", b"-----BEGIN X\n");
        let (pem, key, none) = (own("server.pem"), own("server.key"), folder.path().join("none"));
        for (pem, key, authority, part) in [
            (&cut, &key, None, "cut: no certificate: the line -----END CERTIFICATE----- is missing"),
            (&odd, &key, None, "odd: no certificate: the line \"-----BEGIN X\" does not begin a part"),
            (&empty, &key, None, "empty: the file has no certificate"),
            (&none, &key, None, "none: no certificate: No such file"),
            (&pem, &empty, None, "empty: no private key: there is none"),
            (&pem, &none, None, "none: no private key: No such file"),
            (&pem, &own("client.key"), None, "client.key: keys may not be consistent"),
            (&pem, &key, Some(&empty), "empty: the file has no certificate"),
        ] {
            let error = read(pem, key, authority.map(|path| path.as_path())).unwrap_err();
            let option = if error.contains("private key") {
                "tls-key: "
            } else if authority.is_some() {
                "tls-client-ca: "
            } else {
                "tls-cert"
            };
            assert!(error.starts_with(option) && error.contains(part), "{error}");
        }
    }
}
