package rw1

import (
	"encoding/binary"
	"errors"
	"math"
	"unicode/utf8"
	"unsafe"
)

// newFloor is a loop written by hand for this one schema and for the order in which Prometheus writes it; any other
// order is refused, so it is no library. It shows how far there is to go in Go: one-byte lengths are tested first,
// strings alias the input, and ASCII is checked eight bytes at a time.
func newFloor(input []byte) (rival, error) {
	var r flatRequest
	decode := func() error { return r.floor(input) }
	find := func() (uint64, error) {
		if err := r.floorOpen(input); err != nil {
			return 0, err
		}
		middle := r.records[len(r.records)/2]
		if err := r.floorSeries(input, middle.start, middle.end); err != nil {
			return 0, err
		}
		return r.sumLabels(r.series[0]), nil
	}
	return r.rival(decode, find, "hand-written for this schema and field order; UTF-8 checked"), nil
}

var errFloor = errors.New("floor: not laid out as the floor expects")

// length reads a length varint at i and checks that the payload after it ends at or before end.
func length(b []byte, i, end int) (start, stop int, ok bool) {
	if i >= end {
		return 0, 0, false
	}
	n, i := int(b[i]), i+1
	if n >= 0x80 {
		v, w := binary.Uvarint(b[i-1 : end])
		if w <= 0 || v > uint64(end) {
			return 0, 0, false
		}
		n, i = int(v), i-1+w
	}
	return i, i + n, i+n <= end
}

func (r *flatRequest) floor(b []byte) error {
	r.reset()
	for i := 0; i < len(b); {
		if b[i] != 0x0a {
			return errFloor
		}
		start, end, ok := length(b, i+1, len(b))
		if !ok {
			return errFloor
		}
		if err := r.floorSeries(b, start, end); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// floorOpen keeps where each series lies, and nothing of what it holds.
func (r *flatRequest) floorOpen(b []byte) error {
	r.reset()
	for i := 0; i < len(b); {
		if b[i] != 0x0a {
			return errFloor
		}
		start, end, ok := length(b, i+1, len(b))
		if !ok {
			return errFloor
		}
		r.records = append(r.records, flatRecord{start, end})
		i = end
	}
	return nil
}

func (r *flatRequest) floorSeries(b []byte, i, end int) error {
	firstLabel, firstSample := len(r.labels), len(r.samples)
	firstByte := i
	for i < end && b[i] == 0x0a {
		start, stop, ok := length(b, i+1, end)
		if !ok || !r.floorLabel(b, start, stop) {
			return errFloor
		}
		i = stop
	}
	// Tags and one-byte lengths are ASCII as well, so one sweep can check all labels: in most series it
	// finds nothing, and no string has to be checked by itself.
	if !isASCII(b[firstByte:i]) {
		for _, l := range r.labels[firstLabel:] {
			if !utf8.ValidString(l.name) || !utf8.ValidString(l.value) {
				return errFloor
			}
		}
	}
	for i < end && b[i] == 0x12 {
		start, stop, ok := length(b, i+1, end)
		if !ok || !r.floorSample(b, start, stop) {
			return errFloor
		}
		i = stop
	}
	if i != end {
		return errFloor
	}
	r.close(firstLabel, firstSample)
	return nil
}

func (r *flatRequest) floorLabel(b []byte, i, end int) bool {
	var l flatLabel
	if i < end && b[i] == 0x0a {
		start, stop, ok := length(b, i+1, end)
		if !ok {
			return false
		}
		l.name = unsafe.String(unsafe.SliceData(b[start:stop]), stop-start)
		i = stop
	}
	if i < end && b[i] == 0x12 {
		start, stop, ok := length(b, i+1, end)
		if !ok {
			return false
		}
		l.value = unsafe.String(unsafe.SliceData(b[start:stop]), stop-start)
		i = stop
	}
	r.labels = append(r.labels, l)
	return i == end
}

func (r *flatRequest) floorSample(b []byte, i, end int) bool {
	var s flatSample
	if i+9 <= end && b[i] == 0x09 {
		s.value = math.Float64frombits(binary.LittleEndian.Uint64(b[i+1:]))
		i += 9
	}
	if i < end && b[i] == 0x10 {
		v, n := binary.Uvarint(b[i+1 : end])
		if n <= 0 {
			return false
		}
		s.timestamp = int64(v)
		i += 1 + n
	}
	r.samples = append(r.samples, s)
	return i == end
}

func isASCII(b []byte) bool {
	var bits uint64
	for len(b) >= 8 {
		bits |= binary.LittleEndian.Uint64(b)
		b = b[8:]
	}
	for _, c := range b {
		bits |= uint64(c)
	}
	return bits&0x8080808080808080 == 0
}
