package google_test

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/raft"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto3"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
)

// nested nests a message into itself depth times.
func nested(field protowire.Number, depth int, inner []byte) (b []byte) {
	sizes := []int{len(inner)}
	for n := range depth {
		sizes = append(sizes, protowire.SizeTag(field)+protowire.SizeBytes(sizes[n]))
	}
	for n := depth - 1; n >= 0; n-- {
		b = protowire.AppendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(sizes[n]))
	}
	return append(b, inner...)
}

// Shapes with which a decode, or the search for an error, once took far more time or memory than their size
// justifies.
func TestHostileShapesTakeTimeAndMemoryInProportionToTheirSize(t *testing.T) {
	entry := protowire.AppendBytes(protowire.AppendTag(nil, 69, protowire.BytesType), nil)
	extension := protowire.AppendBytes(protowire.AppendTag(nil, 1019, protowire.BytesType), []byte{8, 1})
	groups := append(bytes.Repeat([]byte{0xa3, 0x06}, 9000), bytes.Repeat([]byte{8, 1}, 1<<17)...)
	for name, c := range map[string]struct {
		hot, stock interface {
			proto.Message
			UnmarshalHot([]byte) error
		}
		input []byte
		most  uint64 // bytes of memory for each byte of input
	}{
		"one field again and again":    {new(raft.SnapshotMetadata), new(raft.SnapshotMetadata), bytes.Repeat([]byte{0x0a, 0}, 1<<19), 4},
		"one key again and again":      {new(p3.TestAllTypesProto3), new(p3.TestAllTypesProto3), bytes.Repeat(entry, 1<<18), 8},
		"open groups, then an error":   {new(raft.Entry), new(raft.Entry), append(groups, 0x0f), 8},
		"deep, then an error":          {new(p3.TestAllTypesProto3), new(p3.TestAllTypesProto3), nested(27, 9990, []byte{0x0f}), 2000},
		"deeper than allowed":          {new(p3.TestAllTypesProto3), new(p3.TestAllTypesProto3), nested(27, 100_000, nil), 100},
		"groups, deeper than allowed":  {new(p2.All), new(p2.All), bytes.Repeat([]byte{0xab, 0x38}, 100_000), 100},
		"unknown groups, the same":     {new(raft.Entry), new(raft.Entry), bytes.Repeat([]byte{0xa3, 0x06}, 100_000), 100},
		"an extension in itself":       {new(p2.All), new(p2.All), nested(1019, 2000, nil), 4000},
		"the same, then an error":      {new(p2.All), new(p2.All), nested(1019, 2000, []byte{0x0f}), 4000},
		"two lists by turns":           {new(prometheus.TimeSeries), new(prometheus.TimeSeries), bytes.Repeat([]byte{0x0a, 0, 0x12, 0}, 1<<15), 200},
		"one extension in many pieces": {new(p2.All), new(p2.All), bytes.Repeat(extension, 8000), 100},
	} {
		var before, after runtime.MemStats
		start := time.Now()
		runtime.ReadMemStats(&before)
		err := c.hot.UnmarshalHot(c.input)
		runtime.ReadMemStats(&after)
		took := time.Since(start)
		if used, most := after.TotalAlloc-before.TotalAlloc, 1<<20+c.most*uint64(len(c.input)); used > most {
			t.Errorf("%s: %d bytes of memory for %d", name, used, len(c.input))
		}
		if took > 5*time.Second {
			t.Errorf("%s: %v for %d bytes", name, took, len(c.input))
		}
		if stock := proto.Unmarshal(c.input, c.stock); (stock == nil) != (err == nil) || err == nil && !proto.Equal(c.hot, c.stock) {
			t.Errorf("%s: %v, and the runtime %v", name, err, stock)
		}
		if err != nil && len(err.Error()) > 1500 {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
		t.Logf("%s: %d bytes, %v, %d of memory", name, len(c.input), took, after.TotalAlloc-before.TotalAlloc)
	}
}
