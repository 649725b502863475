//! What generated constants say of a field.

/// Number and name of a field, as the schema has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Field number.
    pub number: u32,
    /// Name in the schema.
    pub name: &'static str,
}
