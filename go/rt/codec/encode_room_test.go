package codec

import (
	"bytes"
	"errors"
	"math/rand"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// steps is a message of records that are written in the ways that an encoder has, each of which asks for other room.
type steps struct {
	list  []stepOf
	depth int // how many calls are between the encoder and the first record
	fault bool
	// change is the difference of its size a moment ago.
	change int
}

type stepOf struct {
	kind    int
	payload string
}

func (m *steps) EncodeHot(e *Encoder, i int) int { return m.encode(e, i, len(m.list)-1) }

func (m *steps) encode(e *Encoder, i, n int) int {
	if m.depth > 0 { // so deep that the stack moves
		var large [1024]byte
		large[m.depth%1024] = 1
		m.depth--
		i = m.encode(e, i, n)
		m.depth++
		runtime.KeepAlive(&large)
		return i
	}
	for ; n >= 0; n-- {
		v := m.list[n].payload
		switch m.list[n].kind {
		case 0:
			i = e.PutTagged(i, v, 0x0a, 40)
			continue
		case 1:
			i = PutBytes(e, i, []byte(v), 200)
		case 2: // other people's code
			i = e.Reserve(i, len(v))
			part := e.B[i : i+len(v) : i+len(v)]
			copy(part, v)
			kept = append(kept[:0], part)
			i = PutVarint(e.B, i, uint64(len(v)))
			if i < 1 {
				i = e.Grow(i, 1)
			}
		default:
			i = e.Raw(i, []byte(v))
			if i < 11 {
				i = e.Grow(i, 11)
			}
			i = PutVarint(e.B, i, uint64(len(v)))
		}
		i--
		e.B[i] = 0x0a
	}
	if m.fault {
		e.Missing()
	}
	return i
}

var kept [][]byte

func (m *steps) UnmarshalHotOptions(b []byte, _ UnmarshalOptions) error {
	if !bytes.Equal(b, (&steps{}).want()) && m.fault {
		return errors.New("not the encoding")
	}
	return nil
}

// SizeHot is wrong for a message that is changed before it is written.
func (m *steps) SizeHot() int {
	size := m.change
	for _, s := range m.list {
		size += 1 + SizeLen(len(s.payload))
	}
	return max(size, 0)
}

func (m *steps) want() (out []byte) {
	for _, s := range m.list {
		out = wire.AppendString(append(out, 0x0a), s.payload)
	}
	return out
}

func randomSteps(r *rand.Rand) *steps {
	m := new(steps)
	for range r.Intn(12) {
		n := r.Intn(40)
		switch r.Intn(6) {
		case 0:
			n = r.Intn(400)
		case 1:
			n = r.Intn(3000)
		}
		m.list = append(m.list, stepOf{r.Intn(4), strings.Repeat("abcdefghijklmnop", n/16+1)[:n]})
	}
	if r.Intn(3) == 0 {
		m.change = r.Intn(2000) - 1000
	}
	if r.Intn(4) == 0 {
		m.depth = r.Intn(64)
	}
	return m
}

// Whatever room there is, and wherever it ends: the result is the encoding, and the bytes after it stay as they were.
func TestEveryRoomGivesTheSameBytes(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 4000 {
		m := randomSteps(r)
		want := m.want()
		if r.Intn(2) == 0 { // a type may have had large messages, or not yet
			largeOf(m).large.Store(r.Intn(2) == 0)
			largeOf(m).long.Store(r.Intn(2) == 0)
		}
		fresh, err := Marshal(m)
		if err != nil || !bytes.Equal(fresh, want) {
			t.Fatalf("Marshal: %d bytes of %d, %v", len(fresh), len(want), err)
		}
		for _, spare := range []int{0, 1, r.Intn(64), max(len(want)-r.Intn(8), 0), len(want), len(want) + r.Intn(600), 2*len(want) + 700} {
			whole := bytes.Repeat([]byte{0xee}, 3+spare)
			got, err := MarshalAppend(whole[:3], m)
			if err != nil || string(got[:3]) != "\xee\xee\xee" || !bytes.Equal(got[3:], want) {
				t.Fatalf("append with %d bytes to spare: %d bytes of %d, %v", spare, len(got)-3, len(want), err)
			}
			if spare > len(want) && bytes.Count(whole[3+len(want):], []byte{0xee}) != spare-len(want) {
				t.Fatalf("append with %d bytes to spare for %d changed the bytes after them", spare, len(want))
			}
			got, err = MarshalScratch(whole[:3], m)
			if err != nil || string(got[:3]) != "\xee\xee\xee" || !bytes.Equal(got[3:], want) {
				t.Fatalf("scratch with %d bytes to spare: %d bytes of %d, %v", spare, len(got)-3, len(want), err)
			}
			if spare >= len(want) && m.change <= 0 && &got[0] != &whole[0] {
				t.Fatalf("scratch: %d bytes to spare were enough for %d", spare, len(want))
			}
			dest := bytes.Repeat([]byte{0xee}, spare)
			switch n, err := MarshalToEnd(dest, m); {
			case spare < len(want):
				if n != 0 || !errors.Is(err, wire.BufferExhausted) {
					t.Fatalf("end of %d bytes for %d: %d, %v", spare, len(want), n, err)
				}
			case err != nil || n != len(want) || !bytes.Equal(dest[spare-n:], want) || bytes.Count(dest[:spare-n], []byte{0xee}) != spare-n:
				t.Fatalf("end of %d bytes: %d bytes of %d, %v", spare, n, len(want), err)
			}
		}
	}
}

// Memory that other people's code may keep is neither on the stack nor a part of a result.
func TestWhatOthersWriteIsScratchMemory(t *testing.T) {
	m := &steps{list: []stepOf{{0, "first"}, {2, "theirs"}, {0, "last"}}}
	var room [400]byte
	for _, dst := range [][]byte{nil, room[:0], room[:0:20], make([]byte, 0, 400)} {
		for name, marshal := range map[string]func([]byte, Encodable) ([]byte, error){"append": MarshalAppend, "scratch": MarshalScratch, "end": toEnd} {
			got, err := marshal(dst, m)
			if err != nil || !bytes.Equal(got, m.want()) {
				t.Fatalf("%s: %q, %v", name, got, err)
			}
			clear(kept[0])
			if !bytes.Equal(got, m.want()) {
				t.Errorf("%s: the part is a part of the result", name)
			}
		}
	}
}

// toEnd is MarshalToEnd with the room of dst, or with enough.
func toEnd(dst []byte, m Encodable) ([]byte, error) {
	dest := dst[:cap(dst)]
	if len(dest) < m.SizeHot() {
		dest = make([]byte, m.SizeHot())
	}
	n, err := MarshalToEnd(dest, m)
	return dest[len(dest)-n:], err
}

func TestErrorsInEveryRoom(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 500 {
		m := randomSteps(r)
		m.fault = true
		for _, spare := range []int{0, len(m.want()), 1000} {
			whole := bytes.Repeat([]byte{0xee}, 1+spare)
			if got, err := MarshalAppend(whole[:1], m); len(got) != 1 || !errors.Is(err, wire.MissingRequired) || bytes.Count(whole, []byte{0xee}) != len(whole) {
				t.Fatalf("append: %d bytes, %v", len(got), err)
			}
			if got, err := MarshalScratch(whole[:1], m); len(got) != 1 || !errors.Is(err, wire.MissingRequired) {
				t.Fatalf("scratch: %d bytes, %v", len(got), err)
			}
			if n, err := MarshalToEnd(whole, m); n != 0 || !errors.Is(err, wire.MissingRequired) {
				t.Fatalf("end: %d bytes, %v", n, err)
			}
		}
		if got, err := Marshal(m); got != nil || !errors.Is(err, wire.MissingRequired) {
			t.Fatalf("fresh: %d bytes, %v", len(got), err)
		}
	}
}

// The encoder is on the stack, which grows and moves while it is used.
func TestEncodersOnManyStacks(t *testing.T) {
	var all sync.WaitGroup
	for seed := range 16 {
		all.Add(1)
		go func() {
			defer all.Done()
			r := rand.New(rand.NewSource(int64(seed)))
			for range 200 {
				m := randomSteps(r)
				for n := range m.list { // kept is one for all
					m.list[n].kind &^= 2
				}
				m.depth = r.Intn(200)
				done := make(chan bool)
				go func() { // on a new, small stack
					defer close(done)
					if got, err := MarshalAppend(nil, m); err != nil || !bytes.Equal(got, m.want()) {
						t.Errorf("append: %d bytes of %d, %v", len(got), len(m.want()), err)
					}
					if got, err := MarshalScratch(make([]byte, 0, 300), m); err != nil || !bytes.Equal(got, m.want()) {
						t.Errorf("scratch: %d bytes of %d, %v", len(got), len(m.want()), err)
					}
				}()
				<-done
			}
		}()
	}
	for range 20 {
		runtime.GC() // which shrinks stacks
	}
	all.Wait()
}

func TestMarshalScratchLeavesSpareRoom(t *testing.T) {
	m := &steps{list: []stepOf{{0, "a text"}, {0, strings.Repeat("b", 700)}}}
	out, err := MarshalScratch(nil, m)
	if err != nil || cap(out)-len(out) < smallRoom {
		t.Fatalf("%d bytes of %d, %v", len(out), cap(out), err)
	}
	if n := testing.AllocsPerRun(100, func() { out, _ = MarshalScratch(out[:0], m) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A message that fits the room on the stack, but not what its steps ask for, does not begin there again; a long payload
// calls for a size pass unless a table would do that.
func TestTypesRememberTheirRoom(t *testing.T) {
	m := &steps{list: []stepOf{{1, strings.Repeat("a", 100)}}} // it asks for 200 more
	flags := largeOf(m)
	for name, encode := range map[string]func() ([]byte, error){
		"Marshal":       func() ([]byte, error) { return Marshal(m) },
		"MarshalAppend": func() ([]byte, error) { return MarshalAppend(nil, m) },
	} {
		flags.large.Store(false)
		for range 2 {
			if b, err := encode(); err != nil || !bytes.Equal(b, m.want()) {
				t.Fatalf("%s: %q, %v", name, b, err)
			}
			if !flags.large.Load() {
				t.Errorf("%s: not remembered", name)
			}
		}
	}
	for _, byTable := range []bool{false, true} {
		flags.large.Store(false)
		flags.long.Store(false)
		e := &Encoder{B: make([]byte, 64), byTable: byTable}
		e.note(flags, PutBytes(e, 64, make([]byte, longFrom), 10))
		e.release()
		if flags.long.Load() == byTable {
			t.Errorf("by table: %v, a size pass: %v", byTable, flags.long.Load())
		}
	}
	flags.long.Store(false)
}
