//! The server's own counters, for `/metrics`.

use crate::answer::Counts;
use crate::throttle::Throttle;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use rows::Report;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

/// The labels of a request.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct RequestLabels {
    /// The version of the protocol.
    pub proto: &'static str,
    /// The status of HTTP.
    pub code: u16,
}

/// The label of a query.
#[cfg(feature = "sql")]
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct SqlLabels {
    /// The status of HTTP.
    pub code: u16,
}

/// The label of a kind or a reason.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Labelled {
    /// What is counted.
    pub kind: &'static str,
}

/// Times, in seconds, and sizes of groups.
pub struct Times {
    /// Stages of requests.
    pub stages: Family<Labelled, Histogram, fn() -> Histogram>,
    /// Syncs of the log.
    pub sync: Histogram,
    /// Records that one sync made durable.
    pub group: Histogram,
    /// Sealings.
    pub seal: Histogram,
    /// Merges.
    pub merge: Histogram,
    /// Queries.
    #[cfg(feature = "sql")]
    pub query: Histogram,
}

impl Default for Times {
    fn default() -> Times {
        // 0.1 ms to 6.6 s, each bucket four times the one before it.
        let short = || Histogram::new(exponential_buckets(0.0001, 4.0, 9));
        // 10 ms to 164 s.
        let long = || Histogram::new(exponential_buckets(0.01, 4.0, 8));
        let group = Histogram::new(exponential_buckets(1.0, 2.0, 10));
        Times {
            stages: Family::new_with_constructor(short as fn() -> Histogram),
            sync: short(),
            group,
            seal: long(),
            merge: long(),
            #[cfg(feature = "sql")]
            query: long(),
        }
    }
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
    /// Requests that were refused before their bodies were read, and those that found no room.
    pub refused_requests: Family<Labelled, Counter>,
    /// Queries.
    #[cfg(feature = "sql")]
    pub queries: Family<SqlLabels, Counter>,
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
    /// Samples and histograms that came after a later one of their series.
    pub out_of_order: Counter,
    /// Files that were merged.
    pub merged_files: Counter,
    /// Files that were deleted because they were too old.
    pub expired_files: Counter,
    /// Merges that failed.
    pub merge_failures: Counter,
    /// Times.
    pub times: Times,
    /// Lines of the log about refusals.
    pub throttle: Throttle,
    /// Gauges, which are set when they are asked for.
    pub gauges: Gauges,
}

/// Values that rise and fall.
#[derive(Default)]
pub struct Gauges {
    /// Rows in memory.
    pub head_rows: Gauge,
    /// Bytes of the rows in memory.
    pub head_bytes: Gauge,
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
    /// Connections.
    pub connections: Gauge,
    /// Series that the workers know, and the bytes for them.
    pub series: Gauge,
    /// The bytes for recognising series.
    pub series_bytes: Gauge,
    /// Files, by kind.
    pub files: Family<Labelled, Gauge>,
    /// The bytes of files, by kind.
    pub file_bytes: Family<Labelled, Gauge>,
    /// Files of the list that are missing or damaged.
    pub damaged_files: Gauge,
    /// Files of the list that were not read since the start.
    pub unchecked_files: Gauge,
    /// The time that reading the log back took.
    pub replay_seconds: Gauge<f64, AtomicU64>,
    /// Tenants.
    pub tenants: Gauge,
}

