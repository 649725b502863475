package output

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Kafka writes chunks to the topic of their layout. A record of Kafka has many length-prefixed flows, which
// ClickHouse's format Protobuf reads. It has no key, because flows need no order. So each batch may go to any
// partition, and consumers get equal shares whichever exporter sends the most.
//
// The producer is idempotent and waits for all replicas in sync: a batch that is sent again is stored once. While
// brokers cannot be reached, flows wait: in the queue, then with the caller of Put. Kafka abandons flows that have
// waited for KafkaOptions.Timeout and were never sent. For flows that were sent, it waits for the answer, because
// they may be stored. If the topic has vanished, they wait in the same way until it is there again: the brokers have
// refused them, so they are stored once.
//
// If a broker has forgotten the producer, for example after an unclean election, it may have lost flows that it
// acknowledged. That is logged and counted (OutputDataLoss), and the producer goes on under a new number: stopping
// would lose more.
type Kafka struct {
	options KafkaOptions
	queue   *Queue
	counts  *count.Counters
	log     *slog.Logger
	said    sayings
	client  *kgo.Client
	admin   *kadm.Client

	living context.Context // until the time for draining is over
	kill   context.CancelFunc
	left   sync.WaitGroup // parcels without an outcome

	mu     sync.Mutex
	topics map[string]*topic
}

// NewKafka creates an output. It does not check whether a broker answers; the first write does.
func NewKafka(o KafkaOptions, q *Queue, c *count.Counters, log *slog.Logger) (*Kafka, error) {
	options, err := o.client(log)
	if err != nil {
		return nil, err
	}
	k := &Kafka{options: o, queue: q, counts: c, log: log, said: sayings{log: log}, topics: map[string]*topic{}}
	k.client, err = kgo.NewClient(append(options,
		kgo.MaxBufferedRecords(1<<30), // the queue is the limit: it counts bytes, and every record has some
		kgo.ProducerOnDataLossDetected(func(topic string, partition int32) {
			c.OutputDataLoss.Add(1)
			log.Error("Kafka no longer knows records that it had acknowledged", "topic", topic, "partition", partition)
		}),
	)...)
	if err != nil {
		return nil, err
	}
	k.admin = kadm.NewClient(k.client)
	k.living, k.kill = context.WithCancel(context.Background())
	return k, nil
}

// Put passes the chunk to the Kafka client.
func (k *Kafka) Put(ctx context.Context, c flow.Chunk) error {
	if c.Flows == 0 {
		return nil
	}
	begun, err := k.queue.take(ctx, len(c.Bytes))
	if err != nil {
		return err
	}
	defer begun()
	d := &delivery{kafka: k, topic: k.topic(c.Layout.Topic(k.options.Topic)), size: len(c.Bytes)}
	var parcels []*parcel
	now := time.Now()
	for value, flows := range parts(c, k.options.RecordBytes) {
		parcels = append(parcels, &parcel{d, flows, now, value})
	}
	d.left.Store(int32(len(parcels)))
	k.left.Add(len(parcels))
	d.topic.send(parcels)
	return nil
}

// Close waits for the outcome of all records. Records without one when the context ends may still have been
// written.
func (k *Kafka) Close(ctx context.Context) error {
	if !k.queue.close() {
		return ErrClosed
	}
	drained := make(chan struct{})
	go func() { k.left.Wait(); close(drained) }()
	var err error
	select {
	case <-drained:
	case <-ctx.Done():
		err = ctx.Err()
	}
	k.kill()
	k.client.Close() // which ends all remaining records with an outcome
	<-drained
	k.said.rest()
	return err
}

// delivery is a chunk on its way.
type delivery struct {
	kafka *Kafka
	topic *topic
	size  int
	left  atomic.Int32 // parcels
}

// parcel is a record on its way.
type parcel struct {
	*delivery
	flows int
	since time.Time // when it was put; its time runs from then on, however often it is sent
	value []byte
}

// late reports whether the parcel has waited for too long.
func (p *parcel) late() bool { return time.Since(p.since) >= p.kafka.options.Timeout }

// produce sends the parcel, or refuses it at once.
func (p *parcel) produce() {
	if len(p.value) > p.kafka.options.largest() {
		p.done(errTooLarge)
		return
	}
	record := &kgo.Record{Topic: p.topic.name, Value: p.value, Timestamp: p.since}
	written := p.topic.topics.Load()
	p.kafka.client.Produce(context.Background(), record, func(_ *kgo.Record, err error) {
		if err == nil {
			p.topic.existed.Store(true)
		} else if err = p.topic.refused(p, err, written); err == nil {
			return // it is sent again
		}
		p.done(err)
	})
}

// done is called once for each parcel, and counts the outcome of its flows.
func (p *parcel) done(err error) {
	k := p.kafka
	if err == nil {
		k.counts.Delivered.Add(uint64(p.flows))
		k.counts.Written.Add(uint64(len(p.value)))
	} else {
		reason := reasonOf(err)
		k.counts.Drop(reason, p.flows)
		k.said.say(reason, p.flows, err)
	}
	if p.left.Add(-1) == 0 {
		k.queue.give(p.size)
	}
	k.left.Done()
}
