package csproto

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/bench/codec/open3"
)

// The messages of hotpb/codec_proto3.proto. A type of its own for each carries the methods that csproto adds to the struct.
type (
	event  open3.Event
	result open3.Event_Result
	actor  open3.Actor
	batch  open3.Batch
)

var (
	ofEvent  = hiddenOf[open3.Event]()
	ofResult = hiddenOf[open3.Event_Result]()
	ofActor  = hiddenOf[open3.Actor]()
	ofBatch  = hiddenOf[open3.Batch]()
)

// MarshalEvent encodes an event.
func MarshalEvent(m *open3.Event) ([]byte, error) { return marshal((*event)(m)) }

// UnmarshalEvent resets the event and decodes b into it.
func UnmarshalEvent(b []byte, m *open3.Event) error { return (*event)(m).Unmarshal(b) }

// MarshalBatch encodes a batch.
func MarshalBatch(m *open3.Batch) ([]byte, error) { return marshal((*batch)(m)) }

// UnmarshalBatch resets the batch and decodes b into it.
func UnmarshalBatch(b []byte, m *open3.Batch) error { return (*batch)(m).Unmarshal(b) }

func (m *event) Size() int {
	if m == nil {
		return 0
	}
	p := unsafe.Pointer(m)
	if size, ok := ofEvent.cached(p); ok {
		return size
	}
	n := len(*ofEvent.unknownOf(p))
	if len(m.Name) > 0 {
		n += sizeBytes(1, len(m.Name))
	}
	if len(m.Command) > 0 {
		n += sizeBytes(2, len(m.Command))
	}
	if m.Elevated {
		n += sizeTag(3) + 1
	}
	for _, s := range m.Labels {
		n += sizeBytes(4, len(s))
	}
	if m.Actor != nil {
		n += sizeBytes(5, sizeOf((*actor)(m.Actor)))
	}
	switch v := m.Origin.(type) {
	case *open3.Event_Service:
		n += sizeTag(6) + 1
	case *open3.Event_Login:
		n += sizeTag(7) + 1
	case *open3.Event_Parent:
		n += sizeBytes(8, len(v.Parent))
	case *open3.Event_By:
		n += sizeBytes(9, sizeOf((*actor)(v.By)))
	}
	if m.Result != nil {
		n += sizeBytes(10, sizeOf((*result)(m.Result)))
	}
	if m.Kind != 0 {
		n += sizeTag(11) + sizeVarint(uint64(m.Kind))
	}
	if m.TimestampNs != 0 {
		n += sizeTag(12) + sizeVarint(m.TimestampNs)
	}
	if m.Score != 0 {
		n += sizeTag(13) + 8
	}
	return ofEvent.cache(p, n)
}

func (m *event) MarshalTo(dest []byte) error {
	if m == nil {
		return nil
	}
	e := newEncoder(dest)
	if len(m.Name) > 0 {
		e.encodeString(1, m.Name)
	}
	if len(m.Command) > 0 {
		e.encodeString(2, m.Command)
	}
	if m.Elevated {
		e.encodeBool(3, m.Elevated)
	}
	for _, s := range m.Labels {
		e.encodeString(4, s)
	}
	if m.Actor != nil {
		if err := e.encodeNested(5, (*actor)(m.Actor)); err != nil {
			return in("actor", 5, err)
		}
	}
	switch v := m.Origin.(type) {
	case *open3.Event_Service:
		e.encodeBool(6, v.Service)
	case *open3.Event_Login:
		e.encodeBool(7, v.Login)
	case *open3.Event_Parent:
		e.encodeString(8, v.Parent)
	case *open3.Event_By:
		if err := e.encodeNested(9, (*actor)(v.By)); err != nil {
			return in("by", 9, err)
		}
	}
	if m.Result != nil {
		if err := e.encodeNested(10, (*result)(m.Result)); err != nil {
			return in("result", 10, err)
		}
	}
	if m.Kind != 0 {
		e.encodeInt32(11, int32(m.Kind))
	}
	if m.TimestampNs != 0 {
		e.encodeUint64(12, m.TimestampNs)
	}
	if m.Score != 0 {
		e.encodeFloat64(13, m.Score)
	}
	e.encodeRaw(*ofEvent.unknownOf(unsafe.Pointer(m)))
	return nil
}

// eventTypes are the wire types of an event's fields, by number.
var eventTypes = [...]int{1: bytesOf, 2: bytesOf, 3: varint, 4: bytesOf, 5: bytesOf, 6: varint, 7: varint, 8: bytesOf, 9: bytesOf, 10: bytesOf,
	11: varint, 12: varint, 13: fixed64}

