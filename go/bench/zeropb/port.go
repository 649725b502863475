package zeropb

import (
	"encoding/binary"
	"errors"
	"io"
)

// This is a port of zeropb's mechanism of 2019, in words of our own: a message is its bytes and, for each field number, an
// offset of two bytes, which a loop over the whole message fills in; what lies beyond 64 KiB goes into a map. Accessors are
// calls that decode each time. A field that is set again is cut out and appended. bench/targets.py says whether the port is believed.

// offsets are those of one message, after the tag of a field: of a repeated one the first, else the last.
type offsets struct {
	near   []uint16
	sparse *map[int]uint64
}

const (
	absent  = 0
	isFar   = 0xffff
	portTag = 0x7
)

func (o offsets) get(field int) (uint64, bool) {
	if at := o.near[field]; at != isFar {
		return uint64(at), at != absent
	}
	return (*o.sparse)[field], true
}

func (o offsets) set(field int, at uint64) {
	if at < isFar {
		if o.near[field] == isFar {
			delete(*o.sparse, field)
		}
		o.near[field] = uint16(at)
		return
	}
	o.near[field] = isFar
	if *o.sparse == nil {
		*o.sparse = map[int]uint64{}
	}
	(*o.sparse)[field] = at
}

func (o offsets) clear() {
	for i := range o.near {
		o.near[i] = absent
	}
	if *o.sparse != nil {
		clear(*o.sparse)
	}
}

var errPort = errors.New("zeropb port: unknown field")

// portDecode looks at every record and notes where the fields are.
func portDecode(buf []byte, o offsets, repeated map[int]struct{}) error {
	o.clear()
	for i := 0; i != len(buf); {
		if i > len(buf) {
			return io.ErrUnexpectedEOF
		}
		tag, n := binary.Uvarint(buf[i:])
		if n <= 0 {
			return io.ErrUnexpectedEOF
		}
		i += n
		field := int(tag >> 3)
		if field >= len(o.near) {
			return errPort // it keeps no unknown fields
		}
		// It asks a map about each record, as zeropb did.
		if _, isRepeated := repeated[field]; !isRepeated {
			o.set(field, uint64(i))
		} else if _, seen := o.get(field); !seen {
			o.set(field, uint64(i))
		}
		size := portSize(tag&portTag, buf[min(i, len(buf)):])
		if size == 0 {
			return io.ErrUnexpectedEOF
		}
		i += size
	}
	return nil
}

// portSize is the size of the value in front; 0 when it is malformed.
func portSize(wireType uint64, b []byte) int {
	switch wireType {
	case 0:
		_, n := binary.Uvarint(b)
		return max(n, 0)
	case 1:
		return 8
	case 2:
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)) {
			return 0
		}
		return n + int(size)
	case 5:
		return 4
	}
	return 0
}

func portUint64(buf []byte, o offsets, field int) uint64 {
	at, ok := o.get(field)
	if !ok {
		return 0
	}
	x, _ := binary.Uvarint(buf[at:])
	return x
}

func portBytes(buf []byte, o offsets, field int) []byte {
	at, ok := o.get(field)
	if !ok {
		return nil
	}
	size, n := binary.Uvarint(buf[at:])
	return buf[at+uint64(n) : at+uint64(n)+size]
}

// portRest is the message from the first element of a repeated field on, whose length comes first.
func portRest(buf []byte, o offsets, field int) []byte {
	at, ok := o.get(field)
	if !ok {
		return nil
	}
	return buf[at:]
}

// portNext takes the element in front, and searches the records after it for the next one.
func portNext(rest []byte, field int) (next, element []byte) {
	if rest == nil {
		return nil, nil
	}
	size, n := binary.Uvarint(rest)
	i := n + int(size)
	element = rest[n:i]
	for i < len(rest) {
		tag, n := binary.Uvarint(rest[i:])
		i += n
		if int(tag>>3) == field {
			return rest[i:], element
		}
		i += portSize(tag&portTag, rest[i:])
	}
	return nil, element
}

func portSetUint64(buf *[]byte, o offsets, field int, x uint64) {
	var value [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(value[:], x)
	portSet(buf, o, field, 0, nil, value[:n])
}

func portSetBytes(buf *[]byte, o offsets, field int, x []byte) {
	var size [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(size[:], uint64(len(x)))
	portSet(buf, o, field, 2, size[:n], x)
}

// portSet writes over a value of the same size; one of another size is cut out, and the new one appended.
func portSet(buf *[]byte, o offsets, field, wireType int, size, value []byte) {
	var scratch [binary.MaxVarintLen64]byte
	tag := scratch[:binary.PutUvarint(scratch[:], uint64(field<<3|wireType))]
	if at, ok := o.get(field); ok {
		before, n := binary.Uvarint((*buf)[at:])
		if wireType == 2 {
			n += int(before)
		}
		if n == len(size)+len(value) {
			copy((*buf)[at:], size)
			copy((*buf)[int(at)+len(size):], value)
			return
		}
		start, end := int(at)-len(tag), int(at)+n
		*buf = append((*buf)[:start], (*buf)[end:]...)
		for sibling := range o.near {
			if at, ok := o.get(sibling); ok && int(at) > end {
				o.set(sibling, at-uint64(end-start))
			}
		}
	}
	*buf = append(*buf, tag...)
	o.set(field, uint64(len(*buf)))
	*buf = append(*buf, size...)
	*buf = append(*buf, value...)
}

func portAppendBytes(buf *[]byte, o offsets, field int, x []byte) {
	var scratch [binary.MaxVarintLen64]byte
	*buf = append(*buf, scratch[:binary.PutUvarint(scratch[:], uint64(field<<3|2))]...)
	if _, ok := o.get(field); !ok {
		o.set(field, uint64(len(*buf)))
	}
	*buf = append(*buf, scratch[:binary.PutUvarint(scratch[:], uint64(len(x)))]...)
	*buf = append(*buf, x...)
}
