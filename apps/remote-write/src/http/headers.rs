//! The headers of a request. The specifications leave little to guess: `Content-Type` says which message the body is,
//! `Content-Encoding` is snappy, or zstd, which vmagent tries first; anything else is 415, so that a sender can try another
//! type.

use crate::log::Encoding;
use crate::otlp::Format;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use rows::Version;

/// A request whose headers ask for something else: 415, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

const TYPES: &str = "this server takes application/x-protobuf;proto=prometheus.WriteRequest (remote write 1.0) and \
                     application/x-protobuf;proto=io.prometheus.write.v2.Request (2.0)";

/// Returns the version and the compression of the body.
pub fn classify(headers: &HeaderMap) -> Result<(Version, Encoding), Refusal> {
    Ok((version(headers)?, encoding(headers)?))
}

fn version(headers: &HeaderMap) -> Result<Version, Refusal> {
    let Some(value) = headers.get(CONTENT_TYPE) else { return Ok(Version::V1) };
    let text = String::from_utf8_lossy(value.as_bytes());
    let refuse = || Refusal(format!("Content-Type: {text}: {TYPES}"));
    let mut parts = text.split(';').map(str::trim);
    if !parts.next().is_some_and(|essence| essence.eq_ignore_ascii_case("application/x-protobuf")) {
        return Err(refuse());
    }
    let parameters = parts.filter_map(|part| part.split_once('='));
    let mut protos = parameters.filter(|(name, _)| name.eq_ignore_ascii_case("proto"));
    match protos.next().map(|(_, value)| value.trim_matches('"')) {
        None | Some("prometheus.WriteRequest") => Ok(Version::V1),
        Some("io.prometheus.write.v2.Request") => Ok(Version::V2),
        Some(_) => Err(refuse()),
    }
}

fn encoding(headers: &HeaderMap) -> Result<Encoding, Refusal> {
    let Some(value) = headers.get(CONTENT_ENCODING) else { return Ok(Encoding::Snappy) };
    let text = String::from_utf8_lossy(value.as_bytes());
    match text.trim() {
        name if name.eq_ignore_ascii_case("snappy") => Ok(Encoding::Snappy),
        name if name.eq_ignore_ascii_case("zstd") => Ok(Encoding::Zstd),
        _ => Err(Refusal(format!("Content-Encoding: {text}: this server takes snappy, in its block format, and zstd"))),
    }
}

const OTLP_TYPES: &str = "OTLP has the types application/x-protobuf and application/json";

/// Returns the format of a request of OTLP, and the compression of its body.
pub fn classify_otlp(headers: &HeaderMap) -> Result<(Format, Encoding), Refusal> {
    let format = otlp_format(headers)
        .ok_or_else(|| Refusal(format!("Content-Type: {}: {OTLP_TYPES}", text_of(headers, CONTENT_TYPE))))?;
    let encoding = text_of(headers, CONTENT_ENCODING);
    let encoding = match encoding.trim() {
        "" => Encoding::None,
        name if name.eq_ignore_ascii_case("identity") => Encoding::None,
        name if name.eq_ignore_ascii_case("gzip") => Encoding::Gzip,
        name => return Err(Refusal(format!("Content-Encoding: {name}: OTLP has gzip, or no compression"))),
    };
    Ok((format, encoding))
}

/// Returns the format that the headers name.
pub fn otlp_format(headers: &HeaderMap) -> Option<Format> {
    let value = text_of(headers, CONTENT_TYPE);
    let essence = value.split(';').next().unwrap_or_default().trim();
    match essence {
        _ if essence.eq_ignore_ascii_case("application/x-protobuf") => Some(Format::Protobuf),
        _ if essence.eq_ignore_ascii_case("application/json") => Some(Format::Json),
        _ => None,
    }
}

fn text_of(headers: &HeaderMap, name: http::HeaderName) -> String {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classified(content_type: Option<&str>, content_encoding: Option<&str>) -> Result<Version, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in [(CONTENT_TYPE, content_type), (CONTENT_ENCODING, content_encoding)] {
            headers.extend(value.map(|value| (name, value.parse().unwrap())));
        }
        classify(&headers).map(|(version, _)| version).map_err(|refusal| refusal.0)
    }

    #[test]
    fn headers_pick_the_message() {
        for content_type in [
            None,
            Some("application/x-protobuf"),
            Some("Application/X-Protobuf"),
            Some("application/x-protobuf;proto=prometheus.WriteRequest"),
            Some("application/x-protobuf; proto=\"prometheus.WriteRequest\""),
            Some("application/x-protobuf; PROTO=prometheus.WriteRequest ; charset=utf-8"),
        ] {
            assert_eq!(classified(content_type, Some("snappy")), Ok(Version::V1), "{content_type:?}");
        }
        for content_type in [
            "application/x-protobuf;proto=io.prometheus.write.v2.Request",
            "application/x-protobuf; proto=io.prometheus.write.v2.Request",
            " application/x-protobuf ;proto=\"io.prometheus.write.v2.Request\"",
        ] {
            assert_eq!(classified(Some(content_type), None), Ok(Version::V2), "{content_type}");
        }
        for content_type in ["application/json", "image/png", "text/plain; proto=prometheus.WriteRequest", "", "x"] {
            assert!(
                classified(Some(content_type), None).unwrap_err().contains("prometheus.WriteRequest"),
                "{content_type}"
            );
        }
        let refusal = classified(Some("application/x-protobuf;proto=prometheus.v3"), None).unwrap_err();
        assert!(refusal.contains("io.prometheus.write.v2.Request"));
        for encoding in ["gzip", "deflate", "", "snappy, gzip", "zstd, snappy", "identity"] {
            let why = classified(None, Some(encoding)).unwrap_err();
            assert!(why.ends_with("takes snappy, in its block format, and zstd"), "{why}");
        }
        for encoding in ["Snappy", "zstd", " ZSTD "] {
            assert_eq!(classified(None, Some(encoding)), Ok(Version::V1), "{encoding}");
        }
    }
    #[test]
    fn headers_pick_the_format_of_otlp() {
        let classified = |content_type: &str, encoding: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, content_type.parse().unwrap());
            headers.insert(CONTENT_ENCODING, encoding.parse().unwrap());
            classify_otlp(&headers).map_err(|refusal| refusal.0)
        };
        assert_eq!(classified("application/x-protobuf", "gzip"), Ok((Format::Protobuf, Encoding::Gzip)));
        assert_eq!(classified("Application/JSON; charset=utf-8", "identity"), Ok((Format::Json, Encoding::None)));
        assert_eq!(classified("application/json", ""), Ok((Format::Json, Encoding::None)));
        for (content_type, encoding) in
            [("application/json", "snappy"), ("application/json", "gzip, gzip"), ("text/json", "gzip"), ("", "")]
        {
            assert!(classified(content_type, encoding).unwrap_err().contains("OTLP has"), "{content_type} {encoding}");
        }
        assert!(classify_otlp(&HeaderMap::new()).is_err());
    }
}
