package wire_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotpb/hotpb/go/wire"
)

// rejects fails the test unless err has this code and offset.
func rejects(t *testing.T, subject string, err error, code wire.Code, offset int64) {
	t.Helper()
	var e *wire.Error
	if !errors.As(err, &e) || e.Code != code || e.Offset != offset {
		t.Errorf("%s: %v, want %v at byte %d", subject, err, code, offset)
	}
}

// LOW-4, LOW-15
func TestSafeValuesAreCopiesAndFastOnesAreTheInput(t *testing.T) {
	for _, mode := range []wire.Mode{wire.Safe, wire.Fast} {
		b := []byte("\x0a\x03abc\x12\x03def\x1a\x05\x0a\x03ghi")
		d := wire.NewDecoder(b)
		d.SetMode(mode)
		d.DecodeTag()
		text, _ := d.DecodeString()
		d.DecodeTag()
		raw, _ := d.DecodeBytes()
		d.DecodeTag()
		nested, _ := d.Nested()
		nested.DecodeTag()
		inner, err := nested.DecodeStringUnchecked()
		if err != nil || text != "abc" || string(raw) != "def" || inner != "ghi" || nested.Mode() != mode {
			t.Fatalf("%v: %q %q %q %v", mode, text, raw, inner, err)
		}
		clear(b)
		if changed := text != "abc"; changed != (mode == wire.Fast) {
			t.Errorf("%v: the string is %q after the input changed", mode, text)
		}
		if changed := string(raw) != "def"; changed != (mode == wire.Fast) {
			t.Errorf("%v: the bytes are %q after the input changed", mode, raw)
		}
		if changed := inner != "ghi"; changed != (mode == wire.Fast) {
			t.Errorf("%v: the nested string is %q after the input changed", mode, inner)
		}
		if cap(raw) > 3 && mode == wire.Fast {
			t.Error("appending to bytes would write into the input")
		}
	}
}

func TestEmptyBytesAreNotNil(t *testing.T) {
	for _, mode := range []wire.Mode{wire.Safe, wire.Fast} {
		d := wire.NewDecoder([]byte{0x0a, 0})
		d.SetMode(mode)
		d.DecodeTag()
		if b, err := d.DecodeBytes(); b == nil || err != nil {
			t.Errorf("%v: %v %v", mode, b, err)
		}
	}
}

// LOW-5
func TestStringsAreCheckedUnlessTheCallSaysOtherwise(t *testing.T) {
	b := []byte("\x0a\x04ab\xffc")
	d := wire.NewDecoder(b)
	d.DecodeTag()
	_, err := d.DecodeString()
	rejects(t, "bad string", err, wire.InvalidUtf8, 4)
	if text, err := d.DecodeStringUnchecked(); err != nil || text != "ab\xffc" {
		t.Errorf("%q %v", text, err)
	}
	e := wire.NewEncoder(make([]byte, 10))
	e.EncodeStringUnchecked(1, "ab\xffc")
	if got, err := e.Bytes(); err != nil || !bytes.Equal(got, b) {
		t.Errorf("% x %v", got, err)
	}
	e.EncodeString(1, "ab\xffc")
	_, err = e.Bytes()
	rejects(t, "bad string written", err, wire.InvalidUtf8, 6)
}

// LOW-6, LOW-16
func TestSkippedRecordsAreWholeWithTheirTag(t *testing.T) {
	records := [][]byte{
		{0x08, 0x96, 0x01},
		{0x88, 0x00, 0x01}, // the tag is over-long
		{0x0a, 0x02, 7, 8},
		{0x0d, 1, 2, 3, 4},
		{0x09, 1, 2, 3, 4, 5, 6, 7, 8},
		{0x13, 0x08, 0x01, 0x1b, 0x1c, 0x14}, // groups
	}
	d := wire.NewDecoder(slices.Concat(records...))
	for _, want := range records {
		if _, _, err := d.DecodeTag(); err != nil {
			t.Fatal(err)
		}
		got, err := d.Skip()
		if err != nil || !bytes.Equal(got, want) || cap(got) != len(want) {
			t.Errorf("% x, %v; want % x", got, err, want)
		}
		at := d.Offset()
		_, err = d.Skip()
		rejects(t, "skipped twice", err, wire.HandleMisuse, int64(at))
	}
	if d.More() {
		t.Error("More reports true at the end")
	}
}

