package wire_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/wire"
)

// LOW-20
func TestManyFieldsAreFoundInOnePass(t *testing.T) {
	// 1: {2: "a"}, 3: 7, 1: {2: "b", 2: "c"}, 4 as a group: {5: 9}, 1 as a varint, 1: {}
	b := []byte("\x0a\x03\x12\x01a\x18\x07\x0a\x06\x12\x01b\x12\x01c\x23\x28\x09\x24\x08\x01\x0a\x00")
	all := [][]uint32{{1, 2}, {3}, {4, 5}, {1}, {1, 3}, {9}, {3}, {3, 1}, {4}}
	paths, err := wire.NewPaths(all...)
	if err != nil {
		t.Fatal(err)
	}
	found := make([]wire.Decoder, len(all))
	if err := wire.FindMany(b, paths, found); err != nil {
		t.Fatal(err)
	}
	for i, path := range all {
		if want, ok, err := wire.Find(b, path...); err != nil || ok != (found[i].Tag() != 0) || ok && (want.Tag() != found[i].Tag() || want.Offset() != found[i].Offset()) {
			t.Errorf("%v: %v, %v, %v", path, found[i], want, err)
		}
	}
	if text, err := found[0].DecodeString(); text != "c" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if n := testing.AllocsPerRun(10, func() {
		if err := wire.FindMany(b, paths, found); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// LOW-20
func TestManyPathsAreChecked(t *testing.T) {
	for _, paths := range [][][]uint32{{{1}, {}}, {{1}, {0}}, {{2}, {1, 1 << 29}}} {
		_, err := wire.NewPaths(paths...)
		rejects(t, "", err, wire.HandleMisuse, 1)
	}
	paths, err := wire.NewPaths([]uint32{1, 2}, []uint32{3})
	if err != nil {
		t.Fatal(err)
	}
	found := make([]wire.Decoder, 2)
	if err := wire.FindMany(nil, nil, nil); !errors.Is(err, wire.HandleMisuse) {
		t.Error(err)
	}
	if err := wire.FindMany(nil, paths, found[:1]); !errors.Is(err, wire.HandleMisuse) {
		t.Error(err)
	}
	if err := wire.FindMany([]byte("\x18\x07\x0a\x02\x12\x05"), paths, found); !errors.Is(err, wire.Truncated) || found[1].Tag() != 0 {
		t.Error(err, found)
	}
}

// FuzzFindMany compares one pass over many paths with a pass over each.
func FuzzFindMany(f *testing.F) {
	seed(f, "wire", "invalid")
	all := [][]uint32{{1}, {2}, {1, 1}, {1, 2}, {2, 1, 3}, {18}, {18, 1}, {48, 2}, {52, 18, 1}}
	paths, err := wire.NewPaths(all...)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		found := make([]wire.Decoder, len(all))
		err := wire.FindMany(b, paths, found)
		failed := false
		for i, path := range all {
			want, ok, each := wire.Find(b, path...)
			failed = failed || each != nil
			if err == nil && (each != nil || ok != (found[i].Tag() != 0) || ok && (want.Tag() != found[i].Tag() || want.Offset() != found[i].Offset())) {
				t.Fatalf("%v: %v, %v, %v, %v", path, found[i], want, ok, each)
			}
		}
		if failed && err == nil || slices.ContainsFunc(found, func(d wire.Decoder) bool { return err != nil && d.Tag() != 0 }) {
			t.Fatal(err)
		}
	})
}
