//! Memory that all calls of a process use again: pools by message type, and buffers for encoding.

use crate::Family;
use hotpb::pool::Pools;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError, RwLock};

/// Returns the pools that [`HotCodec::default`](crate::HotCodec) decodes messages of this type with.
///
/// tonic creates a codec for each call, so the pools of a type are shared by all calls of the process. They are created
/// by the first call; [`hotpb::pool::PoolsOptions`] has their limits. To use other pools or limits, create a codec with
/// [`HotCodec::new`](crate::HotCodec::new).
pub fn pools<F: Family>() -> Pools<F::Message> {
    static OF_TYPES: RwLock<BTreeMap<TypeId, Box<dyn Any + Send + Sync>>> = RwLock::new(BTreeMap::new());
    let id = TypeId::of::<F>();
    let there = |map: &BTreeMap<_, Box<dyn Any + Send + Sync>>| {
        map.get(&id).and_then(|pools| pools.downcast_ref::<Pools<F::Message>>()).cloned()
    };
    if let Some(pools) = there(&OF_TYPES.read().unwrap_or_else(PoisonError::into_inner)) {
        return pools;
    }
    let mut map = OF_TYPES.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have been first.
    there(&map).unwrap_or_else(|| {
        let pools = Pools::<F::Message>::new();
        map.insert(id, Box::new(pools.clone()));
        pools
    })
}

/// Idle buffers, at most `COUNT` of at most `SIZE` bytes each.
pub(crate) struct Buffers<T> {
    idle: Mutex<Vec<T>>,
}

const COUNT: usize = 32;
const SIZE: usize = 1 << 20;

impl<T: Default> Buffers<T> {
    pub(crate) const fn new() -> Buffers<T> {
        Buffers { idle: Mutex::new(Vec::new()) }
    }

    /// Returns an idle buffer, or a new one. It waits for no other thread.
    pub(crate) fn take(&self) -> T {
        self.idle.try_lock().ok().and_then(|mut idle| idle.pop()).unwrap_or_default()
    }

    /// Keeps a buffer that has `bytes` bytes of memory, within the limits.
    pub(crate) fn put(&self, buffer: T, bytes: usize) {
        if bytes > SIZE + SIZE / 2 {
            return;
        }
        if let Ok(mut idle) = self.idle.try_lock()
            && idle.len() < COUNT
        {
            idle.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hotpb::wkt::{Duration, Timestamp};

    #[test]
    fn each_type_has_its_pools_and_they_are_the_same_in_each_call() {
        let first = pools::<fn(&()) -> Timestamp<'_>>();
        drop(first.decode(vec![8, 1]));
        assert_eq!(pools::<fn(&()) -> Timestamp<'_>>().idle(), 1);
        assert_eq!(pools::<fn(&()) -> Duration<'_>>().idle(), 0);
    }

    #[test]
    fn buffers_have_limits() {
        let buffers = Buffers::<Vec<u8>>::new();
        buffers.put(Vec::new(), 2 << 20);
        assert!(buffers.idle.lock().unwrap().is_empty());
        (0..2 * COUNT).for_each(|_| buffers.put(vec![1], 1));
        assert_eq!(buffers.idle.lock().unwrap().len(), COUNT);
        assert_eq!(buffers.take(), [1]);
    }
}
