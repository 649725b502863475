//! The list of refused series in the notes of a record of the log: gaps and runs as varints, in ascending order.

use hotpb::wire::Reader;

/// Encodes indices that ascend.
pub fn encode(refused: &[u32]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut next = 0;
    for run in refused.chunk_by(|a, b| a + 1 == *b) {
        varint(run[0] - next, &mut out);
        varint(run.len() as u32, &mut out);
        next = run[run.len() - 1] + 1;
    }
    out
}

/// Decodes the indices; `None` if the bytes are no such list.
pub fn decode(bytes: &[u8]) -> Option<Vec<u32>> {
    let (mut reader, mut found, mut next) = (Reader::new(bytes), Vec::new(), 0u32);
    while reader.offset() < bytes.len() {
        let (gap, run) = (reader.varint().ok()?, reader.varint().ok()?);
        let first = next.checked_add(u32::try_from(gap).ok()?)?;
        next = first.checked_add(u32::try_from(run).ok()?)?;
        found.extend(first..next);
    }
    Some(found)
}

fn varint(mut value: u32, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back() {
        for list in [vec![], vec![0], vec![7], vec![0, 1, 2, 9, 10, 300], (5..5000).collect(), vec![u32::MAX - 1]] {
            assert_eq!(decode(&encode(&list)), Some(list));
        }
        assert_eq!(encode(&(5..5000).collect::<Vec<_>>()).len(), 3);
        assert_eq!(decode(&[0x80]), None);
        assert_eq!(decode(&[1]), None);
    }
}