impl Metrics {
    /// Registers everything under its name.
    pub fn register(&self, registry: &mut Registry) {
        let r = registry.sub_registry_with_prefix("hotpb_rw");
        r.register("requests", "Requests, by protocol and status", self.requests.clone());
        r.register("request_bytes", "Bytes of bodies as they came", self.bytes.clone());
        r.register("written_rows", "Rows in the log, by kind", self.rows.clone());
        r.register(
            "refused_series",
            "Series, exemplars and data points that were refused, by reason",
            self.bad.clone(),
        );
        r.register(
            "refused_requests",
            "Requests that were refused as a whole, by reason",
            self.refused_requests.clone(),
        );
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
        r.register(
            "out_of_order",
            "Samples and histograms that came after a later one of their series. They are kept. They are counted when rows are \
             written to files, and compared with those that are written at the same time",
            self.out_of_order.clone(),
        );
        r.register("merged_files", "Files that were merged into others", self.merged_files.clone());
        r.register("expired_files", "Files that were deleted because they were too old", self.expired_files.clone());
        r.register("merge_failures", "Times that merging or deleting files failed", self.merge_failures.clone());
        let t = &self.times;
        r.register("request_duration_seconds", "Time of the stages of requests, in seconds", t.stages.clone());
        r.register("log_sync_seconds", "Time of a sync of the log, in seconds", t.sync.clone());
        r.register("log_group_records", "Records that one sync made durable", t.group.clone());
        r.register("seal_seconds", "Time to write the rows in memory to files, in seconds", t.seal.clone());
        r.register("merge_seconds", "Time to merge files, in seconds", t.merge.clone());
        #[cfg(feature = "sql")]
        {
            r.register("sql_queries", "Queries, by status", self.queries.clone());
            r.register("sql_seconds", "Time of queries, in seconds", t.query.clone());
        }
        let g = &self.gauges;
        r.register(
            "series",
            "Series that the workers know: for each tenant, of the worker with most",
            g.series.clone(),
        );
        r.register("series_bytes", "Bytes for recognising series", g.series_bytes.clone());
        r.register("files", "Files in the list, by kind", g.files.clone());
        r.register("file_bytes", "Bytes of the files in the list, by kind", g.file_bytes.clone());
        r.register("damaged_files", "Files in the list that are missing or damaged", g.damaged_files.clone());
        r.register(
            "unchecked_files",
            "Files in the list whose checksums were not compared since the start",
            g.unchecked_files.clone(),
        );
        r.register("replay_seconds", "Time to read the log back at the start, in seconds", g.replay_seconds.clone());
        r.register("head_rows", "Rows in memory", g.head_rows.clone());
        r.register(
            "head_bytes",
            "About how many bytes the rows in memory take, by their number and kind, without labels",
            g.head_bytes.clone(),
        );
        r.register("log_queue_bytes", "Bytes that wait for the log", g.log_queue.clone());
        r.register("log_groups", "Writes to the log", g.log_groups.clone());
        r.register("log_bytes", "Bytes written to the log", g.log_bytes.clone());
        r.register("log_next_sequence", "The sequence of the next record", g.log_next.clone());
        r.register("log_synced_sequence", "All records below this are on the disk", g.log_synced.clone());
        r.register("log_sync_microseconds", "Time in syncs of the log", g.log_sync_micros.clone());
        r.register("tenants", "Tenants whose rows the store has", g.tenants.clone());
        r.register("connections", "Connections that are open", g.connections.clone());
        r.register("in_flight_bytes", "Bytes of requests that are being handled", g.in_flight.clone());
    }

    /// Counts the series that a request lost.
    pub fn refused(&self, report: &Report) {
        for (reason, count) in report.problems.counts() {
            self.bad.get_or_create(&Labelled { kind: reason.text() }).inc_by(count);
        }
    }

    /// Counts data points of OTLP that were refused before they became series.
    pub fn refused_points(&self, kind: &'static str, points: u64) {
        self.bad.get_or_create(&Labelled { kind }).inc_by(points);
        if let Some(unsaid) = self.throttle.turn(kind) {
            tracing::warn!(reason = kind, points, unsaid, "data points refused");
        }
    }

    /// Counts samples that were left out as duplicates.
    pub fn duplicate(&self, kind: &'static str, count: u64) {
        if count > 0 {
            self.duplicates.get_or_create(&Labelled { kind }).inc_by(count);
        }
    }

    /// Counts a request that was refused as a whole, and says so in the log.
    pub fn refused_request(&self, kind: &'static str, why: &str) {
        self.refused_requests.get_or_create(&Labelled { kind }).inc();
        if let Some(unsaid) = self.throttle.turn(kind) {
            tracing::warn!(reason = kind, why, unsaid, "request refused");
        }
    }

    /// Counts the time of a stage of a request since `began`.
    pub fn stage(&self, kind: &'static str, began: Instant) {
        self.times.stages.get_or_create(&Labelled { kind }).observe(began.elapsed().as_secs_f64());
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
