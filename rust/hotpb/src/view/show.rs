//! `Debug` of the results of views.

use super::table::Table;
use super::{Element, Map, MapKey, MapValue, Message, Messages, Repeated, UnknownFields, View};
use crate::text::OfRecords;
use crate::wire::kind::Value;
use core::fmt::{self, Debug, Formatter};

fn records(f: &mut Formatter<'_>, bytes: &[u8], table: &Table) -> fmt::Result {
    OfRecords { bytes, schema: table.schema }.fmt(f)
}

/// The records as they came.
impl<V: View> Debug for Message<'_, V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut bytes = alloc::vec::Vec::new();
        self.append_to(&mut bytes);
        records(f, &bytes, V::TABLE)
    }
}

/// The records as they came.
impl<V: View> Debug for Element<'_, V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        records(f, self.as_bytes(), V::TABLE)
    }
}

impl<V: View> Debug for Messages<'_, V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a, V: Value> Debug for Repeated<'a, V>
where
    V::Output<'a>: Debug,
{
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a, K: MapKey, V: MapValue> Debug for Map<'a, K, V>
where
    <K as Value>::Output<'a>: Debug,
    V::Output<'a>: Debug,
{
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Debug for UnknownFields<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
