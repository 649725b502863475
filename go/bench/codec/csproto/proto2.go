package csproto

import (
	"errors"
	"unsafe"

	"github.com/hotpb/hotpb/go/bench/codec/open2"
)

// The messages of hotpb/codec_proto2.proto, as in proto3.go. Of the extensions, csproto's code knows those of the file that a
// message names: here the process, which is the only one in the benchmark's bytes.
type (
	baseEvent     open2.BaseEvent
	processEvent  open2.ProcessEvent
	processResult open2.ProcessEvent_Result
	processActor  open2.Actor
)

var (
	ofBaseEvent     = hiddenOf[open2.BaseEvent]()
	ofProcessEvent  = hiddenOf[open2.ProcessEvent]()
	ofProcessResult = hiddenOf[open2.ProcessEvent_Result]()
	ofProcessActor  = hiddenOf[open2.Actor]()
)

var errRequired = errors.New("a required field is absent")

// MarshalBaseEvent encodes an event with its extension.
func MarshalBaseEvent(m *open2.BaseEvent) ([]byte, error) { return marshal((*baseEvent)(m)) }

// UnmarshalBaseEvent resets the event and decodes b into it.
func UnmarshalBaseEvent(b []byte, m *open2.BaseEvent) error { return (*baseEvent)(m).Unmarshal(b) }

func (m *baseEvent) process() *processEvent {
	v, _ := extension((*open2.BaseEvent)(m)).(*open2.ProcessEvent)
	return (*processEvent)(v)
}

func (m *baseEvent) Size() int {
	if m == nil {
		return 0
	}
	p := unsafe.Pointer(m)
	if size, ok := ofBaseEvent.cached(p); ok {
		return size
	}
	n := len(*ofBaseEvent.unknownOf(p))
	if m.EventId != nil {
		n += sizeBytes(1, len(*m.EventId))
	}
	if m.SourceId != nil {
		n += sizeBytes(2, len(*m.SourceId))
	}
	if m.TimestampNs != nil {
		n += sizeTag(3) + sizeVarint(*m.TimestampNs)
	}
	if m.Kind != nil {
		n += sizeTag(4) + sizeVarint(uint64(*m.Kind))
	}
	if v := m.process(); v != nil {
		n += sizeBytes(100, sizeOf(v))
	}
	return ofBaseEvent.cache(p, n)
}

func (m *baseEvent) MarshalTo(dest []byte) error {
	if m == nil {
		return nil
	}
	if m.EventId == nil || m.SourceId == nil || m.TimestampNs == nil || m.Kind == nil {
		return errRequired
	}
	e := newEncoder(dest)
	e.encodeString(1, *m.EventId)
	e.encodeString(2, *m.SourceId)
	e.encodeUint64(3, *m.TimestampNs)
	e.encodeInt32(4, int32(*m.Kind))
	if v := m.process(); v != nil {
		if err := e.encodeNested(100, v); err != nil {
			return in("process", 100, err)
		}
	}
	e.encodeRaw(*ofBaseEvent.unknownOf(unsafe.Pointer(m)))
	return nil
}

var baseEventTypes = [...]int{1: bytesOf, 2: bytesOf, 3: varint, 4: varint}

func (m *baseEvent) Unmarshal(b []byte) error {
	(*open2.BaseEvent)(m).Reset()
	d := newDecoder(b)
	for d.more() {
		number, kind, err := d.decodeTag()
		if err != nil {
			return err
		}
		if number < len(baseEventTypes) && kind != baseEventTypes[number] {
			return typeError("of BaseEvent", number, kind)
		}
		switch number {
		case 1:
			m.EventId, err = pointer(d.decodeString())
		case 2:
			m.SourceId, err = pointer(d.decodeString())
		case 3:
			m.TimestampNs, err = pointer(d.decodeUint64())
		case 4:
			var v int32
			v, err = d.decodeInt32()
			m.Kind = open2.EventKind(v).Enum()
		case 100:
			var v open2.ProcessEvent
			if err = d.decodeNested((*processEvent)(&v)); err == nil {
				err = setExtension((*open2.BaseEvent)(m), &v)
			}
		default:
			err = d.keep(ofBaseEvent.unknownOf(unsafe.Pointer(m)), number, kind)
		}
		if err != nil {
			return in("of BaseEvent", number, err)
		}
	}
	if m.EventId == nil || m.SourceId == nil || m.TimestampNs == nil || m.Kind == nil {
		return errRequired
	}
	return nil
}

