//! Requests in, rows out: the object that a server keeps per worker.

use crate::copy::copy_before;
use crate::detect::{Proto, Version, detect, is_of_other};
use crate::direct::{Direct, Ended};
use crate::error::RequestError;
use crate::ingest::{self, Halt, Ingest};
use crate::problem::Problems;
use crate::store::Store;
use crate::validate::{Names, Rules};
use crate::{v1, v2};
use hotpb::pool::VisitError;
use std::ops::RangeInclusive;

/// The options of a receiver.
#[derive(Clone, Debug)]
pub struct Options {
    /// The rules for valid label sets.
    pub rules: Rules,
    /// Whether to accept the good series of a request when others are bad, as the specifications allow, and to count
    /// the bad ones. Otherwise the first bad series rejects the request. Malformed bytes always do.
    pub skip_bad: bool,
    /// The number of rows that one request may add: samples, exemplars, metadata, histograms and the elements of their
    /// lists. A series without rows counts as one. Without this limit two bytes, an empty sample, could cost ten times their size, and so on a million
    /// times.
    pub max_rows: usize,
    /// The number of labels that a series may have beside `__name__`.
    pub max_label_names: usize,
    /// The number of series that the receiver may know at a time. A new series beyond it is bad; when the rows are
    /// cleared, a receiver that refused one forgets all series.
    pub max_series: usize,
    /// The approximate number of bytes for recognising series again. Above it everything is forgotten between two
    /// requests ([`Receiver::is_full`]); a request that would need twice as much is rejected.
    pub max_series_bytes: usize,
    /// The first and the last timestamp that rows may have, in milliseconds since the epoch. A series with a row outside
    /// is bad.
    pub times: RangeInclusive<i64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rules: Rules::default(),
            skip_bad: false,
            max_rows: 4_000_000,
            max_label_names: 512,
            max_series: usize::MAX,
            max_series_bytes: 256 << 20,
            times: i64::MIN..=i64::MAX,
        }
    }
}

/// The content of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The version that it was read as.
    pub version: Version,
    /// The number of series, including the bad ones.
    pub series: u64,
    /// The number of series whose label block the cache had (1.0), or whose label set was known (2.0).
    pub known: u64,
    /// The number of series and metadata entries that were left out.
    pub bad: u64,
    /// The number of exemplars of other series that were left out.
    pub bad_exemplars: u64,
    /// The number of samples accepted.
    pub samples: u64,
    /// The number of native histograms accepted.
    pub histograms: u64,
    /// The number of exemplars accepted.
    pub exemplars: u64,
    /// The number of metadata entries accepted that differ from earlier ones.
    pub metadata: u64,
    /// Why the bad series are bad.
    pub problems: Problems,
    /// The indices of the bad series, in ascending order ([`Receiver::replay`]).
    pub refused: Vec<u32>,
}

impl Report {
    pub(crate) fn new(version: Version) -> Report {
        let problems = Problems::default();
        let (series, known, bad, bad_exemplars, samples, histograms, exemplars, metadata) = Default::default();
        Report {
            version,
            series,
            known,
            bad,
            bad_exemplars,
            samples,
            histograms,
            exemplars,
            metadata,
            problems,
            refused: Vec::new(),
        }
    }
}

/// Reads requests into a [`Store`]. It uses all memory again for the next request.
#[derive(Default)]
pub struct Receiver {
    options: Options,
    store: Store,
    scratch: ingest::Scratch,
    scratch_v2: v2::Scratch,
}

impl Receiver {
    /// Creates a receiver without rows.
    pub fn new(options: Options) -> Receiver {
        Receiver { options, ..Receiver::default() }
    }

    /// Adds the rows of an uncompressed request. After an error the tables are unchanged.
    pub fn request(&mut self, body: &[u8], proto: Proto) -> Result<Report, RequestError> {
        let version = match proto {
            Proto::Auto => detect(body),
            Proto::Is(version) => version,
        };
        self.read(body, version, proto == Proto::Auto, None)
    }

    /// Adds the rows of a request that was accepted before, by this receiver or another one, whose report said which
    /// series it refused. They are refused again, and no limit applies to the others, so that the rows are the same
    /// whatever was received in between.
    pub fn replay(&mut self, body: &[u8], version: Version, refused: &[u32]) -> Result<Report, RequestError> {
        self.without_limits(|receiver| receiver.read(body, version, false, Some(refused)))
    }

