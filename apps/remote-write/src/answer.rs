//! What a sender hears.

use crate::otlp::{Refusals, Rejected};
use rows::{Report, RequestError, Version};

/// The rows that were written, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Samples.
    pub samples: u64,
    /// Native histograms.
    pub histograms: u64,
    /// Exemplars.
    pub exemplars: u64,
}

impl Counts {
    /// The rows of a request.
    pub fn from_report(report: &Report) -> Counts {
        Counts { samples: report.samples, histograms: report.histograms, exemplars: report.exemplars }
    }
}

/// An answer, without the protocol around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// What was written.
    pub counts: Counts,
    /// The data points of OTLP that were refused.
    pub refused_points: u64,
    /// The body: for people, and for the log of the sender.
    pub text: String,
    /// Whether the sender should send the request again, after this many seconds.
    pub retry_after: Option<u32>,
}

/// A request that was refused as a whole: the reason, by which it is counted, and the answer.
pub type Refused = (&'static str, Answer);

/// The reason of a body that is no request.
pub const MALFORMED: &str = "malformed body";
/// The reason of a request whose new series need too much memory.
pub const TOO_MANY_SERIES: &str = "too many series";
const TOO_MANY_ROWS: &str = "too many rows";

impl Answer {
    /// Nothing was written.
    pub fn refused(status: u16, text: impl Into<String>) -> Answer {
        Answer { status, counts: Counts::default(), refused_points: 0, text: text.into(), retry_after: None }
    }

    /// The server cannot take the request now. Real senders retry 503; Prometheus drops a request that gets 429.
    pub fn busy(text: impl Into<String>) -> Answer {
        // Senders that were refused together should not come back together.
        let retry_after = Some(1 + (crate::clock::now_ms() % 5) as u32);
        Answer { retry_after, ..Answer::refused(503, text) }
    }

    /// A request that was decoded.
    pub fn from_report(report: &Report) -> Answer {
        let counts = Counts::from_report(report);
        let (status, text) = match report.bad + report.bad_exemplars {
            0 => (204, String::new()),
            _ => (400, describe(report)),
        };
        Answer { status, counts, refused_points: 0, text, retry_after: None }
    }

    /// A request of OTLP that was decoded. If a part of it was refused, the answer is a success all the same.
    pub fn of_otlp(report: &Report, refusals: &Refusals) -> Answer {
        let (counts, refused_points) = (Counts::from_report(report), refusals.points());
        Answer { status: 200, counts, refused_points, text: refusals.text(), retry_after: None }
    }

    /// A request of OTLP that another version of the mapping accepted. Which points it refused is not known any more, only
    /// how many series.
    pub fn of_otlp_mapped_otherwise(refused_series: usize) -> Answer {
        let text = match refused_series {
            0 => String::new(),
            _ => format!("{refused_series} series were refused when this request first came"),
        };
        Answer { refused_points: refused_series as u64, ..Answer::refused(200, text) }
    }

    /// A request of OTLP that was rejected as a whole.
    pub fn of_rejected(rejected: Rejected) -> Refused {
        match rejected {
            Rejected::Malformed(why) => (MALFORMED, Answer::refused(400, format!("the request is malformed: {why}"))),
            Rejected::TooLarge(why) => ("too large", Answer::refused(413, format!("the request is too large: {why}"))),
            Rejected::Limit(RequestError::TooManyRows { limit }) => {
                (TOO_MANY_ROWS, Answer::refused(413, format!("more than {limit} rows in one request")))
            }
            Rejected::Limit(error) => Answer::of_error(&error, Version::V2),
        }
    }

    /// A request that cannot be decoded, or may not be.
    pub fn of_error(error: &RequestError, version: Version) -> Refused {
        let (reason, text) = match error {
            RequestError::TooManyRows { limit } => (TOO_MANY_ROWS, format!("more than {limit} rows in one request")),
            RequestError::TooManySeries { .. } => {
                return (TOO_MANY_SERIES, Answer::busy("too many series at the moment"));
            }
            RequestError::OtherVersion { .. } => {
                let default = if version == Version::V1 { ", or has no proto=" } else { "" };
                let text = format!("{error}, which Content-Type states{default}");
                return ("other version", Answer::refused(415, text));
            }
            error => (MALFORMED, error.to_string()),
        };
        (reason, Answer::refused(400, format!("remote write {version}: {text}")))
    }
}

/// Lists the first problems, and how many more there are.
fn describe(report: &Report) -> String {
    let parts = [(report.bad, "series"), (report.bad_exemplars, "exemplars")];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let parts = parts.join(" and ");
    let (first, total) = (report.problems.first(), report.problems.total());
    if first.is_empty() {
        return format!("{parts} were refused when this request first came");
    }
    let mut text = format!("{parts} were refused, the others were written:");
    for problem in first {
        text.push_str(&format!("\n  {problem}"));
    }
    if total > first.len() as u64 {
        text.push_str(&format!("\n  and {} more", total - first.len() as u64));
    }
    text
}
