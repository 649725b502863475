//! Names of OpenTelemetry as names of Prometheus: metrics with their units and suffixes, and labels.

use super::Names;

/// The kinds of metrics whose names have suffixes of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suffix {
    /// A counter: `_total`.
    Total,
    /// A gauge: `_ratio`, if its unit is 1.
    Gauge,
    /// None.
    None,
}

/// Returns the name of a metric; `None` if nothing is left of it.
pub fn metric(name: &str, unit: &str, suffix: Suffix, names: Names) -> Option<String> {
    let made = match names {
        Names::UnderscoresAndSuffixes => tokens(name, unit, suffix),
        Names::Underscores => underscores(name),
        Names::Utf8AndSuffixes => with_suffixes(name, unit, suffix),
        Names::Utf8 => name.to_owned(),
    };
    match made.bytes().next() {
        None => None,
        Some(b'0'..=b'9') if names.has_underscores() => Some(format!("_{made}")),
        Some(_) => Some(made),
    }
}

fn in_metric(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == ':'
}

/// The name's words and suffixes, with one underscore between two.
fn tokens(name: &str, unit: &str, suffix: Suffix) -> String {
    let mut tokens: Vec<&str> = name.split(|c| !in_metric(c)).filter(|token| !token.is_empty()).collect();
    if tokens.is_empty() {
        return String::new();
    }
    let (main, per) = units(unit);
    let (main, per) = (clean(&main), clean(&per));
    let (main, per) = (main.trim_end_matches('_'), per.trim_end_matches('_'));
    if !main.is_empty() && !tokens.contains(&main) {
        tokens.push(main);
    }
    if !per.is_empty() && per != "per" && !tokens.contains(&per) {
        tokens.push(per);
    }
    if let Some(last) = last(suffix, unit) {
        tokens.retain(|&token| token != last);
        tokens.push(last);
    }
    tokens.join("_")
}

/// The suffix that comes last, whatever the unit is.
fn last(suffix: Suffix, unit: &str) -> Option<&'static str> {
    match suffix {
        Suffix::Total => Some("total"),
        Suffix::Gauge if unit == "1" => Some("ratio"),
        _ => None,
    }
}

/// The name, with one underscore for each run of other characters.
fn underscores(name: &str) -> String {
    let parts = name.split(|c| !in_metric(c) && c != '_').filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("_")
}

/// The name as it is, and suffixes that it does not have.
fn with_suffixes(name: &str, unit: &str, suffix: Suffix) -> String {
    if name.is_empty() {
        return String::new();
    }
    let (main, per) = units(unit);
    let last = last(suffix, unit);
    let mut made = last.map_or(name, |last| without(name, last)).to_owned();
    if !per.is_empty() {
        made.truncate(without(&made, &per).len());
    }
    for part in [&main, &per] {
        if !part.is_empty() && !made.ends_with(part.as_str()) {
            made = format!("{made}_{part}");
        }
    }
    if let Some(last) = last {
        made = format!("{made}_{last}");
    }
    made
}

/// The name without a suffix and the character that separates it. (Prometheus takes any byte for that character, and so
/// makes `su_total` of `subtotal`.)
fn without<'n>(name: &'n str, suffix: &str) -> &'n str {
    match name.strip_suffix(suffix) {
        Some(rest) => {
            let separates = |c: char| !c.is_alphanumeric();
            rest.strip_suffix(separates).filter(|rest| !rest.is_empty()).unwrap_or(name)
        }
        None => name,
    }
}

/// The words of a unit, before and after its slash.
fn units(unit: &str) -> (String, String) {
    let (main, per) = unit.split_once('/').unwrap_or((unit, ""));
    let known = |part: &str| !part.is_empty() && !part.contains(['{', '}']);
    let (main, per) = (main.trim(), per.trim());
    let main = if known(main) { word(main) } else { "" };
    let per = if known(per) { format!("per_{}", per_word(per)) } else { String::new() };
    (main.to_owned(), per)
}

/// Returns a unit as Prometheus' metadata has it.
pub fn unit(unit: &str) -> String {
    let (main, per) = units(unit);
    match (main.is_empty(), per.is_empty()) {
        (false, false) => format!("{main}_{per}"),
        (true, _) => per,
        _ => main,
    }
}

/// One underscore for each run of characters that metrics do not have; none at the beginning.
fn clean(unit: &str) -> String {
    let mut made = String::new();
    for c in unit.chars() {
        match in_metric(c) {
            true => made.push(c),
            false if made.ends_with('_') || made.is_empty() => (),
            false => made.push('_'),
        }
    }
    made
}

