//! A buffer that is written from its end to its start: the length of a message is known before it is written, and no
//! length has to be computed first.

/// See the module documentation.
#[derive(Default)]
pub(crate) struct Backward {
    buffer: Vec<u8>,
    /// The first byte that was written.
    start: usize,
}

impl Backward {
    /// Returns the bytes that were written.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    pub fn len(&self) -> usize {
        self.buffer.len() - self.start
    }

    pub fn clear(&mut self) {
        self.start = self.buffer.len();
    }

    /// Writes bytes before those that are there.
    pub fn bytes_before(&mut self, bytes: &[u8]) {
        if bytes.len() > self.start {
            self.grow(bytes.len());
        }
        let start = self.start - bytes.len();
        self.buffer[start..self.start].copy_from_slice(bytes);
        self.start = start;
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let len = self.len();
        let mut larger = vec![0; (2 * self.buffer.len()).max(len + more).max(256)];
        let start = larger.len() - len;
        larger[start..].copy_from_slice(self.bytes());
        (self.buffer, self.start) = (larger, start);
    }

    pub fn varint(&mut self, mut value: u64) {
        let mut bytes = [0; 10];
        let mut len = 0;
        while value >= 0x80 {
            bytes[len] = value as u8 | 0x80;
            value >>= 7;
            len += 1;
        }
        bytes[len] = value as u8;
        self.bytes_before(&bytes[..len + 1]);
    }

    pub fn tag(&mut self, number: u32, wire_type: u32) {
        self.varint((number << 3 | wire_type) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_last_comes_first() {
        let mut out = Backward::default();
        for i in (0..1000u64).rev() {
            out.bytes_before(&[7]);
            out.varint(i);
        }
        let mut want = Vec::new();
        for i in 0..1000 {
            hotpb::wire::append_varint(&mut want, i);
            want.push(7);
        }
        assert_eq!(out.bytes(), want);
        out.clear();
        assert_eq!(out.bytes(), b"");
    }
}
