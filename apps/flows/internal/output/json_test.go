package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// messages are those of a stream, which has to be whole.
func messages(t *testing.T, stream []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for at := 0; at < len(stream); {
			message, next, err := wire.CutDelimited(stream, at, wire.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !yield(message) {
				return
			}
			at = next
		}
	}
}

const everyType = `
package: p
message: M
columns:
  - {name: u, number: 1, type: uint64}
  - {name: i, number: 2, type: sint32}
  - {name: f, number: 3, type: double}
  - {name: b, number: 4, type: bool}
  - {name: s, number: 5, type: string}
  - {name: raw, number: 6, type: bytes}
  - {name: a, number: 7, type: ip}
  - {name: m, number: 8, type: mac}
  - {name: at, number: 9, type: timestamp(millis)}
  - {name: took, number: 10, type: duration(millis)}
  - {name: k, number: 11, type: Kind}
  - {name: o, number: 12, type: uint32, optional: true}
  - {name: us, number: 13, type: repeated uint32}
  - {name: is, number: 14, type: repeated int64}
  - {name: fs, number: 15, type: repeated double}
  - {name: bs, number: 16, type: repeated bool}
  - {name: ss, number: 17, type: repeated string}
  - {name: raws, number: 18, type: repeated bytes}
  - {name: as, number: 19, type: repeated ip}
  - {name: ks, number: 20, type: repeated Kind}
  - {name: n, number: 21, type: Node}
  - {name: ns, number: 22, type: repeated Node}
  - {name: labels, number: 23, type: "map<string, uint32>"}
  - {name: hidden, number: 24, type: uint32, off: true}
messages:
  Node:
    columns:
      - {name: id, number: 1, type: uint32}
      - {name: next, number: 2, type: Node}
enums:
  Kind: {values: {NONE: 0, SOME: 1, SAME: 1}}
`

func found[C any](c C, err error) C {
	if err != nil {
		panic(err)
	}
	return c
}

func TestEveryTypeOfColumnIsReadable(t *testing.T) {
	l := found(layout.Parse("schema.yaml", []byte(everyType)))
	s, r := l.File.Schema, l.Plan.NewRecord()
	r.Uint(found(schema.Lookup[schema.UintColumn](s.Message, "u")), math.MaxUint64)
	r.Int(found(schema.Lookup[schema.IntColumn](s.Message, "i")), -5)
	r.Float(found(schema.Lookup[schema.FloatColumn](s.Message, "f")), math.Inf(1))
	r.Bool(found(schema.Lookup[schema.BoolColumn](s.Message, "b")), true)
	r.String(found(schema.Lookup[schema.StringColumn](s.Message, "s")), "a \"quoted\" \\ line\n\xffé")
	r.Bytes(found(schema.Lookup[schema.BytesColumn](s.Message, "raw")), []byte{1, 0xab})
	r.IP(found(schema.Lookup[schema.IPColumn](s.Message, "a")), netip.MustParseAddr("192.0.2.1"))
	r.MAC(found(schema.Lookup[schema.MACColumn](s.Message, "m")), 0x00005e005301)
	r.Time(found(schema.Lookup[schema.TimeColumn](s.Message, "at")), time.Date(2026, 11, 22, 10, 0, 1, 5e6, time.UTC))
	r.Duration(found(schema.Lookup[schema.DurationColumn](s.Message, "took")), 1500*time.Millisecond)
	r.Enum(found(schema.Lookup[schema.EnumColumn](s.Message, "k")), 1)
	r.Uint(found(schema.Lookup[schema.UintColumn](s.Message, "o")), 0)
	r.AddUint(found(schema.Lookup[schema.UintList](s.Message, "us")), 1, 0)
	r.AddInt(found(schema.Lookup[schema.IntList](s.Message, "is")), -1, 0)
	r.AddFloat(found(schema.Lookup[schema.FloatList](s.Message, "fs")), 0.5, math.NaN())
	r.AddBool(found(schema.Lookup[schema.BoolList](s.Message, "bs")), true)
	r.AddBool(found(schema.Lookup[schema.BoolList](s.Message, "bs")), false)
	r.AddString(found(schema.Lookup[schema.StringList](s.Message, "ss")), "", "x")
	r.AddBytes(found(schema.Lookup[schema.BytesList](s.Message, "raws")), []byte{2})
	r.AddIP(found(schema.Lookup[schema.IPList](s.Message, "as")), netip.MustParseAddr("2001:db8::1"))
	r.AddEnum(found(schema.Lookup[schema.EnumList](s.Message, "ks")), 1)
	r.AddEnum(found(schema.Lookup[schema.EnumList](s.Message, "ks")), 7)
	r.Begin(found(schema.Lookup[schema.MessageColumn](s.Message, "n")))
	r.Uint(found(schema.Lookup[schema.UintColumn](s.Message, "n.id")), 3)
	r.Begin(found(schema.Lookup[schema.MessageColumn](s.Message, "n.next")))
	r.Uint(found(schema.Lookup[schema.UintColumn](s.Message, "n.id")), 4)
	r.End()
	r.End()
	r.BeginItem(found(schema.Lookup[schema.MessageList](s.Message, "ns")))
	r.End()
	r.BeginEntry(found(schema.Lookup[schema.MapColumn](s.Message, "labels")))
	r.String(found(schema.Lookup[schema.StringColumn](s.Message, "labels.key")), "k")
	r.Uint(found(schema.Lookup[schema.UintColumn](s.Message, "labels.value")), 9)
	r.End()
	stream, _ := r.AppendDelimited(nil)
	want := `{"u":18446744073709551615,"i":-5,"f":"+Inf","b":true,"s":"a \"quoted\" \\ line\n` + "\\ufffd" + `é","raw":"01ab","a":"192.0.2.1",` +
		`"m":"00:00:5e:00:53:01","at":"2026-11-22T10:00:01.005Z","took":"1.5s","k":"SOME","o":0,"us":[1,0],"is":[-1,0],"fs":[0.5,"NaN"],` +
		`"bs":[true,false],"ss":["","x"],"raws":["02"],"as":["2001:db8::1"],"ks":["SOME",7],"n":{"id":3,"next":{"id":4}},"ns":[{}],` +
		`"labels":[{"key":"k","value":9}]}` + "\n{}\n"
	var text bytes.Buffer
	n, err := Cat(l, bytes.NewReader(append(stream, 0)), &text)
	if err != nil || n != 2 || text.String() != want {
		t.Errorf("%d, %v\n%swant\n%s", n, err, &text, want)
	}
	for line := range strings.Lines(text.String()) {
		if !json.Valid([]byte(line)) {
			t.Error("not JSON:", line)
		}
	}
}

