//! The tables hold exactly the rows that prost finds in the same bytes: every sample, histogram, exemplar and metadata
//! entry.

use crate::common::mutate::Rng;
use crate::common::random::Making;
use crate::common::{Buckets, Histogram, MetricRows, Rows, capture, ours, stock};
use prost::Message;
use rows::{Options, Proto, Reason, Receiver, Report, Version};

fn receive(body: &[u8], version: Version, skip_bad: bool) -> (Rows, Report) {
    let mut receiver = Receiver::new(Options { skip_bad, ..Options::default() });
    let report = receiver.request(body, Proto::Is(version)).unwrap();
    (ours::rows(receiver.store()), report)
}

#[test]
fn captures_of_a_real_prometheus_give_the_rows_that_prost_gives() {
    let (v1, v2) = (capture(1), capture(2));
    let (rows, report) = receive(&v1, Version::V1, false);
    assert_eq!((report.series, report.samples, report.bad), (1042, 1042, 0));
    assert_eq!((rows, vec![]), stock::rows_v1(&v1));
    let (rows, report) = receive(&v2, Version::V2, false);
    assert_eq!((report.series, report.samples, report.bad), (788, 788, 0));
    assert!(rows.values().all(|table| table.metadata.len() == 1));
    assert_eq!((rows, vec![]), stock::rows_v2(&v2));
}

/// Encodings that stand one after the other are one message with the elements of all.
#[test]
fn a_large_request_gives_the_rows_that_prost_gives() {
    let mut rng = Rng::new(10_000);
    let (mut body, mut series) = (Vec::new(), 0);
    while series < 10_000 {
        let part = Making { rng: &mut rng, faulty: false }.v1();
        series += part.timeseries.len() as u64;
        body.extend(part.encode_to_vec());
    }
    let (rows, report) = receive(&body, Version::V1, false);
    assert_eq!(report.series, series);
    assert_eq!((rows, vec![]), stock::rows_v1(&body));
}

#[test]
fn any_good_request_gives_the_rows_that_prost_gives() {
    let mut rng = Rng::new(1);
    let (mut histograms, mut exemplars, mut metadata) = (0, 0, 0);
    for _ in 0..300 {
        let mut making = Making { rng: &mut rng, faulty: false };
        let (v1, v2) = (making.v1().encode_to_vec(), making.v2().encode_to_vec());
        for (body, version, stock) in [(&v1, Version::V1, stock::rows_v1(&v1)), (&v2, Version::V2, stock::rows_v2(&v2))]
        {
            let (rows, report) = receive(body, version, false);
            assert_eq!((&rows, &vec![]), (&stock.0, &stock.1));
            let sum = |count: fn(&crate::common::MetricRows) -> usize| rows.values().map(count).sum::<usize>() as u64;
            assert_eq!(report.samples, sum(|table| table.samples.len()));
            assert_eq!(report.histograms, sum(|table| table.histograms.len()));
            assert_eq!(report.exemplars, sum(|table| table.exemplars.len()));
            histograms += report.histograms;
            exemplars += report.exemplars;
            metadata += report.metadata;
        }
    }
    assert!(histograms > 500 && exemplars > 500 && metadata > 500, "{histograms} {exemplars} {metadata}");
}

#[test]
fn bad_series_are_left_out_and_the_others_are_as_prost_gives_them() {
    let mut rng = Rng::new(2);
    let mut bad = [0; Reason::ALL.len()];
    for _ in 0..500 {
        let mut making = Making { rng: &mut rng, faulty: true };
        let (v1, v2) = (making.v1().encode_to_vec(), making.v2().encode_to_vec());
        for (body, version, stock) in [(&v1, Version::V1, stock::rows_v1(&v1)), (&v2, Version::V2, stock::rows_v2(&v2))]
        {
            let (rows, report) = receive(body, version, true);
            assert_eq!(rows, stock.0);
            assert_eq!(report.bad, stock.1.len() as u64, "{:#?}", report.problems);
            let of_series = report.problems.first().iter().filter(|p| p.reason != Reason::ExemplarTimeMissing);
            let indexes: Vec<usize> = of_series.map(|p| p.index as usize).collect();
            assert_eq!(indexes, stock.1[..indexes.len()]);
            report.problems.counts().for_each(|(reason, count)| bad[reason as usize] += count);
            // One receiver rejects the whole request because of the first bad series, and keeps nothing.
            if let Some(first) = report.problems.first().first() {
                let mut receiver = Receiver::default();
                let error = receiver.request(body, Proto::Is(version)).unwrap_err();
                assert_eq!(error, rows::RequestError::Invalid(Box::new(first.clone())));
                assert_eq!((receiver.store().rows(), ours::rows(receiver.store())), (0, Rows::new()));
            }
        }
    }
    // All reasons except too many label names, the first symbol and the accepted times, which have their own tests.
    let met = Reason::ALL.iter().filter(|&&reason| bad[reason as usize] > 0).count();
    assert_eq!(met, 19, "{bad:?}");
}

