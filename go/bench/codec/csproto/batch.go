package csproto

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/bench/codec/open3"
)

func (m *batch) Size() int {
	if m == nil {
		return 0
	}
	p := unsafe.Pointer(m)
	if size, ok := ofBatch.cached(p); ok {
		return size
	}
	n := len(*ofBatch.unknownOf(p))
	if len(m.SourceId) > 0 {
		n += sizeBytes(1, len(m.SourceId))
	}
	for _, v := range m.Events {
		n += sizeBytes(2, sizeOf((*event)(v)))
	}
	for k, v := range m.Attributes {
		n += sizeBytes(3, sizeBytes(1, len(k))+sizeBytes(2, len(v)))
	}
	for _, v := range m.Counts {
		n += sizeBytes(4, sizeTag(1)+1+sizeTag(2)+sizeVarint(uint64(v)))
	}
	for k, v := range m.Actors {
		n += sizeBytes(5, sizeTag(1)+sizeVarint(uint64(k))+sizeBytes(2, sizeOf((*actor)(v))))
	}
	for k, v := range m.Kinds {
		n += sizeBytes(6, sizeBytes(1, len(k))+sizeTag(2)+sizeVarint(uint64(v)))
	}
	return ofBatch.cache(p, n)
}

func (m *batch) MarshalTo(dest []byte) error {
	if m == nil {
		return nil
	}
	e := newEncoder(dest)
	if len(m.SourceId) > 0 {
		e.encodeString(1, m.SourceId)
	}
	for _, v := range m.Events {
		if err := e.encodeNested(2, (*event)(v)); err != nil {
			return in("events", 2, err)
		}
	}
	for k, v := range m.Attributes {
		e.header(3, sizeBytes(1, len(k))+sizeBytes(2, len(v)))
		e.encodeString(1, k)
		e.encodeString(2, v)
	}
	for k, v := range m.Counts {
		e.header(4, sizeTag(1)+1+sizeTag(2)+sizeVarint(uint64(v)))
		e.encodeBool(1, k)
		e.encodeInt64(2, v)
	}
	for k, v := range m.Actors {
		e.header(5, sizeTag(1)+sizeVarint(uint64(k))+sizeBytes(2, sizeOf((*actor)(v))))
		e.encodeInt32(1, k)
		if err := e.encodeNested(2, (*actor)(v)); err != nil {
			return in("actors", 5, err)
		}
	}
	for k, v := range m.Kinds {
		e.header(6, sizeBytes(1, len(k))+sizeTag(2)+sizeVarint(uint64(v)))
		e.encodeString(1, k)
		e.encodeInt32(2, int32(v))
	}
	e.encodeRaw(*ofBatch.unknownOf(unsafe.Pointer(m)))
	return nil
}

func (m *batch) Unmarshal(b []byte) error {
	(*open3.Batch)(m).Reset()
	d := newDecoder(b)
	for d.more() {
		number, kind, err := d.decodeTag()
		if err != nil {
			return err
		}
		if number <= 6 && kind != bytesOf {
			return typeError("of Batch", number, kind)
		}
		switch number {
		case 1:
			if m.SourceId, err = d.decodeString(); err != nil {
				return in("source_id", 1, err)
			}
		case 2:
			var v open3.Event
			if err := d.decodeNested((*event)(&v)); err != nil {
				return in("events", 2, err)
			}
			m.Events = append(m.Events, &v)
		case 3:
			err = entry(d, &m.Attributes, bytesOf, bytesOf, (*decoder).decodeString, (*decoder).decodeString)
		case 4:
			err = entry(d, &m.Counts, varint, varint, (*decoder).decodeBool, (*decoder).decodeInt64)
		case 5:
			err = entry(d, &m.Actors, varint, bytesOf, (*decoder).decodeInt32, decodeActor)
		case 6:
			err = entry(d, &m.Kinds, bytesOf, varint, (*decoder).decodeString, decodeKind)
		default:
			err = d.keep(ofBatch.unknownOf(unsafe.Pointer(m)), number, kind)
		}
		if err != nil {
			return in("of Batch", number, err)
		}
	}
	return nil
}

func decodeActor(d *decoder) (*open3.Actor, error) {
	var v open3.Actor
	return &v, d.decodeNested((*actor)(&v))
}

func decodeKind(d *decoder) (open3.EventKind, error) {
	v, err := d.decodeInt32()
	return open3.EventKind(v), err
}

// entry decodes an entry into a map, which it makes when it has to.
func entry[K comparable, V any](d *decoder, into *map[K]V, keyType, valueType int, key func(*decoder) (K, error), value func(*decoder) (V, error)) error {
	b, err := d.decodeBytes()
	if err != nil {
		return err
	}
	var k K
	var v V
	for d := newDecoder(b); d.more(); {
		number, kind, err := d.decodeTag()
		switch {
		case err != nil:
		case number == 1 && kind == keyType:
			k, err = key(d)
		case number == 2 && kind == valueType:
			v, err = value(d)
		default:
			_, err = d.skip(number, kind)
		}
		if err != nil {
			return err
		}
	}
	if *into == nil {
		*into = make(map[K]V)
	}
	(*into)[k] = v
	return nil
}
