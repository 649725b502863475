//! Resources, scopes and metrics: names, types, and which points are refused.

use super::labels::{self, Label};
use super::names::{self, Suffix};
use super::points::Family;
use super::{Delta, Format, Histograms, Names, Options, Refusals, value};
use crate::generated::opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceRequest;
use crate::generated::opentelemetry::proto::common::v1::{InstrumentationScope, KeyValue};
use crate::generated::opentelemetry::proto::metrics::v1::{AggregationTemporality, Metric, metric::Data};
use crate::generated::opentelemetry::proto::resource::v1::Resource;
use hotpb::pool::Rows;
use rows::{Dictionary, Direct, Ended, MetadataRow};
use std::fmt;

/// A metric or a data point of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    resource: u32,
    scope: u32,
    metric: u32,
    /// The member of the metric that has the points.
    kind: &'static str,
    /// The point; none for all points of the metric.
    point: Option<u32>,
}

impl Place {
    /// Returns the place of one of the metric's points.
    pub fn point(self, point: usize) -> Place {
        Place { point: Some(point as u32), ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { resource, scope, metric, kind, point } = self;
        write!(f, "resource_metrics[{resource}].scope_metrics[{scope}].metrics[{metric}].{kind}")?;
        point.map_or(Ok(()), |point| write!(f, ".data_points[{point}]"))
    }
}

/// The numbers of types in Prometheus' metadata.
mod types {
    pub const UNKNOWN: i32 = 0;
    pub const COUNTER: i32 = 1;
    pub const GAUGE: i32 = 2;
    pub const HISTOGRAM: i32 = 3;
    pub const SUMMARY: i32 = 5;
}

/// The attributes that become the labels `job` and `instance`.
const NAME: &str = "service.name";
const NAMESPACE: &str = "service.namespace";
const INSTANCE: &str = "service.instance.id";

/// The time between two samples of `target_info`: half of the time for which Prometheus looks back for a sample.
const TARGET_INFO_STEP_MS: i64 = 150_000;
/// The most samples of it for one resource: half a day.
const TARGET_INFO_MOST: i64 = 300;

/// A request on its way to rows.
pub struct Map<'m, 'd, 'r> {
    /// Where series go.
    pub rows: &'m mut Direct<'d, 'r>,
    /// What is refused.
    pub refusals: &'m mut Refusals,
    /// The encoding of the request.
    pub format: Format,
    /// The form of names.
    pub names: Names,
    options: &'m Options,
    /// `job` and `instance`.
    target: Vec<Label>,
    /// The labels of the resource that its points have if they have no such attribute, sorted by the number of the name.
    promoted: Vec<(u32, u32)>,
    /// The labels that all points of the scope have, whatever their attributes are, sorted in the same way. One without a value
    /// is a label that they do not have.
    fixed: Vec<(u32, u32)>,
    /// The first and the last time of the resource's points.
    times: Option<(i64, i64)>,
    /// The labels of the point, without the metric's name.
    labels: Vec<(u32, u32)>,
    /// The labels of the series.
    pub all: Vec<(u32, u32)>,
}

/// Adds the rows of a request.
pub fn request(
    request: ExportMetricsServiceRequest<'_>,
    format: Format,
    options: &Options,
    rows: &mut Direct<'_, '_>,
    refusals: &mut Refusals,
) -> Result<(), Ended> {
    let (target, promoted, fixed, labels, all) = Default::default();
    let names = options.names;
    let mut map = Map { rows, refusals, format, names, options, target, promoted, fixed, times: None, labels, all };
    for (resource, metrics) in request.resource_metrics().iter().enumerate() {
        map.begin_resource(metrics.resource(), resource)?;
        for (scope, of_scope) in metrics.scope_metrics().iter().enumerate() {
            map.begin_scope(of_scope.scope(), of_scope.schema_url())?;
            for (metric, one) in of_scope.metrics().iter().enumerate() {
                let place = |kind| Place {
                    resource: resource as u32,
                    scope: scope as u32,
                    metric: metric as u32,
                    kind,
                    point: None,
                };
                map.metric(one, place)?;
            }
        }
        if let Some(found) = metrics.resource() {
            map.target_info(found, resource)?;
        }
    }
    Ok(())
}

/// Returns the labels that name the resource.
fn target_of(resource: Resource<'_>) -> Vec<Label> {
    let find = |wanted: &str| {
        let all = resource.attributes();
        all.iter().find(|attribute| attribute.key() == wanted).map(|attribute| value::text(&attribute).into_owned())
    };
    let mut target = Vec::new();
    if let Some(name) = find(NAME).filter(|name| !name.is_empty()) {
        let job = match find(NAMESPACE).filter(|space| !space.is_empty()) {
            Some(space) => format!("{space}/{name}"),
            None => name,
        };
        target.push(("job".to_owned(), job));
    }
    if let Some(instance) = find(INSTANCE).filter(|instance| !instance.is_empty()) {
        target.push(("instance".to_owned(), instance));
    }
    target
}

