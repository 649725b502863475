package pool_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	cold "github.com/hotpb/hotpb/go/internal/testgen/cold/vectors/vectorshot"
	hot "github.com/hotpb/hotpb/go/internal/testgen/hot/vectors/vectorshot"
	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/wire"
)

type written interface {
	Unmarshal(b []byte) error
	Marshal() ([]byte, error)
	MarshalWith(dst []byte, o pool.MarshalOptions) ([]byte, error)
	MarshalToSizedBuffer(b []byte) (n int, err error)
	Size() int
	MarshalAppend(dst []byte) ([]byte, error)
	MarshalScratch(dst []byte) ([]byte, error)
}

// longTexts returns the bytes of a p3.All with texts of lengths around those that matter, in a message, its children
// and its unknown fields.
func longTexts(r *rand.Rand, levels int) (b []byte) {
	sizes := []int{0, 1, 7, 8, 16, 17, 127, 128, 1023, 1024, 1025, 3000, 16383, 16384}
	text := func(number uint32) {
		if r.IntN(2) == 0 {
			n := sizes[r.IntN(len(sizes))]
			b = wire.AppendBytes(wire.AppendTag(b, number, wire.BytesType), bytes.Repeat([]byte{byte('a' + r.IntN(26))}, n))
		}
	}
	number := func(number uint32) {
		if r.IntN(2) == 0 {
			b = wire.AppendVarint(wire.AppendTag(b, number, wire.VarintType), r.Uint64()>>r.IntN(64))
		}
	}
	child := func(number uint32) {
		if levels > 0 && r.IntN(2) == 0 {
			b = wire.AppendBytes(wire.AppendTag(b, number, wire.BytesType), longTexts(r, levels-1))
		}
	}
	number(2)
	number(4)
	number(6)
	if r.IntN(3) == 0 {
		b = append(wire.AppendTag(b, 10, wire.Fixed64Type), 1, 2, 3, 4, 5, 6, 7, 8)
	}
	text(14)
	text(15)
	child(19)
	text(115)
	for range 3 {
		text(314)
		text(315)
	}
	child(319)
	child(319)
	text(60_000)
	return b
}

