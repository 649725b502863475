//! Prometheus' functions for SQL.
//!
//! `rate(time, value, begin, end[, start])` and its like are aggregates over the samples of one series: a query groups by
//! the series' labels. `histogram_quantile(q, le, value)` is an aggregate over the buckets of one histogram, and
//! `native_histogram_quantile(q, histogram)` takes the column `__histogram__`.

use super::promql::{Native, OverTime, Point, bucket_quantile, is_stale};
use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Float64Builder, Int64Array, StructArray};
use arrow::datatypes::{
    DataType, Field, FieldRef, Float64Type, Int32Type, Int64Type, TimeUnit, TimestampMillisecondType,
};
use datafusion::common::utils::SingleRowListArrayBuilder;
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility,
};
use datafusion::prelude::SessionContext;
use std::sync::Arc;

/// Adds the functions to a session.
pub fn register(context: &SessionContext) {
    for function in OverTime::ALL {
        context.register_udaf(AggregateUDF::from(Rate::new(function)));
    }
    context.register_udaf(AggregateUDF::from(Quantile::default()));
    context.register_udf(ScalarUDF::from(NativeQuantile::default()));
}

/// The type of times.
pub fn time_type() -> DataType {
    DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()))
}

fn list_field(name: &str, kind: DataType) -> FieldRef {
    Arc::new(Field::new_list(name, Field::new_list_field(kind, true), true))
}

