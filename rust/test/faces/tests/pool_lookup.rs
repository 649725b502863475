//! Look-ups: maps by key, where the last entry of a key wins (POL-8), and elements by index, adjacent or linked.

use hotpb::pool::ProtoStr;
use hotpb::wire::{append_bytes, append_sint64, append_tag, append_varint};
use hotpb_tests::vectors::hotpb::vectors::{p2, p3};
use std::collections::BTreeMap;

fn record(out: &mut Vec<u8>, number: u32, payload: &[u8]) {
    append_tag(out, number, 2);
    append_bytes(out, payload);
}

/// Appends an entry: key and value as their encoders write them, each after its tag.
fn entry(out: &mut Vec<u8>, number: u32, key: impl Fn(&mut Vec<u8>), value: impl Fn(&mut Vec<u8>)) {
    let mut inside = Vec::new();
    value(&mut inside); // in either order
    key(&mut inside);
    record(out, number, &inside);
}

fn varint(number: u32, value: u64) -> impl Fn(&mut Vec<u8>) {
    move |out| {
        append_tag(out, number, 0);
        append_varint(out, value);
    }
}

fn text(number: u32, value: &str) -> impl Fn(&mut Vec<u8>) {
    move |out| record(out, number, value.as_bytes())
}

#[test]
fn every_map_with_two_entries_is_made_unique_whatever_other_maps_there_are() {
    // MAP-5: a decode that has such maps looks at the maps of the unit, up to the last one with two entries.
    let numbers: [u32; 6] = [601, 614, 701, 714, 719, 720];
    let mut pool = p3::AllPool::new();
    // In a nested message, too: its maps are in the same tables.
    for nested in [false, true] {
        for chosen in (0..64u32).chain((0..64).rev()) {
            let (mut input, mut inside) = (Vec::new(), Vec::new());
            for (i, number) in numbers.into_iter().enumerate() {
                for _ in 0..1 + (chosen >> i & 1) {
                    record(&mut inside, number, b"");
                }
            }
            if nested {
                record(&mut input, 19, &inside);
                record(&mut input, 601, b"");
            } else {
                input = inside;
            }
            let root = pool.decode(&input).unwrap();
            let all = if nested { root.single_all().unwrap() } else { root };
            let lengths = [
                all.key_int32().len(),
                all.key_string().len(),
                all.value_int32().len(),
                all.value_string().len(),
                all.value_all().len(),
                all.bool_to_child().len(),
            ];
            assert_eq!(lengths, [1; 6], "{chosen:06b} {nested}");
            assert_eq!(root.key_int32().len(), 1);
        }
    }
}

#[test]
fn the_last_entry_of_a_key_is_found_in_maps_of_any_size() {
    for count in [0u64, 1, 3, 16, 17, 100, 1000] {
        let (mut input, mut numbers, mut words) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        // Each key up to three times, far apart, in no order.
        for i in 0..3 * count {
            let key = (i * 7919) % (count + count / 2 + 1);
            entry(&mut input, 601, varint(1, key), varint(2, i));
            numbers.insert(key as i32, i as i32);
            let word = format!("key {key}");
            entry(&mut input, 614, text(1, &word), text(2, &i.to_string()));
            words.insert(word, i.to_string());
            let sint = |out: &mut Vec<u8>| {
                append_tag(out, 1, 0);
                append_sint64(out, -(key as i64));
            };
            entry(&mut input, 606, sint, varint(2, 2 * i));
            entry(&mut input, 613, varint(1, key % 2), varint(2, i % 2));
            entry(&mut input, 719, text(1, &format!("{key}")), |out| record(out, 2, &[8, 1 + (i % 100) as u8]));
        }
        let (mut pool, mut unchecked) = (p3::AllPool::new(), p2::AllPool::new());
        let (all, second) = (pool.decode(&input).unwrap(), unchecked.decode(&input).unwrap());
        assert_eq!(all.key_int32().len(), numbers.len());
        assert_eq!(all.key_int32().iter().collect::<BTreeMap<_, _>>(), numbers);
        for key in -2..2 * count as i32 + 3 {
            assert_eq!(all.key_int32().get(&key), numbers.get(&key).copied(), "{key} of {count}");
            assert_eq!(all.key_int32().contains_key(&key), numbers.contains_key(&key));
            let word = format!("key {key}");
            assert_eq!(all.key_string().get(&word), words.get(&word).map(String::as_str), "{word} of {count}");
            let found = second.key_string().get(ProtoStr::new(word.as_bytes()));
            assert_eq!(found.map(ProtoStr::as_bytes), words.get(&word).map(String::as_bytes));
            // A message: entries replace one another, they do not merge.
            let message = all.value_all().get(&key.to_string()).map(|m| m.single_int32());
            assert_eq!(message, numbers.get(&key).map(|i| 1 + i % 100), "{key} of {count}");
            let doubled = numbers.get(&key).map(|&i| zigzagged(2 * i as u64));
            assert_eq!(all.key_sint64().get(&-(key as i64)), doubled, "-{key} of {count}");
        }
        for key in [false, true] {
            let last = (0..3 * count).rfind(|i| ((i * 7919) % (count + count / 2 + 1)) % 2 == key as u64);
            assert_eq!(all.key_bool().get(&key), last.map(|i| i % 2 == 1), "{key} of {count}");
        }
    }
}

/// Returns the value of a varint as `sint64`.
fn zigzagged(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[test]
fn elements_are_had_by_index_whether_they_stand_side_by_side_or_not() {
    for apart in [false, true] {
        let (mut input, mut ids) = (Vec::new(), Vec::new());
        for id in 0..40u8 {
            // Children of a child are written between its siblings, so that these are split apart.
            record(&mut input, 9, &[8, id, 0x4a, 2, 8, 80 + id]);
            ids.push(id as i32);
            if apart {
                record(&mut input, 3, &[0x4a, 0]);
            }
        }
        let mut pool = p3::ChildPool::new();
        let children = pool.decode(&input).unwrap().children();
        assert_eq!(children.iter().map(|c| c.id()).collect::<Vec<_>>(), ids);
        assert_eq!((children.len(), children.iter().len()), (40, 40));
        for (i, &id) in ids.iter().enumerate() {
            assert_eq!(children.get(i).map(|c| c.id()), Some(id), "{i}");
            assert_eq!(children.iter().nth(i).map(|c| c.children().get(0).unwrap().id()), Some(80 + id));
            assert_eq!(children.iter().skip(i).len(), 40 - i);
        }
        assert!(children.get(40).is_none() && children.get(usize::MAX).is_none());
    }
}

#[test]
fn strings_and_enums_are_had_by_index_and_numbers_as_they_came() {
    let mut input = Vec::new();
    for word in ["", "a", "é"] {
        record(&mut input, 314, word.as_bytes());
    }
    record(&mut input, 316, &[1, 2, 0, 99]);
    let mut pool = p3::AllPool::new();
    let all = pool.decode(&input).unwrap();
    let (words, values) = (all.repeated_string(), all.repeated_open());
    assert_eq!([words.get(0), words.get(1), words.get(2), words.get(3)], [Some(""), Some("a"), Some("é"), None]);
    assert_eq!((words.len(), words.iter().len(), words.is_empty()), (3, 3, false));
    assert_eq!(values.numbers(), [1, 2, 0, 99]);
    assert_eq!(values.get(3).map(i32::from), Some(99), "open enums have values without a name");
    assert!(values.get(4).is_none() && values.iter().map(i32::from).eq([1, 2, 0, 99]));
    assert!(p3::AllPool::new().decode(&[]).unwrap().repeated_string().is_empty());
}
