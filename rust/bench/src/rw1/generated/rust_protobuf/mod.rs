// @generated

pub mod remote;
pub mod types;
