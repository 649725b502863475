// Package protozero holds the tasks about the message of ProtoZero's own benchmark (four varints of five bytes, a string
// of 31 bytes; the same four deep) and their contenders, one file each. An operation fills a message in and encodes it,
// into memory that is used again.
package protozero

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/protozero/eventspb"
)

// inputs are read again in each operation.
var inputs = struct {
	numbers [4]uint64
	text    string
}{[4]uint64{0x12345678, 0x90abcdef, 0x11111111, 0xffffffff}, "fffffffffffffffffffffffffffffff"}

// levels is how deep the nested message is.
const levels = 4

// A rival fills in and encodes a message with so many levels.
type rival struct {
	write func(levels int) ([]byte, error)
	note  string
}

var rivals = map[string]func() rival{
	"hotpb-writer":       newHotpb,
	"hotpb-writer:heap":  newHotpbHeap,
	"protobuf-go":        newProtobufGo,
	"protobuf-go:reused": newProtobufGoReused,
	"vtprotobuf":         newVTProtobuf,
	"vtprotobuf:reused":  newVTProtobufReused,
	"easyproto":          newEasyproto,
	"speed-of-light":     newSpeedOfLight,
}

// Tasks returns the grid of this package.
func Tasks() harness.Tasks {
	tasks := harness.Tasks{}
	for task, depth := range map[string]int{"protozero-simple": 1, "protozero-nested": levels} {
		tasks[task] = map[string]harness.Factory{}
		for name, make := range rivals {
			tasks[task][name] = func([]byte) (harness.Contender, error) {
				r := make()
				return harness.Contender{
					Op:     func() (uint64, error) { _, err := r.write(depth); return 0, err },
					Verify: func() error { return r.verify(depth) },
					Note:   r.note,
				}, nil
			}
		}
	}
	return tasks
}

// stock fills in the stock runtime's message.
func stock(depth int) *eventspb.Event {
	m := &eventspb.Event{
		FieldInt32:  proto.Int32(int32(inputs.numbers[0])),
		FieldUint32: proto.Uint32(uint32(inputs.numbers[1])),
		FieldInt64:  proto.Int64(int64(inputs.numbers[2])),
		FieldUint64: proto.Uint64(inputs.numbers[3]),
		FieldString: proto.String(inputs.text),
	}
	if depth > 1 {
		m.FieldNested = []*eventspb.Event{stock(depth - 1)}
	}
	return m
}

// refill fills in a message that has all its parts.
func refill(m *eventspb.Event) {
	*m.FieldInt32 = int32(inputs.numbers[0])
	*m.FieldUint32 = uint32(inputs.numbers[1])
	*m.FieldInt64 = int64(inputs.numbers[2])
	*m.FieldUint64 = inputs.numbers[3]
	*m.FieldString = inputs.text
	if len(m.FieldNested) > 0 {
		refill(m.FieldNested[0])
	}
}

func (r rival) verify(depth int) error {
	b, err := r.write(depth)
	if err != nil {
		return err
	}
	got := new(eventspb.Event)
	if err := proto.Unmarshal(b, got); err != nil {
		return err
	}
	if want := stock(depth); !proto.Equal(got, want) {
		return fmt.Errorf("%v instead of %v", got, want)
	}
	return nil
}
