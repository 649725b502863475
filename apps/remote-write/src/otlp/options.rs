//! How metrics are mapped, and how the log keeps that.

use super::MAPPING;
use hotpb::wire::{Reader, append_bytes};
use std::collections::BTreeSet;

/// The form of names in Prometheus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[repr(u8)]
pub enum Names {
    /// Letters, digits and underscores; units and `_total` at the end.
    #[default]
    #[value(name = "UnderscoreEscapingWithSuffixes")]
    UnderscoresAndSuffixes = 0,
    /// Letters, digits and underscores.
    #[value(name = "UnderscoreEscapingWithoutSuffixes")]
    Underscores = 1,
    /// As they come; units and `_total` at the end.
    #[value(name = "NoUTF8EscapingWithSuffixes")]
    Utf8AndSuffixes = 2,
    /// As they come.
    #[value(name = "NoTranslation")]
    Utf8 = 3,
}

impl Names {
    /// All forms, in the order of their numbers.
    pub const ALL: [Names; 4] =
        [Names::UnderscoresAndSuffixes, Names::Underscores, Names::Utf8AndSuffixes, Names::Utf8];

    pub(super) fn has_underscores(self) -> bool {
        matches!(self, Names::UnderscoresAndSuffixes | Names::Underscores)
    }
}

/// What becomes of points with delta temporality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Delta {
    /// They are refused.
    #[default]
    Refuse,
    /// Their values are kept as they are.
    Keep,
}

/// What becomes of histograms with explicit bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Histograms {
    /// A series for each bucket, and two others.
    #[default]
    Classic,
    /// A native histogram with custom buckets.
    Custom,
}

/// The attributes of a resource that become labels of all its series: those that are named, or all but those.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Promoted {
    /// Whether it is all but those.
    pub all: bool,
    /// The names of attributes.
    pub names: BTreeSet<String>,
}

impl Promoted {
    /// Returns whether an attribute becomes a label.
    pub fn takes(&self, attribute: &str) -> bool {
        self.names.contains(attribute) != self.all
    }
}

/// How metrics are mapped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The form of names.
    pub names: Names,
    /// What becomes of points with delta temporality.
    pub delta: Delta,
    /// Whether the scope becomes labels.
    pub scope: bool,
    /// What becomes of histograms with explicit bounds.
    pub histograms: Histograms,
    /// The attributes of a resource that become labels.
    pub promoted: Promoted,
    /// Whether `target_info` has the attributes that become `job` and `instance`, too.
    pub identifying: bool,
}

const CUSTOM: u8 = 1;
const ALL: u8 = 2;
const IDENTIFYING: u8 = 4;

impl Options {
    /// Returns some of the options and the version of the mapping as a number, for the log. [`Options::rest`] has the others.
    pub fn to_byte(&self) -> u8 {
        self.names as u8 | u8::from(self.delta == Delta::Keep) << 2 | u8::from(self.scope) << 3 | MAPPING << 4
    }

    /// Returns the options that are not in the number: a byte of flags, and the names of attributes.
    pub fn rest(&self) -> Vec<u8> {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let custom = flag(self.histograms == Histograms::Custom, CUSTOM);
        let mut out = vec![custom | flag(self.promoted.all, ALL) | flag(self.identifying, IDENTIFYING)];
        for name in &self.promoted.names {
            append_bytes(&mut out, name.as_bytes());
        }
        out
    }

    /// Returns the options of a number and the rest; `None` if they are of another version of the mapping.
    pub fn decode(byte: u8, rest: &[u8]) -> Option<Options> {
        let (&flags, names) = rest.split_first()?;
        let (mut reader, mut promoted) =
            (Reader::new(names), Promoted { all: flags & ALL != 0, ..Promoted::default() });
        while reader.offset() < names.len() {
            promoted.names.insert(std::str::from_utf8(reader.bytes().ok()?).ok()?.to_owned());
        }
        let is_known = super::mapping_of(byte) == MAPPING && flags & !(CUSTOM | ALL | IDENTIFYING) == 0;
        is_known.then_some(Options {
            names: Names::ALL[usize::from(byte & 3)],
            delta: if byte & 4 == 0 { Delta::Refuse } else { Delta::Keep },
            scope: byte & 8 != 0,
            histograms: if flags & CUSTOM == 0 { Histograms::Classic } else { Histograms::Custom },
            promoted,
            identifying: flags & IDENTIFYING != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::otlp::mapping_of;

    #[test]
    fn options_come_back() {
        for byte in 0..=u8::MAX {
            for flags in 0..=u8::MAX {
                let rest = [&[flags], &b"\x03a.b\x00\x02\xc3\xb6"[..]].concat();
                let readable = mapping_of(byte) == MAPPING && flags < 8;
                let found = Options::decode(byte, &rest).map(|options| (options.to_byte(), options.rest()));
                // The names are in order.
                let sorted = [&[flags], &b"\x00\x03a.b\x02\xc3\xb6"[..]].concat();
                assert_eq!(found, readable.then_some((byte, sorted)));
            }
        }
        let default = Options::default();
        assert_eq!((default.to_byte(), default.rest()), (MAPPING << 4, vec![0]));
        for bad in [&b""[..], b"\x00\x05abc", b"\x00\x01\xff", b"\x00\x80"] {
            assert_eq!(Options::decode(MAPPING << 4, bad), None, "{bad:?}");
        }
    }

    #[test]
    fn attributes_are_promoted_by_name() {
        let names = BTreeSet::from(["a".to_owned()]);
        let promoted = |all| ["a", "b"].map(|name| Promoted { all, names: names.clone() }.takes(name));
        assert_eq!((promoted(false), promoted(true)), ([true, false], [false, true]));
        assert!(!Promoted::default().takes("a"));
    }
}