fn list_of(array: impl Array + 'static) -> ScalarValue {
    SingleRowListArrayBuilder::new(Arc::new(array)).build_list_scalar()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Rate {
    function: OverTime,
    signature: Signature,
}

impl Rate {
    fn new(function: OverTime) -> Rate {
        Rate { function, signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for Rate {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        if !(4..=5).contains(&given.len()) {
            let name = self.name();
            return plan_err!(
                "{name} takes the time, the value, and the begin and the end of the window; the start may follow"
            );
        }
        let value = |at| if at == 1 { DataType::Float64 } else { time_type() };
        Ok((0..given.len()).map(value).collect())
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Window { function: self.function, bounds: None, points: Vec::new() }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let name = args.name;
        Ok(vec![
            list_field(&format!("{name}[times]"), DataType::Int64),
            list_field(&format!("{name}[values]"), DataType::Float64),
            list_field(&format!("{name}[starts]"), DataType::Int64),
            Arc::new(Field::new(format!("{name}[begin]"), DataType::Int64, true)),
            Arc::new(Field::new(format!("{name}[end]"), DataType::Int64, true)),
        ])
    }
}

/// The samples of a group.
#[derive(Debug)]
struct Window {
    function: OverTime,
    bounds: Option<(i64, i64)>,
    points: Vec<Point>,
}

impl Window {
    fn set_bounds(&mut self, begin: i64, end: i64) -> Result<()> {
        let name = self.function.name();
        match self.bounds {
            Some(bounds) if bounds == (begin, end) => Ok(()),
            Some(_) => exec_err!("{name}: the samples of a group have different windows; group by the window, too"),
            None if begin >= end => exec_err!("{name}: the window ends before it begins"),
            None => {
                self.bounds = Some((begin, end));
                Ok(())
            }
        }
    }
}

impl Accumulator for Window {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let time = |at: usize| values[at].as_primitive::<TimestampMillisecondType>();
        let (times, begins, ends) = (time(0), time(2), time(3));
        let numbers = values[1].as_primitive::<Float64Type>();
        let starts = (values.len() > 4).then(|| time(4));
        for row in 0..times.len() {
            if begins.is_null(row) || ends.is_null(row) {
                return exec_err!("{}: a bound of the window is null", self.function.name());
            }
            let (begin, end) = (begins.value(row), ends.value(row));
            self.set_bounds(begin, end)?;
            if times.is_null(row) || numbers.is_null(row) || is_stale(numbers.value(row)) {
                continue;
            }
            let time = times.value(row);
            if begin < time && time <= end {
                let start = starts.filter(|starts| starts.is_valid(row)).map_or(0, |starts| starts.value(row));
                self.points.push(Point { time, value: numbers.value(row), start });
            }
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.points.sort_by_key(|point| point.time);
        if let Some(pair) = self.points.windows(2).find(|pair| pair[0].time == pair[1].time) {
            let (name, time) = (self.function.name(), pair[0].time);
            return exec_err!(
                "{name}: a group has two samples at one time ({time} ms); group by all labels of a series"
            );
        }
        let result = self.bounds.and_then(|(begin, end)| self.function.compute(&self.points, begin, end));
        Ok(ScalarValue::Float64(result))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.points.capacity() * size_of::<Point>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![
            list_of(self.points.iter().map(|point| Some(point.time)).collect::<Int64Array>()),
            list_of(self.points.iter().map(|point| Some(point.value)).collect::<Float64Array>()),
            list_of(self.points.iter().map(|point| Some(point.start)).collect::<Int64Array>()),
            ScalarValue::Int64(self.bounds.map(|bounds| bounds.0)),
            ScalarValue::Int64(self.bounds.map(|bounds| bounds.1)),
        ])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [times, values, starts] = [0, 1, 2].map(|at| states[at].as_list::<i32>());
        let [begins, ends] = [3, 4].map(|at| states[at].as_primitive::<Int64Type>());
        for row in (0..times.len()).filter(|&row| begins.is_valid(row)) {
            self.set_bounds(begins.value(row), ends.value(row))?;
            let (times, values, starts) = (times.value(row), values.value(row), starts.value(row));
            let (times, starts) = (times.as_primitive::<Int64Type>(), starts.as_primitive::<Int64Type>());
            let values = values.as_primitive::<Float64Type>();
            let points = times.values().iter().zip(values.values()).zip(starts.values());
            self.points.extend(points.map(|((&time, &value), &start)| Point { time, value, start }));
        }
        Ok(())
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Quantile(Signature);

impl Default for Quantile {
    fn default() -> Quantile {
        Quantile(Signature::user_defined(Volatility::Immutable))
    }
}

impl AggregateUDFImpl for Quantile {
    fn name(&self) -> &str {
        "histogram_quantile"
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        match given {
            [_, _, _] => Ok(vec![DataType::Float64, DataType::Utf8, DataType::Float64]),
            _ => plan_err!("histogram_quantile takes a quantile, the label le, and the value"),
        }
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(BucketsOfGroup { q: None, buckets: Vec::new() }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let name = args.name;
        Ok(vec![
            list_field(&format!("{name}[bounds]"), DataType::Float64),
            list_field(&format!("{name}[counts]"), DataType::Float64),
            Arc::new(Field::new(format!("{name}[q]"), DataType::Float64, true)),
        ])
    }
}

/// The buckets of a group.
#[derive(Debug)]
struct BucketsOfGroup {
    q: Option<f64>,
    /// Upper bounds, and the observations up to them.
    buckets: Vec<(f64, f64)>,
}

impl BucketsOfGroup {
    fn set_q(&mut self, q: f64) -> Result<()> {
        match self.q {
            Some(known) if known.to_bits() != q.to_bits() => {
                exec_err!("histogram_quantile: a group has several quantiles")
            }
            _ => {
                self.q = Some(q);
                Ok(())
            }
        }
    }
}

impl Accumulator for BucketsOfGroup {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let (quantiles, bounds) = (values[0].as_primitive::<Float64Type>(), values[1].as_string::<i32>());
        let counts = values[2].as_primitive::<Float64Type>();
        for row in 0..bounds.len() {
            if quantiles.is_null(row) {
                return exec_err!("histogram_quantile: the quantile is null");
            }
            self.set_q(quantiles.value(row))?;
            // A label that is no number is no bucket, as is a series that ended or has no label.
            if bounds.is_valid(row) && counts.is_valid(row) && !is_stale(counts.value(row)) {
                self.buckets.extend(bounds.value(row).parse().ok().map(|bound: f64| (bound, counts.value(row))));
            }
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let buckets = std::mem::take(&mut self.buckets);
        Ok(ScalarValue::Float64(self.q.and_then(|q| bucket_quantile(q, buckets))))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.buckets.capacity() * size_of::<(f64, f64)>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![
            list_of(self.buckets.iter().map(|bucket| Some(bucket.0)).collect::<Float64Array>()),
            list_of(self.buckets.iter().map(|bucket| Some(bucket.1)).collect::<Float64Array>()),
            ScalarValue::Float64(self.q),
        ])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [bounds, counts] = [0, 1].map(|at| states[at].as_list::<i32>());
        let quantiles = states[2].as_primitive::<Float64Type>();
        for row in (0..bounds.len()).filter(|&row| quantiles.is_valid(row)) {
            self.set_q(quantiles.value(row))?;
            let (bounds, counts) = (bounds.value(row), counts.value(row));
            let bounds = bounds.as_primitive::<Float64Type>().values().iter().copied();
            self.buckets.extend(bounds.zip(counts.as_primitive::<Float64Type>().values().iter().copied()));
        }
        Ok(())
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct NativeQuantile(Signature);

impl Default for NativeQuantile {
    fn default() -> NativeQuantile {
        NativeQuantile(Signature::user_defined(Volatility::Immutable))
    }
}

impl ScalarUDFImpl for NativeQuantile {
    fn name(&self) -> &str {
        "native_histogram_quantile"
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        match given {
            [_, histogram] if *histogram == histogram_type() => Ok(vec![DataType::Float64, histogram.clone()]),
            _ => plan_err!("native_histogram_quantile takes a quantile and a column __histogram__"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let (quantiles, histograms) = (arrays[0].as_primitive::<Float64Type>(), arrays[1].as_struct());
        let mut results = Float64Builder::with_capacity(histograms.len());
        for row in 0..histograms.len() {
            let known = quantiles.is_valid(row) && histograms.is_valid(row);
            let histogram = if known { native(histograms, row)? } else { None };
            results.append_option(histogram.map(|histogram| histogram.quantile(quantiles.value(row))));
        }
        Ok(ColumnarValue::Array(Arc::new(results.finish())))
    }
}

/// The columns of a file that make a native histogram, and the names in the struct `__histogram__`.
pub const HISTOGRAM: [(&str, &str); 15] = [
    ("__schema__", "schema"),
    ("__sum__", "sum"),
    ("__count__", "count"),
    ("__count_float__", "count_float"),
    ("__zero_threshold__", "zero_threshold"),
    ("__zero_count__", "zero_count"),
    ("__zero_count_float__", "zero_count_float"),
    ("__negative_offsets__", "negative_offsets"),
    ("__negative_lengths__", "negative_lengths"),
    ("__negative_counts__", "negative_counts"),
    ("__positive_offsets__", "positive_offsets"),
    ("__positive_lengths__", "positive_lengths"),
    ("__positive_counts__", "positive_counts"),
    ("__custom_values__", "custom_values"),
    ("__reset_hint__", "reset_hint"),
];

/// Returns the type of `__histogram__`.
pub fn histogram_type() -> DataType {
    let type_of = |name: &str| match name {
        "schema" | "reset_hint" => DataType::Int32,
        "count" | "zero_count" => DataType::UInt64,
        "negative_offsets" | "positive_offsets" => DataType::new_list(DataType::Int32, true),
        "negative_lengths" | "positive_lengths" => DataType::new_list(DataType::Int64, true),
        "negative_counts" | "positive_counts" | "custom_values" => DataType::new_list(DataType::Float64, true),
        _ => DataType::Float64,
    };
    DataType::Struct(HISTOGRAM.iter().map(|&(_, name)| Field::new(name, type_of(name), true)).collect())
}

/// Returns the histogram of a row; `None` if it says that the series ended.
fn native(rows: &StructArray, row: usize) -> Result<Option<Native>> {
    let column = |name: &str| -> &ArrayRef { rows.column_by_name(name).expect("the type was checked") };
    let float = |name: &str| column(name).as_primitive::<Float64Type>();
    let whole = |name: &str| column(name).as_primitive::<arrow::datatypes::UInt64Type>();
    let count = |name: &str, of_float: &str| match whole(name).is_valid(row) {
        true => whole(name).value(row) as f64,
        false if float(of_float).is_valid(row) => float(of_float).value(row),
        false => 0.0,
    };
    let sum = float("sum").value(row);
    if is_stale(sum) {
        return Ok(None);
    }
    let list = |name: &str| column(name).as_list::<i32>().value(row);
    let floats = |name: &str| list(name).as_primitive::<Float64Type>().values().to_vec();
    let side = |offsets: &str, lengths: &str, counts: &str| {
        let (offsets, lengths) = (list(offsets), list(lengths));
        let lengths = lengths.as_primitive::<Int64Type>().values().iter();
        let spans = offsets.as_primitive::<Int32Type>().values().iter().zip(lengths);
        let spans = spans.map(|(&offset, &length)| (offset, u32::try_from(length).unwrap_or(u32::MAX)));
        Native::side(spans, &floats(counts))
    };
    let negative = side("negative_offsets", "negative_lengths", "negative_counts");
    let positive = side("positive_offsets", "positive_lengths", "positive_counts");
    let (Some(negative), Some(positive)) = (negative, positive) else {
        return exec_err!("native_histogram_quantile: the spans and the counts of a histogram do not fit");
    };
    Ok(Some(Native {
        schema: column("schema").as_primitive::<Int32Type>().value(row),
        count: count("count", "count_float"),
        sum,
        zero_threshold: float("zero_threshold").value(row),
        zero_count: count("zero_count", "zero_count_float"),
        negative,
        positive,
        custom: floats("custom_values"),
    }))
}
