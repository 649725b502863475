package output

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// topic is made on its first use, if it is to be made at all, and when it is there no more; until then its parcels wait.
type topic struct {
	kafka *Kafka
	name  string

	mu      sync.Mutex
	there   bool // as far as is known
	lost    bool // it was there
	making  bool
	waiting []*parcel
}

func (k *Kafka) topic(name string) *topic {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.topics[name]
	if t == nil {
		t = &topic{kafka: k, name: name, there: !k.options.Create}
		k.topics[name] = t
	}
	return t
}

func (t *topic) send(parcels []*parcel) {
	t.mu.Lock()
	there := t.there
	if !there {
		t.waiting = append(t.waiting, parcels...)
		if !t.making {
			t.making = true
			go t.make()
		}
	}
	t.mu.Unlock()
	if there {
		for _, p := range parcels {
			p.produce()
		}
	}
}

// gone has the topic looked for again.
func (t *topic) gone() {
	t.mu.Lock()
	t.there, t.lost = false, true
	t.mu.Unlock()
}

// make makes the topic and sends what has waited for it. When the brokers do not let us, it may be there already, and
// writing will tell; when they do not answer in time, what has waited is given up.
func (t *topic) make() {
	o := &t.kafka.options
	ctx, cancel := context.WithTimeout(t.kafka.living, o.Timeout)
	defer cancel()
	t.mu.Lock()
	lost := t.lost
	t.lost = false
	t.mu.Unlock()
	if lost { // the client would go on to write to the topic that was there, by its ID
		t.kafka.client.PurgeTopicsFromProducing(t.name)
	}
	var err error
	if o.Create {
		err = t.create(ctx)
	}
	t.mu.Lock()
	parcels := t.waiting
	t.waiting, t.making, t.there = nil, false, err == nil
	t.mu.Unlock()
	for _, p := range parcels {
		if err != nil {
			p.done(nil, err)
		} else {
			p.produce()
		}
	}
}

// create gives an error only when the context has ended.
func (t *topic) create(ctx context.Context) error {
	o := &t.kafka.options
	for {
		answer, err := t.kafka.admin.CreateTopic(ctx, o.partitions(), o.replication(), nil, t.name)
		switch known := (*kerr.Error)(nil); {
		case err == nil:
			t.kafka.log.Info("topic made", "topic", t.name, "partitions", answer.NumPartitions)
			return nil
		case errors.Is(err, kerr.TopicAlreadyExists):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &known) && !known.Retriable:
			t.kafka.log.Warn("topic not made", "topic", t.name, "error", err)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}