func TestSkipFindsWhereAGroupIsWrong(t *testing.T) {
	for _, c := range []struct {
		b      string
		code   wire.Code
		offset int64
	}{
		{"\x08\x01\x0b\x10\x01\x14", wire.GroupMismatch, 5},
		{"\x08\x01\x0b\x13\x0a\x05ab\x14\x0c", wire.Truncated, 6},
		{"\x08\x01\x0b\x10\x01", wire.Truncated, 5},
		{"\x08\x01\x0c", wire.GroupMismatch, 2},
		{"\x08\x01\x0b\x13\x1b\x1c\x14\x0c", wire.DepthExceeded, 4},
		{"\x08\x01\x0b\x10\x80", wire.Truncated, 4},
	} {
		// The same inside a nested message: offsets still count from the start of the whole.
		nested := append([]byte{0x7a, byte(len(c.b))}, c.b...)
		for shift, input := range map[int64][]byte{0: []byte(c.b), 2: nested} {
			d := wire.NewDecoder(input)
			d.SetMaxDepth(2)
			if shift > 0 {
				d.DecodeTag()
				inner, err := d.Nested()
				if err != nil {
					t.Fatal(err)
				}
				d = &inner
				d.SetMaxDepth(2)
			}
			d.DecodeTag()
			d.DecodeUint64()
			d.DecodeTag()
			group := *d
			_, err := d.Skip()
			rejects(t, c.b, err, c.code, c.offset+shift)
			if group.Tag().Type() == wire.StartGroup {
				_, err = group.Group()
				rejects(t, c.b, err, c.code, c.offset+shift)
			}
		}
	}
}

func TestSeekMovesWithinTheBytes(t *testing.T) {
	d := wire.NewDecoder([]byte{8, 1, 16, 2})
	for _, c := range []struct {
		offset int64
		whence int
		want   int64
		good   bool
	}{
		{2, io.SeekStart, 2, true}, {-1, io.SeekCurrent, 1, true}, {-4, io.SeekEnd, 0, true}, {0, io.SeekEnd, 4, true},
		{5, io.SeekStart, 4, false}, {1, io.SeekCurrent, 4, false}, {-5, io.SeekEnd, 4, false}, {-1, io.SeekStart, 4, false},
		{math.MinInt64, io.SeekEnd, 4, false}, {math.MaxInt64, io.SeekEnd, 4, false}, {0, 7, 4, false}, {2, io.SeekStart, 2, true},
	} {
		at, err := d.Seek(c.offset, c.whence)
		if at != c.want || (err == nil) != c.good || d.Offset() != int(c.want) {
			t.Errorf("%+v: at %d, %v", c, at, err)
		}
		if err != nil {
			rejects(t, "seek", err, wire.HandleMisuse, c.want)
		}
	}
	if number, kind, err := d.DecodeTag(); number != 2 || kind != wire.VarintType || err != nil {
		t.Error(number, kind, err)
	}
	d.Reset()
	if number, _, _ := d.DecodeTag(); number != 1 || d.Offset() != 1 {
		t.Error(number, d.Offset())
	}
}

