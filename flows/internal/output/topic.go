package output

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// topic is created when it is first used or has disappeared, if topics may be created at all. Until it exists its
// parcels wait.
type topic struct {
	kafka *Kafka
	name  string

	mu      sync.Mutex
	there   bool // as far as is known
	lost    bool // it has existed before
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

// gone makes the topic be looked up again.
func (t *topic) gone() {
	t.mu.Lock()
	t.there, t.lost = false, true
	t.mu.Unlock()
}

// make creates the topic and sends the parcels that have waited for it. If the brokers forbid it, the topic may
// exist already; writing will show. If they do not answer in time, the waiting parcels are given up.
func (t *topic) make() {
	o := &t.kafka.options
	ctx, cancel := context.WithTimeout(t.kafka.living, o.Timeout)
	defer cancel()
	t.mu.Lock()
	lost := t.lost
	t.lost = false
	t.mu.Unlock()
	if lost { // the client would keep writing to the earlier topic, by its ID
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

// create returns an error only when the context has ended.
func (t *topic) create(ctx context.Context) error {
	o := &t.kafka.options
	for {
		answer, err := t.kafka.admin.CreateTopic(ctx, o.partitions(), o.replication(), nil, t.name)
		switch known := (*kerr.Error)(nil); {
		case err == nil:
			t.kafka.log.Info("topic created", "topic", t.name, "partitions", answer.NumPartitions)
			return t.known(ctx)
		case errors.Is(err, kerr.TopicAlreadyExists):
			return t.known(ctx)
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &known) && !known.Retriable:
			t.kafka.log.Warn("topic not created", "topic", t.name, "error", err)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// known waits until a broker has heard of the topic: before that, writing to it fails as if it did not exist. It returns an
// error only when the context has ended.
func (t *topic) known(ctx context.Context) error {
	ask := kmsg.NewPtrMetadataRequest() // kadm may answer from memory
	ask.Topics = []kmsg.MetadataRequestTopic{{Topic: &t.name}}
	for {
		answer, err := ask.RequestWith(ctx, t.kafka.client)
		if err == nil && len(answer.Topics) == 1 {
			err = kerr.ErrorForCode(answer.Topics[0].ErrorCode)
		}
		if err == nil || !errors.Is(err, kerr.UnknownTopicOrPartition) && !errors.Is(err, kerr.LeaderNotAvailable) {
			return ctx.Err() // of any other error, writing will show
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
