//! Faces of hotpb's own tests.

pub(crate) mod reencode;
pub(crate) mod reencode_view;
pub(crate) mod rewrite;
pub(crate) mod script;
