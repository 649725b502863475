//! Attributes' values as text.

use crate::generated::opentelemetry::proto::common::v1::{AnyValue, KeyValue, any_value::Value};
use base64::prelude::{BASE64_STANDARD, Engine};
use std::borrow::Cow;

/// Returns a value as the text of a label: a string as it is, a list or a map as JSON, nothing as the empty string.
pub fn text<'v>(attribute: &KeyValue<'v>) -> Cow<'v, str> {
    match attribute.value().and_then(|value| value.value()) {
        None => Cow::Borrowed(""),
        Some(Value::StringValue(text)) => Cow::Borrowed(text),
        Some(Value::BoolValue(value)) => Cow::Borrowed(if value { "true" } else { "false" }),
        Some(Value::IntValue(value)) => Cow::Owned(value.to_string()),
        Some(Value::DoubleValue(value)) => Cow::Owned(number(value)),
        Some(Value::BytesValue(bytes)) => Cow::Owned(BASE64_STANDARD.encode(bytes)),
        Some(nested @ (Value::ArrayValue(_) | Value::KvlistValue(_))) => {
            let mut out = String::new();
            json(Some(nested), &mut out);
            Cow::Owned(out)
        }
    }
}

/// Appends a value as JSON. The decoder bounded its depth.
fn json(value: Option<Value<'_>>, out: &mut String) {
    match value {
        None => out.push_str("null"),
        Some(Value::StringValue(text)) => quoted(text, out),
        Some(Value::BoolValue(value)) => out.push_str(if value { "true" } else { "false" }),
        Some(Value::IntValue(value)) => out.push_str(&value.to_string()),
        // JSON has no other numbers.
        Some(Value::DoubleValue(value)) if value.is_finite() => out.push_str(&number(value)),
        Some(Value::DoubleValue(value)) => quoted(&number(value), out),
        Some(Value::BytesValue(bytes)) => quoted(&BASE64_STANDARD.encode(bytes), out),
        Some(Value::ArrayValue(list)) => {
            out.push('[');
            for (at, item) in list.values().iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                json(AnyValue::value(item), out);
            }
            out.push(']');
        }
        Some(Value::KvlistValue(list)) => {
            out.push('{');
            for (at, item) in list.values().iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                quoted(item.key(), out);
                out.push(':');
                json(item.value().and_then(|value| value.value()), out);
            }
            out.push('}');
        }
    }
}

fn quoted(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

/// Returns a number as Prometheus' senders write it: as few digits as name it, with an exponent if it is very large or
/// very small.
fn number(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    match value.abs() {
        size if size != 0.0 && !(1e-6..1e21).contains(&size) => {
            let text = format!("{value:e}");
            if size >= 1.0 { text.replace('e', "e+") } else { text }
        }
        _ => value.to_string(),
    }
}

/// Returns a bound or a quantile as a label's value: never with an exponent, as Prometheus' own receiver writes it.
pub fn bound(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { number(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (1e-7, "1e-7"),
            (0.000001, "0.000001"),
            (1e20, "100000000000000000000"),
            (1.5e21, "1.5e+21"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Inf"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(
            (bound(1e21), bound(1e-7), bound(f64::INFINITY)),
            ("1000000000000000000000".into(), "0.0000001".into(), "+Inf".into())
        );
    }
}
