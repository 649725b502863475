//! Decodes the request with hotpb's pool.

use crate::body::Body;
use crate::hot::io::prometheus::write::v2;
use crate::hot::prometheus as v1;
use crate::rows::{Metadata, Rows, thousands};
use crate::stock;

/// Returns a report on the request. It tries both versions of the protocol, the more likely one first: each treats the
/// other's fields as unknown, so only one finds series.
pub fn report(body: &Body) -> Result<String, String> {
    let versions = if starts_as_v2(&body.bytes) { [as_v2, as_v1] } else { [as_v1, as_v2] };
    let first = versions[0](body);
    if let Ok(Some(report)) = first {
        return report;
    }
    match (first, versions[1](body)) {
        (_, Ok(Some(report))) => report,
        (Err(why), _) | (Ok(_), Err(why)) => Err(wording(&why)),
        (Ok(_), Ok(None)) => Err("readable, but without a series of remote write 1.0 or 2.0".into()),
    }
}

/// Formats an error of hotpb's in the words of Go's program: code, offset, path.
fn wording(error: &hotpb::Error) -> String {
    let place = if error.path().is_empty() { String::new() } else { format!(" in {}", error.path()) };
    format!("{} at offset {}{place}", error.code().name(), error.offset())
}

/// Reports whether the first tag is one that only 2.0 defines.
fn starts_as_v2(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(0x22 | 0x2a))
}

/// The result of an attempt: hotpb's error, nothing if there is no series, or the report.
type Tried = Result<Option<Result<String, String>>, hotpb::Error>;

fn as_v1(body: &Body) -> Tried {
    let mut pool = v1::WriteRequestPool::new();
    let request = pool.decode(&body.bytes)?;
    Ok((!request.timeseries().is_empty()).then(|| {
        let stock = stock::decode_v1(&body.bytes)?;
        describe(body, "1.0", &rows_v1(request), &stock::rows_v1(&stock))
    }))
}

fn as_v2(body: &Body) -> Tried {
    let mut pool = v2::RequestPool::new();
    let request = pool.decode(&body.bytes)?;
    Ok((!request.timeseries().is_empty()).then(|| {
        let stock = stock::decode_v2(&body.bytes)?;
        describe(body, "2.0", &rows_v2(request)?, &stock::rows_v2(&stock)?)
    }))
}

fn rows_v1(request: v1::WriteRequest<'_>) -> Rows<'_> {
    let mut rows = Rows::default();
    for ts in request.timeseries() {
        rows.labels.extend(ts.labels().iter().map(|l| (l.name(), l.value())));
        for s in ts.samples() {
            rows.sample(s.value(), s.timestamp());
        }
        rows.exemplars += ts.exemplars().len();
        rows.histograms += ts.histograms().len();
        rows.end_series();
    }
    rows.metadata.extend(request.metadata().iter().map(|m| Metadata {
        kind: m.r#type().into(),
        metric: m.metric_family_name(),
        help: m.help(),
        unit: m.unit(),
    }));
    rows
}

fn rows_v2(request: v2::Request<'_>) -> Result<Rows<'_>, String> {
    let symbols: Vec<&str> = request.symbols().iter().collect();
    let mut rows = Rows::default();
    for ts in request.timeseries() {
        rows.labels_by_reference(ts.labels_refs().iter().copied(), &symbols)?;
        for s in ts.samples() {
            rows.sample(s.value(), s.timestamp());
        }
        rows.exemplars += ts.exemplars().len();
        rows.histograms += ts.histograms().len();
        rows.end_series();
    }
    Ok(rows)
}

fn describe(body: &Body, version: &str, hotpb: &Rows<'_>, stock: &Rows<'_>) -> Result<String, String> {
    if hotpb != stock {
        return Err("hotpb's rows differ from prost's".into());
    }
    let metrics = hotpb.metrics();
    let mut counts = format!(
        "{} series, {} labels, {} samples",
        thousands(hotpb.series.len()),
        thousands(hotpb.labels.len()),
        thousands(hotpb.samples.len())
    );
    for (count, what) in
        [(hotpb.exemplars, "exemplars"), (hotpb.histograms, "histograms"), (hotpb.metadata.len(), "metadata")]
    {
        if count > 0 {
            counts += &format!(", {} {what}", thousands(count));
        }
    }
    let mut out = format!("{}: remote write {version}, {}\n", body.name, body.packing());
    out += &format!("  Rust pool  {counts}; the largest of {} metrics:\n", thousands(metrics.len()));
    for (name, count) in metrics.iter().take(5) {
        out += &format!("             {:>6}  {name}\n", thousands(*count));
    }
    out += "             ✓ every label and sample equals prost's\n";
    Ok(out)
}
