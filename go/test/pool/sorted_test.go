package pool_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/testgen/sorted_p2/sorted_p2hot"
	sorted "github.com/hotpb/hotpb/go/internal/testgen/sorted_p3/sorted_p3hot"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/rt/pool"
	"github.com/hotpb/hotpb/go/wire"
)

// Code with sorted maps reads the same as code with Go maps: from any vector it writes that vector's message. The
// fields that it leaves out are among its unknown fields.
func TestSortedMapsReadAllVectorsAsGoMapsDo(t *testing.T) {
	var m sorted.All
	n := 0
	for _, v := range vectors.Read(t, "wire") {
		if v.Message != "hotpb.vectors.p3.All" || !v.Binds("pool") {
			continue
		}
		n++
		var want, got p3.All
		for _, mode := range modes {
			o := optionsOf(v, mode)
			if err := m.UnmarshalWith(v.Input, o); err != nil {
				t.Errorf("%s: %v", v.Name, err)
				continue
			}
			out, err := m.Marshal()
			if err != nil || len(out) != m.Size() {
				t.Errorf("%s: %d bytes, Size %d, %v", v.Name, len(out), m.Size(), err)
			}
			o.Mode, o.MaxSize = pool.Owned, 0
			if err := want.UnmarshalWith(v.Input, o); err != nil {
				t.Fatal(v.Name, err)
			}
			if err := got.UnmarshalWith(out, o); err != nil || !got.Equal(&want) {
				t.Errorf("%s: reading back %x: %v", v.Name, out, err)
			}
			if c := m.Clone(); !c.Equal(&m) || !m.Equal(c) {
				t.Errorf("%s: the clone is not equal", v.Name)
			}
		}
	}
	if n < 500 {
		t.Errorf("only %d vectors", n)
	}
}

