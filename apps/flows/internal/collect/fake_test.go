package collect

import (
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// counting decodes a datagram of eight bytes into one flow that has it as its bytes, by whatever layout is in use. A
// datagram that was cut is one of bytesOfCut.
type counting struct {
	layout *layout.Layout
	record *schema.Record
	bytes  schema.UintColumn
}

const bytesOfCut = 1 << 40

func newCounting(l *layout.Layout, _ flow.Enricher) (Decoder, error) {
	d := &counting{}
	return d, d.Use(l, nil)
}

func (d *counting) Use(l *layout.Layout, _ flow.Enricher) (err error) {
	d.layout, d.record = l, l.Plan.NewRecord()
	d.bytes, err = schema.Lookup[schema.UintColumn](l.File.Schema.Message, "bytes")
	return err
}

func (d *counting) Append(dst []byte, dg *flow.Datagram) ([]byte, int) {
	if dg.Cut {
		dg.Payload = payload(bytesOfCut)
	}
	if len(dg.Payload) != 8 {
		return dst, 0
	}
	d.layout.Begin(d.record, &layout.Values{Exporter: dg.From.Addr(), Received: dg.Received})
	d.record.Uint(d.bytes, binary.BigEndian.Uint64(dg.Payload))
	dst, err := d.record.AppendDelimited(dst)
	if err != nil {
		panic(err)
	}
	return dst, 1
}

func (d *counting) Due(dst []byte, _ time.Time) ([]byte, int) { return dst, 0 }
func (d *counting) End(dst []byte) ([]byte, int)              { return dst, 0 }

func mustLayout(t testing.TB, text string) *layout.Layout {
	t.Helper()
	l, err := layout.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

const small = `
message: Flow
columns:
  - {name: bytes, number: 9, type: uint64}
`

// kept keeps what was put, decoded by the layout of its chunk.
type kept struct {
	t      testing.TB
	mu     sync.Mutex
	values []uint64
	hashes map[string]int
}

func (k *kept) Put(_ context.Context, c flow.Chunk) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.hashes == nil {
		k.hashes = map[string]int{}
	}
	k.hashes[c.Layout.Hash] += c.Flows
	column, err := schema.Lookup[schema.UintColumn](c.Layout.File.Schema.Message, "bytes")
	if err != nil {
		k.t.Error(err)
		return nil
	}
	row, n := c.Layout.Plan.NewRow(), 0
	for rest := c.Bytes; len(rest) > 0; n++ {
		size, at := binary.Uvarint(rest)
		if err := row.Unmarshal(rest[at:][:size]); err != nil {
			k.t.Error(err)
			return nil
		}
		k.values = append(k.values, row.Uint(column))
		rest = rest[at+int(size):]
	}
	if n != c.Flows {
		k.t.Errorf("a chunk of %d flows says it has %d", n, c.Flows)
	}
	return nil
}

func options(put func(context.Context, flow.Chunk) error) Options {
	return Options{
		NewDecoder: newCounting, Put: put, Counters: &count.Counters{}, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		ChunkBytes: 4 << 10, ChunkTime: 10 * time.Millisecond, PutWait: time.Second,
	}
}

func payload(v uint64) []byte { return binary.BigEndian.AppendUint64(nil, v) }
