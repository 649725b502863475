package rw1

import (
	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
)

// pooled is hotpb's pool: the whole message in plain structs.
type pooled struct{ request *hot.WriteRequest }

func newPool(decode func(m *hot.WriteRequest, b []byte) error, fresh bool, note string) func([]byte) (rival, error) {
	return func(input []byte) (rival, error) {
		p := pooled{new(hot.WriteRequest)}
		op := func() error {
			if fresh {
				p.request = new(hot.WriteRequest)
			}
			return decode(p.request, input)
		}
		return rival{
			decode: op,
			read:   func() (uint64, error) { return p.sum(), nil },
			find: func() (uint64, error) {
				if err := op(); err != nil {
					return 0, err
				}
				return sumHotLabels(p.request.Timeseries[len(p.request.Timeseries)/2].Labels), nil
			},
			last: func() (uint64, error) {
				if err := op(); err != nil {
					return 0, err
				}
				return sumString(p.request.Timeseries[len(p.request.Timeseries)-1].Labels[0].Value), nil
			},
			stock: p.stock,
			note:  note,
		}, nil
	}
}

func (p *pooled) sum() (sum uint64) {
	for i := range p.request.Timeseries {
		ts := &p.request.Timeseries[i]
		sum += sumHotLabels(ts.Labels)
		for j := range ts.Samples {
			sum += sumSample(ts.Samples[j].Value, ts.Samples[j].Timestamp)
		}
	}
	return sum
}

func sumHotLabels(labels []hot.Label) (sum uint64) {
	for i := range labels {
		sum += sumString(labels[i].Name) + sumString(labels[i].Value)
	}
	return sum
}

func (p *pooled) stock() (*prompb.WriteRequest, error) {
	out := new(prompb.WriteRequest)
	if len(p.request.Metadata) > 0 {
		return nil, errNotCarried
	}
	for i := range p.request.Timeseries {
		series := &p.request.Timeseries[i]
		if len(series.Exemplars)+len(series.Histograms) > 0 {
			return nil, errNotCarried
		}
		ts := new(prompb.TimeSeries)
		for _, l := range series.Labels {
			ts.Labels = append(ts.Labels, &prompb.Label{Name: l.Name, Value: l.Value})
		}
		for _, s := range series.Samples {
			ts.Samples = append(ts.Samples, &prompb.Sample{Value: s.Value, Timestamp: s.Timestamp})
		}
		out.Timeseries = append(out.Timeseries, ts)
	}
	return out, nil
}
