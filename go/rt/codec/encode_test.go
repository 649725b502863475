package codec

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// lines is a message with one field, repeated string line = 1.
type lines struct{ list []string }

func (m *lines) EncodeHot(e *Encoder, i int) int {
	for n := len(m.list) - 1; n >= 0; n-- {
		i = e.PutText(i, m.list[n], 16)
		i--
		e.B[i] = 0x0a
	}
	return i
}

func (m *lines) UnmarshalHotOptions(b []byte, _ UnmarshalOptions) error {
	if strings.ToValidUTF8(string(b), "") != string(b) {
		return &wire.Error{Code: wire.InvalidUtf8}
	}
	return nil
}

func (m *lines) SizeHot() (size int) {
	for _, line := range m.list {
		size += 1 + SizeLen(len(line))
	}
	return size
}

func (m *lines) want() (out []byte) {
	for _, line := range m.list {
		out = wire.AppendString(append(out, 0x0a), line)
	}
	return out
}

var texts = []*lines{
	{}, {[]string{""}}, {[]string{"a", "bc"}}, {[]string{strings.Repeat("x", 127)}}, {[]string{strings.Repeat("x", 128), "é"}},
	{[]string{strings.Repeat("y", 5000), "z", strings.Repeat("w", 70000)}}, {[]string{strings.Repeat("big", MaxScratch/2), "small"}},
}

func TestMarshalGivesAnExactCopy(t *testing.T) {
	for _, m := range append(texts, texts...) {
		got, err := Marshal(m)
		if err != nil || got == nil || !bytes.Equal(got, m.want()) || cap(got) > len(got)+len(got)/2+32 {
			t.Fatalf("%d bytes of capacity %d, want %d: %v", len(got), cap(got), len(m.want()), err)
		}
	}
}

func TestMarshalAppendUsesTheRoomBehindItsBuffer(t *testing.T) {
	for _, m := range texts {
		want := append([]byte("head"), m.want()...)
		for _, spare := range []int{0, 1, 7, len(m.want()) - 1, len(m.want()), len(m.want()) + 16, 2*len(m.want()) + 100} {
			dst := append(make([]byte, 0, 4+max(spare, 0)), "head"...)
			got, err := MarshalAppend(dst, m)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("with %d bytes to spare: %d bytes, want %d: %v", spare, len(got), len(want), err)
			}
			if spare >= len(m.want()) && &got[0] != &dst[0] {
				t.Errorf("%d bytes to spare were enough for %d", spare, len(m.want()))
			}
		}
	}
}

func TestWhatMustNotLeaveDoesNot(t *testing.T) {
	m := &lines{[]string{"fine", "\xff"}}
	if got, err := Marshal(m); got != nil || !errors.Is(err, wire.InvalidUtf8) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := MarshalAppend([]byte("head"), m); string(got) != "head" || !errors.Is(err, wire.InvalidUtf8) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := Marshal(&lines{[]string{"fine"}}); string(got) != "\x0a\x04fine" || err != nil {
		t.Errorf("after an error: %q, %v", got, err)
	}
}

func TestWarmMarshalAllocatesItsResultOnly(t *testing.T) {
	m := &lines{[]string{strings.Repeat("x", 1000), "b"}}
	dst := make([]byte, 0, 2000)
	if n := testing.AllocsPerRun(100, func() { Marshal(m) }); n > 1.1 {
		t.Errorf("Marshal allocates %v times", n)
	}
	if n := testing.AllocsPerRun(100, func() { MarshalAppend(dst, m) }); n > 0.1 {
		t.Errorf("MarshalAppend allocates %v times", n)
	}
}

func TestScratchThatIsKeptIsBounded(t *testing.T) {
	var e Encoder
	e.Grow(0, MaxScratch+1)
	s := e.kept
	e.release()
	if s.own != nil {
		t.Errorf("%d bytes are kept", len(s.own))
	}
}

func TestTextOfEveryLengthIsCheckedAndCopied(t *testing.T) {
	for n := range 100 {
		v := strings.Repeat("0123456789", 10)[:n]
		for at := range n + 1 {
			var e Encoder
			i := e.PutText(e.Raw(0, []byte("behind")), v, 1)
			want := append(wire.AppendString(nil, v), "behind"...)
			if !bytes.Equal(e.B[i:], want) || i < 1 || (e.fault != 0) != strings.Contains(v, "\x80") {
				t.Fatalf("%q: %q, %v", v, e.B[i:], e.fault)
			}
			if j := PutBytes(&e, i, v, 1); !bytes.Equal(e.B[j:], append(wire.AppendString(nil, v), want...)) {
				t.Fatalf("%q: %q", v, e.B[j:])
			}
			if at < n { // the next time there is one malformed byte
				v = strings.Repeat("0123456789", 10)[:n]
				v = v[:at] + "\x80" + v[at+1:]
			}
		}
	}
}

func TestSortedBools(t *testing.T) {
	if got := SortedBools(map[bool]int{true: 1, false: 2}); len(got) != 2 || got[0] || !got[1] {
		t.Error(got)
	}
	if got := SortedBools(map[bool]int{true: 1}); len(got) != 1 || !got[0] {
		t.Error(got)
	}
}
