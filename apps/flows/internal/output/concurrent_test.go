package output

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/hotpb/hotpb/go/schema"
)

// hang is a broker that answers to nothing until it is released.
func hang(cluster *kfake.Cluster, release <-chan struct{}) func(kmsg.Request) (kmsg.Response, error, bool) {
	return func(kmsg.Request) (kmsg.Response, error, bool) {
		cluster.SleepControl(func() { <-release })
		return nil, nil, false
	}
}

// However many put at once, and whoever closes meanwhile, each flow that was taken is counted once.
func TestPutsAndACloseAtOnceCountEachFlowOnce(t *testing.T) {
	for name, output := range map[string]func(b *bench) Output{
		"kafka": func(b *bench) Output {
			o := KafkaOptions{Topic: "t", Compression: "lz4", RecordBytes: 300, BatchBytes: 1 << 20, Timeout: 20 * time.Second, Create: true}
			o.Brokers = newCluster(b.T).ListenAddrs()
			k, err := NewKafka(o, b.queue, &b.counts, slog.New(slog.DiscardHandler))
			if err != nil {
				b.Fatal(err)
			}
			return k
		},
		"file": func(b *bench) Output {
			o, err := NewFile(FileOptions{b.TempDir(), "t", 5000, time.Hour}, b.queue, &b.counts, slog.New(slog.DiscardHandler))
			if err != nil {
				b.Fatal(err)
			}
			return o
		},
		"json": func(b *bench) Output {
			return NewJSON(&bytes.Buffer{}, b.queue, &b.counts, slog.New(slog.DiscardHandler))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := &bench{T: t, layout: layoutOf(t, twoColumns), queue: NewQueue(3000)}
			b.id, _ = schema.Lookup[schema.UintColumn](b.layout.File.Schema.Message, "id")
			out := output(b)
			chunk := b.chunk(10, 50)
			var accepted, refused atomic.Uint64
			var wait sync.WaitGroup
			for range 8 {
				wait.Go(func() {
					for err := error(nil); err != ErrClosed; {
						ctx, cancel := context.WithTimeout(context.Background(), 100*time.Microsecond)
						c := chunk
						c.Bytes = bytes.Clone(chunk.Bytes)
						if err = out.Put(ctx, c); err == nil {
							accepted.Add(10)
						} else {
							refused.Add(10)
						}
						cancel()
					}
				})
			}
			time.Sleep(10 * time.Millisecond)
			if err := out.Close(context.Background()); err != nil {
				t.Error(err)
			}
			wait.Wait()
			b.put = accepted.Load()
			b.balanced()
			if b.put == 0 || refused.Load() == 0 {
				t.Errorf("%d flows were taken, %d not: nothing is shown by that", b.put, refused.Load())
			}
			b.want(0, 0)
		})
	}
}
