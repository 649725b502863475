//go:build acceptance && linux

package acceptance

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"net/netip"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// held is what a topic or a file holds: its flows, and their sums by exporter.
type held struct {
	bytes     []byte // all messages, length-prefixed
	records   int    // of Kafka
	repeated  int    // records that are there twice, byte for byte
	exporters map[netip.Addr]truth.Sum
	all       truth.Sum
}

// readTopic reads a topic from its beginning to its end, what is committed.
func readTopic(t *testing.T, broker, topic string, l *layout.Layout) *held {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics(topic),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	must(t, err)
	defer client.Close()
	ends, err := kadm.NewClient(client).ListCommittedOffsets(ctx, topic)
	must(t, err)
	must(t, ends.Error())
	left := map[int32]int64{}
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			left[o.Partition] = o.Offset
		}
	})
	h := &held{exporters: map[netip.Addr]truth.Sum{}}
	seen := map[[sha256.Size]byte]bool{}
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		must(t, fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			if sum := sha256.Sum256(r.Value); seen[sum] {
				h.repeated++
			} else {
				seen[sum] = true
			}
			h.records++
			h.bytes = append(h.bytes, r.Value...)
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
	}
	h.sum(t, l)
	return h
}

// sum reads the messages.
func (h *held) sum(t *testing.T, l *layout.Layout) {
	t.Helper()
	s, row := l.File.Schema, l.Plan.NewRow()
	exporter, err := schema.Lookup[schema.IPColumn](s.Message, "exporter_address")
	must(t, err)
	size, err := schema.Lookup[schema.UintColumn](s.Message, "bytes")
	must(t, err)
	frame, err := schema.Lookup[schema.UintColumn](s.Message, "frame_bytes")
	must(t, err)
	packets, err := schema.Lookup[schema.UintColumn](s.Message, "packets")
	must(t, err)
	for at := 0; at < len(h.bytes); {
		message, next, err := wire.CutDelimited(h.bytes, at, wire.Options{})
		must(t, err)
		must(t, row.UnmarshalAlias(message))
		flow := truth.Sum{Flows: 1, Bytes: cmp.Or(row.Uint(frame), row.Uint(size)), Packets: row.Uint(packets)}
		total := h.exporters[row.IP(exporter)]
		total.Add(flow)
		h.exporters[row.IP(exporter)] = total
		h.all.Add(flow)
		at = next
	}
}

// topics are those whose names begin with something, internal ones left out.
func topics(t *testing.T, broker, prefix string) (names []string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	must(t, err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	all, err := kadm.NewClient(client).ListTopics(ctx)
	must(t, err)
	for _, name := range all.Names() {
		if bytes.HasPrefix([]byte(name), []byte(prefix)) {
			names = append(names, name)
		}
	}
	return names
}

// repositoryLayout is flows.yaml, or another schema file.
func repositoryLayout(t *testing.T, file string) *layout.Layout {
	t.Helper()
	l, err := layout.Load(file)
	must(t, err)
	return l
}
