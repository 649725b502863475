//! Data points as series and rows.

use super::buckets::{self, Buckets};
use super::map::{Map, Place};
use super::{exemplars, value};
use crate::generated::opentelemetry::proto::metrics::v1::{
    Exemplar, ExponentialHistogramDataPoint, HistogramDataPoint, NumberDataPoint, SummaryDataPoint,
    number_data_point::Value,
};
use crate::store::gather::STALE;
use hotpb::pool::Rows;
use rows::{Ended, HistogramRow, Side};

/// The flag of a point that says that its series ended.
const NO_RECORDED_VALUE: u32 = 1;
/// The hint of a histogram that is not cumulative.
const GAUGE_HINT: i32 = 3;
/// The width of the zero bucket of a histogram that names none.
const ZERO_THRESHOLD: f64 = 1e-128;

/// A metric, and the numbers of its names.
pub struct Family {
    name: String,
    plain: u32,
    /// Whether its points are changes.
    delta: bool,
}

impl Family {
    /// Creates a metric with this name.
    pub fn new(map: &mut Map<'_, '_, '_>, name: String, delta: bool) -> Result<Family, Ended> {
        Ok(Family { plain: map.rows.word(&name)?, name, delta })
    }

    fn suffixed(&self, map: &mut Map<'_, '_, '_>, suffix: &str) -> Result<u32, Ended> {
        map.rows.word(&format!("{}_{suffix}", self.name))
    }
}

/// Returns milliseconds of nanoseconds.
pub fn milliseconds(nanoseconds: u64) -> i64 {
    (nanoseconds / 1_000_000) as i64
}

fn stale() -> f64 {
    f64::from_bits(STALE)
}

