//! Google's well-known types, ready to use; generated code refers to them here. The features `descriptor`, `plugin` and
//! `api` add the types of descriptor.proto, of plugin.proto, and of api.proto and type.proto.
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

/// Generated code checks these constants when it refers to types that need a feature.
#[doc(hidden)]
pub const HAS_DESCRIPTOR: bool = cfg!(feature = "descriptor");
#[doc(hidden)]
pub const HAS_PLUGIN: bool = cfg!(feature = "plugin");
#[doc(hidden)]
pub const HAS_API: bool = cfg!(feature = "api");
