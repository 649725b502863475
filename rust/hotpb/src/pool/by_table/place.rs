//! A row as memory: fields by their places.

/// A row that is read.
#[derive(Clone, Copy)]
pub(super) struct RowRef(pub(super) *const u8);

/// A row that is written.
#[derive(Clone, Copy)]
pub(super) struct RowMut(pub(super) *mut u8);

impl RowRef {
    /// The field at a place.
    ///
    /// # Safety
    /// The row is alive and not written meanwhile, and has a field of type `T`, or of one that has its bits, there.
    #[inline(always)]
    pub(super) unsafe fn get<T: Copy>(self, place: u16) -> T {
        // SAFETY: the caller's promise; fields are aligned and initialised.
        unsafe { self.0.add(place as usize).cast::<T>().read() }
    }
}

impl RowMut {
    /// The field at a place.
    ///
    /// # Safety
    /// No one else has the row, and it has a field of type `T`, or of one that has its bits, there.
    #[inline(always)]
    pub(super) unsafe fn get<T: Copy>(self, place: u16) -> T {
        // SAFETY: the caller's promise; fields are aligned and initialised.
        unsafe { self.0.add(place as usize).cast::<T>().read() }
    }

    /// Sets it.
    ///
    /// # Safety
    /// As for [`RowMut::get`]; of `bool` fields the byte is 0 or 1.
    #[inline(always)]
    pub(super) unsafe fn set<T: Copy>(self, place: u16, value: T) {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(place as usize).cast::<T>().write(value) }
    }
}
