package google

import (
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// strictMessage is a message with fast code.
type strictMessage interface {
	vtMessage
	MarshalHotOptions(b []byte, o codec.MarshalOptions) ([]byte, error)
}

// MarshalVTStrict is vtprotobuf's MarshalVTStrict: the encoding of m with all fields by number, those of oneofs, too,
// and unknown fields at the end of each message. Maps are by key. For nil it returns nothing.
func MarshalVTStrict[M strictMessage](m M) ([]byte, error) {
	var none M
	if m == none {
		return nil, nil
	}
	b, err := m.MarshalHotOptions(nil, codec.MarshalOptions{Deterministic: true})
	if err != nil {
		return nil, err
	}
	orderRecords(b, m.ProtoReflect().Descriptor())
	return b, nil
}

// MarshalToVTStrict writes that to the beginning of b and returns its length. If b is too small, MarshalToVTStrict
// returns wire.BufferExhausted and does not change b.
func MarshalToVTStrict[M strictMessage](b []byte, m M) (int, error) {
	out, err := strictFor(b, m)
	return copy(b, out), err
}

// MarshalToSizedBufferVTStrict is MarshalToVTStrict with the encoding at the end of b.
func MarshalToSizedBufferVTStrict[M strictMessage](b []byte, m M) (int, error) {
	out, err := strictFor(b, m)
	return copy(b[len(b)-len(out):], out), err
}

func strictFor[M strictMessage](b []byte, m M) ([]byte, error) {
	out, err := MarshalVTStrict(m)
	if err == nil && len(out) > len(b) {
		return nil, &wire.Error{Code: wire.BufferExhausted, Offset: int64(len(b))}
	}
	return out, err
}

// record is a field in an encoded message.
type record struct {
	number protowire.Number // above all others for a field that the message does not know
	bytes  []byte
}

const unknownNumber = protowire.MaxValidNumber + 1

// orderRecords puts the records of a message, and of the messages in it, in the order of their numbers. Fast code
// puts extensions first and the members of oneofs last.
func orderRecords(b []byte, message protoreflect.MessageDescriptor) {
	if !needsOrder(message) {
		return
	}
	var records []record
	inOrder := true
	for rest := b; len(rest) > 0; {
		number, kind, tag := protowire.ConsumeTag(rest)
		if tag < 0 {
			return // a raw part that does not parse: as it came
		}
		value := protowire.ConsumeFieldValue(number, kind, rest[tag:])
		if value < 0 {
			return
		}
		field := message.Fields().ByNumber(number)
		if field != nil && field.Message() != nil {
			orderContent(rest[tag:tag+value], kind, field)
		}
		if field == nil && !message.ExtensionRanges().Has(number) {
			number = unknownNumber
		}
		if n := len(records); n > 0 && records[n-1].number > number {
			inOrder = false
		}
		records = append(records, record{number, rest[:tag+value]})
		rest = rest[tag+value:]
	}
	if inOrder {
		return
	}
	slices.SortStableFunc(records, func(a, b record) int { return int(a.number) - int(b.number) })
	ordered := make([]byte, 0, len(b))
	for _, r := range records {
		ordered = append(ordered, r.bytes...)
	}
	copy(b, ordered)
}

// orderContent orders the message in the value of a record.
func orderContent(value []byte, kind protowire.Type, field protoreflect.FieldDescriptor) {
	switch kind {
	case protowire.BytesType:
		content, _ := protowire.ConsumeBytes(value)
		orderRecords(content, field.Message())
	case protowire.StartGroupType:
		content, _ := protowire.ConsumeGroup(field.Number(), value)
		orderRecords(content, field.Message())
	}
}

// needsOrder reports whether a message or one inside it has a oneof or extensions.
func needsOrder(message protoreflect.MessageDescriptor) bool {
	return reaches(&ordering, message, func(m protoreflect.MessageDescriptor) bool {
		return m.ExtensionRanges().Len() > 0 || m.Oneofs().Len() > 0
	})
}

var ordering sync.Map // from protoreflect.MessageDescriptor to bool
