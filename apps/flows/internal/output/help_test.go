package output

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// bench is an output to Kafka with what is needed to try it.
type bench struct {
	*testing.T
	layout *layout.Layout
	id     schema.UintColumn
	counts count.Counters
	queue  *Queue
	kafka  *Kafka
	next   uint64 // flow
	put    uint64 // flows that the output has taken
}

func layoutOf(t testing.TB, columns string) *layout.Layout {
	t.Helper()
	l, err := layout.Parse("schema.yaml", []byte("message: M\ncolumns:\n"+columns))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

const twoColumns = "  - {name: id, number: 1, type: uint64}\n  - {name: text, number: 2, type: string}\n"

func newBench(t *testing.T, cluster *kfake.Cluster, change func(*KafkaOptions)) *bench {
	t.Helper()
	b := &bench{T: t, layout: layoutOf(t, twoColumns), queue: NewQueue(1 << 20)}
	var err error
	if b.id, err = schema.Lookup[schema.UintColumn](b.layout.File.Schema.Message, "id"); err != nil {
		t.Fatal(err)
	}
	o := KafkaOptions{Brokers: []string{"127.0.0.1:1"}, Topic: "t", Compression: "lz4", RecordBytes: 1000, BatchBytes: 1 << 20,
		Timeout: 20 * time.Second, Create: true, Partitions: 3, Replication: 1}
	if cluster != nil {
		o.Brokers = cluster.ListenAddrs()
	}
	if change != nil {
		change(&o)
	}
	if b.kafka, err = NewKafka(o, b.queue, &b.counts, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = b.kafka.Close(ended)
	})
	return b
}

func newCluster(t *testing.T, options ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// chunk has n flows of the layout, each with its own id, and about size bytes.
func (b *bench) chunk(n, size int) flow.Chunk {
	c := flow.Chunk{Layout: b.layout, Flows: n}
	text, err := schema.Lookup[schema.StringColumn](b.layout.File.Schema.Message, "text")
	if err != nil {
		b.Fatal(err)
	}
	r := b.layout.Plan.NewRecord()
	for range n {
		b.next++
		r.Uint(b.id, b.next)
		r.String(text, strings.Repeat("x", size))
		c.Bytes, _ = r.AppendDelimited(c.Bytes)
		r.Reset()
	}
	return c
}

// send puts a chunk, which must be accepted.
func (b *bench) send(c flow.Chunk) {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := b.kafka.Put(ctx, c); err != nil {
		b.Fatal(err)
	}
	b.put += uint64(c.Flows)
}

// close closes the output and sees that every flow has been counted once.
func (b *bench) close(within time.Duration) error {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	err := b.kafka.Close(ctx)
	b.balanced()
	return err
}

func (b *bench) balanced() {
	b.Helper()
	if got := b.counts.Delivered.Load() + b.dropped(); got != b.put {
		b.Errorf("%d flows put, %d delivered and %s", b.put, b.counts.Delivered.Load(), b.drops())
	}
	if used := b.queue.Used(); used != 0 {
		b.Errorf("%d bytes are still in the queue", used)
	}
}

func (b *bench) dropped() (n uint64) {
	for r := range count.Reasons {
		n += b.counts.Dropped(r)
	}
	return n
}

func (b *bench) drops() string {
	var list []string
	for r := range count.Reasons {
		if n := b.counts.Dropped(r); n > 0 {
			list = append(list, r.String()+" "+strconv.FormatUint(n, 10))
		}
	}
	return strings.Join(list, ", ")
}

// want sees that of the flows taken n were lost, all for one reason.
func (b *bench) want(r count.Reason, n uint64) {
	b.Helper()
	if b.counts.Dropped(r) != n || b.dropped() != n {
		b.Errorf("lost: %s; want %s %d", b.drops(), r, n)
	}
}

// read returns how often each flow is in the topic, and the largest record's value.
func (b *bench) read(cluster *kfake.Cluster, options ...kgo.Opt) (flows map[uint64]int, largest int) {
	b.Helper()
	client, err := kgo.NewClient(append(options, kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.ConsumeTopics(b.layout.Topic("t")))...)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	flows, row := map[uint64]int{}, b.layout.Plan.NewRow()
	for total := uint64(0); total < b.counts.Delivered.Load(); {
		fetches := client.PollFetches(ctx)
		if ctx.Err() != nil {
			b.Fatalf("%d of %d flows have come", total, b.counts.Delivered.Load())
		}
		fetches.EachRecord(func(record *kgo.Record) {
			largest = max(largest, len(record.Value))
			for at := 0; at < len(record.Value); {
				message, next, err := wire.CutDelimited(record.Value, at, wire.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if err := row.Unmarshal(message); err != nil {
					b.Fatal(err)
				}
				flows[row.Uint(b.id)]++
				at = next
				total++
			}
		})
	}
	return flows, largest
}

// complete sees that the topic has each of the flows once.
func (b *bench) complete(flows map[uint64]int) {
	b.Helper()
	for id := uint64(1); id <= b.next; id++ {
		if flows[id] != 1 {
			b.Fatalf("flow %d of %d is there %d times", id, b.next, flows[id])
		}
	}
}
