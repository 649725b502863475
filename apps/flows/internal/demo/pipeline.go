package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/collect"
	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/output"
	"github.com/hotpb/hotpb/apps/flows/internal/stage"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// pipeline is the collector between datagrams and a topic of a Kafka in this process.
type pipeline struct {
	layout  *layout.Layout
	counts  count.Counters
	cluster *kfake.Cluster
	kafka   *output.Kafka
	engine  *collect.Engine
}

const topicPrefix = "flows"

func newPipeline(schemaFile string, tables stage.Files) (_ *pipeline, err error) {
	p := &pipeline{}
	if p.layout, err = layout.Load(schemaFile); err != nil {
		return nil, err
	}
	t, err := stage.Load(tables, nil)
	if err != nil {
		return nil, err
	}
	enricher, err := t.Bind(p.layout)
	if err != nil {
		return nil, err
	}
	if p.cluster, err = kfake.NewCluster(kfake.NumBrokers(1)); err != nil {
		return nil, err
	}
	p.kafka, err = output.NewKafka(output.KafkaOptions{
		Brokers: p.cluster.ListenAddrs(), Topic: topicPrefix, Compression: "lz4", RecordBytes: 240_000, BatchBytes: 1_000_000,
		Timeout: time.Minute, Create: true, Partitions: 3, Replication: 1,
	}, output.NewQueue(64<<20), &p.counts, slog.New(slog.DiscardHandler))
	if err != nil {
		p.cluster.Close()
		return nil, err
	}
	store := session.NewStore(session.DefaultLimits(), &p.counts)
	rules := &sampling.Rules{}
	for _, c := range captures { // softflowd does not report that it counts every packet
		rules.Default(netip.PrefixFrom(c.from.Addr(), c.from.Addr().BitLen()), 1)
	}
	store.SetRules(rules)
	p.engine, err = collect.New(collect.Options{
		NewDecoder: func(l *layout.Layout, e flow.Enricher) (collect.Decoder, error) { return decode.New(store, l, e) },
		Put:        p.kafka.Put, Counters: &p.counts, Log: slog.New(slog.DiscardHandler),
		ChunkBytes: 256 << 10, ChunkTime: time.Second,
	}, &collect.Setup{Layout: p.layout, Enricher: enricher})
	if err != nil {
		p.cluster.Close()
		return nil, err
	}
	return p, nil
}

// feed makes the collector read a source to its end.
func (p *pipeline) feed(s source) error { return p.engine.Replay(context.Background(), s, 0) }

// drain stops the collector. No flow may have been lost.
func (p *pipeline) drain(ctx context.Context) (err error) {
	err = p.kafka.Close(ctx)
	for r := range count.Reasons {
		if n := p.counts.Dropped(r); n > 0 {
			err = errors.Join(err, fmt.Errorf("%d dropped: %v", n, r))
		}
	}
	return err
}

// read passes the values of all records of the topic to each: length-prefixed messages.
func (p *pipeline) read(ctx context.Context, each func(value []byte) error) (records int, err error) {
	topic := p.layout.Topic(topicPrefix)
	client, err := kgo.NewClient(kgo.SeedBrokers(p.cluster.ListenAddrs()...), kgo.ConsumeTopics(topic))
	if err != nil {
		return 0, err
	}
	defer client.Close()
	left := int64(0)
	for _, partition := range p.cluster.PartitionInfos(topic) {
		left += partition.HighWatermark
	}
	for left > 0 {
		fetches := client.PollFetches(ctx)
		if err := errors.Join(fetches.Err(), ctx.Err()); err != nil {
			return records, err
		}
		for _, record := range fetches.Records() {
			if err := each(record.Value); err != nil {
				return records, err
			}
			records++
			left--
		}
	}
	return records, nil
}

// tally sums up messages by their exporter. It serves to check the topic without ClickHouse.
func tally(l *layout.Layout, out account) (func(value []byte) error, error) {
	s := l.File.Schema
	bytes, err1 := schema.Lookup[schema.UintColumn](s.Message, "bytes")
	frames, err4 := schema.Lookup[schema.UintColumn](s.Message, "frame_bytes")
	packets, err2 := schema.Lookup[schema.UintColumn](s.Message, "packets")
	exporter, err3 := schema.Lookup[schema.IPColumn](s.Message, "exporter_address")
	row := l.Plan.NewRow()
	return func(value []byte) error {
		for at := 0; at < len(value); {
			message, next, err := wire.CutDelimited(value, at, wire.Options{})
			if err != nil {
				return err
			}
			if err := row.Unmarshal(message); err != nil {
				return err
			}
			size := row.Uint(frames) // of sFlow, as goflow2 counts it
			if size == 0 {
				size = row.Uint(bytes)
			}
			out.add(row.IP(exporter), truth.Sum{Flows: 1, Bytes: size, Packets: row.Uint(packets)})
			at = next
		}
		return nil
	}, errors.Join(err1, err2, err3, err4)
}

// parseAddr reads an address as ClickHouse writes it.
func parseAddr(text string) (netip.Addr, error) {
	address, err := netip.ParseAddr(text)
	return address.Unmap(), err
}
