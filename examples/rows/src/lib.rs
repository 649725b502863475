//! Prometheus remote write, 1.0 and 2.0, from the bytes of a request to one columnar table per metric, without
//! intermediate objects: hotpb's visitor receives the fields while they are decoded, and the rows go directly into the
//! tables' columns.
//!
//! ```text
//!   file, stdin ──body──▶ bytes ──visitor (v1, v2)──▶ store: dictionary, label sets, tables ──output──▶ text, CSV, JSON
//!                                     │ label block seen before? one look-up replaces parsing
//! ```
//!
//! ```
//! use rows::{Options, Proto, Receiver};
//! // up 1 at 5 ms
//! let body = b"\x0a\x1d\x0a\x0e\x0a\x08__name__\x12\x02up\x12\x0b\x09\0\0\0\0\0\0\xf0\x3f\x10\x05";
//! let mut receiver = Receiver::new(Options::default()); // keep it per worker
//! let report = receiver.request(body, Proto::Auto)?;
//! assert_eq!((report.series, report.samples), (1, 1));
//! let up = receiver.store().table("up").expect("it has a sample");
//! assert_eq!((up.samples.timestamps(), up.samples.values()), (&[5][..], &[1.0][..]));
//!
//! let cut = receiver.request(&body[..20], Proto::Auto).unwrap_err();
//! assert_eq!(cut.to_string(), "malformed: Truncated at byte 2: timeseries[0]");
//! assert_eq!(receiver.store().rows(), 1); // a refused request leaves no rows
//! # Ok::<(), rows::RequestError>(())
//! ```

pub mod args;
mod block_cache;
pub mod body;
mod copy;
mod detect;
mod dictionary;
mod direct;
mod error;
mod fields;
mod ingest;
mod label_sets;
pub mod output;
mod problem;
mod receiver;
mod rows;
pub mod run;
mod store;
mod table;
mod v1;
mod v2;
mod validate;

pub use block_cache::BlockCache;
pub use detect::{Proto, Version};
pub use dictionary::Dictionary;
pub use direct::{Direct, Ended, HistogramRow, SeriesRows, Side};
pub use error::RequestError;
pub use label_sets::LabelSets;
pub use problem::{Problem, Problems, Reason};
pub use receiver::{Options, Receiver, Report};
pub use rows::{Buckets, Count, Exemplars, Histograms, Lists, Metadata, MetadataRow, Samples, Span};
pub use rows::{TableRows, Tables, TablesError};
pub use store::Store;
pub use table::{Mark, Table};
pub use validate::{Names, Rules};

/// What `build.rs` has generated.
#[allow(missing_docs, unsafe_code)]
mod generated {
    hotpb::include_generated!();
}
