package wiretest

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"

	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/pool"
	rt "github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/wire"
)

// message is the test's description of a generated message: a table, and a decoder of another face.
type message interface {
	pool.Message
	AppendCanonicalHot(dst []byte) ([]byte, error)
}

// newMessage creates a message by its full name, or returns nil.
func newMessage(name string) message {
	if f := p3.Canonical_vectors[name]; f != nil {
		return f()
	}
	if f := p2.Canonical_vectors_proto2[name]; f != nil {
		return f()
	}
	return nil
}

// transcode reads input and writes it again, record by record.
func transcode(m message, input []byte, o wire.Options, w *walk) ([]byte, error) {
	group, index := *m.RefHot().Layout().Tables, m.RefHot().Layout().Index
	d := wire.NewDecoder(input)
	d.SetMode(wire.Fast)
	d.SetMaxDepth(o.MaxDepth)
	w.strict = o.Strict
	w.e = wire.NewEncoder(make([]byte, 8*len(input)+64))
	if err := w.message(d, group, &group[index]); err != nil {
		return nil, err
	}
	return w.e.Bytes()
}

// canonical decodes with the pool, and writes the one encoding that equal messages have.
func canonical(m message, b []byte, o wire.Options) ([]byte, error) {
	options := pool.Options{Strict: o.Strict, MaxDepth: o.MaxDepth, AllowPartial: true}
	if err := pool.Unmarshal(m, b, options); err != nil {
		return nil, err
	}
	return m.AppendCanonicalHot(nil)
}

// LOW-1
func TestWireVectorsMeanTheSameWhenWrittenAnew(t *testing.T) {
	ran := 0
	for _, v := range vectors.Read(t, "wire") {
		m := newMessage(v.Message)
		if m == nil || v.Options.Size != nil || v.Options.Elements != nil {
			continue
		}
		ran++
		want, err := canonical(m, v.Input, v.Limits())
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		for _, entries := range []bool{false, true} {
			written, err := transcode(m, v.Input, v.Limits(), &walk{entries: entries})
			if err != nil {
				t.Errorf("%s %v: %v: % x", v.Name, v.IDs, err, []byte(v.Input))
				continue
			}
			if got, err := canonical(m, written, v.Limits()); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s %v: %v\n  input % x\nwritten % x\n   want % x", v.Name, v.IDs, err, []byte(v.Input), written, want)
			}
		}
	}
	if ran < 1000 {
		t.Errorf("%d vectors", ran)
	}
}

// decoded are the errors that reading tag by tag can give; others are about what a message has, or about limits
// that a Decoder does not take.
var decoded = []string{"Truncated", "VarintOverflow", "InvalidTag", "InvalidWireType", "GroupMismatch", "InvalidUtf8", "DepthExceeded", "SizeExceeded"}

// LOW-11
func TestInvalidVectorsGiveCodeAndOffset(t *testing.T) {
	ran := 0
	for _, v := range vectors.Read(t, "invalid") {
		m := newMessage(v.Message)
		if m == nil || v.Options.Size != nil || v.Options.Elements != nil || !slices.Contains(decoded, v.Error.Code) {
			continue
		}
		ran++
		w := &walk{}
		_, err := transcode(m, v.Input, v.Limits(), w)
		want := *v.Error
		if want.Path = nil; w.groups {
			want.Offset = nil // a group is checked as to its wire form before it is looked into
		}
		if differs := want.Differs(err); differs != "" {
			t.Errorf("%s %v: %s: % x", v.Name, v.IDs, differs, []byte(v.Input))
		}
	}
	if ran < 100 {
		t.Errorf("%d vectors", ran)
	}
}

var names = slices.Concat(slices.Sorted(maps.Keys(p3.Canonical_vectors)), slices.Sorted(maps.Keys(p2.Canonical_vectors_proto2)))

// FuzzDecoder reads any bytes as any message: Decoder and the plain reader refuse the same inputs, with the same error,
// and what the Encoder writes of the others is the same message.
func FuzzDecoder(f *testing.F) {
	for _, name := range []string{"wire", "invalid"} {
		for i, v := range vectors.Read(f, name) {
			if at := slices.Index(names, v.Message); at >= 0 && i%20 == 0 {
				f.Add(uint8(at), []byte(v.Input))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, input []byte) {
		m := newMessage(names[int(which)%len(names)])
		group, index := *m.RefHot().Layout().Tables, m.RefHot().Layout().Index
		w := &walk{}
		written, err := transcode(m, input, wire.Options{}, w)
		var want error
		if failed := rt.Check(group, index, input, wire.Options{}); failed != nil {
			want = &wire.Error{Code: failed.Code, Offset: failed.Offset}
		}
		if (err == nil) != (want == nil) || err != nil && !w.groups && !errors.Is(err, want) {
			t.Fatalf("%v, want %v", err, want)
		}
		if err != nil {
			return
		}
		first, err := canonical(m, input, wire.Options{})
		if err != nil {
			return // a limit of the pool's
		}
		if reencoded, err := canonical(m, written, wire.Options{}); err != nil || !bytes.Equal(reencoded, first) {
			t.Fatalf("%v\nwritten % x\n  again % x\n   want % x", err, written, reencoded, first)
		}
		entries, err := transcode(m, input, wire.Options{}, &walk{entries: true})
		if err != nil {
			t.Fatalf("with entries: %v", err)
		}
		if reencoded, err := canonical(m, entries, wire.Options{}); err != nil || !bytes.Equal(reencoded, first) {
			t.Fatalf("with entries: %v\nwritten % x\n  again % x\n   want % x", err, entries, reencoded, first)
		}
	})
}