func TestErrorsLeaveThePositionAsItWas(t *testing.T) {
	d := wire.NewDecoder([]byte{0x0a, 0x05, 1})
	d.DecodeTag()
	for name, call := range map[string]func() error{
		"string": func() error { _, err := d.DecodeString(); return err },
		"bytes":  func() error { _, err := d.DecodeBytes(); return err },
		"nested": func() error { _, err := d.Nested(); return err },
		"entry":  func() error { _, _, err := d.MapEntry(wire.String, wire.String); return err },
		"packed": func() error { _, err := d.DecodePackedInt32(nil); return err },
		"skip":   func() error { _, err := d.Skip(); return err },
	} {
		rejects(t, name, call(), wire.Truncated, 2)
		if d.Offset() != 1 {
			t.Errorf("%s: at %d", name, d.Offset())
		}
	}
	for name, call := range map[string]func() error{
		"fixed32": func() error { _, err := d.DecodeFixed32(); return err },
		"double":  func() error { _, err := d.DecodeDouble(); return err },
	} {
		rejects(t, name, call(), wire.Truncated, 1)
	}
	d = wire.NewDecoder([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f})
	d.DecodeTag()
	_, err := d.DecodeBytes()
	rejects(t, "4 GiB", err, wire.SizeExceeded, 0)
}

// TestShortFormsReadAsLongOnes reads tags, lengths and numbers of one byte, and the same in padded forms, with bytes after them and
// without: the values are the same, and each prefix is an error that leaves the position.
func TestShortFormsReadAsLongOnes(t *testing.T) {
	for name, read := range map[string]struct {
		kind  wire.Type
		value func(d *wire.Decoder) (string, error)
	}{
		"string":    {wire.BytesType, func(d *wire.Decoder) (string, error) { return d.DecodeString() }},
		"unchecked": {wire.BytesType, func(d *wire.Decoder) (string, error) { return d.DecodeStringUnchecked() }},
		"bytes":     {wire.BytesType, func(d *wire.Decoder) (string, error) { v, err := d.DecodeBytes(); return string(v), err }},
		"nested": {wire.BytesType, func(d *wire.Decoder) (string, error) {
			n, err := d.Nested()
			for err == nil && n.More() {
				if _, err = n.DecodeUint64(); err != nil {
					return "", err
				}
			}
			end, _ := n.Seek(0, io.SeekEnd)
			return string("abcdefghijklmnopqrstuvwxyz"[:end]), err
		}},
		"number": {wire.VarintType, func(d *wire.Decoder) (string, error) {
			v, err := d.DecodeUint64()
			return strconv.FormatUint(v, 10), err
		}},
	} {
		for _, mode := range []wire.Mode{wire.Safe, wire.Fast} {
			for n := range 26 {
				want, payload := strconv.Itoa(n), ""
				if read.kind == wire.BytesType {
					want = "abcdefghijklmnopqrstuvwxyz"[:n]
					payload = want
				}
				for number := uint32(1); number <= 16; number += 15 {
					for _, padding := range []string{"", "\x80\x00", "\x80\x80\x00"} {
						b := wire.AppendTag(nil, number, read.kind)
						tag := len(b)
						if b = append(b, byte(n)); padding != "" {
							b[tag] |= 0x80
							b = append(b, padding[1:]...)
						}
						b = append(b, payload...)
						for _, input := range [][]byte{b, append(slices.Clone(b), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)} {
							d := wire.NewDecoder(input)
							d.SetMode(mode)
							found, kind, err := d.DecodeTag()
							if err != nil || found != number || kind != read.kind || d.Tag() != wire.MakeTag(number, kind) {
								t.Fatal(name, found, kind, err)
							}
							if got, err := read.value(d); err != nil || got != want || d.Offset() != len(b) {
								t.Fatalf("%s, %x: %q up to %d, %v", name, input, got, d.Offset(), err)
							}
						}
						for end := tag; end < len(b); end++ {
							d := wire.NewDecoder(b[:end:end])
							d.DecodeTag()
							if _, err := read.value(d); !errors.Is(err, wire.Truncated) || d.Offset() != tag {
								t.Fatalf("%s, %x: %v at %d", name, b[:end], err, d.Offset())
							}
						}
					}
				}
			}
		}
	}
	for first := range 256 { // tags of one byte
		number, kind, err := wire.NewDecoder([]byte{byte(first)}).DecodeTag()
		tag, next := wire.ReadTag([]byte{byte(first)}, 0)
		if (err == nil) != (next == 1) || err == nil && wire.MakeTag(number, kind) != tag {
			t.Errorf("%x: %d, %d, %v", first, number, kind, err)
		}
	}
}

