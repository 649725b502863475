//! How much of the thread's stack one call may use: the sender decides how deep messages nest, and the stack is
//! limited.

/// The stack that one call may use. Messages that can contain messages of their own kind, directly or indirectly, check
/// it on each level; for all others the schema, not the sender, bounds the nesting.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Stack {
    /// The address below which the stack must not grow. The stack grows downwards on every platform with Rust's std.
    floor: usize,
}

impl Stack {
    /// Allows `bytes` bytes from the current position.
    #[inline(always)]
    pub(crate) fn new(bytes: usize) -> Stack {
        Stack { floor: here().saturating_sub(bytes) }
    }

    /// Reports whether all of it is in use. Under Miri, which places variables at arbitrary addresses, it never is.
    #[inline(always)]
    pub fn is_used_up(&self) -> bool {
        !cfg!(miri) && here() < self.floor
    }
}

/// Returns the address of a variable of the caller's frame.
#[inline(always)]
fn here() -> usize {
    let here = 0u8;
    (&raw const here).addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn levels(stack: &Stack, level: usize) -> usize {
        let room = core::hint::black_box([0u8; 1000]);
        if stack.is_used_up() || level == 10_000 {
            return level + room[0] as usize;
        }
        levels(stack, level + 1) + core::hint::black_box(room)[1] as usize
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri does not model the addresses of a stack")]
    fn a_stack_is_used_up_after_as_many_bytes_as_it_was_given() {
        assert!((10..110).contains(&levels(&Stack::new(100_000), 0)));
        assert!(levels(&Stack::new(0), 0) < 2);
        assert!(!Stack::new(usize::MAX).is_used_up() && !Stack::default().is_used_up());
    }
}