/// Keeps the last one of the labels with the same name, and sorts them by the number of the name.
fn keep_last(labels: &mut Vec<(u32, u32)>) {
    labels.reverse();
    labels.sort_by_key(|label| label.0);
    labels.dedup_by_key(|label| label.0);
}

fn has_value(label: &(u32, u32)) -> bool {
    label.1 != Dictionary::EMPTY
}

impl<'r> Map<'_, '_, 'r> {
    fn begin_resource(&mut self, resource: Option<Resource<'_>>, at: usize) -> Result<(), Ended> {
        self.times = None;
        self.target = resource.map_or_else(Vec::new, target_of);
        self.promoted.clear();
        let promotes = &self.options.promoted;
        let Some(resource) = resource.filter(|_| promotes.all || !promotes.names.is_empty()) else { return Ok(()) };
        let mut nameless = false;
        self.promoted = self.pairs_of(resource.attributes(), |key, names| {
            let promoted = key != "__name__" && promotes.takes(key);
            let name = promoted.then(|| names::label(key, names))?;
            nameless |= name.is_none();
            name
        })?;
        keep_last(&mut self.promoted);
        self.promoted.retain(has_value);
        if nameless {
            self.refusals.warn(|| {
                format!("no label: resource_metrics[{at}].resource has an attribute without letters and digits")
            });
        }
        Ok(())
    }

    fn begin_scope(&mut self, scope: Option<InstrumentationScope<'_>>, schema_url: &str) -> Result<(), Ended> {
        let mut fixed = Vec::new();
        if let Some(scope) = scope.filter(|scope| self.options.scope && !scope.name().is_empty()) {
            fixed =
                self.pairs_of(scope.attributes(), |key, names| names::label(&format!("otel_scope_{key}"), names))?;
            keep_last(&mut fixed);
            fixed.retain(has_value);
            let own = [("name", scope.name()), ("version", scope.version()), ("schema_url", schema_url)];
            for (name, value) in own {
                let pair = (self.rows.word(&format!("otel_scope_{name}"))?, self.rows.word(value)?);
                fixed.push(pair);
            }
        }
        for (name, value) in &self.target {
            let pair = (self.rows.word(name)?, self.rows.word(value)?);
            fixed.push(pair);
        }
        keep_last(&mut fixed);
        self.fixed = fixed;
        Ok(())
    }

