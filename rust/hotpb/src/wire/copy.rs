//! Copies of payloads.

/// From here on the C library may copy by one string instruction.
const LONG: usize = 2048;

/// Copies a payload. By a string instruction, many AMD processors take 15 to 30 times as long where the target lies 1 to
/// 31 bytes after the source, counted within a page. There, aligned stores are as fast as the instruction elsewhere.
///
/// # Safety
/// As for [`pointer::copy_to_nonoverlapping`].
#[inline(always)]
pub(crate) unsafe fn copy_payload(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        if len < LONG {
            from.copy_to_nonoverlapping(to, len);
        } else {
            copy_long(from, to, len);
        }
    }
}

/// # Safety
/// As above.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
unsafe fn copy_long(mut from: *const u8, mut to: *mut u8, mut len: usize) {
    use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_store_si128, _mm_storeu_si128};
    const PAGE: usize = 4096;
    const NEAR: usize = 32;
    const BLOCK: usize = 64;
    // SAFETY: the caller's promise, and `len` is LONG at least; x86-64 has SSE2; `to` is aligned after its first store.
    unsafe {
        if to.addr().wrapping_sub(from.addr()).wrapping_sub(1) % PAGE < NEAR - 1 {
            _mm_storeu_si128(to.cast(), _mm_loadu_si128(from.cast()));
            let mut step = size_of::<__m128i>() - to.addr() % size_of::<__m128i>();
            loop {
                (from, to, len) = (from.add(step), to.add(step), len - step);
                step = BLOCK;
                if len < BLOCK {
                    break;
                }
                let blocks = [0, 1, 2, 3].map(|i| _mm_loadu_si128(from.cast::<__m128i>().add(i)));
                let target = to.cast::<__m128i>();
                for (i, block) in blocks.into_iter().enumerate() {
                    _mm_store_si128(target.add(i), block);
                }
            }
        }
        from.copy_to_nonoverlapping(to, len);
    }
}

/// # Safety
/// As above.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn copy_long(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { from.copy_to_nonoverlapping(to, len) };
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    #[test]
    fn payloads_are_copied_whole_wherever_they_lie() {
        let from: alloc::vec::Vec<u8> = (0..3 * 4096u32).map(|i| (i % 251) as u8).collect();
        let none = vec![0; 3 * 4096];
        for len in [0, 1, 2047, 2048, 2049, 3072, 5000, 8192] {
            let mut to = vec![0; 3 * 4096];
            let page = (from.as_ptr().addr().wrapping_sub(to.as_ptr().addr())) % 4096;
            for near in [0, 1, 31, 32, 100] {
                let at = (page + near) % 4096;
                to.fill(0);
                // SAFETY: both have so many bytes.
                unsafe { super::copy_payload(from.as_ptr(), to.as_mut_ptr().add(at), len) };
                assert_eq!((&to[..at], &to[at + len..]), (&none[..at], &none[at + len..]));
                assert_eq!(to[at..at + len], from[..len]);
            }
        }
    }
}
