package gogo_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gogo/protobuf/proto"
	"github.com/gogo/protobuf/protoc-gen-gogo/descriptor"
	"github.com/gogo/protobuf/types"
	hotpb "github.com/hotpb/hotpb/go"
	p2 "github.com/hotpb/hotpb/go/gogo/internal/codec_proto2"
	fast2 "github.com/hotpb/hotpb/go/gogo/internal/codec_proto2_fast"
	p3 "github.com/hotpb/hotpb/go/gogo/internal/codec_proto3"
	fast3 "github.com/hotpb/hotpb/go/gogo/internal/codec_proto3_fast"
)

// COD-122: the calls that `hotpb migrate --from=gogo` rewrites behave as gogo's, for good and damaged bytes, absent required fields, bad
// UTF-8 and nil. Only the order of maps, the texts of errors, and an error in place of a panic differ.
func TestRewrittenCallsBehaveAsGogos(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, example := range []proto.Message{new(p2.BaseEvent), new(p2.ProcessEvent), new(p2.Actor), new(p3.Batch), new(fast2.BaseEvent), new(fast2.ProcessEvent), new(fast3.Batch),
		new(types.Timestamp), new(types.Value), new(types.Type), new(descriptor.FileDescriptorProto), new(descriptor.FieldOptions)} {
		typ := reflect.TypeOf(example)
		fresh := func() proto.Message { return reflect.New(typ.Elem()).Interface().(proto.Message) }
		good, bad, partial, mistaken := 0, 0, 0, 0
		a, b := fresh(), fresh() // used again: both calls empty them
		for range 20_000 {
			in := record(r, 3)
			if r.IntN(2) == 0 {
				in = append([]byte(required[typ.Elem().Name()]), in...)
			}
			left, right := proto.Unmarshal(in, a), hotpb.Unmarshal(in, b)
			if (left == nil) != (right == nil) {
				t.Fatalf("%v: Unmarshal(%x): gogo: %v, hotpb: %v", typ, in, left, right)
			}
			if !proto.Equal(a, b) {
				t.Fatalf("%v: Unmarshal(%x): gogo: %v, hotpb: %v", typ, in, a, b)
			}
			if left != nil {
				bad++
				if _, ok := left.(*proto.RequiredNotSetError); ok {
					partial++
				}
			} else {
				good++
			}
			theirs, left := proto.Marshal(a)
			hot, right := hotpb.Marshal(a)
			if (left == nil) != (right == nil) || len(theirs) != len(hot) || proto.Size(a) != hotpb.Size(a) {
				t.Fatalf("%v: Marshal(%v): gogo: %x, %v, %d; hotpb: %x, %v, %d", typ, a, theirs, left, proto.Size(a), hot, right, hotpb.Size(a))
			}
			if left != nil {
				mistaken++
			}
		}
		if good < 300 || bad < 300 {
			t.Errorf("%v: %d good, %d bad, %d without required fields, %d not encoded", typ, good, bad, partial, mistaken)
		}
		null := reflect.Zero(typ).Interface().(proto.Message)
		if proto.Size(null) != hotpb.Size(null) {
			t.Errorf("%v: Size(nil): gogo: %d, hotpb: %d", typ, proto.Size(null), hotpb.Size(null))
		}
		if _, err := hotpb.Marshal(null); err == nil || !fails(func() error { _, err := proto.Marshal(null); return err }) {
			t.Errorf("%v: Marshal(nil) is no error in both", typ)
		}
		if hotpb.Unmarshal(nil, null) == nil || !fails(func() error { return proto.Unmarshal(nil, null) }) {
			t.Errorf("%v: Unmarshal into nil is no error in both", typ)
		}
	}
	for _, same := range []bool{*proto.Bool(true) == *hotpb.Bool(true), *proto.Int(-1 << 40) == *hotpb.Int(-1 << 40), *proto.Int32(7) == *hotpb.Int32(7), *proto.Int64(7) == *hotpb.Int64(7),
		*proto.Uint32(7) == *hotpb.Uint32(7), *proto.Uint64(7) == *hotpb.Uint64(7), *proto.Float32(7) == *hotpb.Float32(7), *proto.Float64(7) == *hotpb.Float64(7), *proto.String("a") == *hotpb.String("a")} {
		if !same {
			t.Error("a pointer to another value")
		}
	}
}

// required are the required fields of messages.
var required = map[string]string{"BaseEvent": "\x0a\x01a\x12\x01b\x18\x07\x20\x01", "ProcessEvent": "\x2a\x02\x08\x01", "Actor": "\x08\x01"}

// fails reports whether a call panics or returns an error.
func fails(f func() error) (failed bool) {
	defer func() { failed = failed || recover() != nil }()
	return f() != nil
}

// record returns a few records of the fields that the messages have, one in a while damaged.
func record(r *rand.Rand, levels int) (b []byte) {
	for range r.IntN(4) {
		number := uint64(1 + r.IntN(14))
		switch kind := r.IntN(4); {
		case kind == 0:
			b = append(proto.EncodeVarint(number<<3), proto.EncodeVarint(r.Uint64()>>r.IntN(64))...)
		case kind == 1 && levels > 0:
			inner := record(r, levels-1)
			b = append(append(append(b, proto.EncodeVarint(number<<3|2)...), proto.EncodeVarint(uint64(len(inner)))...), inner...)
		default:
			text := []string{"", "a", "disk full", "\xff", "0123456789abcdef"}[r.IntN(5)]
			b = append(append(append(b, proto.EncodeVarint(number<<3|2)...), byte(len(text))), text...)
		}
	}
	if len(b) > 0 && r.IntN(8) == 0 {
		b[r.IntN(len(b))] ^= byte(1 << r.IntN(8))
	}
	return b
}
