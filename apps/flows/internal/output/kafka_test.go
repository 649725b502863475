package output

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/go/schema"
)

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
	b.id, _ = schema.Lookup[schema.UintColumn](b.layout.File.Schema.Message, "id")
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
	t.Parallel()
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
		accepted := 0
		for ; accepted < 1000; accepted++ {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			c := b.chunk(100, 100)
			err := b.kafka.Put(ctx, c)
			cancel()
			if err != nil {
				break
			}
			b.put += uint64(c.Flows)
		}
		if accepted < 50 || accepted > 100 {
			t.Errorf("%d chunks of 10 kB went into a queue of 1 MB", accepted)
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
	t.Parallel()
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
	t.Parallel()
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

// A broker may hear of a new topic seconds after the one that has made it.
func TestATopicThatBrokersDoNotKnowYetIsWaitedFor(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	b := newBench(t, cluster, nil)
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Topic: b.layout.Topic("t"), Err: kerr.UnknownTopicOrPartition, Count: 20})
	for range 3 {
		b.send(b.chunk(10, 10))
	}
	if err := b.close(30 * time.Second); err != nil {
		t.Fatal(err)
	}
	b.want(0, 0)
	flows, _ := b.read(cluster)
	b.complete(flows)
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
	t.Parallel()
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

// Somebody deletes the topic: what is on its way goes to the next one.
func TestATopicThatIsDeletedIsMadeAgain(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	b := newBench(t, cluster, nil)
	b.send(b.chunk(10, 10))
	for b.counts.Delivered.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := cluster.DeleteTopic(b.layout.Topic("t")); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); b.counts.Delivered.Load() == 10; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing is written; lost:", b.drops())
		}
		b.send(b.chunk(10, 10))
	}
	if err := b.close(20 * time.Second); err != nil {
		t.Fatal(err)
	}
	b.want(0, 0)
	if b.counts.OutputDataLoss.Load() == 0 {
		t.Error("nobody is told that the topic was another one")
	}
}

// A broker that comes back without the topic gets what waited. What the broker before had acknowledged is lost with it.
func TestATopicThatHasVanishedIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]bool{"the collector creates it": true, "somebody else does": false} {
		cluster := newCluster(t)
		b := newBench(t, cluster, func(o *KafkaOptions) { o.Create = create })
		topic := b.layout.Topic("t")
		if !create {
			createTopic(t, cluster, topic)
		}
		port, err := strconv.Atoi(strings.TrimPrefix(cluster.ListenAddrs()[0], "127.0.0.1:"))
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			b.send(b.chunk(50, 20))
		}
		for b.counts.Delivered.Load() < 1000 {
			time.Sleep(time.Millisecond)
		}
		cluster.Close()
		for range 20 {
			b.send(b.chunk(50, 20))
		}
		time.Sleep(500 * time.Millisecond)
		cluster = newCluster(t, kfake.Ports(port))
		for range 50 {
			b.send(b.chunk(50, 20))
			time.Sleep(100 * time.Millisecond) // until after the client has given up
		}
		if !create {
			time.Sleep(3 * time.Second)
			createTopic(t, cluster, topic)
		}
		if err := b.close(60 * time.Second); err != nil {
			t.Fatal(name, err)
		}
		b.want(0, 0)
		if n := b.counts.Delivered.Load(); n != 90*50 {
			t.Errorf("%s: %d delivered", name, n)
		}
		b.counts.Delivered.Store(70 * 50)
		flows, _ := b.read(cluster)
		for id := uint64(1); id <= b.next; id++ {
			if want := map[bool]int{true: 1}[id > 1000]; flows[id] != want {
				t.Fatalf("%s: flow %d of %d is there %d times", name, id, b.next, flows[id])
			}
		}
	}
}

func createTopic(t *testing.T, cluster *kfake.Cluster, topic string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(t.Context(), 3, 1, nil, topic); err != nil {
		t.Fatal(err)
	}
}

// A topic that does not come back: flows wait for the whole time, and are counted then.
func TestATopicThatStaysAwayIsGivenUp(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	b := newBench(t, cluster, func(o *KafkaOptions) { o.Create, o.Timeout = false, 6*time.Second })
	createTopic(t, cluster, b.layout.Topic("t"))
	b.send(b.chunk(10, 10))
	for b.counts.Delivered.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := cluster.DeleteTopic(b.layout.Topic("t")); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	b.send(b.chunk(10, 10))
	for b.dropped() == 0 {
		time.Sleep(time.Millisecond)
	}
	if waited := time.Since(begin); waited < 5*time.Second || waited > 20*time.Second {
		t.Errorf("the flows have waited %v", waited)
	}
	if err := b.close(30 * time.Second); err != nil {
		t.Fatal(err)
	}
	if b.dropped() != 10 || b.counts.Dropped(count.UnknownTopic)+b.counts.Dropped(count.OutputTimeout) != 10 {
		t.Errorf("lost: %s", b.drops())
	}
}
