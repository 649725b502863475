package main

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	stock "github.com/hotpb/hotpb/examples/first-light/go/gen/prometheus"
	hot "github.com/hotpb/hotpb/examples/first-light/go/gen/prometheus/prometheushot"
)

// v1 is a remote-write 1.0 request: every series carries its labels as strings.
type v1 struct {
	bytes []byte
	view  hot.WriteRequestView
}

// openV1 scans and checks the first level; the series stay as they are.
func openV1(bytes []byte) (request, error) {
	r := &v1{bytes: bytes}
	return r, r.view.Decode(bytes)
}

func (r *v1) len() int { return r.view.TimeseriesLen() }

func (r *v1) validate() error {
	if err := r.view.Decode(r.bytes); err != nil {
		return err
	}
	return r.view.Validate()
}

// find opens one series after the other, and of each only as many labels as it takes.
func (r *v1) find(want label) (*series, error) {
	index := 0
	for ts, err := range r.view.Timeseries() {
		if err != nil {
			return nil, err
		}
		has, err := hasLabel(&ts, want)
		if err != nil {
			return nil, err
		}
		if has {
			return readV1(&ts, index)
		}
		index++
	}
	return nil, nil
}

func hasLabel(ts *hot.TimeSeriesView, want label) (bool, error) {
	for l, err := range ts.Labels() {
		if err != nil {
			return false, err
		}
		if l.Name() == want.name && l.Value() == want.value {
			return true, nil
		}
	}
	return false, nil
}

func readV1(ts *hot.TimeSeriesView, index int) (*series, error) {
	s := &series{index: index}
	for l, err := range ts.Labels() {
		if err != nil {
			return nil, err
		}
		s.labels = append(s.labels, label{l.Name(), l.Value()})
	}
	for p, err := range ts.Samples() {
		if err != nil {
			return nil, err
		}
		s.sample(p.Value(), p.Timestamp())
	}
	return s, nil
}

func (r *v1) at(index int) (*series, error) {
	ts, err := r.view.TimeseriesNth(index)
	if err != nil {
		return nil, err
	}
	return readV1(&ts, index)
}

func (r *v1) each(yield func(*series) error) error {
	index := 0
	for ts, err := range r.view.Timeseries() {
		if err != nil {
			return err
		}
		s, err := readV1(&ts, index)
		if err != nil {
			return err
		}
		if err := yield(s); err != nil {
			return err
		}
		index++
	}
	return nil
}

func (r *v1) metadata() (int, error) {
	theirs, err := r.unmarshal()
	if err != nil {
		return 0, err
	}
	count := 0
	for hot, err := range r.view.Metadata() {
		if err != nil {
			return 0, err
		}
		if count < len(theirs.Metadata) && equalMetadata(&hot, theirs.Metadata[count]) {
			count++
			continue
		}
		return 0, fmt.Errorf("metadata %d differs from protobuf-go's", count)
	}
	if count != len(theirs.Metadata) {
		return 0, fmt.Errorf("hotpb reads %d metadata, protobuf-go %d", count, len(theirs.Metadata))
	}
	return count, nil
}

func equalMetadata(decoded *hot.MetricMetadataView, theirs *stock.MetricMetadata) bool {
	return int32(decoded.Type()) == int32(theirs.Type) && decoded.MetricFamilyName() == theirs.MetricFamilyName &&
		decoded.Help() == theirs.Help && decoded.Unit() == theirs.Unit
}

func (r *v1) unmarshal() (*stock.WriteRequest, error) {
	m := new(stock.WriteRequest)
	if err := proto.Unmarshal(r.bytes, m); err != nil {
		return nil, fmt.Errorf("hotpb can read it, protobuf-go cannot: %w", err)
	}
	return m, nil
}

func (r *v1) stock() ([]*series, error) {
	m, err := r.unmarshal()
	if err != nil {
		return nil, err
	}
	var all []*series
	for i, ts := range m.Timeseries {
		s := &series{index: i}
		for _, l := range ts.Labels {
			s.labels = append(s.labels, label{l.Name, l.Value})
		}
		for _, p := range ts.Samples {
			s.sample(p.Value, p.Timestamp)
		}
		all = append(all, s)
	}
	return all, nil
}
