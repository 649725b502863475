//! [`Pools`]: idle pools that threads share. [`Recycled`]: an owned message whose pool goes back to them.

use super::owned::sealed::Stable;
use super::{DecodeOptions, Message, Owned, Pool};
use crate::Error;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

/// The idle pools are on several shelves, so that threads rarely meet. A thread never waits for a shelf.
const SHELVES: usize = 8;

/// The limits of [`Pools`]. Pools beyond them are freed instead of kept.
#[derive(Clone, Copy, Debug)]
pub struct PoolsOptions {
    /// The largest number of idle pools.
    pub idle: usize,
    /// The most bytes that the idle pools may keep, all together.
    pub memory: usize,
}

impl Default for PoolsOptions {
    /// 64 idle pools, which keep 16 MiB together.
    fn default() -> PoolsOptions {
        PoolsOptions { idle: 64, memory: 16 << 20 }
    }
}

/// Idle pools of one message type, which threads and tasks share (feature `std`, POL-66).
///
/// A message that they decode owns its bytes and a pool. When you drop the message, its pool is used for a later one. So
/// a server that decodes many messages at the same time allocates nothing once it is warm. A clone shares the same idle
/// pools.
///
/// ```
/// # use hotpb::wkt::google::protobuf::Timestamp;
/// let pools = hotpb::pool::Pools::<Timestamp<'static>>::new();
/// let first = pools.decode(vec![8, 1])?;
/// let second = pools.decode(vec![8, 2])?; // both are alive: two pools
/// assert_eq!((first.get().seconds(), second.get().seconds()), (1, 2));
/// drop((first, second));
/// assert_eq!(pools.idle(), 2);
/// # Ok::<(), hotpb::Error>(())
/// ```
pub struct Pools<M: Message> {
    shared: Arc<Shared<M>>,
}

struct Shared<M: Message> {
    shelves: [Mutex<Vec<Idle<M>>>; SHELVES],
    options: PoolsOptions,
    /// The number of idle pools, and the bytes that they keep.
    idle: AtomicUsize,
    bytes: AtomicUsize,
}

struct Idle<M: Message> {
    pool: Pool<M>,
    bytes: usize,
}

impl<M: Message> Clone for Pools<M> {
    fn clone(&self) -> Self {
        Pools { shared: Arc::clone(&self.shared) }
    }
}

impl<M: Message> Default for Pools<M> {
    fn default() -> Self {
        Pools::new()
    }
}

impl<M: Message> core::fmt::Debug for Pools<M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Pools<{}>({} idle)", M::SCHEMA.name, self.idle())
    }
}

impl<M: Message> Pools<M> {
    /// Creates a stock without pools, with the default limits.
    pub fn new() -> Pools<M> {
        Pools::with_options(PoolsOptions::default())
    }

    /// Creates a stock without pools.
    pub fn with_options(options: PoolsOptions) -> Pools<M> {
        let shelves = core::array::from_fn(|_| Mutex::new(Vec::new()));
        Pools { shared: Arc::new(Shared { shelves, options, idle: AtomicUsize::new(0), bytes: AtomicUsize::new(0) }) }
    }

    /// Decodes a message with an idle pool, or with a new one, and keeps the bytes with it.
    pub fn decode<B: Stable>(&self, bytes: B) -> Result<Recycled<M, B>, Error> {
        self.decode_with(bytes, &DecodeOptions::default())
    }

    /// The same with options.
    pub fn decode_with<B: Stable>(&self, bytes: B, options: &DecodeOptions) -> Result<Recycled<M, B>, Error> {
        match self.take().decode_owned_with(bytes, options) {
            Ok(message) => Ok(Recycled { message: Some(message), home: self.clone() }),
            Err(failed) => {
                self.put(failed.pool);
                Err(failed.error)
            }
        }
    }

    /// Returns an idle pool, or a new one if there is none.
    pub fn take(&self) -> Pool<M> {
        for mut shelf in self.free_shelves() {
            if let Some(Idle { pool, bytes }) = shelf.pop() {
                self.shared.idle.fetch_sub(1, Ordering::Relaxed);
                self.shared.bytes.fetch_sub(bytes, Ordering::Relaxed);
                return pool;
            }
        }
        Pool::new()
    }

    /// Keeps a pool for a later message, or frees it if the limits are reached.
    pub fn put(&self, pool: Pool<M>) {
        let Shared { options, idle, bytes: kept, .. } = &*self.shared;
        let bytes = pool.memory();
        // Both counts are reserved first, so that threads together stay within the limits.
        if idle.fetch_add(1, Ordering::Relaxed) < options.idle {
            if kept.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) <= options.memory {
                if let Some(mut shelf) = self.free_shelves().next() {
                    shelf.push(Idle { pool, bytes });
                    return;
                }
            }
            kept.fetch_sub(bytes, Ordering::Relaxed);
        }
        idle.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns the number of idle pools.
    pub fn idle(&self) -> usize {
        self.shared.idle.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes that the idle pools keep.
    pub fn memory(&self) -> usize {
        self.shared.bytes.load(Ordering::Relaxed)
    }

    /// Frees all idle pools.
    pub fn shrink(&self) {
        for shelf in &self.shared.shelves {
            for Idle { bytes, .. } in shelf.lock().unwrap_or_else(|broken| broken.into_inner()).drain(..) {
                self.shared.idle.fetch_sub(1, Ordering::Relaxed);
                self.shared.bytes.fetch_sub(bytes, Ordering::Relaxed);
            }
        }
    }

    /// Iterates over the shelves that no thread uses at this moment, this thread's own first.
    fn free_shelves(&self) -> impl Iterator<Item = MutexGuard<'_, Vec<Idle<M>>>> {
        let first = shelf_of_thread();
        (0..SHELVES).filter_map(move |i| self.shared.shelves[(first + i) % SHELVES].try_lock().ok())
    }
}

