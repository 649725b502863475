//! How much of the thread's stack one call takes: messages nest as the sender pleases, and a stack ends.

/// The stack that one call may use. Messages that can hold messages of their own kind, at whatever distance, ask on each
/// level; how deep all others nest is for the schema to say, not for the sender.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Stack {
    /// The address that the stack must not grow beyond. It grows downwards wherever Rust has a std.
    floor: usize,
}

impl Stack {
    /// So many bytes, from here on.
    #[inline(always)]
    pub(crate) fn new(bytes: usize) -> Stack {
        Stack { floor: here().saturating_sub(bytes) }
    }

    /// Whether all of it is in use. Under Miri, which puts each variable wherever it likes, it never is.
    #[inline(always)]
    pub fn is_used_up(&self) -> bool {
        !cfg!(miri) && here() < self.floor
    }
}

/// The address of a variable of the caller's.
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
    #[cfg_attr(miri, ignore = "Miri's stack has no addresses")]
    fn a_stack_is_used_up_after_as_many_bytes_as_it_was_given() {
        assert!((10..110).contains(&levels(&Stack::new(100_000), 0)));
        assert!(levels(&Stack::new(0), 0) < 2);
        assert!(!Stack::new(usize::MAX).is_used_up() && !Stack::default().is_used_up());
    }
}
