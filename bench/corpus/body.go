package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/snappy"
	"google.golang.org/protobuf/encoding/protowire"
)

// A label is one name and value pair of a series.
type label struct{ name, value string }

// A sample is one point of a series. Prometheus leaves out a value of zero, as proto3 does.
type sample struct {
	value     float64
	timestamp int64
}

// A series is what one prometheus.TimeSeries record holds.
type series struct {
	labels  []label
	samples []sample
}

func (s series) metric() string {
	for _, l := range s.labels {
		if l.name == "__name__" {
			return l.value
		}
	}
	return ""
}

// set adds a label to the series, at the position that keeps the names sorted, as Prometheus sends them.
func (s *series) set(name, value string) {
	at, found := slices.BinarySearchFunc(s.labels, name, func(l label, name string) int {
		return bytes.Compare([]byte(l.name), []byte(name))
	})
	if found {
		s.labels[at].value = value
		return
	}
	s.labels = slices.Insert(s.labels, at, label{name, value})
}

// readBody reads the series of a captured remote-write 1.0 body. The generator stands on protobuf-go's wire
// package, not on hotpb: what measures a library is not made by it.
func readBody(compressed []byte) ([]series, error) {
	body, err := snappy.Decode(nil, compressed)
	if err != nil {
		return nil, fmt.Errorf("not a snappy block: %w", err)
	}
	var all []series
	err = eachField(body, func(num protowire.Number, value []byte) error {
		if num != 1 {
			return fmt.Errorf("unexpected field %d in WriteRequest", num)
		}
		decoded, err := readSeries(value)
		all = append(all, decoded)
		return err
	})
	return all, err
}

func readSeries(record []byte) (series, error) {
	var s series
	err := eachField(record, func(num protowire.Number, value []byte) error {
		switch num {
		case 1:
			var l label
			err := eachField(value, func(num protowire.Number, value []byte) error {
				switch num {
				case 1:
					l.name = string(value)
				case 2:
					l.value = string(value)
				}
				return nil
			})
			s.labels = append(s.labels, l)
			return err
		case 2:
			return nil // the samples are drawn again
		}
		return fmt.Errorf("unexpected field %d in TimeSeries", num)
	})
	return s, err
}

// eachField calls f for every length-delimited field of a message that holds nothing else.
func eachField(message []byte, f func(num protowire.Number, value []byte) error) error {
	for len(message) > 0 {
		num, typ, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		if typ != protowire.BytesType {
			return errors.New("unexpected wire type in a captured body")
		}
		value, m := protowire.ConsumeBytes(message[n:])
		if m < 0 {
			return protowire.ParseError(m)
		}
		if err := f(num, value); err != nil {
			return err
		}
		message = message[n+m:]
	}
	return nil
}
