//! The server's own counters, for `/metrics`.

use crate::answer::Counts;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use remote_write::Report;

/// The labels of a request.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct RequestLabels {
    /// The version of the protocol.
    pub proto: &'static str,
    /// The status of HTTP.
    pub code: u16,
}

/// The label of a kind or a reason.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Labelled {
    /// What is counted.
    pub kind: &'static str,
}

/// All counters.
#[derive(Default)]
pub struct Metrics {
    /// Requests.
    pub requests: Family<RequestLabels, Counter>,
    /// Bytes of bodies as they came.
    pub bytes: Counter,
    /// Rows that are in the log.
    pub rows: Family<Labelled, Counter>,
    /// Series and exemplars that were refused.
    pub bad: Family<Labelled, Counter>,
    /// Requests that came again.
    pub retries: Counter,
    /// Sealings.
    pub seals: Counter,
    /// Sealings that failed.
    pub seal_failures: Counter,
    /// Rows in files.
    pub sealed_rows: Counter,
    /// Bytes of files.
    pub sealed_bytes: Counter,
    /// Samples and histograms that had the series and time of another one.
    pub duplicates: Family<Labelled, Counter>,
    /// Gauges, which are set when they are asked for.
    pub gauges: Gauges,
}

/// Values that rise and fall.
#[derive(Default)]
pub struct Gauges {
    /// Rows in memory.
    pub head_rows: Gauge,
    /// Bytes that wait for the log.
    pub log_queue: Gauge,
    /// Writes to the log.
    pub log_groups: Gauge,
    /// Bytes written to the log.
    pub log_bytes: Gauge,
    /// The next sequence.
    pub log_next: Gauge,
    /// All records below this are on the disk.
    pub log_synced: Gauge,
    /// Time in syncs.
    pub log_sync_micros: Gauge,
    /// Bytes of requests in flight.
    pub in_flight: Gauge,
}

impl Metrics {
    /// Registers everything under its name.
    pub fn register(&self, registry: &mut Registry) {
        let r = registry.sub_registry_with_prefix("hotpb_rw");
        r.register("requests", "Requests, by protocol and status", self.requests.clone());
        r.register("request_bytes", "Bytes of bodies as they came", self.bytes.clone());
        r.register("written_rows", "Rows in the log, by kind", self.rows.clone());
        r.register("refused_series", "Series and exemplars that were refused, by reason", self.bad.clone());
        r.register("retries_answered", "Requests that came again and got the first answer", self.retries.clone());
        r.register("seals", "Times that rows were written to files", self.seals.clone());
        r.register("seal_failures", "Times that writing rows to files failed", self.seal_failures.clone());
        r.register("sealed_rows", "Rows in files", self.sealed_rows.clone());
        r.register("sealed_bytes", "Bytes of files", self.sealed_bytes.clone());
        r.register(
            "duplicates",
            "Samples and histograms with the series and time of another one",
            self.duplicates.clone(),
        );
        let g = &self.gauges;
        r.register("head_rows", "Rows in memory", g.head_rows.clone());
        r.register("log_queue_bytes", "Bytes that wait for the log", g.log_queue.clone());
        r.register("log_groups", "Writes to the log", g.log_groups.clone());
        r.register("log_bytes", "Bytes written to the log", g.log_bytes.clone());
        r.register("log_next_sequence", "The sequence of the next record", g.log_next.clone());
        r.register("log_synced_sequence", "All records below this are on the disk", g.log_synced.clone());
        r.register("log_sync_microseconds", "Time in syncs of the log", g.log_sync_micros.clone());
        r.register("in_flight_bytes", "Bytes of requests that are being handled", g.in_flight.clone());
    }

    /// Counts the series that a request lost.
    pub fn refused(&self, report: &Report) {
        for (reason, count) in report.problems.counts() {
            self.bad.get_or_create(&Labelled { kind: reason.text() }).inc_by(count);
        }
    }

    /// Counts samples that were left out as duplicates.
    pub fn duplicate(&self, kind: &'static str, count: u64) {
        if count > 0 {
            self.duplicates.get_or_create(&Labelled { kind }).inc_by(count);
        }
    }

    /// Counts rows that are in the log.
    pub fn written(&self, counts: &Counts) {
        let kinds = [("sample", counts.samples), ("histogram", counts.histograms), ("exemplar", counts.exemplars)];
        for (kind, count) in kinds {
            if count > 0 {
                self.rows.get_or_create(&Labelled { kind }).inc_by(count);
            }
        }
    }
}
