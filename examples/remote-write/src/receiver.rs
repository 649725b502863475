//! Requests in, rows out: what a server keeps per worker.

use crate::detect::{Proto, Version, detect};
use crate::error::RequestError;
use crate::ingest::{self, Halt, Ingest};
use crate::problem::Problems;
use crate::store::Store;
use crate::validate::{Names, Rules};
use crate::{v1, v2};
use hotpb::pool::VisitError;

/// How to receive.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is accepted.
    pub rules: Rules,
    /// Takes the good series of a request when others are bad, as the specifications allow, and counts the bad ones.
    /// Otherwise the first one refuses the request. Malformed bytes always do.
    pub skip_bad: bool,
    /// Rows that one request may make: samples, exemplars, metadata, histograms and the elements of their lists.
    /// Without this two bytes, an empty sample, could cost ten times their size, and so on a million times.
    pub max_rows: usize,
    /// Different label names that a metric may have: the label columns of its table.
    pub max_label_names: usize,
    /// Bytes to know the series again with, about. Above it all is forgotten, between two requests
    /// ([`Receiver::is_full`]); a request that would need twice as much is refused.
    pub max_series_bytes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rules: Rules::default(),
            skip_bad: false,
            max_rows: 4_000_000,
            max_label_names: 512,
            max_series_bytes: 256 << 20,
        }
    }
}

/// What a request held.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The version it was read as.
    pub version: Version,
    /// Series, the bad ones too.
    pub series: u64,
    /// Series whose label block the cache knew (1.0), or whose label set was known (2.0).
    pub known: u64,
    /// Series and metadata entries that were left out.
    pub bad: u64,
    /// Samples taken.
    pub samples: u64,
    /// Native histograms taken.
    pub histograms: u64,
    /// Exemplars taken.
    pub exemplars: u64,
    /// Metadata taken that says something else than before.
    pub metadata: u64,
    /// Why the bad ones are bad.
    pub problems: Problems,
}

impl Report {
    pub(crate) fn new(version: Version) -> Report {
        let problems = Problems::default();
        let (series, known, bad, samples, histograms, exemplars, metadata) = Default::default();
        Report { version, series, known, bad, samples, histograms, exemplars, metadata, problems }
    }
}

/// Takes requests into a [`Store`]. All memory is used again for the next request.
#[derive(Default)]
pub struct Receiver {
    options: Options,
    store: Store,
    scratch: ingest::Scratch,
    scratch_v2: v2::Scratch,
}

impl Receiver {
    /// A receiver without rows.
    pub fn new(options: Options) -> Receiver {
        Receiver { options, ..Receiver::default() }
    }

    /// Takes the rows of a request, which is uncompressed. An error leaves the tables as they were.
    pub fn request(&mut self, body: &[u8], proto: Proto) -> Result<Report, RequestError> {
        let version = match proto {
            Proto::Auto => detect(body),
            Proto::Is(version) => version,
        };
        let Receiver { options, store, scratch, scratch_v2 } = self;
        let rules = Rules {
            names: match (options.rules.names, version) {
                (Names::ByVersion, Version::V1) => Names::Legacy,
                (Names::ByVersion, Version::V2) => Names::Utf8,
                (names, _) => names,
            },
            ..options.rules
        };
        store.begin();
        let mut ingest = Ingest::new(body, store, scratch, options, rules, Report::new(version));
        ingest.only_this_version = proto == Proto::Auto;
        let visited = match version {
            Version::V1 => v1::visit(body, &mut ingest),
            Version::V2 => v2::visit(body, &mut ingest, scratch_v2),
        };
        let Ingest { report, store, .. } = ingest;
        match visited {
            Ok(()) => {
                store.commit();
                Ok(report)
            }
            Err(error) => {
                store.undo();
                Err(match error {
                    VisitError::Decode(error) | VisitError::Visitor(Halt::Malformed(error)) => {
                        RequestError::Malformed(error)
                    }
                    VisitError::Visitor(Halt::Invalid(problem)) => RequestError::Invalid(problem),
                    VisitError::Visitor(Halt::TooManyRows) => RequestError::TooManyRows { limit: options.max_rows },
                    VisitError::Visitor(Halt::TooManySeries) => {
                        RequestError::TooManySeries { limit: options.max_series_bytes.saturating_mul(2) }
                    }
                    VisitError::Visitor(Halt::BothVersions) => RequestError::BothVersions,
                })
            }
        }
    }

    /// Tables, dictionary, label sets.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Takes all rows away: they were written out. The series stay known.
    pub fn clear_rows(&mut self) {
        self.store.clear_rows();
        if self.is_full() {
            self.store.forget();
        }
    }

    /// Whether more is held to know series again than may be: write the rows out and clear them, which forgets it.
    pub fn is_full(&self) -> bool {
        self.store.series_bytes() > self.options.max_series_bytes
    }
}
