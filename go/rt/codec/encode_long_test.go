package codec

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// blobs is a message with one field, repeated bytes line = 1, and a text, string name = 2.
type blobs struct {
	list [][]byte
	name string
}

func (m *blobs) EncodeHot(e *Encoder, i int) int {
	i = e.PutText(i, m.name, 16) - 1
	e.B[i] = 0x12
	for n := len(m.list) - 1; n >= 0; n-- {
		i = PutBytes(e, i, m.list[n], 16) - 1
		e.B[i] = 0x0a
	}
	return i
}

func (m *blobs) UnmarshalHotOptions(b []byte, _ UnmarshalOptions) error {
	if !bytes.Equal(b, m.want()) && m.list != nil {
		return errors.New("not the encoding")
	}
	if !wire.ValidUTF8(b) {
		return &wire.Error{Code: wire.InvalidUtf8, Offset: int64(len(b))}
	}
	return nil
}

func (m *blobs) SizeHot() int { return len(m.want()) }

func (m *blobs) want() (out []byte) {
	for _, payload := range m.list {
		out = wire.AppendString(append(out, 0x0a), string(payload))
	}
	return wire.AppendString(append(out, 0x12), m.name)
}

func longMessages() (all []*blobs) {
	part := func(n int) []byte { return bytes.Repeat([]byte{'a' + byte(n%26)}, n) }
	for _, sizes := range [][]int{
		{longFrom}, {longFrom - 1}, {0, longFrom, 0}, {longFrom, longFrom + 1}, {3, longFrom, 5, 100000, 7}, {40, 70000, 300, 20, 5000, 900, 1023, 1024},
		{MaxScratch + 1, 1}, {1, MaxScratch + 1},
	} {
		m := &blobs{name: "name"}
		for _, n := range sizes {
			m.list = append(m.list, part(n))
		}
		all = append(all, m)
	}
	all = append(all, &blobs{name: "a short text"}, &blobs{name: "n", list: [][]byte{part(200), part(40)}})
	m := &blobs{name: strings.Repeat("n", 3000)}
	for n := range 3000 { // scratch memory grows between long payloads
		m.list = append(m.list, part(n%1500))
	}
	return append(all, m)
}

func TestLongPayloadsAreInTheirPlaces(t *testing.T) {
	for n, m := range longMessages() {
		want := m.want()
		if got, err := Marshal(m); err != nil || !bytes.Equal(got, want) || len(got) != cap(got) && cap(got) > len(got)+len(got)/2+32 {
			t.Fatalf("%d: Marshal: %d bytes of %d, %v", n, len(got), len(want), err)
		}
		for _, spare := range []int{0, 1, len(want) - 1, len(want), len(want) + 1, len(want) + 64, 2*len(want) + 4096} {
			whole := bytes.Repeat([]byte{0xee}, 4+spare)
			for name, marshal := range map[string]func([]byte, Encodable) ([]byte, error){"append": MarshalAppend, "scratch": MarshalScratch} {
				got, err := marshal(whole[:4], m)
				if err != nil || len(got) != 4+len(want) || string(got[:4]) != "\xee\xee\xee\xee" || !bytes.Equal(got[4:], want) {
					t.Fatalf("%d: %s with %d bytes to spare: %d bytes of %d, %v", n, name, spare, len(got), len(want), err)
				}
				if spare >= len(want) && &got[0] != &whole[0] {
					t.Errorf("%d: %s: %d bytes to spare were enough for %d", n, name, spare, len(want))
				}
				if name == "append" && spare > len(want) && whole[4+len(want)] != 0xee {
					t.Errorf("%d: %s changed what is after the result", n, name)
				}
				for k := range whole {
					whole[k] = 0xee
				}
			}
			dest := bytes.Repeat([]byte{0xee}, spare)
			size, err := MarshalToEnd(dest, m)
			if spare < len(want) {
				if !errors.Is(err, wire.BufferExhausted) || size != 0 {
					t.Fatalf("%d: %d bytes, %v", n, size, err)
				}
			} else if err != nil || size != len(want) || !bytes.Equal(dest[spare-size:], want) || strings.Trim(string(dest[:spare-size]), "\xee") != "" {
				t.Fatalf("%d: MarshalToEnd: %d bytes of %d, %v", n, size, len(want), err)
			}
		}
	}
}

func TestALongPayloadMayComeFromTheResult(t *testing.T) {
	for _, at := range []int{0, 1, 100, 3000} {
		buffer := make([]byte, 20000)
		for n := range buffer {
			buffer[n] = byte(n * 7)
		}
		m := &blobs{[][]byte{buffer[at+5000 : at+9000], buffer[at : at+2000]}, "name"}
		want := m.want()
		if got, err := MarshalAppend(buffer[:0], m); err != nil || !bytes.Equal(got, want) {
			t.Errorf("at %d: %d bytes, %v", at, len(got), err)
		}
	}
}

func TestAnEncoderForgetsLongPayloads(t *testing.T) {
	m := &blobs{[][]byte{make([]byte, longFrom), make([]byte, longFrom)}, "\xff"}
	for range 3 {
		if got, err := MarshalAppend([]byte("head"), m); string(got) != "head" || !errors.Is(err, wire.InvalidUtf8) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		var e Encoder
		s := e.keeps()
		if len(s.longs) != 0 {
			t.Fatalf("%d payloads are held", len(s.longs))
		}
		for _, l := range s.longs[:cap(s.longs)] {
			if l.payload != nil {
				t.Fatal("a payload is kept")
			}
		}
		e.release()
		small := &blobs{[][]byte{{1}}, "n"}
		if got, err := Marshal(small); err != nil || !bytes.Equal(got, small.want()) {
			t.Fatalf("%x, %v", got, err)
		}
	}
}
