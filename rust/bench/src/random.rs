//! Splitmix64: a few lines, so that the bytes do not depend on a library's generator. `bench/corpus` has the same.

/// A generator of seeded inputs.
pub struct Random(u64);

impl Random {
    /// Creates the generator. Another seed would be another input.
    pub fn new() -> Random {
        Random(0x0068_6f74_7062) // "hotpb"
    }

    /// Returns 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Returns a number of random length: each number of bits is equally likely.
    pub fn any_length(&mut self) -> u64 {
        let bits = 1 + self.below(64);
        self.next() >> (64 - bits)
    }

    /// Returns one of the values.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}
