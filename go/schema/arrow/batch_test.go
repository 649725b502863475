package arrow_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/hotpb/hotpb/go/schema"
	schemaarrow "github.com/hotpb/hotpb/go/schema/arrow"
	"github.com/hotpb/hotpb/go/wire"
)

// lines are the rows of a batch as JSON.
func lines(t *testing.T, batch arrow.RecordBatch) []string {
	t.Helper()
	text, err := batch.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, row := range rows {
		all = append(all, string(row))
	}
	return all
}

func TestMessagesBecomeRecordBatches(t *testing.T) {
	s := schema.New("Flow", schema.Package("flows"))
	kindOf := s.NewEnum("Kind", schema.EnumValue{Name: "NONE"}, schema.EnumValue{Name: "SOME", Number: 1}, schema.EnumValue{Name: "ALIAS", Number: 1})
	label := s.NewMessage("Label")
	name := label.String("name", 1)
	weights := label.Uint32s("weights", 2)
	count := s.Uint64("count", 1)
	optional := s.Uint32("maybe", 2, schema.Optional)
	at := s.Timestamp("at", 3, schema.Millis)
	exact := s.Timestamp("exact", 4, schema.WellKnown)
	kind := s.Enum("kind", 5, kindOf)
	address := s.IP("address", 6)
	yes := s.Bool("yes", 7)
	text := s.String("text", 8)
	peer := s.Nested("peer", 9, label)
	labels := s.NestedList("labels", 10, label)
	var key schema.StringColumn
	var value schema.UintColumn
	counts := s.Map("counts", 11, func(e *schema.Message) { key, value = e.String("key", 1), e.Uint64("value", 2) })
	hops := s.Strings("hops", 12)
	signed := s.Int32("signed", 13)
	ratio := s.Double("ratio", 14)
	plan, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	b, err := schemaarrow.NewBatches(plan)
	if err != nil {
		t.Fatal(err)
	}
	r := plan.NewRecord()
	when := time.Unix(1_800_000_000, 123_456_789).UTC()
	for range 2 { // the second batch does not change the first
		var batches []arrow.RecordBatch
		r.Uint(count, 5)
		r.Uint(optional, 0)
		r.Time(at, when)
		r.Time(exact, when)
		r.Enum(kind, 1)
		r.IP(address, netip.MustParseAddr("192.0.2.1"))
		r.Bool(yes, true)
		r.String(text, "größe")
		if r.Begin(peer) {
			r.String(name, "a")
			r.AddUint(weights, 1, 2)
			r.End()
		}
		for i := range 2 {
			if r.BeginItem(labels) {
				r.String(name, fmt.Sprint("l", i))
				r.AddUint(weights, make([]uint64, i)...)
				r.End()
			}
		}
		if r.BeginEntry(counts) {
			r.String(key, "k")
			r.Uint(value, 7)
			r.End()
		}
		r.AddString(hops, "x", "", "yy")
		r.Int(signed, -5)
		r.Float(ratio, 1.5)
		full := bytes.Clone(r.Encoded())
		r.Reset()
		r.Enum(kind, 9)
		for _, message := range [][]byte{full, nil, r.Encoded()} {
			if err := b.Columns.Unmarshal(message); err != nil {
				t.Fatal(err)
			}
		}
		r.Reset()
		batch, err := b.Next()
		if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, batch)
		for range 100 {
			if err := b.Columns.Unmarshal(full[:0]); err != nil {
				t.Fatal(err)
			}
		}
		if next, err := b.Next(); err != nil || next.NumRows() != 100 {
			t.Error(err)
		}
		empty := `"count":0,"exact":null,"hops":[],"kind":"%s","labels":[],"maybe":null,"peer":null,"ratio":0,"signed":0,"text":"","yes":false}`
		want := []string{
			`{"address":"AAAAAAAAAAAAAP//wAACAQ==","at":"2027-01-15T08:00:00.123Z","count":5,"counts":[{"key":"k","value":7}],` +
				`"exact":"2027-01-15T08:00:00.123456789Z","hops":["x","","yy"],"kind":"SOME","labels":[{"name":"l0","weights":[]},{"name":"l1","weights":[0]}],` +
				`"maybe":0,"peer":{"name":"a","weights":[1,2]},"ratio":1.5,"signed":-5,"text":"größe","yes":true}`,
			`{"address":"AAAAAAAAAAAAAAAAAAAAAA==","at":"1970-01-01T00:00:00Z",` + strings.Replace(fmt.Sprintf(empty, "NONE"), `,"exact"`, `,"counts":[],"exact"`, 1),
			`{"address":"AAAAAAAAAAAAAAAAAAAAAA==","at":"1970-01-01T00:00:00Z",` + strings.Replace(fmt.Sprintf(empty, "9"), `,"exact"`, `,"counts":[],"exact"`, 1),
		}
		for i, line := range lines(t, batches[0]) {
			if line != want[i] {
				t.Errorf("row %d\n%s\n%s", i, line, want[i])
			}
		}
		read := throughIPC(t, batches[0])
		if !array.RecordEqual(batches[0], read) || !read.Schema().Equal(b.Schema()) {
			t.Errorf("Arrow's own format has %v", read)
		}
	}
}

// throughIPC writes a batch and reads it again: that fails if buffers have wrong lengths.
func throughIPC(t *testing.T, batch arrow.RecordBatch) arrow.RecordBatch {
	t.Helper()
	var file bytes.Buffer
	w := ipc.NewWriter(&file, ipc.WithSchema(batch.Schema()))
	if err := w.Write(batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Next() {
		t.Fatal(r.Err())
	}
	return r.RecordBatch()
}

func TestATimeThatDoesNotFitIsAnError(t *testing.T) {
	s := schema.New("M")
	s.Duration("at", 1, schema.WellKnown)
	plan, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	b, err := schemaarrow.NewBatches(plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		seconds, nanos int64
		ok             bool
	}{
		{0, 0, true}, {-1, -5, true}, {9223372036, 854775807, true}, {9223372036, 854775808, false}, {9223372037, 0, false},
		{-9223372036, -854775807, true}, {-9223372036, -854775809, false}, {-9223372037, 0, false}, {math.MaxInt64, 0, false}, {math.MinInt64, 0, false},
	} {
		inner := wire.AppendVarint(append(wire.AppendVarint([]byte{1 << 3}, uint64(c.seconds)), 2<<3), uint64(c.nanos))
		if err := b.Columns.Unmarshal(append([]byte{1<<3 | 2, byte(len(inner))}, inner...)); err != nil {
			t.Fatal(err)
		}
		batch, err := b.Next()
		if (err == nil) != c.ok || b.Columns.Len() != 0 {
			t.Errorf("%v: %v", c, err)
		} else if c.ok && int64(batch.Column(0).(*array.Duration).Value(0)) != c.seconds*1e9+c.nanos {
			t.Errorf("%v: %v", c, batch.Column(0))
		}
	}
}
