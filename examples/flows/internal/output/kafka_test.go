package output

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/hotpb/hotpb/examples/flows/internal/count"
	"github.com/hotpb/hotpb/examples/flows/internal/flow"
	"github.com/hotpb/hotpb/examples/flows/internal/layout"
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
	if b.id, err = b.layout.File.Schema.FindUint("id"); err != nil {
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
	text, err := b.layout.File.Schema.FindString("text")
	if err != nil {
		b.Fatal(err)
	}
	r := b.layout.Plan.NewRecord()
	for range n {
		b.next++
		r.Uint(b.id, b.next)
		r.String(text, strings.Repeat("x", size))
		c.Bytes = r.AppendDelimited(c.Bytes)
		r.Reset()
	}
	return c
}

// send puts a chunk, which has to be taken.
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

// read gives how often each flow is in the topic, and the largest record's value.
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

func TestEachFlowIsInItsTopicOnce(t *testing.T) {
	for _, compression := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		cluster := newCluster(t)
		b := newBench(t, cluster, func(o *KafkaOptions) { o.Compression = compression })
		for range 50 {
			b.send(b.chunk(100, 20))
		}
		if err := b.close(20 * time.Second); err != nil {
			t.Fatal(err)
		}
		if b.counts.Delivered.Load() != 5000 || b.counts.Written.Load() == 0 {
			t.Error("delivered", b.counts.Delivered.Load())
		}
		flows, largest := b.read(cluster)
		b.complete(flows)
		if largest > 1000 || largest < 900 {
			t.Errorf("a record has %d bytes, and is to have 1000 at most", largest)
		}
		if info := cluster.PartitionInfos(b.layout.Topic("t")); len(info) != 3 {
			t.Errorf("the topic has %d partitions", len(info))
		}
		if err := b.kafka.Put(t.Context(), b.chunk(1, 1)); err != ErrClosed {
			t.Error(err)
		}
	}
}

func TestAnotherLayoutOfTheWireIsAnotherTopic(t *testing.T) {
	cluster := newCluster(t)
	b := newBench(t, cluster, nil)
	first := b.chunk(3, 1)
	b.send(first)
	b.layout = layoutOf(t, twoColumns+"  - {name: more, number: 3, type: uint32}\n")
	b.id, _ = b.layout.File.Schema.FindUint("id")
	b.send(b.chunk(4, 1))
	if err := b.close(20 * time.Second); err != nil {
		t.Fatal(err)
	}
	for topic, want := range map[string]int64{first.Layout.Topic("t"): 1, b.layout.Topic("t"): 1} {
		n := int64(0)
		for _, p := range cluster.PartitionInfos(topic) {
			n += p.HighWatermark
		}
		if n != want {
			t.Errorf("%s has %d records", topic, n)
		}
	}
}

// What was acknowledged before the broker went is there once, and so is what it was given while it was away.
func TestABrokerThatComesBackHasEachFlowOnce(t *testing.T) {
	folder := t.TempDir()
	cluster := newCluster(t, kfake.DataDir(folder))
	b := newBench(t, cluster, nil)
	port, err := strconv.Atoi(strings.TrimPrefix(cluster.ListenAddrs()[0], "127.0.0.1:"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		b.send(b.chunk(50, 20))
		switch i {
		case 20:
			cluster.Close()
		case 40:
			time.Sleep(300 * time.Millisecond)
			cluster = newCluster(t, kfake.DataDir(folder), kfake.Ports(port))
		}
	}
	if err := b.close(20 * time.Second); err != nil {
		t.Fatal(err)
	}
	b.want(0, 0)
	flows, _ := b.read(cluster)
	b.complete(flows)
}

func TestWithoutABrokerTheQueueFillsAndPutWaits(t *testing.T) {
	for _, create := range []bool{false, true} {
		b := newBench(t, nil, func(o *KafkaOptions) { o.Create = create })
		taken := 0
		for ; taken < 1000; taken++ {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			c := b.chunk(100, 100)
			err := b.kafka.Put(ctx, c)
			cancel()
			if err != nil {
				break
			}
			b.put += uint64(c.Flows)
		}
		if taken < 50 || taken > 100 {
			t.Errorf("%d chunks of 10 kB went into a queue of 1 MB", taken)
		}
		if used := b.queue.Used(); used > b.queue.Size() || used < b.queue.Size()-20000 {
			t.Errorf("%d of %d bytes are used", used, b.queue.Size())
		}
		if err := b.close(100 * time.Millisecond); err != context.DeadlineExceeded {
			t.Error(err)
		}
		b.want(count.Shutdown, b.put)
	}
}

func TestFlowsThatHaveWaitedTooLongAreGivenUp(t *testing.T) {
	for _, create := range []bool{false, true} {
		b := newBench(t, nil, func(o *KafkaOptions) { o.Create, o.Timeout = create, time.Second })
		b.send(b.chunk(10, 10))
		if err := b.close(20 * time.Second); err != nil {
			t.Fatal(err)
		}
		b.want(count.OutputTimeout, 10)
	}
}

func TestWhatKafkaRefusesIsCountedUnderItsReason(t *testing.T) {
	for _, c := range []struct {
		err    *kerr.Error
		reason count.Reason
	}{
		{kerr.TopicAuthorizationFailed, count.Unauthorized}, {kerr.MessageTooLarge, count.TooLarge},
		{kerr.InvalidTopicException, count.UnknownTopic}, {kerr.InvalidRecord, count.OutputFailed},
	} {
		cluster := newCluster(t)
		b := newBench(t, cluster, nil)
		good := b.layout
		b.layout = layoutOf(t, twoColumns+"  - {name: bad, number: 3, type: uint32}\n")
		cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: b.layout.Topic("t"), Err: c.err, Count: -1})
		bad := b.chunk(7, 10)
		b.layout, b.next = good, 0
		for range 5 {
			b.send(bad)
			b.send(b.chunk(10, 10))
		}
		if err := b.close(20 * time.Second); err != nil {
			t.Fatal(err)
		}
		b.want(c.reason, 35)
		flows, _ := b.read(cluster)
		b.complete(flows) // the other topic's
	}
}

