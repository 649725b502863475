//! Generated code as users include it, in a crate that forbids `unsafe` (FCE-38).
#![forbid(unsafe_code)]

/// Fields with the names of built-in methods (FCE-39).
pub mod built_in {
    hotpb::include_generated!("built_in");
}

/// The same messages in the other tier.
pub mod hot {
    hotpb::include_generated!("hot");
}

/// A chain of straight messages.
pub mod chain {
    hotpb::include_generated!("chain");
}

/// Messages that hold messages of another crate (FCE-40).
pub mod apart {
    hotpb::include_generated!();
}

/// The same messages, with their own code for the messages of that crate.
pub mod together {
    hotpb::include_generated!("together");
}

/// Types and fields with attributes of their own (FCE-41).
pub mod attributes {
    hotpb::include_generated!("attributes");

    /// The generated code.
    pub const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/attributes/attributes.hot.rs"));
}