func pointer[T any](v T, err error) (*T, error) { return &v, err }

func (m *processEvent) Size() int {
	if m == nil {
		return 0
	}
	p := unsafe.Pointer(m)
	if size, ok := ofProcessEvent.cached(p); ok {
		return size
	}
	n := len(*ofProcessEvent.unknownOf(p))
	if m.Name != nil {
		n += sizeBytes(1, len(*m.Name))
	}
	if m.Command != nil {
		n += sizeBytes(2, len(*m.Command))
	}
	if m.Elevated != nil {
		n += sizeTag(3) + 1
	}
	for _, s := range m.Labels {
		n += sizeBytes(4, len(s))
	}
	if m.Actor != nil {
		n += sizeBytes(5, sizeOf((*processActor)(m.Actor)))
	}
	switch v := m.Origin.(type) {
	case *open2.ProcessEvent_Service:
		n += sizeTag(6) + 1
	case *open2.ProcessEvent_Login:
		n += sizeTag(7) + 1
	case *open2.ProcessEvent_Parent:
		n += sizeBytes(8, len(v.Parent))
	}
	if m.Result != nil {
		n += sizeBytes(9, sizeOf((*processResult)(m.Result)))
	}
	return ofProcessEvent.cache(p, n)
}

func (m *processEvent) MarshalTo(dest []byte) error {
	if m == nil {
		return nil
	}
	e := newEncoder(dest)
	if m.Name != nil {
		e.encodeString(1, *m.Name)
	}
	if m.Command != nil {
		e.encodeString(2, *m.Command)
	}
	if m.Elevated != nil {
		e.encodeBool(3, *m.Elevated)
	}
	for _, s := range m.Labels {
		e.encodeString(4, s)
	}
	if m.Actor == nil {
		return in("actor", 5, errRequired)
	}
	if err := e.encodeNested(5, (*processActor)(m.Actor)); err != nil {
		return in("actor", 5, err)
	}
	switch v := m.Origin.(type) {
	case *open2.ProcessEvent_Service:
		e.encodeBool(6, v.Service)
	case *open2.ProcessEvent_Login:
		e.encodeBool(7, v.Login)
	case *open2.ProcessEvent_Parent:
		e.encodeString(8, v.Parent)
	}
	if m.Result != nil {
		if err := e.encodeNested(9, (*processResult)(m.Result)); err != nil {
			return in("result", 9, err)
		}
	}
	e.encodeRaw(*ofProcessEvent.unknownOf(unsafe.Pointer(m)))
	return nil
}

var processEventTypes = [...]int{1: bytesOf, 2: bytesOf, 3: varint, 4: bytesOf, 5: bytesOf, 6: varint, 7: varint, 8: bytesOf, 9: bytesOf}

func (m *processEvent) Unmarshal(b []byte) error {
	(*open2.ProcessEvent)(m).Reset()
	d := newDecoder(b)
	for d.more() {
		number, kind, err := d.decodeTag()
		if err != nil {
			return err
		}
		if number < len(processEventTypes) && kind != processEventTypes[number] {
			return typeError("of ProcessEvent", number, kind)
		}
		switch number {
		case 1:
			m.Name, err = pointer(d.decodeString())
		case 2:
			m.Command, err = pointer(d.decodeString())
		case 3:
			m.Elevated, err = pointer(d.decodeBool())
		case 4:
			var s string
			s, err = d.decodeString()
			m.Labels = append(m.Labels, s)
		case 5:
			var v open2.Actor
			err = d.decodeNested((*processActor)(&v))
			m.Actor = &v
		case 6:
			var v open2.ProcessEvent_Service
			v.Service, err = d.decodeBool()
			m.Origin = &v
		case 7:
			var v open2.ProcessEvent_Login
			v.Login, err = d.decodeBool()
			m.Origin = &v
		case 8:
			var v open2.ProcessEvent_Parent
			v.Parent, err = d.decodeString()
			m.Origin = &v
		case 9:
			var v open2.ProcessEvent_Result
			err = d.decodeNested((*processResult)(&v))
			m.Result = &v
		default:
			err = d.keep(ofProcessEvent.unknownOf(unsafe.Pointer(m)), number, kind)
		}
		if err != nil {
			return in("of ProcessEvent", number, err)
		}
	}
	if m.Actor == nil {
		return errRequired
	}
	return nil
}