impl Map<'_, '_, '_> {
    /// Adds the points of a gauge or a sum. Only sums have a start.
    pub fn numbers<'a>(
        &mut self,
        family: &Family,
        points: Rows<'a, NumberDataPoint<'a>>,
        place: Place,
        starts: bool,
    ) -> Result<(), Ended> {
        for (at, point) in points.iter().enumerate() {
            let place = place.point(at);
            let number = match point.value() {
                _ if point.flags() & NO_RECORDED_VALUE != 0 => stale(),
                Some(Value::AsDouble(number)) => number,
                Some(Value::AsInt(number)) => number as f64,
                None => {
                    self.refusals.refuse(1, place, "the point has no value");
                    continue;
                }
            };
            let time = milliseconds(point.time_unix_nano());
            let start = if starts { milliseconds(point.start_time_unix_nano()) } else { 0 };
            if !self.begin(point.attributes(), place, time)? {
                continue;
            }
            let exemplars = exemplars::collect(point.exemplars(), self.format, self.names);
            self.series(family.plain, None, |rows| {
                rows.sample(time, number, start)?;
                exemplars.iter().try_for_each(|exemplar| exemplar.add(rows))
            })?;
        }
        Ok(())
    }

    /// Adds the points of a histogram with explicit bounds: a series for each bucket, cumulative, and two others.
    pub fn histograms<'a>(
        &mut self,
        family: &Family,
        points: Rows<'a, HistogramDataPoint<'a>>,
        place: Place,
    ) -> Result<(), Ended> {
        let (sum, count) = (family.suffixed(self, "sum")?, family.suffixed(self, "count")?);
        let (bucket, le) = (family.suffixed(self, "bucket")?, self.rows.word("le")?);
        // Most points have the bounds of the one before them.
        let (mut known, mut words): (&[f64], Vec<u32>) = (&[], vec![self.rows.word("+Inf")?]);
        for (at, point) in points.iter().enumerate() {
            let place = place.point(at);
            let counts = point.bucket_counts();
            let bounds = match buckets::finite(point.explicit_bounds(), counts) {
                Ok(bounds) => bounds,
                Err(reason) => {
                    self.refusals.refuse(1, place, reason);
                    continue;
                }
            };
            let (time, start) = (milliseconds(point.time_unix_nano()), milliseconds(point.start_time_unix_nano()));
            if !self.begin(point.attributes(), place, time)? {
                continue;
            }
            if bounds != known {
                known = bounds;
                words.clear();
                for &bound in bounds {
                    words.push(self.rows.word(&value::bound(bound))?);
                }
                words.push(self.rows.word("+Inf")?);
            }
            let ended = point.flags() & NO_RECORDED_VALUE != 0;
            let or_stale = |number: f64| if ended { stale() } else { number };
            if point.has_sum() {
                self.series(sum, None, |rows| rows.sample(time, or_stale(point.sum()), start))?;
            }
            self.series(count, None, |rows| rows.sample(time, or_stale(point.count() as f64), start))?;
            // Each exemplar belongs to the first bucket whose bound it does not exceed; one that is no number, to the last.
            let of_bucket = |exemplar: &exemplars::Ready| match exemplar.value.is_nan() {
                true => bounds.len(),
                false => bounds.partition_point(|&bound| bound < exemplar.value),
            };
            let mut exemplars = exemplars::collect(point.exemplars(), self.format, self.names);
            exemplars.sort_by_key(of_bucket);
            let (mut rest, mut cumulative) = (&exemplars[..], 0u64);
            for (at, &word) in words.iter().enumerate() {
                cumulative = cumulative.saturating_add(counts.get(at).copied().unwrap_or(0));
                let number = if at == bounds.len() { point.count() } else { cumulative };
                let own;
                (own, rest) = rest.split_at(rest.partition_point(|exemplar| of_bucket(exemplar) <= at));
                self.series(bucket, Some((le, word)), |rows| {
                    rows.sample(time, or_stale(number as f64), start)?;
                    own.iter().try_for_each(|exemplar| exemplar.add(rows))
                })?;
            }
        }
        Ok(())
    }

    /// Adds the points of a histogram with explicit bounds: native histograms with custom buckets.
    pub fn custom_histograms<'a>(
        &mut self,
        family: &Family,
        points: Rows<'a, HistogramDataPoint<'a>>,
        place: Place,
    ) -> Result<(), Ended> {
        for (at, point) in points.iter().enumerate() {
            let place = place.point(at);
            let made = buckets::finite(point.explicit_bounds(), point.bucket_counts()).and_then(|bounds| {
                let buckets = buckets::custom(bounds, point.bucket_counts(), point.count());
                Ok((bounds, buckets.ok_or(buckets::TOO_LARGE)?))
            });
            let (bounds, buckets) = match made {
                Ok(made) => made,
                Err(reason) => {
                    self.refusals.refuse(1, place, reason);
                    continue;
                }
            };
            let time = milliseconds(point.time_unix_nano());
            if !self.begin(point.attributes(), place, time)? {
                continue;
            }
            let ended = point.flags() & NO_RECORDED_VALUE != 0;
            let buckets = if ended { Buckets::default() } else { buckets };
            let row = HistogramRow {
                time,
                start: milliseconds(point.start_time_unix_nano()),
                count: if ended { 0 } else { point.count() },
                sum: if ended { stale() } else { point.sum() },
                schema: buckets::CUSTOM,
                reset_hint: if family.delta { GAUGE_HINT } else { 0 },
                positive: Side { spans: &buckets.spans, deltas: &buckets.deltas },
                custom_values: bounds,
                ..HistogramRow::default()
            };
            self.native(family, &row, point.exemplars())?;
        }
        Ok(())
    }

    /// Adds a native histogram and its exemplars.
    fn native<'a>(
        &mut self,
        family: &Family,
        row: &HistogramRow<'_>,
        exemplars: Rows<'a, Exemplar<'a>>,
    ) -> Result<(), Ended> {
        let exemplars = exemplars::collect(exemplars, self.format, self.names);
        self.series(family.plain, None, |rows| {
            rows.histogram(row)?;
            exemplars.iter().try_for_each(|exemplar| exemplar.add(rows))
        })
    }

    /// Adds the points of an exponential histogram: native histograms.
    pub fn exponential<'a>(
        &mut self,
        family: &Family,
        points: Rows<'a, ExponentialHistogramDataPoint<'a>>,
        place: Place,
    ) -> Result<(), Ended> {
        for (at, point) in points.iter().enumerate() {
            let place = place.point(at);
            if point.scale() < buckets::COARSEST {
                self.refusals.refuse(1, place, "the scale is below -4");
                continue;
            }
            let by = u32::try_from(point.scale() - buckets::FINEST).unwrap_or(0);
            let ended = point.flags() & NO_RECORDED_VALUE != 0;
            let side = |side: Option<_>| match side {
                Some(_) if ended => Some(Buckets::default()),
                None => Some(Buckets::default()),
                Some(side) => side_of(side, by),
            };
            let (Some(positive), Some(negative)) = (side(point.positive()), side(point.negative())) else {
                self.refusals.refuse(1, place, buckets::TOO_LARGE);
                continue;
            };
            let time = milliseconds(point.time_unix_nano());
            if !self.begin(point.attributes(), place, time)? {
                continue;
            }
            let row = HistogramRow {
                time,
                start: milliseconds(point.start_time_unix_nano()),
                count: if ended { 0 } else { point.count() },
                sum: if ended { stale() } else { point.sum() },
                schema: point.scale().min(buckets::FINEST),
                zero_threshold: Some(point.zero_threshold()).filter(|&width| width > 0.0).unwrap_or(ZERO_THRESHOLD),
                zero_count: if ended { 0 } else { point.zero_count() },
                reset_hint: if family.delta { GAUGE_HINT } else { 0 },
                negative: Side { spans: &negative.spans, deltas: &negative.deltas },
                positive: Side { spans: &positive.spans, deltas: &positive.deltas },
                custom_values: &[],
            };
            self.native(family, &row, point.exemplars())?;
        }
        Ok(())
    }

    /// Adds the points of a summary: a series for each quantile, and two others.
    pub fn summaries<'a>(
        &mut self,
        family: &Family,
        points: Rows<'a, SummaryDataPoint<'a>>,
        place: Place,
    ) -> Result<(), Ended> {
        let (sum, count) = (family.suffixed(self, "sum")?, family.suffixed(self, "count")?);
        let quantile = self.rows.word("quantile")?;
        for (at, point) in points.iter().enumerate() {
            let (time, start) = (milliseconds(point.time_unix_nano()), milliseconds(point.start_time_unix_nano()));
            if !self.begin(point.attributes(), place.point(at), time)? {
                continue;
            }
            let or_stale = |number: f64| if point.flags() & NO_RECORDED_VALUE != 0 { stale() } else { number };
            self.series(sum, None, |rows| rows.sample(time, or_stale(point.sum()), start))?;
            self.series(count, None, |rows| rows.sample(time, or_stale(point.count() as f64), start))?;
            for value_at in point.quantile_values().iter() {
                let label = (quantile, self.rows.word(&value::bound(value_at.quantile()))?);
                self.series(family.plain, Some(label), |rows| rows.sample(time, or_stale(value_at.value()), start))?;
            }
        }
        Ok(())
    }
}

fn side_of(
    side: crate::generated::opentelemetry::proto::metrics::v1::exponential_histogram_data_point::Buckets<'_>,
    by: u32,
) -> Option<Buckets> {
    buckets::convert(side.offset(), side.bucket_counts(), by)
}
