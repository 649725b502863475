package output

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
)

// topic is created when it is first used or has vanished, if topics may be created at all. Until it exists its
// parcels wait. One that never existed and may not be created is not waited for.
type topic struct {
	kafka *Kafka
	name  string

	existed atomic.Bool   // something was written to it
	topics  atomic.Uint64 // of this name that have vanished

	mu       sync.Mutex
	there    bool // as far as is known
	vanished bool
	making   bool
	waiting  []*parcel
	id       [16]byte // of the last one that was seen; only make uses it
}

func (k *Kafka) topic(name string) *topic {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.topics[name]
	if t == nil {
		t = &topic{kafka: k, name: name}
		k.topics[name] = t
	}
	return t
}

func (t *topic) send(parcels []*parcel) {
	t.mu.Lock()
	there := t.there
	if !there {
		t.wait(parcels...)
	}
	t.mu.Unlock()
	if there {
		for _, p := range parcels {
			p.produce()
		}
	}
}

// wait keeps parcels until the topic is there.
func (t *topic) wait(parcels ...*parcel) {
	t.waiting = append(t.waiting, parcels...)
	if !t.making {
		t.making = true
		go t.make()
	}
}

// refused keeps a parcel that is to be sent again, and else returns why it is lost: one that was refused because the topic
// is unknown, and one that the client may have written to a topic that has vanished since.
func (t *topic) refused(p *parcel, err error, topics uint64) error {
	reason := reasonOf(err)
	forgotten := reason == count.OutputFailed && topics != t.topics.Load()
	if reason != count.UnknownTopic && !forgotten {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.there, t.vanished = false, true
	switch {
	case t.kafka.living.Err() != nil:
		return t.kafka.living.Err()
	case !t.existed.Load():
		return err
	case p.late() && forgotten:
		return context.DeadlineExceeded
	case p.late():
		return err
	}
	t.wait(p)
	return nil
}

// make makes the topic ready and sends the parcels that have waited for it. Those for which that takes too long are
// given up.
func (t *topic) make() {
	for {
		t.mu.Lock()
		first := time.Now()
		for _, p := range t.waiting {
			if p.since.Before(first) {
				first = p.since
			}
		}
		vanished := t.vanished
		t.vanished = false
		t.mu.Unlock()
		ctx, cancel := context.WithDeadline(t.kafka.living, first.Add(t.kafka.options.Timeout))
		err := t.ready(ctx, vanished)
		cancel()

		t.mu.Lock()
		parcels := t.waiting
		t.waiting = nil
		if err != nil && t.kafka.living.Err() == nil { // the others have time left
			t.waiting = slices.DeleteFunc(slices.Clone(parcels), (*parcel).late)
			parcels = slices.DeleteFunc(parcels, func(p *parcel) bool { return !p.late() })
			t.vanished = t.vanished || vanished
		}
		t.there = err == nil
		t.making = len(t.waiting) > 0
		more := t.making
		t.mu.Unlock()
		for _, p := range parcels {
			if err != nil {
				p.done(err)
			} else {
				p.produce()
			}
		}
		if !more {
			return
		}
	}
}

// ready creates the topic if it may, and returns when it can be written to. If the brokers forbid it, the topic may exist
// already; writing will show. It returns an error only when the context has ended.
func (t *topic) ready(ctx context.Context, vanished bool) error {
	if t.kafka.options.Create {
		if err := t.create(ctx); err != nil {
			return err
		}
	}
	id, err := t.known(ctx, vanished && t.existed.Load())
	if err != nil {
		return err
	}
	if vanished && id != t.id { // the client would keep writing to the earlier topic
		t.kafka.counts.OutputDataLoss.Add(1)
		t.kafka.log.Error("the topic had vanished and is a new one now: flows that it had are lost, unless they were read before", "topic", t.name)
		t.topics.Add(1)
		t.kafka.client.PurgeTopicsFromProducing(t.name)
	}
	t.id = id
	return nil
}

// create returns an error only when the context has ended.
func (t *topic) create(ctx context.Context) error {
	o := &t.kafka.options
	for {
		answer, err := t.kafka.admin.CreateTopic(ctx, o.partitions(), o.replication(), nil, t.name)
		switch known := (*kerr.Error)(nil); {
		case err == nil:
			t.kafka.log.Info("topic created", "topic", t.name, "partitions", answer.NumPartitions)
			_, err = t.known(ctx, true)
			return err
		case errors.Is(err, kerr.TopicAlreadyExists):
			_, err = t.known(ctx, true)
			return err
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

// known asks a broker for the topic's ID, and if it must exist, waits until it does: before a broker has heard of the topic,
// writing to it fails as if it did not exist. It returns an error only when the context has ended.
func (t *topic) known(ctx context.Context, must bool) (id [16]byte, err error) {
	ask := kmsg.NewPtrMetadataRequest() // kadm may answer from memory
	ask.Topics = []kmsg.MetadataRequestTopic{{Topic: &t.name}}
	for {
		answer, err := ask.RequestWith(ctx, t.kafka.client)
		if err == nil && len(answer.Topics) == 1 {
			id = answer.Topics[0].TopicID
			err = kerr.ErrorForCode(answer.Topics[0].ErrorCode)
		}
		if err == nil || !must || !errors.Is(err, kerr.UnknownTopicOrPartition) && !errors.Is(err, kerr.LeaderNotAvailable) {
			return id, ctx.Err() // of any other error, writing will show
		}
		select {
		case <-ctx.Done():
			return id, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
