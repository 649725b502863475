package rw1

import "github.com/hotpb/hotpb/go/bench/rw1/prompb"

// flatRequest is a request in slices that keep their memory: what hand-written readers use. Each series is a range
// of the labels and of the samples of all series together.
type flatRequest struct {
	series  []flatSeries
	labels  []flatLabel
	samples []flatSample
	records []flatRecord // used by find only: the series that were not decoded
}

type flatRecord struct{ start, end int }

type flatSeries struct{ labels, labelsEnd, samples, samplesEnd int }

type flatLabel struct{ name, value string }

type flatSample struct {
	value     float64
	timestamp int64
}

func (r *flatRequest) reset() {
	r.series, r.labels, r.samples = r.series[:0], r.labels[:0], r.samples[:0]
	r.records = r.records[:0]
}

// label appends an empty label.
func (r *flatRequest) label() *flatLabel {
	r.labels = append(r.labels, flatLabel{})
	return &r.labels[len(r.labels)-1]
}

// sample appends an empty sample.
func (r *flatRequest) sample() *flatSample {
	r.samples = append(r.samples, flatSample{})
	return &r.samples[len(r.samples)-1]
}

// close ends the series whose labels and samples were appended last.
func (r *flatRequest) close(firstLabel, firstSample int) {
	r.series = append(r.series, flatSeries{firstLabel, len(r.labels), firstSample, len(r.samples)})
}

func (r *flatRequest) sumLabels(s flatSeries) (sum uint64) {
	for _, l := range r.labels[s.labels:s.labelsEnd] {
		sum += sumString(l.name) + sumString(l.value)
	}
	return sum
}

func (r *flatRequest) rival(decode func() error, find func() (uint64, error), note string) rival {
	return rival{
		decode: decode,
		read: func() (sum uint64, err error) {
			for _, s := range r.series {
				sum += r.sumLabels(s)
				for _, p := range r.samples[s.samples:s.samplesEnd] {
					sum += sumSample(p.value, p.timestamp)
				}
			}
			return sum, nil
		},
		find:     find,
		stock:    func() (*prompb.WriteRequest, error) { return r.stock(), nil },
		note:     note,
		findNote: "where each series lies, then one decoded; " + note,
	}
}

func (r *flatRequest) stock() *prompb.WriteRequest {
	m := new(prompb.WriteRequest)
	for _, s := range r.series {
		ts := new(prompb.TimeSeries)
		for _, l := range r.labels[s.labels:s.labelsEnd] {
			ts.Labels = append(ts.Labels, &prompb.Label{Name: l.name, Value: l.value})
		}
		for _, p := range r.samples[s.samples:s.samplesEnd] {
			ts.Samples = append(ts.Samples, &prompb.Sample{Value: p.value, Timestamp: p.timestamp})
		}
		m.Timeseries = append(m.Timeseries, ts)
	}
	return m
}
