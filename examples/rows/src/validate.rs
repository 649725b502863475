//! The checks of a label set. README.md says where each rule comes from.

use crate::dictionary::Dictionary;
use crate::label_sets::Pair;
use crate::problem::{Reason, quoted};

/// Which names are valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// The version's own rule: 1.0 `Legacy`, 2.0 `Utf8`.
    #[default]
    ByVersion,
    /// Letters, digits and `_`, in metrics also `:`; the first character is not a digit.
    Legacy,
    /// Any UTF-8, as Prometheus 3 sends it in both versions.
    Utf8,
}

/// How strict a receiver is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Accepts everything that Prometheus' own receiver accepts: unsorted labels are sorted, labels with an empty value
    /// count as absent, samples and histograms may be in one series, a series may be empty.
    pub lenient: bool,
    /// Rejects a 2.0 series with samples and histograms, even if the other rules are lenient.
    pub one_kind: bool,
    /// Which names are valid.
    pub names: Names,
}

/// An invalid label: its position in the list, whether its value (or its name) is wrong, the reason, and the strings.
#[derive(Debug, PartialEq)]
pub struct Fault {
    /// The label's position in the list; `None` if one is missing.
    pub label: Option<usize>,
    /// Whether the value is wrong, and not the name.
    pub value: bool,
    /// The reason.
    pub reason: Reason,
    /// The strings in question.
    pub detail: String,
}

impl Fault {
    #[cold]
    fn name(label: usize, reason: Reason, detail: String) -> Fault {
        Fault { label: Some(label), value: false, reason, detail }
    }

    #[cold]
    fn value(label: usize, reason: Reason, detail: String) -> Fault {
        Fault { label: Some(label), value: true, reason, detail }
    }
}

/// Checks the labels of a series, and returns the metric's name. The lenient rules sort the labels and remove empty
/// ones.
pub fn label_set(labels: &mut Vec<Pair>, words: &Dictionary, rules: Rules) -> Result<u32, Fault> {
    let legacy = rules.names == Names::Legacy;
    for (at, &(name, value)) in labels.iter().enumerate() {
        if name == Dictionary::EMPTY {
            return Err(Fault::name(at, Reason::LabelNameEmpty, format!("value {}", quoted(words.get(value)))));
        }
        if value == Dictionary::EMPTY && !rules.lenient {
            return Err(Fault::value(at, Reason::LabelValueEmpty, quoted(words.get(name))));
        }
        if legacy && !is_label_name(words.get(name)) {
            return Err(Fault::name(at, Reason::LabelNameInvalid, quoted(words.get(name))));
        }
        if legacy && name == Dictionary::NAME && value != Dictionary::EMPTY && !is_metric_name(words.get(value)) {
            return Err(Fault::value(at, Reason::MetricNameInvalid, quoted(words.get(value))));
        }
    }
    if rules.lenient {
        // A repeated name is reported at its own position, before sorting would move it.
        let mut sorted: Vec<(usize, Pair)> = labels.iter().copied().enumerate().collect();
        sorted.sort_by_key(|&(at, (name, _))| (words.get(name), at));
        if let Some(two) = sorted.windows(2).find(|two| two[0].1.0 == two[1].1.0) {
            return Err(Fault::name(two[1].0, Reason::LabelRepeated, quoted(words.get(two[1].1.0))));
        }
        labels.clear();
        labels.extend(sorted.into_iter().map(|(_, pair)| pair).filter(|&(_, value)| value != Dictionary::EMPTY));
    } else {
        in_order(labels, words)?;
    }
    match labels.iter().find(|(name, _)| *name == Dictionary::NAME) {
        Some(&(_, metric)) => Ok(metric),
        None => Err(Fault { label: None, value: false, reason: Reason::MetricNameMissing, detail: String::new() }),
    }
}

/// Checks that names are in ascending order, so that none occurs twice.
fn in_order(labels: &[Pair], words: &Dictionary) -> Result<(), Fault> {
    for (at, two) in labels.windows(2).enumerate() {
        let (before, name) = (two[0].0, two[1].0);
        if before == name {
            return Err(Fault::name(at + 1, Reason::LabelRepeated, quoted(words.get(name))));
        }
        if words.get(before) > words.get(name) {
            // The name is out of order because it occurred before; that is the more useful error.
            if labels[..at].iter().any(|&(earlier, _)| earlier == name) {
                return Err(Fault::name(at + 1, Reason::LabelRepeated, quoted(words.get(name))));
            }
            let detail = format!("{} after {}", quoted(words.get(name)), quoted(words.get(before)));
            return Err(Fault::name(at + 1, Reason::LabelsUnsorted, detail));
        }
    }
    Ok(())
}

