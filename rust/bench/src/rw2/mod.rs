//! Task `rw2-decode`: decodes a Prometheus remote-write 2.0 request.

mod generated;

use crate::harness::Grid;
use crate::messages;
use generated::buffa::io::prometheus::write::v2 as buffa;
use generated::{google, hotpb::io::prometheus::write::v2 as hot, prost};

/// Adds the task and its contenders.
pub fn add_to(grid: &mut Grid) {
    let whole_file = |request: &crate::harness::Request| Ok(vec![request.input.to_vec()]);
    messages::add::<prost::Request, buffa::Request, buffa::RequestView, hot::Request>(grid, "rw2-decode", whole_file);
    messages::add_google::<prost::Request, google::Request>(grid, "rw2-decode", whole_file);
}