fn word(unit: &str) -> &str {
    match unit {
        "d" => "days",
        "h" => "hours",
        "min" => "minutes",
        "s" => "seconds",
        "ms" => "milliseconds",
        "us" => "microseconds",
        "ns" => "nanoseconds",
        "By" => "bytes",
        "KiBy" => "kibibytes",
        "MiBy" => "mebibytes",
        "GiBy" => "gibibytes",
        "TiBy" => "tibibytes",
        "KBy" => "kilobytes",
        "MBy" => "megabytes",
        "GBy" => "gigabytes",
        "TBy" => "terabytes",
        "m" => "meters",
        "V" => "volts",
        "A" => "amperes",
        "J" => "joules",
        "W" => "watts",
        "g" => "grams",
        "Cel" => "celsius",
        "Hz" => "hertz",
        "%" => "percent",
        "1" => "",
        other => other,
    }
}

fn per_word(unit: &str) -> &str {
    match unit {
        "s" => "second",
        "m" => "minute",
        "h" => "hour",
        "d" => "day",
        "w" => "week",
        "mo" => "month",
        "y" => "year",
        other => other,
    }
}

/// Returns the name of a label; `None` if no character of it is a letter or a digit.
pub fn label(name: &str, names: Names) -> Option<String> {
    if name.is_empty() {
        return None;
    }
    if !names.has_underscores() || name.len() > 4 && name.starts_with("__") && name.ends_with("__") && plain(name) {
        return Some(name.to_owned());
    }
    let made: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if made.bytes().all(|byte| byte == b'_') {
        return None;
    }
    Some(match made.as_bytes() {
        [b'0'..=b'9', ..] => format!("key_{made}"),
        [b'_', second, ..] if *second != b'_' => format!("key{made}"),
        _ => made,
    })
}

fn plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_by_strategy() {
        use Suffix::{Gauge, None as Plain, Total};
        for (name, unit, suffix, expected) in [
            // UnderscoreEscapingWithSuffixes, …WithoutSuffixes, NoUTF8EscapingWithSuffixes, NoTranslation
            (
                "http.server.duration",
                "s",
                Plain,
                [
                    "http_server_duration_seconds",
                    "http_server_duration",
                    "http.server.duration_seconds",
                    "http.server.duration",
                ],
            ),
            ("requests", "", Total, ["requests_total", "requests", "requests_total", "requests"]),
            (
                "total.requests",
                "",
                Total,
                ["requests_total", "total_requests", "total.requests_total", "total.requests"],
            ),
            (
                "requests_total",
                "{request}",
                Total,
                ["requests_total", "requests_total", "requests_total", "requests_total"],
            ),
            ("io.total", "By", Total, ["io_bytes_total", "io_total", "io_bytes_total", "io.total"]),
            ("cpu", "1", Gauge, ["cpu_ratio", "cpu", "cpu_ratio", "cpu"]),
            ("cpu", "1", Total, ["cpu_total", "cpu", "cpu_total", "cpu"]),
            ("speed", "m/s", Gauge, ["speed_meters_per_second", "speed", "speed_meters_per_second", "speed"]),
            (
                "speed.meters",
                "m/s",
                Gauge,
                ["speed_meters_per_second", "speed_meters", "speed.meters_per_second", "speed.meters"],
            ),
            ("rate", "{packet}/s", Gauge, ["rate_per_second", "rate", "rate_per_second", "rate"]),
            ("9lives", "", Gauge, ["_9lives", "_9lives", "9lives", "9lives"]),
            ("a:b__c  d", "", Gauge, ["a:b_c_d", "a:b__c_d", "a:b__c  d", "a:b__c  d"]),
            ("größe", "°C/µs", Gauge, ["gr_e_C_per_s", "gr_e", "größe_°C_per_µs", "größe"]),
            ("x", "widgets", Gauge, ["x_widgets", "x", "x_widgets", "x"]),
            ("x ratio", "1", Gauge, ["x_ratio", "x_ratio", "x_ratio", "x ratio"]),
            ("subtotal", "", Total, ["subtotal_total", "subtotal", "subtotal_total", "subtotal"]),
            ("x_bytes", "By", Gauge, ["x_bytes", "x_bytes", "x_bytes", "x_bytes"]),
        ] {
            let made = Names::ALL.map(|names| metric(name, unit, suffix, names).unwrap());
            assert_eq!(made, expected, "{name} {unit}");
        }
        for names in Names::ALL {
            assert_eq!(metric("", "s", Total, names), None);
        }
        assert_eq!(metric("ö.-", "s", Total, Names::UnderscoresAndSuffixes), None);
        assert_eq!((unit("By/s"), unit("{x}"), unit("1")), ("bytes_per_second".into(), "".into(), "".into()));
    }

    #[test]
    fn labels_by_strategy() {
        for (name, expected) in [
            ("http.status", Some("http_status")),
            ("a..b", Some("a__b")),
            ("0day", Some("key_0day")),
            ("_private", Some("key_private")),
            ("__two", Some("__two")),
            ("__reserved__", Some("__reserved__")),
            ("größe", Some("gr__e")),
            ("", None),
            ("_", None),
            ("...", None),
        ] {
            assert_eq!(label(name, Names::UnderscoresAndSuffixes).as_deref(), expected, "{name}");
            assert_eq!(label(name, Names::Utf8).as_deref(), Some(name).filter(|name| !name.is_empty()));
        }
    }
}
