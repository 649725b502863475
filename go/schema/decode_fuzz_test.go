package schema_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"testing"

	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// fuzzed are the messages that FuzzDecode reads.
var fuzzed = []string{
	"hotpb.vectors.p2.All", "hotpb.vectors.p3.All", "hotpb.vectors.e23.All", "hotpb.vectors.p2.Needs", "hotpb.vectors.e24.Child",
}

// SCH-20. FuzzDecode reads any bytes with a row that has read other bytes before:
// it accepts what a fresh row accepts, with the same result; it reads its own output back, with the same result.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"wire", "invalid"} {
		for i, v := range vectors.Read(f, name) {
			if i%10 != 0 || flag.Lookup("test.fuzz").Value.String() == "" && i%50 != 0 {
				continue // the vectors have tests of their own, and many seeds start slowly
			}
			for n, message := range fuzzed {
				if message == v.Message {
					f.Add(uint8(n), v.Options.Strict, []byte(v.Input), []byte("\x08\x05"))
				}
			}
		}
	}
	var plans []*schema.Plan
	var used []*schema.Row
	for _, message := range fuzzed {
		p := importPlan(f, "vectors", message)
		plans, used = append(plans, p), append(used, p.NewRow())
	}
	f.Fuzz(func(t *testing.T, n uint8, strict bool, input, before []byte) {
		p, row := plans[int(n)%len(plans)], used[int(n)%len(plans)]
		o := schema.UnmarshalOptions{Strict: strict, AllowPartial: true}
		_ = row.UnmarshalWith(before, schema.UnmarshalOptions{MaxDepth: 20})
		err := row.UnmarshalWith(input, o)
		fresh := p.NewRow()
		o.Alias = true
		if freshErr := fresh.UnmarshalWith(input, o); (err == nil) != (freshErr == nil) || err != nil && err.Error() != freshErr.Error() {
			t.Fatalf("%v, and in a fresh row %v", err, freshErr)
		}
		if inner := (*wire.Error)(nil); err != nil && !errors.As(err, &inner) {
			t.Fatal(err)
		}
		got := row.Append(nil)
		if freshOut := fresh.Append(nil); !bytes.Equal(got, freshOut) {
			t.Fatalf("%x, and in a fresh row %x", got, freshOut)
		}
		if err != nil {
			if len(got) != 0 {
				t.Fatalf("after the error it holds %x", got)
			}
			return
		}
		o.MaxMemory = 1 << 30 // what has been written may be shorter
		if err := fresh.UnmarshalWith(got, o); err != nil {
			t.Fatalf("written it is %x: %v", got, err)
		}
		if rewritten := fresh.Append(nil); !bytes.Equal(got, rewritten) {
			t.Fatalf("written it is %x, then %x", got, rewritten)
		}
	})
}

// SCH-23. FuzzDescriptorSet imports any bytes; what can be imported compiles and decodes.
func FuzzDescriptorSet(f *testing.F) {
	for set, message := range map[string]string{
		"raft": "hotpb.raft.Message", "remote_write_v2": "io.prometheus.write.v2.Request", "features": "hotpb.features.All",
		"wkt": "google.protobuf.Struct", "defaults": "hotpb.defaults.All", "conformance": "conformance.ConformanceRequest",
	} {
		fds, err := os.ReadFile("../../vectors/plans/" + set + ".fds")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(fds, message)
	}
	f.Fuzz(func(t *testing.T, fds []byte, message string) {
		s, err := schema.FromDescriptorSet(fds, message)
		if err != nil {
			if !errors.Is(err, wire.InvalidSchema) {
				t.Fatalf("%v is not InvalidSchema", err)
			}
			return
		}
		p, err := s.Compile()
		if err != nil {
			t.Fatalf("what was imported does not compile: %v", err)
		}
		if err := p.NewRow().UnmarshalWith(fds, schema.UnmarshalOptions{MaxMemory: 1 << 20}); err != nil {
			if inner := (*wire.Error)(nil); !errors.As(err, &inner) {
				t.Fatal(err)
			}
		}
	})
}