func TestATopicThatMayNotBeMadeIsUnknown(t *testing.T) {
	for name, fault := range map[string]*kfake.Fault{
		"not asked for": nil, "refused": {Keys: []kmsg.Key{kmsg.CreateTopics}, Err: kerr.ClusterAuthorizationFailed, Count: -1},
	} {
		cluster := newCluster(t)
		if fault != nil {
			cluster.Fault(*fault)
		}
		b := newBench(t, cluster, func(o *KafkaOptions) { o.Create = fault != nil })
		b.send(b.chunk(10, 10))
		if err := b.close(30 * time.Second); err != nil {
			t.Fatal(name, err)
		}
		b.want(count.UnknownTopic, 10)
	}
}

func TestWhatIsTooLargeIsLostAlone(t *testing.T) {
	cluster := newCluster(t)
	b := newBench(t, cluster, func(o *KafkaOptions) { o.BatchBytes = 10000 })
	c := b.chunk(10, 10)
	huge := b.chunk(1, 10000)
	b.next--
	more := b.chunk(10, 1500) // each more than a record, and less than a batch
	c.Bytes = append(append(c.Bytes, huge.Bytes...), more.Bytes...)
	c.Flows = 21
	b.send(c)
	if err := b.close(20 * time.Second); err != nil {
		t.Fatal(err)
	}
	b.want(count.TooLarge, 1)
	flows, _ := b.read(cluster)
	b.complete(flows)
}

func TestABrokerThatForgetsTheProducerIsToldOfAndWrittenTo(t *testing.T) {
	for _, e := range []*kerr.Error{kerr.OutOfOrderSequenceNumber, kerr.UnknownProducerID} {
		cluster := newCluster(t)
		b := newBench(t, cluster, nil)
		b.send(b.chunk(10, 10))
		for b.counts.Delivered.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: e, Count: 1})
		for range 10 {
			b.send(b.chunk(10, 10))
		}
		if err := b.close(20 * time.Second); err != nil {
			t.Fatal(err)
		}
		b.want(0, 0)
		flows, _ := b.read(cluster)
		b.complete(flows)
		if b.counts.OutputDataLoss.Load() == 0 {
			t.Error(e, "is not counted")
		}
	}
}

func TestPartsAreCutBetweenMessages(t *testing.T) {
	b := &bench{T: t, layout: layoutOf(t, twoColumns)}
	for _, c := range []struct {
		n, size, limit int
		want           string
	}{
		{0, 1, 100, "[]"}, {3, 5, 100, "[3]"}, {3, 5, 11, "[1 1 1]"}, {3, 5, 10, "[1 1 1]"}, {3, 5, 1, "[1 1 1]"}, {5, 5, 20, "[2 2 1]"}, {4, 5, 20, "[2 2]"},
	} {
		b.next = 0
		chunk := b.chunk(c.n, c.size) // of 10 bytes each
		got, bytes := []int{}, 0
		for part, flows := range parts(chunk, c.limit) {
			got, bytes = append(got, flows), bytes+len(part)
		}
		if fmt.Sprint(got) != c.want || bytes != len(chunk.Bytes) {
			t.Errorf("%+v: %v, %d of %d bytes", c, got, bytes, len(chunk.Bytes))
		}
	}
}
