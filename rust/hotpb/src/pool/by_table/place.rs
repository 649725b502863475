//! Access to a row as memory: fields by their offsets.

/// A row for reading.
#[derive(Clone, Copy)]
pub(super) struct RowRef(pub(super) *const u8);

/// A row for writing.
#[derive(Clone, Copy)]
pub(super) struct RowMut(pub(super) *mut u8);

impl RowRef {
    /// Returns the field at an offset.
    ///
    /// # Safety
    /// The row must be alive and not written meanwhile, and must have a field of type `T`, or of a type with the same
    /// bits, there.
    #[inline(always)]
    pub(super) unsafe fn get<T: Copy>(self, place: u16) -> T {
        // SAFETY: the caller's promise; fields are aligned and initialised.
        unsafe { self.0.add(place as usize).cast::<T>().read() }
    }
}

impl RowMut {
    /// Returns the field at an offset.
    ///
    /// # Safety
    /// Nobody else may access the row, and it must have a field of type `T`, or of a type with the same bits, there.
    #[inline(always)]
    pub(super) unsafe fn get<T: Copy>(self, place: u16) -> T {
        // SAFETY: the caller's promise; fields are aligned and initialised.
        unsafe { self.0.add(place as usize).cast::<T>().read() }
    }

    /// Sets the field at an offset.
    ///
    /// # Safety
    /// As for [`RowMut::get`]; for a `bool` field the byte must be 0 or 1.
    #[inline(always)]
    pub(super) unsafe fn set<T: Copy>(self, place: u16, value: T) {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(place as usize).cast::<T>().write(value) }
    }
}