    /// Returns attributes as the numbers of labels; those for which `name` returns none are left out.
    fn pairs_of<'a>(
        &mut self,
        attributes: Rows<'a, KeyValue<'a>>,
        mut name: impl FnMut(&str, Names) -> Option<String>,
    ) -> Result<Vec<(u32, u32)>, Ended> {
        let mut pairs = Vec::new();
        for attribute in attributes.iter() {
            if let Some(name) = name(attribute.key(), self.names) {
                pairs.push((self.rows.word(&name)?, self.rows.word(&value::text(&attribute))?));
            }
        }
        Ok(pairs)
    }

    fn metric(&mut self, metric: Metric<'_>, place: impl Fn(&'static str) -> Place) -> Result<(), Ended> {
        use AggregationTemporality as T;
        // Only gauges and summaries have no temporality.
        let (place, points, temporality, kind, suffix) = match metric.data() {
            None => return Ok(()),
            Some(Data::Gauge(of)) => (place("gauge"), of.data_points().len(), None, types::GAUGE, Suffix::Gauge),
            Some(Data::Sum(of)) => {
                let (kind, suffix) =
                    if of.is_monotonic() { (types::COUNTER, Suffix::Total) } else { (types::GAUGE, Suffix::None) };
                (place("sum"), of.data_points().len(), Some(of.aggregation_temporality()), kind, suffix)
            }
            Some(Data::Histogram(of)) => {
                let temporality = Some(of.aggregation_temporality());
                (place("histogram"), of.data_points().len(), temporality, types::HISTOGRAM, Suffix::None)
            }
            Some(Data::ExponentialHistogram(of)) => {
                let temporality = Some(of.aggregation_temporality());
                (place("exponential_histogram"), of.data_points().len(), temporality, types::HISTOGRAM, Suffix::None)
            }
            Some(Data::Summary(of)) => (place("summary"), of.data_points().len(), None, types::SUMMARY, Suffix::None),
        };
        let keeps = self.options.delta == Delta::Keep;
        let delta = match temporality {
            None | Some(T::Cumulative) => false,
            Some(T::Delta) if keeps => true,
            Some(T::Delta) => {
                self.refusals.refuse(points as u64, place, "the metric has delta temporality");
                return Ok(());
            }
            Some(_) => {
                self.refusals.refuse(points as u64, place, "the metric has no temporality");
                return Ok(());
            }
        };
        let Some(name) = names::metric(metric.name(), metric.unit(), suffix, self.names) else {
            self.refusals.refuse(points as u64, place, "the metric has no name that Prometheus could have");
            return Ok(());
        };
        if points == 0 {
            return Ok(());
        }
        let (help, unit) = (self.rows.word(metric.description())?, self.rows.word(&names::unit(metric.unit()))?);
        let row = MetadataRow { kind: if delta { types::UNKNOWN } else { kind }, help, unit };
        self.rows.metadata(&name, row)?;
        let family = Family::new(self, name, delta)?;
        match metric.data() {
            Some(Data::Gauge(of)) => self.numbers(&family, of.data_points(), place, false),
            Some(Data::Sum(of)) => self.numbers(&family, of.data_points(), place, true),
            Some(Data::Histogram(of)) => match self.options.histograms {
                Histograms::Classic => self.histograms(&family, of.data_points(), place),
                Histograms::Custom => self.custom_histograms(&family, of.data_points(), place),
            },
            Some(Data::ExponentialHistogram(of)) => self.exponential(&family, of.data_points(), place),
            Some(Data::Summary(of)) => self.summaries(&family, of.data_points(), place),
            None => Ok(()),
        }
    }

    /// Begins a point: reads its labels. Returns whether it can have series.
    pub fn begin<'a>(&mut self, attributes: Rows<'a, KeyValue<'a>>, place: Place, time: i64) -> Result<bool, Ended> {
        let labels = match labels::collect(attributes, self.names, |_| true) {
            Ok(labels) => labels,
            Err(_) => {
                self.refusals.refuse(1, place, "an attribute has a name without letters and digits");
                return Ok(false);
            }
        };
        self.set_labels(&labels)?;
        if !self.promoted.is_empty() {
            self.labels.sort_unstable();
            let own = self.labels.len();
            for &label in &self.promoted {
                if self.labels[..own].binary_search_by_key(&label.0, |own| own.0).is_err() {
                    self.labels.push(label);
                }
            }
        }
        let fixed = &self.fixed;
        self.labels.retain(|label| fixed.binary_search_by_key(&label.0, |fixed| fixed.0).is_err());
        self.labels.extend(fixed.iter().copied().filter(has_value));
        let (first, last) = self.times.unwrap_or((time, time));
        self.times = Some((first.min(time), last.max(time)));
        self.refusals.begin(self.rows.series_so_far(), Some(place));
        Ok(true)
    }

    fn set_labels(&mut self, labels: &[Label]) -> Result<(), Ended> {
        self.labels.clear();
        for (name, value) in labels.iter().filter(|(_, value)| !value.is_empty()) {
            let pair = (self.rows.word(name)?, self.rows.word(value)?);
            self.labels.push(pair);
        }
        Ok(())
    }

    /// Adds a series of the point.
    pub fn series(
        &mut self,
        metric: u32,
        more: Option<(u32, u32)>,
        rows: impl FnOnce(&mut rows::SeriesRows<'_, 'r>) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        self.all.clear();
        let differs = |label: &&(u32, u32)| more.is_none_or(|more| more.0 != label.0);
        self.all.extend(self.labels.iter().filter(differs));
        self.all.push((Dictionary::NAME, metric));
        self.all.extend(more);
        self.rows.series(&self.all, rows)
    }

    /// Adds the resource's other attributes, if there are some, as labels of `target_info`.
    fn target_info(&mut self, resource: Resource<'_>, at: usize) -> Result<(), Ended> {
        let Some((first, last)) = self.times.filter(|_| !self.target.is_empty()) else { return Ok(()) };
        let is_own = |key: &str| !matches!(key, NAME | NAMESPACE | INSTANCE | "__name__");
        if !resource.attributes().iter().any(|attribute| is_own(attribute.key())) {
            return Ok(());
        }
        let mut labels =
            match labels::collect(resource.attributes(), self.names, |key| self.options.identifying || is_own(key)) {
                Ok(labels) => labels,
                Err(_) => {
                    self.refusals.warn(|| {
                    format!(
                        "no target_info: resource_metrics[{at}].resource has an attribute without letters and digits"
                    )
                });
                    return Ok(());
                }
            };
        for (name, value) in &self.target {
            labels::set(&mut labels, name, value);
        }
        self.set_labels(&labels)?;
        let metric = self.rows.word("target_info")?;
        let row = MetadataRow { kind: types::GAUGE, help: self.rows.word("Target metadata")?, unit: Dictionary::EMPTY };
        self.rows.metadata("target_info", row)?;
        self.refusals.begin(self.rows.series_so_far(), None);
        // Each sample alone, so that one out of the accepted times costs no other.
        let mut time = first.max(last.saturating_sub(TARGET_INFO_MOST * TARGET_INFO_STEP_MS));
        while time < last {
            self.series(metric, None, |rows| rows.sample(time, 1.0, 0))?;
            time = time.saturating_add(TARGET_INFO_STEP_MS);
        }
        self.series(metric, None, |rows| rows.sample(last, 1.0, 0))
    }
}