#[test]
fn fields_in_any_order_and_in_pieces_give_the_same_rows() {
    let mut rng = Rng::new(3);
    for faulty in [false, true] {
        for _ in 0..200 {
            let mut making = Making { rng: &mut rng, faulty };
            let (v1, v2) = (making.v1(), making.v2());
            // Shuffles each series, then the request.
            let mut body = v1::shuffled(&mut making, &v1);
            let (rows, report) = receive(&body, Version::V1, true);
            let expected = stock::rows_v1(&body);
            assert_eq!((rows, report.bad), (expected.0, expected.1.len() as u64));
            body = v2::shuffled(&mut making, &v2);
            let (rows, report) = receive(&body, Version::V2, true);
            let expected = stock::rows_v2(&body);
            assert_eq!((rows, report.bad), (expected.0, expected.1.len() as u64));
        }
    }
}

/// Shuffled requests and series.
mod v1 {
    use super::*;
    pub fn shuffled(making: &mut Making<'_>, request: &stock::v1::WriteRequest) -> Vec<u8> {
        let rest = stock::v1::WriteRequest { timeseries: Vec::new(), ..request.clone() };
        let series: Vec<Vec<u8>> = request.timeseries.iter().map(|ts| making.shuffled(&ts.encode_to_vec())).collect();
        let mut body = rest.encode_to_vec();
        series.iter().for_each(|series| append(&mut body, 1, series));
        making.shuffled(&body)
    }
}

mod v2 {
    use super::*;
    pub fn shuffled(making: &mut Making<'_>, request: &stock::v2::Request) -> Vec<u8> {
        let rest = stock::v2::Request { timeseries: Vec::new(), ..request.clone() };
        let series: Vec<Vec<u8>> = request.timeseries.iter().map(|ts| making.shuffled(&ts.encode_to_vec())).collect();
        let mut body = rest.encode_to_vec();
        series.iter().for_each(|series| append(&mut body, 5, series));
        making.shuffled(&body)
    }
}

fn append(body: &mut Vec<u8>, field: u32, message: &[u8]) {
    hotpb::wire::append_tag(body, field, hotpb::wire::LEN);
    hotpb::wire::append_bytes(body, message);
}

#[test]
fn many_requests_into_one_receiver_are_the_rows_of_all() {
    let mut rng = Rng::new(4);
    let mut receiver = Receiver::default();
    let mut all = Rows::new();
    let (mut known, mut series) = (0, 0);
    for turn in 0..200 {
        let mut making = Making { rng: &mut rng, faulty: false };
        let (body, stock) = if turn % 2 == 0 {
            let body = making.v1().encode_to_vec();
            (body.clone(), stock::rows_v1(&body).0)
        } else {
            let body = making.v2().encode_to_vec();
            (body.clone(), stock::rows_v2(&body).0)
        };
        let version = if turn % 2 == 0 { Version::V1 } else { Version::V2 };
        let report = receiver.request(&body, Proto::Is(version)).unwrap();
        (known, series) = (known + report.known, series + report.series);
        for (metric, mut of) in stock {
            let into = all.entry(metric).or_default();
            into.samples.append(&mut of.samples);
            into.histograms.append(&mut of.histograms);
            into.exemplars.append(&mut of.exemplars);
            into.metadata.append(&mut of.metadata);
            into.metadata.dedup();
        }
        if turn % 50 == 49 {
            assert_eq!(ours::rows(receiver.store()), all);
            receiver.clear_rows();
            assert_eq!((receiver.store().rows(), ours::rows(receiver.store())), (0, Rows::new()));
            all.clear();
        }
    }
    assert!(known > series / 4 && known < series, "{known} of {series}");
}

/// Rows, and the elements of their lists.
fn elements(rows: &MetricRows) -> usize {
    let side = |side: &Buckets| side.spans.len() + side.deltas.len() + side.counts.len();
    let lists = |h: &Histogram| side(&h.negative) + side(&h.positive) + h.custom_values.len();
    let lists: usize = rows.histograms.iter().map(lists).sum();
    rows.samples.len() + rows.histograms.len() + rows.exemplars.len() + rows.metadata.len() + lists
}

/// A copy has the rows that earlier requests wrote, whatever came later, and nothing of metrics that are not wanted.
#[test]
fn a_copy_has_the_rows_of_earlier_requests() {
    let mut rng = Rng::new(3);
    for _ in 0..50 {
        let mut receiver = Receiver::new(Options { skip_bad: true, ..Options::default() });
        let (mut moments, mut last) = (Vec::new(), 0);
        for _ in 0..6 {
            let body = Making { rng: &mut rng, faulty: true }.v2().encode_to_vec();
            // Rejected requests leave no rows.
            _ = receiver.request(&body, Proto::Is(Version::V2));
            last = receiver.request_number();
            moments.push((last + 1, ours::rows(receiver.store())));
        }
        for (before, rows) in moments {
            let copy = receiver.copy_before(before, &|_| true);
            assert_eq!(ours::rows(copy.store()), rows);
            assert_eq!(copy.store().rows(), rows.values().map(elements).sum::<usize>());
            let Some((metric, of)) = rows.into_iter().next() else { continue };
            let copied = ours::rows(receiver.copy_before(before, &|name| name == metric).store());
            assert_eq!(copied, [(metric, of)].into_iter().collect());
        }
        assert_eq!(ours::rows(receiver.copy_before(last + 1, &|_| false).store()), Rows::new());
    }
}