fn shelf_of_thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    std::thread_local! {
        static MINE: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHELVES;
    }
    // A thread that ends may drop messages after its thread-local values.
    MINE.try_with(|mine| *mine).unwrap_or(0)
}

/// A decoded message that owns its bytes, as [`Owned`] does. When it is dropped, its pool goes back to the [`Pools`] that
/// decoded the message.
pub struct Recycled<M: Message, B> {
    /// `None` only while the message is moved out or dropped.
    message: Option<Owned<M, B>>,
    home: Pools<M>,
}

impl<M: Message, B> Recycled<M, B> {
    fn owned(&self) -> &Owned<M, B> {
        match &self.message {
            Some(message) => message,
            None => unreachable!("only a value that nobody can use any more has no message"),
        }
    }

    /// Returns the bytes of the message.
    pub fn bytes(&self) -> &B {
        self.owned().bytes()
    }

    /// Returns the bytes. The pool goes back.
    pub fn into_bytes(mut self) -> B {
        match self.message.take() {
            Some(message) => {
                let (pool, bytes) = message.into_parts();
                self.home.put(pool);
                bytes
            }
            None => unreachable!("only a value that nobody can use any more has no message"),
        }
    }
}

impl<M: Message, B: Stable> Recycled<M, B> {
    /// Returns the message.
    #[inline]
    pub fn get(&self) -> M::Handle<'_> {
        self.owned().get()
    }
}

impl<M: Message, B> Drop for Recycled<M, B> {
    fn drop(&mut self) {
        if let Some(message) = self.message.take() {
            self.home.put(message.into_parts().0);
        }
    }
}

impl<M: Message, B> core::fmt::Debug for Recycled<M, B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Recycled<{}>", M::SCHEMA.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use crate::wkt::google::protobuf::{FieldMask, Timestamp};
    use alloc::vec;

    fn sendable<T: Send + Sync + 'static>(_: &T) {}

    #[test]
    fn a_dropped_message_returns_its_pool_also_from_another_thread() {
        let pools = Pools::<Timestamp<'static>>::new();
        let message = pools.decode(vec![8, 1]).unwrap();
        sendable(&message);
        assert_eq!(pools.idle(), 0);
        std::thread::spawn(move || assert_eq!(message.get().seconds(), 1)).join().unwrap();
        assert_eq!(pools.idle(), 1);
        assert_eq!(pools.decode(vec![8, 2]).unwrap().into_bytes(), [8, 2]);
        assert_eq!(pools.idle(), 1, "the same pool was used again");
        pools.shrink();
        assert_eq!((pools.idle(), pools.memory()), (0, 0));
    }

    #[test]
    fn a_message_that_is_refused_returns_its_pool() {
        let pools = Pools::<Timestamp<'static>>::new();
        assert_eq!(pools.decode(vec![8]).unwrap_err().code(), Code::Truncated);
        assert_eq!(pools.idle(), 1);
    }

    #[test]
    fn the_number_of_idle_pools_has_a_limit() {
        let pools = Pools::<Timestamp<'static>>::with_options(PoolsOptions { idle: 2, ..Default::default() });
        let messages: Vec<_> = (0..5).map(|n| pools.decode(vec![8, n]).unwrap()).collect();
        drop(messages);
        assert_eq!(pools.idle(), 2);
    }

    #[test]
    fn the_memory_of_idle_pools_has_a_limit() {
        let pools = Pools::<FieldMask<'static>>::with_options(PoolsOptions { memory: 10_000, ..Default::default() });
        let large: Vec<u8> = [0x0a, 1, b'a'].repeat(if cfg!(miri) { 1000 } else { 10_000 });
        let messages = [pools.decode(vec![0x0a, 0]).unwrap(), pools.decode(large).unwrap()];
        drop(messages);
        assert_eq!(pools.idle(), 1, "the pool of the large message is freed");
        assert!(pools.memory() <= 10_000);
    }

    #[test]
    fn threads_stay_within_the_limits_together() {
        let pools = Pools::<Timestamp<'static>>::with_options(PoolsOptions { idle: 3, ..Default::default() });
        // All shelves at one moment: a pool may move from one to another.
        fn on_shelves<M: Message>(pools: &Pools<M>) -> usize {
            let shelves = pools.shared.shelves.each_ref().map(|shelf| shelf.lock().unwrap());
            shelves.iter().map(|shelf| shelf.len()).sum()
        }
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let pools = pools.clone();
                std::thread::spawn(move || {
                    for n in 0..if cfg!(miri) { 20 } else { 2000 } {
                        let (a, b) = (pools.decode(vec![8, n as u8 & 127]).unwrap(), pools.decode(vec![8, 1]).unwrap());
                        assert_eq!((a.get().seconds(), b.get().seconds()), (n & 127, 1));
                        assert!(on_shelves(&pools) <= 3);
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(pools.idle(), on_shelves(&pools));
        assert!(pools.idle() <= 3);
    }
}