func TestAStreamThatIsCutIsShownUntilThere(t *testing.T) {
	b := &bench{T: t, layout: layoutOf(t, twoColumns)}
	b.id, _ = schema.Lookup[schema.UintColumn](b.layout.File.Schema.Message, "id")
	stream := b.chunk(3, 5).Bytes
	var text bytes.Buffer
	n, err := Cat(b.layout, bytes.NewReader(stream[:25]), &text)
	wrong := (*wire.Error)(nil)
	if n != 2 || !errors.As(err, &wrong) || wrong.Code != wire.Truncated || wrong.Offset != 20 {
		t.Error(n, err)
	}
	if text.String() != `{"id":1,"text":"xxxxx"}`+"\n"+`{"id":2,"text":"xxxxx"}`+"\n" {
		t.Error(text.String())
	}
	stream[11] = 0xff // within the second message
	text.Reset()
	if n, err := Cat(b.layout, bytes.NewReader(stream), &text); n != 1 || err == nil || !strings.HasPrefix(err.Error(), "the message at byte 11: ") {
		t.Error(n, err)
	}
	if text.String() != `{"id":1,"text":"xxxxx"}`+"\n" {
		t.Error(text.String())
	}
}

func FuzzCat(f *testing.F) {
	l := found(layout.Parse("schema.yaml", []byte(everyType)))
	f.Add([]byte("\x02\x08\x01\x00\x03\xc2\x01\x00"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		var text bytes.Buffer
		n, _ := Cat(l, bytes.NewReader(stream), &text)
		lines := bytes.SplitAfter(text.Bytes(), []byte("\n"))
		if len(lines) != n+1 {
			t.Fatalf("%d messages, %d lines", n, len(lines)-1)
		}
		for _, line := range lines[:n] {
			if !json.Valid(line) {
				t.Fatalf("not JSON: %s", line)
			}
		}
	})
}

// What is printed is what counts as delivered, line by line.
func TestAMessageThatCannotBeReadCostsItsOwnLineOnly(t *testing.T) {
	var text bytes.Buffer
	b := &bench{T: t, layout: layoutOf(t, twoColumns), queue: NewQueue(10000)}
	b.id, _ = schema.Lookup[schema.UintColumn](b.layout.File.Schema.Message, "id")
	out := NewJSON(&text, b.queue, &b.counts, slog.New(slog.DiscardHandler))
	c := b.chunk(3, 5)
	c.Bytes[11] = 0xff // within the second message
	cut := b.chunk(3, 5)
	cut.Bytes = cut.Bytes[:25] // within the third
	for _, c := range []flow.Chunk{c, cut, b.chunk(1, 5)} {
		if err := out.Put(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		b.put += uint64(c.Flows)
	}
	if err := out.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.balanced()
	b.want(count.OutputFailed, 2)
	want := ""
	for _, id := range []int{1, 3, 4, 5, 7} {
		want += fmt.Sprintf(`{"id":%d,"text":"xxxxx"}`+"\n", id)
	}
	if text.String() != want {
		t.Errorf("%s, not\n%s", &text, want)
	}
}
