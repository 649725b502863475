//! The texts of options as values. An error says what the text should be.

use crate::log::Durability;
use http::HeaderName;
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;
use tracing::level_filters::LevelFilter;

/// The longest body: no message of Protobuf is longer, and the log has 32 bits for the length.
const LONGEST_BODY: u64 = 2 << 30;
/// More threads than this are a mistake.
const MOST_THREADS: usize = 1024;
const LEVELS: &str = "off, error, warn, info, debug, trace";

/// An address to listen at.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "it is an IP address and a port, such as 0.0.0.0:9201 or [::1]:9201".to_owned())
}

/// A number.
pub fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "it is a whole number".to_owned())
}

/// A number that is not 0.
pub fn at_least_one<T: FromStr + Default + PartialEq>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| *number != T::default());
    number.ok_or_else(|| "it is a whole number, 1 or more".to_owned())
}

/// How many of something there may be at a time.
pub fn at_a_time(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&number: &u32| number > 0);
    number.map(|number| number as usize).ok_or_else(|| format!("it is a whole number from 1 to {}", u32::MAX))
}

/// A number of threads; 0 means that the program chooses it.
pub fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&number| number <= MOST_THREADS);
    number.ok_or_else(|| format!("it is a whole number, {MOST_THREADS} or less"))
}

/// Which lines to log. A word alone is a level: as the name of a part of the program, it would turn all other lines off.
pub fn filter(text: &str) -> Result<String, String> {
    let is_level = |rule: &str| !rule.is_empty() && rule.parse::<LevelFilter>().is_ok();
    if let Some(word) = text.split(',').find(|rule| !rule.contains(['=', '[']) && !is_level(rule)) {
        return Err(format!("`{word}` is no level: they are {LEVELS}; a part of the program is PART=LEVEL"));
    }
    let parsed: Result<tracing_subscriber::EnvFilter, _> = text.parse();
    parsed.map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// The name of a header.
pub fn header(text: &str) -> Result<HeaderName, String> {
    text.parse().map_err(|error: http::header::InvalidHeaderName| error.to_string())
}

/// An attribute of OTLP.
pub fn attribute(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("an attribute has a name".to_owned()),
        name => Ok(name.to_owned()),
    }
}

/// When a request counts as written.
pub fn durability(text: &str) -> Result<Durability, String> {
    match text.split_once('=') {
        None if text == "sync" => Ok(Durability::Sync),
        None if text == "os" => Ok(Durability::Os),
        Some(("interval", every)) => some_time(every).map(Durability::Interval),
        _ => Err("it is `sync`, `os` or `interval=TIME`".to_owned()),
    }
}

/// Splits a number from its unit.
fn parts(text: &str) -> Result<(u64, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse().map_err(|_| "it begins with a whole number".to_owned())?;
    Ok((number, text[end..].trim()))
}

/// A number of bytes that is not 0.
pub fn some_bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = parts(text)?;
    let shift = match unit {
        "" | "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        _ => return Err("its unit is KiB, MiB or GiB".to_owned()),
    };
    let bytes = number.checked_mul(1 << shift).ok_or_else(|| "it is too large".to_owned())?;
    if bytes == 0 { Err("it is more than 0".to_owned()) } else { Ok(bytes) }
}

/// The length of a body.
pub fn body_bytes(text: &str) -> Result<u64, String> {
    some_bytes(text)
        .and_then(|bytes| if bytes <= LONGEST_BODY { Ok(bytes) } else { Err("it is 2GiB or less".to_owned()) })
}

/// A time; it may be 0.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = parts(text)?;
    let ms = match unit {
        "ms" => 1,
        "s" => 1000,
        "min" | "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err("its unit is ms, s, min, h or d".to_owned()),
    };
    number.checked_mul(ms).map(Duration::from_millis).ok_or_else(|| "it is too large".to_owned())
}

/// A time that is not 0.
pub fn some_time(text: &str) -> Result<Duration, String> {
    duration(text).and_then(|time| if time.is_zero() { Err("it is more than 0".to_owned()) } else { Ok(time) })
}

/// Where copies go.
#[cfg(feature = "copy")]
pub fn place(text: &str) -> Result<url::Url, String> {
    text.parse().map_err(|error| format!("it is a URL such as s3://BUCKET/PREFIX or file:///FOLDER ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_limits() {
        assert_eq!((at_least_one("7"), threads("0"), threads("1024")), (Ok(7u32), Ok(0), Ok(1024)));
        for bad in ["0", "", "-1", "1.5", "99999999999999999999"] {
            assert_eq!(at_least_one::<u64>(bad), Err("it is a whole number, 1 or more".to_owned()), "{bad}");
        }
        assert_eq!(at_a_time("4294967295"), Ok(4_294_967_295));
        for bad in ["0", "4294967296", "18446744073709551615", "x"] {
            assert_eq!(at_a_time(bad), Err("it is a whole number from 1 to 4294967295".to_owned()), "{bad}");
        }
        assert!(threads("1025").is_err() && threads("x").is_err());
        assert_eq!((body_bytes("2GiB"), some_bytes("3 GiB"), some_bytes("5")), (Ok(2 << 30), Ok(3 << 30), Ok(5)));
        assert!(body_bytes("3GiB").is_err() && body_bytes("0").is_err() && some_bytes("0KiB").is_err());
        assert_eq!((duration("0s"), some_time("1ms")), (Ok(Duration::ZERO), Ok(Duration::from_millis(1))));
        assert!(some_time("0d").is_err() && durability("interval=0ms").is_err());
        assert_eq!(address("[::1]:5").unwrap().port(), 5);
        assert!(address("localhost:9201").unwrap_err().contains("such as 0.0.0.0:9201"));
    }

    #[cfg(feature = "copy")]
    #[test]
    fn a_place_is_a_url() {
        assert_eq!(place("s3://bucket/prefix").unwrap().host_str(), Some("bucket"));
        assert!(place("folder").unwrap_err().starts_with("it is a URL such as s3://"));
    }

    #[test]
    fn a_filter_of_lines_that_would_show_none_is_an_error() {
        for good in ["info", "WARN", "3", "off", "warn,hyper=debug", "remote_write_server::http=trace", "info,h2=off"] {
            assert_eq!(filter(good), Ok(good.to_owned()));
        }
        for (bad, why) in [
            ("loud", "`loud` is no level: they are off, error, warn, info, debug, trace; a part"),
            ("warning", "`warning` is no level"),
            ("", "`` is no level"),
            ("info,hyper", "`hyper` is no level"),
            ("x=loud", "error parsing level filter"),
        ] {
            let heard = filter(bad).unwrap_err();
            assert!(heard.starts_with(why), "{bad}: {heard}");
        }
    }
}
