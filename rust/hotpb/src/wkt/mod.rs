//! Google's well-known types, descriptor.proto and plugin.proto, ready to use; generated code refers to them here.
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
