//! What a run generates, of a plan: its messages, their fields and their tiers.

pub(crate) mod fields;
pub(crate) mod messages;
pub(crate) mod tiers;