/// For each byte, whether it may occur in a label's name, and in a metric's.
const MAY_STAND: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b':' => IN_METRIC,
            b if b.is_ascii_alphanumeric() || b == b'_' => IN_LABEL | IN_METRIC,
            _ => 0,
        };
        byte += 1;
    }
    classes
};
const IN_LABEL: u8 = 1;
const IN_METRIC: u8 = 2;

fn is_name(name: &str, class: u8) -> bool {
    let bytes = name.as_bytes();
    !bytes.first().is_some_and(u8::is_ascii_digit)
        && bytes.iter().fold(class, |all, &b| all & MAY_STAND[usize::from(b)]) != 0
}

/// Reports whether a non-empty name matches 1.0's `[a-zA-Z_]([a-zA-Z0-9_])*`.
fn is_label_name(name: &str) -> bool {
    is_name(name, IN_LABEL)
}

/// Reports whether a non-empty name matches 1.0's `[a-zA-Z_:]([a-zA-Z0-9_:])*`.
pub fn is_metric_name(name: &str) -> bool {
    is_name(name, IN_METRIC)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(labels: &[(&str, &str)], lenient: bool, names: Names) -> Result<Vec<(String, String)>, (Reason, usize)> {
        let mut words = Dictionary::default();
        let mut pairs = labels.iter().map(|(n, v)| (words.intern(n), words.intern(v))).collect();
        let found = label_set(&mut pairs, &words, Rules { lenient, names, ..Rules::default() });
        found.map_err(|fault| (fault.reason, fault.label.unwrap_or(99)))?;
        Ok(pairs.iter().map(|&(n, v)| (words.get(n).to_owned(), words.get(v).to_owned())).collect())
    }

    #[test]
    fn the_rules_of_a_label_set() {
        use Names::{Legacy, Utf8};
        let name = ("__name__", "up");
        let strict = |labels: &[(&str, &str)]| check(labels, false, Legacy).map(|labels| labels.len());
        assert_eq!(strict(&[("A", "1"), name, ("job", "x")]), Ok(3));
        assert_eq!(strict(&[]), Err((Reason::MetricNameMissing, 99)));
        assert_eq!(strict(&[("job", "x")]), Err((Reason::MetricNameMissing, 99)));
        assert_eq!(strict(&[name, ("", "x")]), Err((Reason::LabelNameEmpty, 1)));
        assert_eq!(strict(&[name, ("job", "")]), Err((Reason::LabelValueEmpty, 1)));
        assert_eq!(strict(&[("__name__", "")]), Err((Reason::LabelValueEmpty, 0)));
        assert_eq!(strict(&[name, ("b", "x"), ("b", "x")]), Err((Reason::LabelRepeated, 2)));
        assert_eq!(strict(&[name, ("b", "x"), ("c", "x"), ("b", "y")]), Err((Reason::LabelRepeated, 3)));
        assert_eq!(strict(&[name, ("c", "x"), ("b", "x")]), Err((Reason::LabelsUnsorted, 2)));
        assert_eq!(strict(&[name, ("a.b", "x")]), Err((Reason::LabelNameInvalid, 1)));
        assert_eq!(strict(&[name, ("a:b", "x")]), Err((Reason::LabelNameInvalid, 1)));
        assert_eq!(strict(&[name, ("9", "x")]), Err((Reason::LabelNameInvalid, 1)));
        assert_eq!(strict(&[("__name__", "a:b9")]), Ok(1));
        assert_eq!(strict(&[("__name__", "9a")]), Err((Reason::MetricNameInvalid, 0)));
        assert_eq!(check(&[("__name__", "schön.")], false, Utf8).map(|l| l.len()), Ok(1));
    }

    #[test]
    fn lenient_rules_sort_and_drop_what_is_empty() {
        let lenient = |labels: &[(&str, &str)]| check(labels, true, Names::Utf8);
        let good = lenient(&[("b", "1"), ("a", ""), ("__name__", "up")]).unwrap();
        assert_eq!(good, [("__name__".into(), "up".into()), ("b".into(), "1".into())]);
        assert_eq!(lenient(&[("b", "1"), ("__name__", "")]), Err((Reason::MetricNameMissing, 99)));
        let twice = [("b", "1"), ("__name__", "up"), ("b", "")];
        assert_eq!(lenient(&twice), Err((Reason::LabelRepeated, 2)));
    }
}