// A message with required fields agrees with all its vectors, valid and invalid, to the byte.
func TestSortedMapsFollowTheVectorsOfRequiredFields(t *testing.T) {
	n := 0
	for _, file := range []string{"wire", "invalid"} {
		for _, v := range vectors.Read(t, file) {
			if v.Message != "hotpb.vectors.p2.Needs" || !v.Binds("pool") {
				continue
			}
			n++
			var m sorted_p2hot.Needs
			err := m.UnmarshalWith(v.Input, optionsOf(v, pool.Reuse))
			if v.Error != nil {
				if difference := v.Error.Differs(err); difference != "" {
					t.Errorf("%s: %s", v.Name, difference)
				}
				continue
			}
			got, _ := m.AppendCanonicalHot(nil)
			if err != nil || !bytes.Equal(got, v.Canonical) {
				t.Errorf("%s: %x, %v, want %x", v.Name, got, err, []byte(v.Canonical))
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d vectors", n)
	}
}

func TestSortedMapsIterateByKey(t *testing.T) {
	var m sorted.All
	for _, key := range []string{"b", "", "c", "a", "b"} {
		m.KeyString.Set(key, "of "+key)
	}
	m.KeyBool.Set(true, false)
	m.KeyBool.Set(false, true)
	if got := strings.Join(pool.Keys(m.KeyString.All()), ","); got != ",a,b,c" {
		t.Error(got)
	}
	if got := pool.Keys(m.KeyBool.All()); !slices.Equal(got, []bool{false, true}) {
		t.Error(got)
	}
	if value, has := m.KeyString.Get("b"); value != "of b" || !has {
		t.Error(value, has)
	}
	if _, has := m.KeyString.Get("bb"); has {
		t.Error("bb is there")
	}
	if !m.KeyString.Delete("b") || m.KeyString.Delete("b") || m.KeyString.Len() != 3 {
		t.Error("deleting")
	}
	if value, has := m.KeyBool.Get(false); !value || !has || m.KeyBool.Len() != 2 || !m.KeyBool.Delete(true) {
		t.Error("keys of bool")
	}
	if key, value := m.KeyString.At(2); key != "c" || value != "of c" {
		t.Error(key, value)
	}
	var none sorted.All
	if none.KeyString.Len() != 0 || none.KeyString.Delete("a") || none.KeyBool.Len() != 0 {
		t.Error("the zero value is not empty")
	}
}

// MAP-5, POL-49, for any order of the entries, and for any number of parts of the messages around them.
func TestSortedMapsKeepTheLastOfEqualKeys(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var m sorted.All
	for range 200 {
		want := map[string]string{}
		var input []byte
		for range random.IntN(60) {
			var part []byte
			for range random.IntN(4) {
				key, value := string(rune('a'+random.IntN(26))), string(rune('A'+random.IntN(26)))
				want[key] = value
				part = append(part, record(614, join(record(1, []byte(key)), record(2, []byte(value))))...)
			}
			input = append(input, record(19, part)...)
		}
		if err := m.Unmarshal(input); err != nil {
			t.Fatal(err)
		}
		var got sorted.All
		if child := m.GetSingleAll(); child != nil {
			got = *child
		}
		if !maps.Equal(maps.Collect(got.KeyString.All()), want) || !slices.IsSorted(pool.Keys(got.KeyString.All())) {
			t.Fatalf("%v, want %v", maps.Collect(got.KeyString.All()), want)
		}
		if got.KeyString.Len() != len(want) {
			t.Fatal("a key is there twice")
		}
	}
}

// A map that comes in as many parts as it has entries, in reverse order: nothing may take quadratic time.
func TestSortedMapsInManyPartsAreSortedOnce(t *testing.T) {
	const n = 200_000
	var input []byte
	for i := range n {
		input = append(input, record(19, record(601, join(varint(1, uint64(n-i)), varint(2, 7))))...)
	}
	var m sorted.All
	if err := m.UnmarshalWith(input, pool.Options{MaxMemory: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	if got := m.GetSingleAll().KeyInt32; got.Len() != n {
		t.Errorf("%d entries", got.Len())
	} else if key, _ := got.At(0); key != 1 {
		t.Errorf("the first key is %d", key)
	}
}

// POL-2, POL-21: warm, after other messages and after errors.
func TestSortedMapsAllocateNothingOnceWarm(t *testing.T) {
	entry := func(key string, value string) []byte {
		return record(614, join(record(1, []byte(key)), record(2, []byte(value))))
	}
	ascending := join(entry("a", "1"), entry("b", "2"), record(618, nil), record(718, join(varint(1, 3), record(2, varint(1, 9)))))
	strayed := join(entry("z", "1"), entry("b", "2"), entry("z", "3"), record(613, varint(1, 1)), record(613, nil))
	inputs := [][]byte{ascending, strayed, join(strayed, []byte{0xff}), ascending}
	var m sorted.All
	var out []byte
	for range 3 {
		n := allocations(t, func() (err error) {
			for i, input := range inputs {
				err = m.Unmarshal(input)
				if want := i == 2; (err != nil) != want {
					return wire.Truncated
				} else if want {
					continue
				}
				if out, err = m.MarshalAppend(out[:0]); err != nil {
					return err
				}
			}
			return nil
		})
		if n > 4 { // the allocations of the error value
			t.Errorf("%v allocations", n)
		}
	}
	if value, _ := m.KeyString.Get("a"); value != "1" || m.KeyString.Len() != 2 || m.KeyBool.Len() != 0 {
		t.Error("old contents show through")
	}
	if n := allocations(t, func() error { return m.Unmarshal(strayed) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if value, _ := m.KeyString.Get("z"); value != "3" {
		t.Errorf("%q", value)
	}
}

// LIM-3
func TestSortedMapsCountAgainstTheMemory(t *testing.T) {
	input := bytes.Repeat(record(601, varint(1, 5)), 1000)
	var m sorted.All
	if err := m.UnmarshalWith(input, pool.Options{MaxMemory: 4000}); err == nil || m.KeyInt32.Len() != 0 {
		t.Error(err)
	}
	if err := m.Unmarshal(input); err != nil || m.KeyInt32.Len() != 1 {
		t.Error(err)
	}
}
