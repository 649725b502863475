package main

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	stock "github.com/hotpb/hotpb/examples/first-light/go/gen/writev2"
	hot "github.com/hotpb/hotpb/examples/first-light/go/gen/writev2/writev2hot"
)

// v2 is a remote-write 2.0 request: all strings stand once, in its symbols, and series refer to them by number.
type v2 struct {
	bytes []byte
	view  hot.RequestView
}

// openV2 scans and checks the first level; the series stay as they are.
func openV2(bytes []byte) (request, error) {
	r := &v2{bytes: bytes}
	return r, r.view.Decode(bytes)
}

func (r *v2) len() int { return r.view.TimeseriesLen() }

func (r *v2) validate() error {
	if err := r.view.Decode(r.bytes); err != nil {
		return err
	}
	return r.view.Validate()
}

// find looks the two strings up among the symbols, and then compares numbers: no series' string is touched.
func (r *v2) find(want label) (*series, error) {
	name, value, count := -1, -1, 0
	for symbol := range r.view.Symbols() {
		if symbol == want.name && name < 0 {
			name = count
		}
		if symbol == want.value && value < 0 {
			value = count
		}
		count++
	}
	if name < 0 || value < 0 {
		return nil, nil
	}
	index := 0
	for ts, err := range r.view.Timeseries() {
		if err != nil {
			return nil, err
		}
		for refs := ts.LabelsRefsIter(); refs.Next(); {
			first := refs.Value()
			if refs.Next() && int(first) == name && int(refs.Value()) == value {
				return r.read(&ts, index, r.symbols())
			}
		}
		index++
	}
	return nil, nil
}

func (r *v2) symbols() []string {
	all := make([]string, 0, r.view.SymbolsLen())
	for symbol := range r.view.Symbols() {
		all = append(all, symbol)
	}
	return all
}

func (r *v2) read(ts *hot.TimeSeriesView, index int, symbols []string) (*series, error) {
	s := &series{index: index}
	refs := make([]uint32, 0, ts.LabelsRefsLen())
	for ref := range ts.LabelsRefs() {
		refs = append(refs, ref)
	}
	if err := s.refer(refs, symbols); err != nil {
		return nil, err
	}
	for p, err := range ts.Samples() {
		if err != nil {
			return nil, err
		}
		s.sample(p.Value(), p.Timestamp())
	}
	return s, nil
}

func (r *v2) at(index int) (*series, error) {
	ts, err := r.view.TimeseriesNth(index)
	if err != nil {
		return nil, err
	}
	return r.read(&ts, index, r.symbols())
}

func (r *v2) each(yield func(*series) error) error {
	symbols := r.symbols()
	index := 0
	for ts, err := range r.view.Timeseries() {
		if err != nil {
			return err
		}
		s, err := r.read(&ts, index, symbols)
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

func (r *v2) stock() ([]*series, error) {
	m := new(stock.Request)
	if err := proto.Unmarshal(r.bytes, m); err != nil {
		return nil, fmt.Errorf("hotpb can read it, protobuf-go cannot: %w", err)
	}
	var all []*series
	for i, ts := range m.Timeseries {
		s := &series{index: i}
		if err := s.refer(ts.LabelsRefs, m.Symbols); err != nil {
			return nil, err
		}
		for _, p := range ts.Samples {
			s.sample(p.Value, p.Timestamp)
		}
		all = append(all, s)
	}
	return all, nil
}

// In 2.0 metadata stands in each series.
func (r *v2) metadata() (int, error) { return 0, nil }
