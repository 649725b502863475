// Package events has the messages of the task codec-event, of the shape of csproto's examples, as bytes, and what the
// contenders of all runtimes have in common. It needs none of these.
package events

import (
	"fmt"

	"github.com/hotpb/hotpb/go/wire"
)

var groups = []int32{4, 24, 1000}

// Proto2Ext is a BaseEvent of hotpb/codec_proto2.proto with a ProcessEvent as its extension.
func Proto2Ext() []byte {
	return encoded(func(e *wire.Encoder) {
		e.EncodeString(1, "3f2a9c1e-5b7d-4e8f-a6c0-1d2e3f4a5b6c")
		e.EncodeString(2, "sensor-0042")
		e.EncodeUint64(3, 1_700_000_000_123_456_789)
		e.EncodeInt32(4, 1)
		process := e.BeginNested(100)
		e.EncodeString(1, "sshd")
		e.EncodeString(2, "/usr/sbin/sshd -D")
		e.EncodeBool(3, true)
		e.EncodeString(4, "remote")
		e.EncodeString(4, "login")
		actor := e.BeginNested(5)
		e.EncodeInt32(1, 1000)
		e.EncodeString(2, "root")
		for _, group := range groups { // proto2 does not pack them
			e.EncodeInt32(3, group)
		}
		e.End(actor)
		e.EncodeString(8, "systemd")
		result := e.BeginNested(9)
		e.EncodeString(1, "exited")
		e.EncodeSint32(2, -1)
		e.End(result)
		e.End(process)
	})
}

// Proto3 is an Event of hotpb/codec_proto3.proto.
func Proto3() []byte { return encoded(func(e *wire.Encoder) { event(e, 1000) }) }

// Batch is a Batch of the same file: ten events and four maps.
func Batch() []byte {
	return encoded(func(e *wire.Encoder) {
		e.EncodeString(1, "sensor-0042")
		for i := range 10 {
			level := e.BeginNested(2)
			event(e, int32(1000+i))
			e.End(level)
		}
		for i := range 5 {
			entry := e.BeginMapEntry(3)
			e.EncodeString(1, fmt.Sprint("attribute", i))
			e.EncodeString(2, fmt.Sprint("value of ", i))
			e.End(entry)
		}
		for i, key := range []bool{false, true} {
			entry := e.BeginMapEntry(4)
			e.EncodeBool(1, key)
			e.EncodeInt64(2, int64(i)<<40)
			e.End(entry)
		}
		for i := range 3 {
			entry := e.BeginMapEntry(5)
			e.EncodeInt32(1, int32(i+1))
			actor(e, 2, int32(i+1))
			e.End(entry)
		}
		for i, key := range []string{"first", "last"} {
			entry := e.BeginMapEntry(6)
			e.EncodeString(1, key)
			e.EncodeInt32(2, int32(i+1))
			e.End(entry)
		}
	})
}

func event(e *wire.Encoder, id int32) {
	e.EncodeString(1, "sshd")
	e.EncodeString(2, "/usr/sbin/sshd -D")
	e.EncodeBool(3, true)
	e.EncodeString(4, "remote")
	e.EncodeString(4, "login")
	actor(e, 5, id, groups...)
	e.EncodeString(8, "systemd")
	result := e.BeginNested(10)
	e.EncodeString(1, "exited")
	e.EncodeSint32(2, -1)
	e.End(result)
	e.EncodeInt32(11, 1)
	e.EncodeUint64(12, 1_700_000_000_123_456_789)
	e.EncodeDouble(13, 0.75)
}

func actor(e *wire.Encoder, number uint32, id int32, groups ...int32) {
	level := e.BeginNested(number)
	e.EncodeInt32(1, id)
	e.EncodeString(2, "root")
	e.EncodePackedInt32(3, groups)
	e.End(level)
}

func encoded(write func(*wire.Encoder)) []byte {
	e := wire.NewEncoder(make([]byte, 4096))
	write(e)
	b, err := e.Bytes()
	if err != nil {
		panic(err) // a mistake above
	}
	return append([]byte(nil), b...)
}
