package apitest

import (
	"testing"
	"time"

	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
)

// Direct is a runtime's own functions, for one message: called as users call them.
type Direct struct {
	Size      func()
	Marshal   func()
	Unmarshal func(b []byte)
}

// Overhead measures what a call through package hotpb costs more than the same
// call of the message's runtime.
func Overhead(b *testing.B, msg any, direct Direct) {
	encoded, err := hotpb.Marshal(msg)
	if err != nil {
		b.Fatal(err)
	}
	into := fresh(msg)
	b.Run("Size", func(b *testing.B) { inTurns(b, direct.Size, func() { hotpb.Size(msg) }) })
	b.Run("Marshal", func(b *testing.B) { inTurns(b, direct.Marshal, func() { hotpb.Marshal(msg) }) })
	b.Run("Unmarshal", func(b *testing.B) {
		inTurns(b, func() { direct.Unmarshal(encoded) }, func() { hotpb.Unmarshal(encoded, into) })
	})
}

// Fill decodes an event with an embedded event, lists and maps into the Batch.
func Fill(b *testing.B, batch any) {
	var oracle codec_proto3.Batch
	if err := prototext.Unmarshal([]byte(Message), &oracle); err != nil {
		b.Fatal(err)
	}
	encoded, err := proto.Marshal(&oracle)
	if err == nil {
		err = hotpb.Unmarshal(encoded, batch)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// inTurns calls both a hundred times in turns, and reports the least time of each.
func inTurns(b *testing.B, direct, api func()) {
	const calls = 100
	least := [2]time.Duration{time.Hour, time.Hour}
	for b.Loop() {
		for i, f := range []func(){direct, api} {
			start := time.Now()
			for range calls {
				f()
			}
			least[i] = min(least[i], time.Since(start))
		}
	}
	b.ReportMetric(0, "ns/op") // of both together: of no interest
	b.ReportMetric(float64(least[0].Nanoseconds())/calls, "direct-ns")
	b.ReportMetric(float64(least[1].Nanoseconds())/calls, "api-ns")
	b.ReportMetric(float64(least[1])/float64(least[0]), "api/direct")
}