// POL-46. Each way of writing makes the same bytes in a room of any size, and touches no more than it may.
func TestARoomOfAnySizeHoldsTheSameBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 1))
	for name, fresh := range map[string]func() written{
		"rule": func() written { return new(p3.All) }, "table": func() written { return new(cold.All) }, "straight": func() written { return new(hot.All) },
		"labels": func() written { return new(prometheushot.TimeSeries) },
	} {
		for round := range 15 {
			m := fresh()
			if series, is := m.(*prometheushot.TimeSeries); is {
				for range r.IntN(4) {
					series.Labels = append(series.Labels, prometheushot.Label{
						Name: strings.Repeat("n", r.IntN(20)), Value: strings.Repeat("v", r.IntN(2)*1020+r.IntN(10)),
					})
					series.Samples = append(series.Samples, prometheushot.Sample{Value: r.Float64(), Timestamp: r.Int64() >> r.IntN(64)})
				}
			} else if err := m.Unmarshal(longTexts(r, 2)); err != nil {
				t.Fatal(err)
			}
			// With Strict, texts leave no gaps.
			want, err := m.MarshalWith(nil, pool.MarshalOptions{Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			copied := fresh()
			if err := copied.Unmarshal(want); err != nil {
				t.Fatal(name, round, err)
			}
			if a, has := copied.(message); has && !a.EqualAnyHot(m) {
				t.Fatalf("%s %d: another message", name, round)
			}
			if n := m.Size(); n != len(want) {
				t.Fatalf("%s %d: Size is %d of %d", name, round, n, len(want))
			}
			if out, err := m.Marshal(); err != nil || !bytes.Equal(out, want) || cap(out) != len(out) || out == nil {
				t.Fatalf("%s %d: Marshal: %v, capacity %d of %d", name, round, err, cap(out), len(want))
			}
			rooms := []int{0, 1, len(want) + 1, len(want) + 15, len(want) + 16, len(want) + 64, 2*len(want) + 100}
			for missing := range 70 {
				rooms = append(rooms, max(0, len(want)-missing))
			}
			rooms = append(rooms, r.IntN(len(want)+1), r.IntN(len(want)+1))
			for _, room := range rooms {
				at := fmt.Sprintf("%s %d: %d of %d", name, round, room, len(want))
				block := bytes.Repeat([]byte{0xa5}, 4+room+100)
				copy(block, "head")
				for call, f := range map[string]func([]byte) ([]byte, error){"append": m.MarshalAppend, "scratch": m.MarshalScratch} {
					all := bytes.Clone(block)
					out, err := f(all[: 4 : 4+room])
					if err != nil || string(out[:4]) != "head" || !bytes.Equal(out[4:], want) {
						t.Fatalf("%s: %s: other bytes, %v", at, call, err)
					}
					if fits := room >= len(want); fits != (&out[0] == &all[0]) {
						t.Fatalf("%s: %s: in the room: %t", at, call, !fits)
					}
					touched := 4
					if room >= len(want) {
						touched += len(want)
					}
					if call == "scratch" {
						touched = 4 + room
					}
					if !bytes.Equal(all[touched:], block[touched:]) {
						t.Fatalf("%s: %s touched more", at, call)
					}
				}
				all := bytes.Clone(block)
				n, err := m.MarshalToSizedBuffer(all[4 : 4+room])
				if room < len(want) {
					if n != 0 || !errors.Is(err, wire.BufferExhausted) {
						t.Fatalf("%s: %d, %v", at, n, err)
					}
				} else if err != nil || n != len(want) || !bytes.Equal(all[4+room-n:4+room], want) {
					t.Fatalf("%s: other bytes, %d, %v", at, n, err)
				}
				if string(all[:4]) != "head" || !bytes.Equal(all[4+room:], block[4+room:]) {
					t.Fatalf("%s: bytes beside the buffer", at)
				}
			}
		}
	}
}

// A text that is not UTF-8 is found after one that leaves a gap, and nothing is written.
func TestABadTextBehindALongOneIsRefused(t *testing.T) {
	for _, m := range []written{
		&p3.All{SingleString: strings.Repeat("x", 5000), RepeatedString: []string{"bad\xff"}},
		&p3.All{SingleString: strings.Repeat("x", 5000) + "\xff"},
		&prometheushot.TimeSeries{Labels: []prometheushot.Label{{Name: strings.Repeat("x", 2000), Value: "\xff"}}},
	} {
		n := m.Size()
		for _, room := range []int{0, n - 1, n, n + 100} {
			all := bytes.Repeat([]byte{0xa5}, room+1)
			if out, err := m.MarshalAppend(all[:0:room]); len(out) != 0 || !errors.Is(err, wire.InvalidUtf8) || !bytes.Equal(all, bytes.Repeat([]byte{0xa5}, room+1)) {
				t.Errorf("append, %d of %d: %d bytes, %v", room, n, len(out), err)
			}
			if out, err := m.MarshalScratch(all[:0:room]); len(out) != 0 || !errors.Is(err, wire.InvalidUtf8) || all[room] != 0xa5 {
				t.Errorf("scratch, %d of %d: %d bytes, %v", room, n, len(out), err)
			}
			if k, err := m.MarshalToSizedBuffer(all[:room]); k != 0 || !errors.Is(err, wire.InvalidUtf8) {
				t.Errorf("sized, %d of %d: %d, %v", room, n, k, err)
			}
		}
	}
}

// Encoders that are borrowed are not shared.
func TestManyWriteAMessageWithLongTexts(t *testing.T) {
	m := &p3.All{SingleInt64: 5, SingleString: strings.Repeat("x", 5000), RepeatedBytes: [][]byte{bytes.Repeat([]byte("y"), 2000), {1}}}
	want, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			b := make([]byte, 0, len(want))
			for range 200 {
				if out, err := m.MarshalScratch(b); err != nil || !bytes.Equal(out, want) {
					t.Error("scratch:", err)
				}
				if out, err := m.MarshalAppend(b); err != nil || !bytes.Equal(out, want) {
					t.Error("append:", err)
				}
				if _, err := m.MarshalToSizedBuffer(b[:len(want)]); err != nil || !bytes.Equal(b[:len(want)], want) {
					t.Error("sized:", err)
				}
			}
		}()
	}
	all.Wait()
}
