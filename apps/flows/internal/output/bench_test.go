package output

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/go/schema"
)

// What handing over a flow of 200 bytes costs each output, in chunks of 256 kB. The broker is in the same process, and keeps
// nothing.
func BenchmarkOutput(b *testing.B) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.BlackholeProduce())
	if err != nil {
		b.Fatal(err)
	}
	defer cluster.Close()
	log := slog.New(slog.DiscardHandler)
	for name, open := range map[string]func(*Queue, *count.Counters) (Output, error){
		"kafka": func(q *Queue, c *count.Counters) (Output, error) {
			return NewKafka(KafkaOptions{
				Brokers: cluster.ListenAddrs(), Topic: "t", Compression: "lz4", RecordBytes: 240_000, BatchBytes: 1_000_000,
				Timeout: time.Minute, Create: true, Linger: 10 * time.Millisecond,
			}, q, c, log)
		},
		"file": func(q *Queue, c *count.Counters) (Output, error) {
			return NewFile(FileOptions{b.TempDir(), "t", 1 << 28, time.Hour}, q, c, log)
		},
	} {
		b.Run(name, func(b *testing.B) {
			t := &bench{T: &testing.T{}, layout: layoutOf(b, twoColumns)}
			if t.id, err = schema.Lookup[schema.UintColumn](t.layout.File.Schema.Message, "id"); err != nil {
				b.Fatal(err)
			}
			chunk := t.chunk(1280, 195)
			var counts count.Counters
			out, err := open(NewQueue(64<<20), &counts)
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for left := b.N; left > 0; left -= chunk.Flows {
				if err := out.Put(context.Background(), chunk); err != nil { // its bytes are only read
					b.Fatal(err)
				}
			}
			if err := out.Close(context.Background()); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(chunk.Bytes) / chunk.Flows))
		})
	}
}
