package wire_test

import (
	"fmt"

	"github.com/hotpb/hotpb/go/wire"
)

// Event is a message whose code is written by hand:
//
//	message Event {
//	  string name = 1;
//	  sint64 offset = 2;
//	  repeated uint32 codes = 3;
//	  map<string, int64> counts = 4;
//	  Event cause = 5;
//	}
type Event struct {
	Name    string
	Offset  int64
	Codes   []uint32
	Counts  map[string]int64
	Cause   *Event
	unknown []byte
}

// Size returns the number of bytes that MarshalTo writes.
func (m *Event) Size() (n int) {
	if m.Name != "" {
		n += wire.SizeTag(1) + wire.SizeBytes(len(m.Name))
	}
	if m.Offset != 0 {
		n += wire.SizeTag(2) + wire.SizeVarint(wire.EncodeZigzag(m.Offset))
	}
	if len(m.Codes) > 0 {
		n += wire.SizeTag(3) + wire.SizeBytes(wire.SizePackedVarints(m.Codes))
	}
	for k, v := range m.Counts {
		entry := wire.SizeTag(1) + wire.SizeBytes(len(k)) + wire.SizeTag(2) + wire.SizeVarint(uint64(v))
		n += wire.SizeTag(4) + wire.SizeBytes(entry)
	}
	if m.Cause != nil {
		n += wire.SizeTag(5) + wire.SizeBytes(m.Cause.Size())
	}
	return n + len(m.unknown)
}

// MarshalTo writes into dst, which has Size bytes.
func (m *Event) MarshalTo(dst []byte) error {
	e := wire.NewEncoder(dst)
	if m.Name != "" {
		e.EncodeString(1, m.Name)
	}
	if m.Offset != 0 {
		e.EncodeSint64(2, m.Offset)
	}
	e.EncodePackedUint32(3, m.Codes)
	for k, v := range m.Counts {
		entry := e.BeginMapEntry(4)
		e.EncodeString(1, k)
		e.EncodeInt64(2, v)
		e.End(entry)
	}
	if m.Cause != nil {
		e.EncodeNested(5, m.Cause)
	}
	e.EncodeRaw(m.unknown)
	_, err := e.Bytes()
	return err
}

// Unmarshal reads b.
func (m *Event) Unmarshal(b []byte) error {
	*m = Event{}
	return m.merge(wire.NewDecoder(b))
}

// merge reads the rest of d: parts of one message are merged.
func (m *Event) merge(d *wire.Decoder) error {
	for d.More() {
		number, kind, err := d.DecodeTag()
		if err != nil {
			return err
		}
		switch {
		case number == 1 && kind == wire.BytesType:
			m.Name, err = d.DecodeString()
		case number == 2 && kind == wire.VarintType:
			m.Offset, err = d.DecodeSint64()
		case number == 3 && (kind == wire.BytesType || kind == wire.VarintType):
			m.Codes, err = d.DecodePackedUint32(m.Codes) // packed or not
		case number == 4 && kind == wire.BytesType:
			err = m.count(d)
		case number == 5 && kind == wire.BytesType:
			if m.Cause == nil {
				m.Cause = new(Event)
			}
			var nested wire.Decoder
			if nested, err = d.Nested(); err == nil {
				err = m.Cause.merge(&nested)
			}
		default: // unknown, or known with another wire type
			var raw []byte
			raw, err = d.Skip()
			m.unknown = append(m.unknown, raw...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *Event) count(d *wire.Decoder) error {
	key, value, err := d.MapEntry(wire.String, wire.Int64)
	if err != nil {
		return err
	}
	k, err := key.DecodeString()
	if err != nil {
		return err
	}
	v, err := value.DecodeInt64()
	if err != nil {
		return err
	}
	if m.Counts == nil {
		m.Counts = map[string]int64{}
	}
	m.Counts[k] = v
	return nil
}

// A message with handwritten methods, which use Encoder and Decoder.
func Example() {
	sent := &Event{Name: "disk full", Offset: -3, Codes: []uint32{28, 300}, Counts: map[string]int64{"retries": 2},
		Cause: &Event{Name: "log"}}
	b := make([]byte, sent.Size())
	if err := sent.MarshalTo(b); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("% x\n", b)

	var received Event
	if err := received.Unmarshal(append(b, 0x78, 0x01)); err != nil { // plus a field of a later version
		fmt.Println(err)
	}
	fmt.Println(received.Name, received.Offset, received.Codes, received.Counts, received.Cause.Name)
	fmt.Printf("% x\n", received.unknown)

	fmt.Println(sent.MarshalTo(b[:12]))
	fmt.Println(received.Unmarshal(b[:12]))
	// Output:
	// 0a 09 64 69 73 6b 20 66 75 6c 6c 10 05 1a 03 1c ac 02 22 0b 0a 07 72 65 74 72 69 65 73 10 02 2a 05 0a 03 6c 6f 67
	// disk full -3 [28 300] map[retries:2] log
	// 78 01
	// hotpb: BufferExhausted at byte 11
	// hotpb: Truncated at byte 12
}

// Strings of mode Fast are the input's own bytes: nothing is copied or allocated.
func ExampleDecoder_SetMode() {
	b := []byte("\x0a\x05hello")
	d := wire.NewDecoder(b)
	d.SetMode(wire.Fast)
	d.DecodeTag()
	text, err := d.DecodeString()
	fmt.Println(text, err)
	copy(b[2:], "HELLO") // do not do this while text is in use
	fmt.Println(text)
	// Output:
	// hello <nil>
	// HELLO
}

// Read one field deep inside a message without decoding the rest.
func ExampleFind() {
	event := &Event{Name: "a", Cause: &Event{Name: "b", Cause: &Event{Name: "c", Codes: []uint32{1, 2}}}}
	b := make([]byte, event.Size())
	event.MarshalTo(b)
	d, found, err := wire.Find(b, 5, 5, 1)
	name, _ := d.DecodeString()
	fmt.Println(name, found, err)
	_, found, err = wire.Find(b, 5, 4)
	fmt.Println(found, err)
	// Output:
	// c true <nil>
	// false <nil>
}
