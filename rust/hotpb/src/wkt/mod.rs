//! Google's well-known types, ready to use; generated code refers to them here. Those of descriptor.proto, plugin.proto, and api.proto
//! with type.proto are there with the features `descriptor`, `plugin` and `api`.
//!
//! ```
//! use hotpb::wkt::TimestampPool;
//! let mut pool = TimestampPool::new();
//! let t = pool.decode(&[0x08, 0x96, 0x01])?;
//! assert_eq!((t.seconds(), t.nanos()), (150, 0));
//! # Ok::<(), hotpb::Error>(())
//! ```

include!("gen/hotpb.mod.rs");

pub use self::google::protobuf::*;

/// For generated code, which refers to types that need these features.
#[doc(hidden)]
pub const HAS_DESCRIPTOR: bool = cfg!(feature = "descriptor");
#[doc(hidden)]
pub const HAS_PLUGIN: bool = cfg!(feature = "plugin");
#[doc(hidden)]
pub const HAS_API: bool = cfg!(feature = "api");