    /// Adds rows of another protocol: `add` decodes it, and adds its series. After an error the tables are unchanged.
    /// `refused` is for a request that was accepted before ([`Receiver::replay`]): `add` must add the same series.
    pub fn direct(
        &mut self,
        refused: Option<&[u32]>,
        add: impl FnOnce(&mut Direct<'_, '_>) -> Result<(), Ended>,
    ) -> Result<Report, RequestError> {
        match refused {
            None => self.add(None, add),
            Some(_) => self.without_limits(|receiver| receiver.add(refused, add)),
        }
    }

    fn add<'r>(
        &'r mut self,
        refused: Option<&'r [u32]>,
        add: impl FnOnce(&mut Direct<'_, 'r>) -> Result<(), Ended>,
    ) -> Result<Report, RequestError> {
        self.run(&[], Version::V2, |ingest: &mut Ingest<'static, 'r>, _| {
            ingest.replay = refused;
            add(&mut Direct::new(ingest)).map_err(|Ended(halt)| VisitError::Visitor(halt))
        })
    }

    fn without_limits<T>(&mut self, read: impl FnOnce(&mut Receiver) -> T) -> T {
        let unlimited = Options {
            skip_bad: true,
            max_rows: usize::MAX,
            max_label_names: usize::MAX,
            max_series: usize::MAX,
            max_series_bytes: usize::MAX,
            times: i64::MIN..=i64::MAX,
            ..self.options
        };
        let options = std::mem::replace(&mut self.options, unlimited);
        let result = read(self);
        self.options = options;
        result
    }

    fn read<'a, 'r>(
        &'r mut self,
        body: &'a [u8],
        version: Version,
        only_this_version: bool,
        replay: Option<&'r [u32]>,
    ) -> Result<Report, RequestError> {
        self.run(body, version, |ingest: &mut Ingest<'a, 'r>, scratch| {
            ingest.only_this_version = only_this_version;
            ingest.replay = replay;
            match version {
                Version::V1 => v1::visit(body, ingest)?,
                Version::V2 => v2::visit(body, ingest, scratch)?,
            }
            if ingest.report.series == 0 && replay.is_none() && is_of_other(body, version) {
                return Err(VisitError::Visitor(Halt::OtherVersion));
            }
            Ok(())
        })
    }

    /// Adds the rows of one request, or none of them.
    fn run<'a, 'r>(
        &'r mut self,
        body: &'a [u8],
        version: Version,
        visit: impl FnOnce(&mut Ingest<'a, 'r>, &mut v2::Scratch) -> Result<(), VisitError<Halt>>,
    ) -> Result<Report, RequestError> {
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
        let visited = visit(&mut ingest, scratch_v2);
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
                    VisitError::Visitor(Halt::OtherVersion) => RequestError::OtherVersion { version },
                })
            }
        }
    }

    /// Sets the times that rows may have ([`Options::times`]).
    pub fn accept_times(&mut self, times: RangeInclusive<i64>) {
        self.options.times = times;
    }

    /// Sets the number of series that may be known ([`Options::max_series`]), and the bytes for them
    /// ([`Options::max_series_bytes`]).
    pub fn limit_series(&mut self, series: usize, bytes: usize) {
        (self.options.max_series, self.options.max_series_bytes) = (series, bytes);
    }

    /// Returns the tables, the dictionary and the label sets.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Copies the rows of some metrics that requests below a number wrote ([`Receiver::request_number`]), and what is needed
    /// to read them.
    pub fn copy_before(&self, request: u64, wanted: &dyn Fn(&str) -> bool) -> Receiver {
        let store = copy_before(&self.store, request, wanted);
        Receiver { options: self.options.clone(), store, ..Receiver::default() }
    }

    /// Returns the number of the last request, counted from the first one of this receiver ([`Table::requests`]).
    ///
    /// [`Table::requests`]: crate::Table::requests
    pub fn request_number(&self) -> u64 {
        self.store.request()
    }

    /// Removes all rows, after you have written them out. The series stay known.
    pub fn clear_rows(&mut self) {
        self.store.clear_rows();
        if self.is_full() {
            self.store.forget();
        }
    }

    /// Reports whether the receiver holds more than it may for recognising series again. Then write the rows out and
    /// clear them; clearing also forgets the series.
    pub fn is_full(&self) -> bool {
        self.store.series_bytes() > self.options.max_series_bytes
    }
}
