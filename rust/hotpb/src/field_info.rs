//! [`FieldInfo`]: the generated constants that describe fields.

/// The number and the name of a field in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Field number.
    pub number: u32,
    /// Name in the schema.
    pub name: &'static str,
}
