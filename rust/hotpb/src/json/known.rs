//! The well-known types whose JSON is no object of their fields (JSN-9).

use alloc::string::String;
use core::fmt::{self, Display, Formatter};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Timestamp,
    Duration,
    FieldMask,
    Struct,
    Value,
    ListValue,
    Wrapper,
    Any,
}

impl Known {
    /// Returns which of them has a full name.
    pub(super) fn find(name: &str) -> Option<Known> {
        Some(match name.strip_prefix("google.protobuf.")? {
            "Timestamp" => Known::Timestamp,
            "Duration" => Known::Duration,
            "FieldMask" => Known::FieldMask,
            "Struct" => Known::Struct,
            "Value" => Known::Value,
            "ListValue" => Known::ListValue,
            "Any" => Known::Any,
            "DoubleValue" | "FloatValue" | "Int64Value" | "UInt64Value" | "Int32Value" | "UInt32Value"
            | "BoolValue" | "StringValue" | "BytesValue" => Known::Wrapper,
            _ => return None,
        })
    }
}

/// Reports whether an enum is `google.protobuf.NullValue`, whose value is `null`.
pub(super) fn is_null_value(name: &str) -> bool {
    name == "google.protobuf.NullValue"
}

const NANOS: i64 = 1_000_000_000;
/// The seconds of 0001-01-01T00:00:00Z and of 9999-12-31T23:59:59Z.
const FIRST: i64 = -62_135_596_800;
const LAST: i64 = 253_402_300_799;
/// The longest duration: 10,000 years.
const LONGEST: i64 = 315_576_000_000;

/// Nanoseconds as a fraction of 0, 3, 6 or 9 digits.
struct Fraction(u32);

impl Display for Fraction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            n if n % 1_000_000 == 0 => write!(f, ".{:03}", n / 1_000_000),
            n if n % 1_000 == 0 => write!(f, ".{:06}", n / 1_000),
            n => write!(f, ".{n:09}"),
        }
    }
}

/// A point in time, as RFC 3339 writes it in UTC.
pub(super) struct Timestamp {
    pub(super) seconds: i64,
    pub(super) nanos: i32,
}

impl Timestamp {
    pub(super) fn is_valid(&self) -> bool {
        (FIRST..=LAST).contains(&self.seconds) && (0..NANOS).contains(&self.nanos.into())
    }

    pub(super) fn parse(text: &str) -> Option<Timestamp> {
        let (date, rest) = text.split_at_checked(10)?;
        let rest = rest.strip_prefix('T')?;
        let (time, rest) = rest.split_at_checked(8)?;
        let (year, month, day) = three(date, '-', [4, 2, 2])?;
        let (hour, minute, second) = three(time, ':', [2, 2, 2])?;
        if !(1..=12).contains(&month)
            || day < 1
            || day > days_of(year, month)
            || hour > 23
            || minute > 59
            || second > 59
        {
            return None;
        }
        let (nanos, rest) = fraction(rest)?;
        let offset = match rest {
            "Z" => 0,
            _ => {
                let sign = if rest.starts_with('+') { 1 } else { -1 };
                let (hours, minutes) = rest.strip_prefix(['+', '-'])?.split_once(':')?;
                let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
                if hours > 23 || minutes > 59 {
                    return None;
                }
                sign * (hours * 3600 + minutes * 60)
            }
        };
        let seconds = days_before(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
        Some(Timestamp { seconds, nanos }).filter(Timestamp::is_valid)
    }
}

impl Display for Timestamp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (days, second) = (self.seconds.div_euclid(86_400), self.seconds.rem_euclid(86_400));
        let (year, month, day) = date(days);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let fraction = Fraction(self.nanos as u32);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
    }
}

/// Reads digits, exactly so many.
fn number(text: &str, digits: usize) -> Option<i64> {
    (text.len() == digits && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

fn three(text: &str, between: char, digits: [usize; 3]) -> Option<(i64, i64, i64)> {
    let (a, rest) = text.split_once(between)?;
    let (b, c) = rest.split_once(between)?;
    Some((number(a, digits[0])?, number(b, digits[1])?, number(c, digits[2])?))
}

/// Reads an optional fraction of at most nine digits; returns nanoseconds and the rest.
fn fraction(text: &str) -> Option<(i32, &str)> {
    let Some(text) = text.strip_prefix('.') else { return Some((0, text)) };
    let end = text.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if !(1..=9).contains(&end) {
        return None;
    }
    Some((digits.parse::<i32>().ok()? * 10i32.pow(9 - end as u32), rest))
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days from 1970-01-01 to a date. Years begin in March, so that the leap day is the last one.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Returns the date so many days after 1970-01-01.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// A span of time: seconds with a fraction, and `s`.
pub(super) struct Duration {
    pub(super) seconds: i64,
    pub(super) nanos: i32,
}

impl Duration {
    pub(super) fn is_valid(&self) -> bool {
        let (seconds, nanos) = (self.seconds, i64::from(self.nanos));
        seconds.unsigned_abs() <= LONGEST as u64 && nanos.abs() < NANOS && seconds.signum() * nanos.signum() >= 0
    }

    pub(super) fn parse(text: &str) -> Option<Duration> {
        let text = text.strip_suffix('s')?;
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let end = text.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
        let (nanos, rest) = fraction(&text[end..])?;
        let seconds: i64 = text[..end].parse().ok()?;
        if !rest.is_empty() {
            return None;
        }
        let sign = if negative { -1 } else { 1 };
        Some(Duration { seconds: sign * seconds, nanos: sign as i32 * nanos }).filter(Duration::is_valid)
    }
}

impl Display for Duration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.seconds < 0 || self.nanos < 0 { "-" } else { "" };
        write!(f, "{sign}{}{}s", self.seconds.unsigned_abs(), Fraction(self.nanos.unsigned_abs()))
    }
}

/// Returns a path of a field mask in JSON; `None` if it could not be read back.
pub(super) fn mask_to_json(path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(path.len());
    let mut chars = path.chars();
    while let Some(c) = chars.next() {
        match c {
            // It separates paths.
            ',' => return None,
            '_' => out.push(chars.next().filter(char::is_ascii_lowercase)?.to_ascii_uppercase()),
            'A'..='Z' => return None,
            c => out.push(c),
        }
    }
    Some(out)
}

/// Returns the path of a field mask that JSON stands for.
pub(super) fn mask_from_json(path: &str) -> Option<String> {
    let mut out = String::with_capacity(path.len() + 4);
    for c in path.chars() {
        match c {
            '_' => return None,
            'A'..='Z' => {
                out.push('_');
                out.push(c.to_ascii_lowercase());
            }
            c => out.push(c),
        }
    }
    Some(out)
}