func (m *event) Unmarshal(b []byte) error {
	(*open3.Event)(m).Reset()
	d := newDecoder(b)
	for d.more() {
		number, kind, err := d.decodeTag()
		if err != nil {
			return err
		}
		if number < len(eventTypes) && kind != eventTypes[number] {
			return typeError("of Event", number, kind)
		}
		switch number {
		case 1:
			if m.Name, err = d.decodeString(); err != nil {
				return in("name", 1, err)
			}
		case 2:
			if m.Command, err = d.decodeString(); err != nil {
				return in("command", 2, err)
			}
		case 3:
			if m.Elevated, err = d.decodeBool(); err != nil {
				return in("elevated", 3, err)
			}
		case 4:
			s, err := d.decodeString()
			if err != nil {
				return in("labels", 4, err)
			}
			m.Labels = append(m.Labels, s)
		case 5:
			var v open3.Actor
			if err := d.decodeNested((*actor)(&v)); err != nil {
				return in("actor", 5, err)
			}
			m.Actor = &v
		case 6:
			var v open3.Event_Service
			if v.Service, err = d.decodeBool(); err != nil {
				return in("service", 6, err)
			}
			m.Origin = &v
		case 7:
			var v open3.Event_Login
			if v.Login, err = d.decodeBool(); err != nil {
				return in("login", 7, err)
			}
			m.Origin = &v
		case 8:
			var v open3.Event_Parent
			if v.Parent, err = d.decodeString(); err != nil {
				return in("parent", 8, err)
			}
			m.Origin = &v
		case 9:
			var v open3.Actor
			if err := d.decodeNested((*actor)(&v)); err != nil {
				return in("by", 9, err)
			}
			m.Origin = &open3.Event_By{By: &v}
		case 10:
			var v open3.Event_Result
			if err := d.decodeNested((*result)(&v)); err != nil {
				return in("result", 10, err)
			}
			m.Result = &v
		case 11:
			v, err := d.decodeInt32()
			if err != nil {
				return in("kind", 11, err)
			}
			m.Kind = open3.EventKind(v)
		case 12:
			if m.TimestampNs, err = d.decodeUint64(); err != nil {
				return in("timestamp_ns", 12, err)
			}
		case 13:
			if m.Score, err = d.decodeFloat64(); err != nil {
				return in("score", 13, err)
			}
		default:
			if err := d.keep(ofEvent.unknownOf(unsafe.Pointer(m)), number, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *result) Size() int {
	if m == nil {
		return 0
	}
	p := unsafe.Pointer(m)
	if size, ok := ofResult.cached(p); ok {
		return size
	}
	n := len(*ofResult.unknownOf(p))
	if len(m.Details) > 0 {
		n += sizeBytes(1, len(m.Details))
	}
	if m.ExitCode != 0 {
		n += sizeTag(2) + sizeVarint(zigzag32(m.ExitCode))
	}
	return ofResult.cache(p, n)
}

func (m *result) MarshalTo(dest []byte) error {
	if m == nil {
		return nil
	}
	e := newEncoder(dest)
	if len(m.Details) > 0 {
		e.encodeString(1, m.Details)
	}
	if m.ExitCode != 0 {
		e.encodeSint32(2, m.ExitCode)
	}
	e.encodeRaw(*ofResult.unknownOf(unsafe.Pointer(m)))
	return nil
}

func (m *result) Unmarshal(b []byte) error {
	(*open3.Event_Result)(m).Reset()
	d := newDecoder(b)
	for d.more() {
		number, kind, err := d.decodeTag()
		if err != nil {
			return err
		}
		switch number {
		case 1:
			if kind != bytesOf {
				return typeError("details", 1, kind)
			}
			if m.Details, err = d.decodeString(); err != nil {
				return in("details", 1, err)
			}
		case 2:
			if kind != varint {
				return typeError("exit_code", 2, kind)
			}
			if m.ExitCode, err = d.decodeSint32(); err != nil {
				return in("exit_code", 2, err)
			}
		default:
			if err := d.keep(ofResult.unknownOf(unsafe.Pointer(m)), number, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *actor) Size() int {
	if m == nil {
		return 0
	}
	p := unsafe.Pointer(m)
	if size, ok := ofActor.cached(p); ok {
		return size
	}
	n := len(*ofActor.unknownOf(p))
	if m.Id != 0 {
		n += sizeTag(1) + sizeVarint(uint64(m.Id))
	}
	if len(m.User) > 0 {
		n += sizeBytes(2, len(m.User))
	}
	if len(m.Groups) > 0 {
		list := 0
		for _, v := range m.Groups {
			list += sizeVarint(uint64(v))
		}
		n += sizeBytes(3, list)
	}
	for _, b := range m.Tokens {
		n += sizeBytes(4, len(b))
	}
	return ofActor.cache(p, n)
}

func (m *actor) MarshalTo(dest []byte) error {
	if m == nil {
		return nil
	}
	e := newEncoder(dest)
	if m.Id != 0 {
		e.encodeInt32(1, m.Id)
	}
	if len(m.User) > 0 {
		e.encodeString(2, m.User)
	}
	e.encodePackedInt32(3, m.Groups)
	for _, b := range m.Tokens {
		e.encodeBytes(4, b)
	}
	e.encodeRaw(*ofActor.unknownOf(unsafe.Pointer(m)))
	return nil
}

func (m *actor) Unmarshal(b []byte) error {
	(*open3.Actor)(m).Reset()
	d := newDecoder(b)
	for d.more() {
		number, kind, err := d.decodeTag()
		if err != nil {
			return err
		}
		switch number {
		case 1:
			if kind != varint {
				return typeError("id", 1, kind)
			}
			if m.Id, err = d.decodeInt32(); err != nil {
				return in("id", 1, err)
			}
		case 2:
			if kind != bytesOf {
				return typeError("user", 2, kind)
			}
			if m.User, err = d.decodeString(); err != nil {
				return in("user", 2, err)
			}
		case 3:
			if m.Groups, err = d.int32s(m.Groups, kind); err != nil {
				return in("groups", 3, err)
			}
		case 4:
			if kind != bytesOf {
				return typeError("tokens", 4, kind)
			}
			v, err := d.decodeBytes()
			if err != nil {
				return in("tokens", 4, err)
			}
			m.Tokens = append(m.Tokens, v)
		default:
			if err := d.keep(ofActor.unknownOf(unsafe.Pointer(m)), number, kind); err != nil {
				return err
			}
		}
	}
	return nil
}
