package rw1

import (
	"errors"

	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
)

// view is hotpb's view: the first level is scanned and checked, the rest when it is opened.
type view struct {
	input   []byte
	request hot.WriteRequestView
}

// newHotpbView opens every message of the tree in turn, which checks all of it.
func newHotpbView(input []byte) (rival, error) {
	v := view{input: input}
	return rival{
		decode: v.openAll,
		read:   v.read,
		decodeRead: func() (uint64, error) {
			if err := v.request.Decode(v.input); err != nil {
				return 0, err
			}
			return v.read()
		},
		find:     v.find,
		last:     v.last,
		stock:    v.stock,
		note:     "every level opened, UTF-8 checked; strings alias the input",
		findNote: "first level scanned and checked, one series opened; strings alias the input",
	}, nil
}

// newHotpbValidate lets the table-driven checker walk the whole tree before anything is read.
func newHotpbValidate(input []byte) (rival, error) {
	v := view{input: input}
	return rival{
		decode: func() error {
			if err := v.request.Decode(v.input); err != nil {
				return err
			}
			return v.request.Validate()
		},
		read:  v.read,
		stock: v.stock,
		note:  "Decode and Validate: the table-driven checker over the whole tree, UTF-8 checked",
	}, nil
}

func (v *view) openAll() error {
	if err := v.request.Decode(v.input); err != nil {
		return err
	}
	var series hot.TimeSeriesView
	var label hot.LabelView
	var sample hot.SampleView
	all := v.request.TimeseriesIter()
	for all.Next() {
		if err := series.OpenMessage(all.Message()); err != nil {
			return err
		}
		labels := series.LabelsIter()
		for labels.Next() {
			if err := label.OpenMessage(labels.Message()); err != nil {
				return err
			}
		}
		samples := series.SamplesIter()
		for samples.Next() {
			if err := sample.OpenMessage(samples.Message()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *view) read() (sum uint64, err error) {
	var series hot.TimeSeriesView
	var sample hot.SampleView
	all := v.request.TimeseriesIter()
	for all.Next() {
		if err := series.OpenMessage(all.Message()); err != nil {
			return 0, err
		}
		labels, err := sumViewLabels(&series)
		if err != nil {
			return 0, err
		}
		sum += labels
		samples := series.SamplesIter()
		for samples.Next() {
			if err := sample.OpenMessage(samples.Message()); err != nil {
				return 0, err
			}
			sum += sumSample(sample.Value(), sample.Timestamp())
		}
	}
	return sum, nil
}

func (v *view) find() (uint64, error) {
	if err := v.request.Decode(v.input); err != nil {
		return 0, err
	}
	middle, err := v.request.TimeseriesNth(v.request.TimeseriesLen() / 2)
	if err != nil {
		return 0, err
	}
	return sumViewLabels(&middle)
}

func (v *view) last() (uint64, error) {
	if err := v.request.Decode(v.input); err != nil {
		return 0, err
	}
	series, err := v.request.TimeseriesNth(v.request.TimeseriesLen() - 1)
	if err != nil {
		return 0, err
	}
	label, err := series.LabelsNth(0)
	if err != nil {
		return 0, err
	}
	return sumString(label.Value()), nil
}

func sumViewLabels(series *hot.TimeSeriesView) (sum uint64, err error) {
	var label hot.LabelView
	labels := series.LabelsIter()
	for labels.Next() {
		if err := label.OpenMessage(labels.Message()); err != nil {
			return 0, err
		}
		sum += sumString(label.Name()) + sumString(label.Value())
	}
	return sum, nil
}

func (v *view) stock() (*prompb.WriteRequest, error) {
	out := new(prompb.WriteRequest)
	if v.request.MetadataLen() > 0 {
		return nil, errNotCarried
	}
	for series, err := range v.request.Timeseries() {
		if err != nil {
			return nil, err
		}
		if series.ExemplarsLen() > 0 || series.HistogramsLen() > 0 {
			return nil, errNotCarried
		}
		ts := new(prompb.TimeSeries)
		for l, err := range series.Labels() {
			if err != nil {
				return nil, err
			}
			ts.Labels = append(ts.Labels, &prompb.Label{Name: l.Name(), Value: l.Value()})
		}
		for s, err := range series.Samples() {
			if err != nil {
				return nil, err
			}
			ts.Samples = append(ts.Samples, &prompb.Sample{Value: s.Value(), Timestamp: s.Timestamp()})
		}
		out.Timeseries = append(out.Timeseries, ts)
	}
	return out, nil
}

var errNotCarried = errors.New("metadata, exemplars and histograms are not carried over by this benchmark")
