//! Stores every string once: the tables contain its number instead.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Strings by number, and numbers by string. The numbers are dense, in the order in which the strings were first seen.
pub struct Dictionary {
    /// All strings, one after the other.
    text: String,
    /// Where each string ends in `text`.
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    /// With a new seed in every process, so that a sender cannot know which strings collide.
    hasher: RandomState,
}

impl Dictionary {
    /// The number of the empty string: an absent label, an absent help text.
    pub const EMPTY: u32 = 0;
    /// The number of `__name__`, the label with the metric's name.
    pub const NAME: u32 = 1;

    /// Returns the number of a string; a new string gets a new number.
    pub fn intern(&mut self, string: &str) -> u32 {
        let Dictionary { text, ends, numbers, hasher } = self;
        let hash = hasher.hash_one(string);
        if let Some(&number) = numbers.find(hash, |&n| string_at(text, ends, n) == string) {
            return number;
        }
        let number = u32::try_from(ends.len()).expect("a dictionary is emptied long before it has 2^32 strings");
        text.push_str(string);
        ends.push(text.len());
        numbers.insert_unique(hash, number, |&n| hasher.hash_one(string_at(text, ends, n)));
        number
    }

    /// Returns the number of a string that was seen before.
    pub fn find(&self, string: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(string);
        self.numbers.find(hash, |&n| self.get(n) == string).copied()
    }

    /// Returns the string of a number from this dictionary.
    #[inline]
    pub fn get(&self, number: u32) -> &str {
        string_at(&self.text, &self.ends, number)
    }

    /// Returns the number of strings.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of bytes of all strings together.
    pub fn text_bytes(&self) -> usize {
        self.text.len()
    }
}

impl Default for Dictionary {
    /// Creates a dictionary with the empty string and `__name__` under their documented numbers.
    fn default() -> Dictionary {
        let (numbers, hasher) = (HashTable::new(), RandomState::default());
        let mut new = Dictionary { text: String::new(), ends: Vec::new(), numbers, hasher };
        assert_eq!((new.intern(""), new.intern("__name__")), (Dictionary::EMPTY, Dictionary::NAME));
        new
    }
}

#[inline]
fn string_at<'a>(text: &'a str, ends: &[usize], number: u32) -> &'a str {
    let n = number as usize;
    let start = if n == 0 { 0 } else { ends[n - 1] };
    &text[start..ends[n]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_has_one_number_and_comes_back() {
        let mut d = Dictionary::default();
        let words: Vec<String> = (0..5000).map(|n| format!("wörd-{}", n % 1700)).collect();
        let numbers: Vec<u32> = words.iter().map(|w| d.intern(w)).collect();
        assert_eq!(d.len(), 1702);
        for (word, &number) in words.iter().zip(&numbers) {
            assert_eq!((d.get(number), d.find(word)), (word.as_str(), Some(number)));
        }
        assert_eq!(d.find("never seen"), None);
    }
}