func TestInputsAboveTheSizeLimitAreRefused(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("it reserves 2 GiB of addresses")
	}
	size := uint(wire.MaxSize) + 1
	d := wire.NewDecoder(append(make([]byte, 0, size), 8, 1)[:size])
	_, _, err := d.DecodeTag()
	rejects(t, "2 GiB", err, wire.SizeExceeded, 0)
}

// LOW-7
func TestPackedAndUnpackedRecordsAreAppendedToOneSlice(t *testing.T) {
	b := protowire.AppendBytes([]byte{0x22}, []byte{1, 2, 0x80, 0x01})
	b = append(b, 0x20, 5)       // unpacked
	b = append(b, 0x22, 0)       // empty
	b = append(b, 0x22, 1, 0x7f) // packed again
	kept := make([]int32, 0, 8)
	read := func() (all []int32, err error) {
		d := wire.NewDecoder(b)
		all = kept[:0]
		for d.More() && err == nil {
			if _, _, err = d.DecodeTag(); err == nil {
				all, err = d.DecodePackedInt32(all)
			}
		}
		return all, err
	}
	got, err := read()
	if err != nil || !slices.Equal(got, []int32{1, 2, 128, 5, 127}) || &got[0] != &kept[:1][0] {
		t.Errorf("%v %v", got, err)
	}
	if n := testing.AllocsPerRun(100, func() { read() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	d := wire.NewDecoder([]byte{0x22, 6, 0, 0, 0, 0, 1, 2})
	d.DecodeTag()
	fixed, err := d.DecodePackedFloat([]float32{7})
	rejects(t, "six bytes of floats", err, wire.Truncated, 6)
	if len(fixed) != 1 {
		t.Errorf("%v after an error", fixed)
	}
}

// LOW-8
func TestMapEntriesHaveDefaultsAndTheLastOfEach(t *testing.T) {
	for _, c := range []struct {
		name, entry, key string
		value            int64
	}{
		{"both", "\x0a\x01a\x10\x05", "a", 5},
		{"other order", "\x10\x05\x0a\x01a", "a", 5},
		{"empty", "", "", 0},
		{"no key", "\x10\x05", "", 5},
		{"no value", "\x0a\x01a", "a", 0},
		{"again", "\x0a\x01a\x10\x05\x0a\x01b\x10\x06", "b", 6},
		{"unknown", "\x18\x01\x08\x07\x12\x01z\x0a\x01a\x10\x05\x1b\x1c", "a", 5},
	} {
		b := append([]byte{0x0a, byte(len(c.entry))}, c.entry...)
		d := wire.NewDecoder(b)
		d.DecodeTag()
		key, value, err := d.MapEntry(wire.String, wire.Int64)
		if err != nil || d.More() {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		k, err1 := key.DecodeString()
		v, err2 := value.DecodeInt64()
		if k != c.key || v != c.value || err1 != nil || err2 != nil {
			t.Errorf("%s: %q %d %v %v", c.name, k, v, err1, err2)
		}
	}
	d := wire.NewDecoder([]byte("\x08\x01\x0a\x04\x0a\x01\xff\x17"))
	d.DecodeTag()
	d.DecodeUint64()
	d.DecodeTag()
	_, _, err := d.MapEntry(wire.String, wire.Int64)
	rejects(t, "wire type 7 in an entry", err, wire.InvalidWireType, 7)
}

func TestPartsOfAMapValueAreOneMessage(t *testing.T) {
	b := []byte("\x0a\x0d\x12\x02\x08\x01\x0a\x01k\x12\x04\x10\x02\x08\x03")
	d := wire.NewDecoder(b)
	d.DecodeTag()
	key, value, err := d.MapEntry(wire.String, wire.Message)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := key.DecodeString()
	message, err := value.Nested()
	if err != nil || k != "k" {
		t.Fatal(k, err)
	}
	var got []uint64
	for message.More() {
		number, _, _ := message.DecodeTag()
		v, _ := message.DecodeUint64()
		got = append(got, uint64(number), v)
	}
	if !slices.Equal(got, []uint64{1, 1, 2, 2, 1, 3}) {
		t.Error(got)
	}
	absent := wire.NewDecoder([]byte{0x0a, 0})
	absent.DecodeTag()
	_, value, err = absent.MapEntry(wire.String, wire.Message)
	if message, nestedErr := value.Nested(); err != nil || nestedErr != nil || message.More() {
		t.Error(err, nestedErr)
	}
}

func TestDepthIsLimited(t *testing.T) {
	b := []byte{}
	for range 150 {
		b = append([]byte{0x0a}, protowire.AppendBytes(nil, b)...)
	}
	d, levels := *wire.NewDecoder(b), 0
	for {
		d.DecodeTag()
		nested, err := d.Nested()
		if err != nil {
			var e *wire.Error
			if !errors.As(err, &e) || e.Code != wire.DepthExceeded {
				t.Error(err)
			}
			break
		}
		levels++
		d = nested
	}
	if levels != wire.DefaultDepth {
		t.Errorf("%d levels", levels)
	}
}

// node is a message written by hand, with the methods that DecodeNested and EncodeNested ask for.
type node struct {
	id       int32
	children []node
}

func (n *node) Size() (size int) {
	size = wire.SizeTag(1) + wire.SizeVarint(uint64(int64(n.id)))
	for i := range n.children {
		size += wire.SizeTag(2) + wire.SizeBytes(n.children[i].Size())
	}
	return size
}

func (n *node) MarshalTo(dst []byte) error {
	e := wire.NewEncoder(dst)
	e.EncodeInt32(1, n.id)
	for i := range n.children {
		e.EncodeNested(2, &n.children[i])
	}
	_, err := e.Bytes()
	return err
}

func (n *node) Unmarshal(b []byte) error {
	*n = node{}
	d := wire.NewDecoder(b)
	for d.More() {
		number, kind, err := d.DecodeTag()
		if err != nil {
			return err
		}
		switch {
		case number == 1 && kind == wire.VarintType:
			n.id, err = d.DecodeInt32()
		case number == 2 && kind == wire.BytesType:
			n.children = append(n.children, node{})
			err = d.DecodeNested(&n.children[len(n.children)-1])
		default:
			_, err = d.Skip()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func TestNestedMessagesReadAndWriteThemselves(t *testing.T) {
	tree := node{1, []node{{-2, nil}, {3, []node{{4, nil}, {1 << 30, nil}}}}}
	b := make([]byte, tree.Size())
	if err := tree.MarshalTo(b); err != nil {
		t.Fatal(err)
	}
	var got node
	if err := got.Unmarshal(b); err != nil || len(got.children) != 2 || got.children[1].children[1].id != 1<<30 || got.children[0].id != -2 {
		t.Errorf("%+v %v", got, err)
	}
	// An error deep inside has its offset in the whole input.
	err := got.Unmarshal([]byte("\x08\x01\x12\x06\x08\x02\x12\x02\x0a\x05"))
	rejects(t, "nested", err, wire.Truncated, 10)
	for size := range len(b) {
		if err := tree.MarshalTo(make([]byte, size)); !errors.Is(err, wire.BufferExhausted) {
			t.Errorf("into %d bytes of %d: %v", size, len(b), err)
		}
	}
}
