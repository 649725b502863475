package hotpb_test

import (
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/compat"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
	"google.golang.org/protobuf/proto"
)

// COD-95
func TestPointersHaveTheValueAndAreNew(t *testing.T) {
	size := uint32(7)
	m := &compat.Names{Size: hotpb.Ptr(size), Reset_: hotpb.Bool(true), Marshal_: hotpb.String("a"), Equal: hotpb.Int32(-3), ProtoSize: hotpb.Float64(0.5)}
	want := &compat.Names{Size: proto.Uint32(7), Reset_: proto.Bool(true), Marshal_: proto.String("a"), Equal: proto.Int32(-3), ProtoSize: proto.Float64(0.5)}
	if size = 8; !proto.Equal(m, want) {
		t.Errorf("%v, want %v", m, want)
	}
	if *hotpb.Int(-1) != -1 || *hotpb.Int64(1 << 40) != 1<<40 || *hotpb.Uint32(1 << 31) != 1<<31 || *hotpb.Uint64(1 << 63) != 1<<63 || *hotpb.Float32(0.5) != 0.5 {
		t.Error("another value")
	}
	open := vectors_proto2.Closed(2)
	if p := hotpb.Ptr(open); *p != open || p == hotpb.Ptr(open) {
		t.Error(p)
	}
}
