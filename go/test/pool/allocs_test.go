package pool_test

import (
	"testing"

	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/pool"
)

// allocations runs f until it is warm, and then counts its allocations.
func allocations(t *testing.T, f func() error) float64 {
	t.Helper()
	for range 4 {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	n := testing.AllocsPerRun(5, func() {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	})
	if allocatesMore { // sync.Pool forgets at random with the race detector; with hotpbdebug memory is filled
		return 0
	}
	return n
}

// POL-21
func TestAWarmMessageAllocatesNothing(t *testing.T) {
	input := madeRequest(300)
	var m prometheushot.WriteRequest
	var out []byte
	if err := m.Unmarshal(input); err != nil {
		t.Fatal(err)
	}
	exact := make([]byte, m.Size())
	for name, f := range map[string]func() error{
		"Unmarshal":      func() error { return m.Unmarshal(input) },
		"UnmarshalAlias": func() error { return m.UnmarshalAlias(input) },
		"MarshalAppend": func() (err error) {
			out, err = m.MarshalAppend(out[:0])
			return err
		},
		"MarshalAppend into what it takes":        func() error { _, err := m.MarshalAppend(exact[:0:len(exact)]); return err },
		"MarshalToSizedBuffer into what it takes": func() error { _, err := m.MarshalToSizedBuffer(exact); return err },
	} {
		if err := m.Unmarshal(input); err != nil {
			t.Fatal(err)
		}
		if n := allocations(t, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Maps, groups, recursion, unknown fields, closed enums: a message with everything, warm.
func TestAWarmMessageOfEveryTypeAllocatesNothing(t *testing.T) {
	n := 0
	for _, v := range vectors.Read(t, "wire") {
		if v.Message != "hotpb.vectors.p2.All" || !v.Binds("pool") || n > 0 && v.Name[0] != 'a' {
			continue
		}
		n++
		var m p2.All
		o := optionsOf(v, pool.Reuse)
		o.MaxElements = 0
		if err := m.UnmarshalWith(v.Input, o); err != nil {
			continue
		}
		if got := allocations(t, func() error { return m.UnmarshalWith(v.Input, o) }); got != 0 {
			t.Errorf("%s: %v allocations", v.Name, got)
		}
	}
	if n < 10 {
		t.Error("too few vectors", n)
	}
}

func TestAFreshMessageTakesFewAllocations(t *testing.T) {
	input := madeRequest(2000)
	got := testing.AllocsPerRun(5, func() {
		m := new(prometheushot.WriteRequest)
		if err := m.UnmarshalOwned(input); err != nil {
			t.Fatal(err)
		}
	})
	if got > 10 {
		t.Errorf("%v allocations", got)
	}
}
