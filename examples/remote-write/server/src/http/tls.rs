//! TLS: a certificate and its key, and the certificates of senders.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::path::Path;
use std::sync::Arc;

/// Reads the files of a server. With `client_ca`, a sender needs a certificate that one of the authorities there signed.
pub fn read(certificate: &Path, key: &Path, client_ca: Option<&Path>) -> Result<Arc<ServerConfig>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = certificates(certificate)?;
    let private =
        PrivateKeyDer::from_pem_file(key).map_err(|error| format!("{}: no private key: {error}", key.display()))?;
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let builder = match client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
            let mut roots = RootCertStore::empty();
            for root in certificates(path)? {
                roots.add(root).map_err(|error| at(&error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().map_err(|error| at(&error))?)
        }
    };
    let pair = |error| format!("{} and {}: {error}", certificate.display(), key.display());
    let mut config = builder.with_single_cert(chain, private).map_err(pair)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let at = |error| format!("{}: no certificate: {error}", path.display());
    let read = CertificateDer::pem_file_iter(path).map_err(at)?.collect::<Result<Vec<_>, _>>().map_err(at)?;
    match read.is_empty() {
        true => Err(format!("{}: the file has no certificate", path.display())),
        false => Ok(read),
    }
}