func (m *processResult) Size() int {
	if m == nil {
		return 0
	}
	p := unsafe.Pointer(m)
	if size, ok := ofProcessResult.cached(p); ok {
		return size
	}
	n := len(*ofProcessResult.unknownOf(p))
	if m.Details != nil {
		n += sizeBytes(1, len(*m.Details))
	}
	if m.ExitCode != nil {
		n += sizeTag(2) + sizeVarint(zigzag32(*m.ExitCode))
	}
	return ofProcessResult.cache(p, n)
}

func (m *processResult) MarshalTo(dest []byte) error {
	if m == nil {
		return nil
	}
	e := newEncoder(dest)
	if m.Details != nil {
		e.encodeString(1, *m.Details)
	}
	if m.ExitCode != nil {
		e.encodeSint32(2, *m.ExitCode)
	}
	e.encodeRaw(*ofProcessResult.unknownOf(unsafe.Pointer(m)))
	return nil
}

func (m *processResult) Unmarshal(b []byte) error {
	(*open2.ProcessEvent_Result)(m).Reset()
	d := newDecoder(b)
	for d.more() {
		number, kind, err := d.decodeTag()
		if err != nil {
			return err
		}
		switch {
		case number == 1 && kind == bytesOf:
			m.Details, err = pointer(d.decodeString())
		case number == 2 && kind == varint:
			m.ExitCode, err = pointer(d.decodeSint32())
		case number <= 2:
			return typeError("of Result", number, kind)
		default:
			err = d.keep(ofProcessResult.unknownOf(unsafe.Pointer(m)), number, kind)
		}
		if err != nil {
			return in("of Result", number, err)
		}
	}
	return nil
}

func (m *processActor) Size() int {
	if m == nil {
		return 0
	}
	p := unsafe.Pointer(m)
	if size, ok := ofProcessActor.cached(p); ok {
		return size
	}
	n := len(*ofProcessActor.unknownOf(p))
	if m.Id != nil {
		n += sizeTag(1) + sizeVarint(uint64(*m.Id))
	}
	if m.User != nil {
		n += sizeBytes(2, len(*m.User))
	}
	for _, v := range m.Groups {
		n += sizeTag(3) + sizeVarint(uint64(v))
	}
	for _, b := range m.Tokens {
		n += sizeBytes(4, len(b))
	}
	return ofProcessActor.cache(p, n)
}

func (m *processActor) MarshalTo(dest []byte) error {
	if m == nil {
		return nil
	}
	if m.Id == nil {
		return in("id", 1, errRequired)
	}
	e := newEncoder(dest)
	e.encodeInt32(1, *m.Id)
	if m.User != nil {
		e.encodeString(2, *m.User)
	}
	for _, v := range m.Groups {
		e.encodeInt32(3, v)
	}
	for _, b := range m.Tokens {
		e.encodeBytes(4, b)
	}
	e.encodeRaw(*ofProcessActor.unknownOf(unsafe.Pointer(m)))
	return nil
}

func (m *processActor) Unmarshal(b []byte) error {
	(*open2.Actor)(m).Reset()
	d := newDecoder(b)
	for d.more() {
		number, kind, err := d.decodeTag()
		if err != nil {
			return err
		}
		switch {
		case number == 1 && kind == varint:
			m.Id, err = pointer(d.decodeInt32())
		case number == 2 && kind == bytesOf:
			m.User, err = pointer(d.decodeString())
		case number == 3:
			m.Groups, err = d.int32s(m.Groups, kind)
		case number == 4 && kind == bytesOf:
			var v []byte
			v, err = d.decodeBytes()
			m.Tokens = append(m.Tokens, v)
		case number <= 4:
			return typeError("of Actor", number, kind)
		default:
			err = d.keep(ofProcessActor.unknownOf(unsafe.Pointer(m)), number, kind)
		}
		if err != nil {
			return in("of Actor", number, err)
		}
	}
	if m.Id == nil {
		return errRequired
	}
	return nil
}
