//! The answers of OTLP, in protobuf or in JSON.

use super::Format;
use crate::generated::google::rpc::StatusBuilder;
use crate::generated::opentelemetry::proto::collector::metrics::v1::{
    ExportMetricsPartialSuccessBuilder, ExportMetricsServiceResponseBuilder,
};
use hotpb::pool::Encode;

/// Returns the body of an answer to a request whose good points are written.
pub fn accepted(format: Format, refused_points: u64, text: &str) -> Vec<u8> {
    let partial_success = (refused_points > 0 || !text.is_empty()).then(|| ExportMetricsPartialSuccessBuilder {
        rejected_data_points: refused_points as i64,
        error_message: text.to_owned(),
        ..Default::default()
    });
    let message = ExportMetricsServiceResponseBuilder { partial_success, ..Default::default() };
    match format {
        Format::Protobuf => message.encode_to_vec().unwrap_or_default(),
        Format::Json => serde_json::to_vec(&message).unwrap_or_default(),
    }
}

/// Returns the body of an answer to a request that was refused.
pub fn refused(format: Format, status: u16, text: &str) -> Vec<u8> {
    let message = StatusBuilder { code: code_of(status), message: text.to_owned(), ..Default::default() };
    match format {
        Format::Protobuf => message.encode_to_vec().unwrap_or_default(),
        Format::Json => serde_json::to_vec(&message).unwrap_or_default(),
    }
}

/// Returns gRPC's code for a status of HTTP.
fn code_of(status: u16) -> i32 {
    match status {
        400 | 405 | 415 => 3,
        401 => 16,
        403 => 7,
        413 | 429 => 8,
        503 => 14,
        _ => 2,
    }
}
