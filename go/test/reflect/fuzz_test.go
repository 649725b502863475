package reflect_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/wire"
)

// names are the names of all messages, in a fixed order, so that a number identifies one.
var names = func() (all []string) {
	for name := range messages {
		if !strings.HasSuffix(name, "MessageSet") || legacy {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}()

// FCE-2. FuzzBridge shows any bytes as any message: nothing panics, pool and view show the same, and for schemas with
// open enums it is the same as the stock runtime's message.
func FuzzBridge(f *testing.F) {
	fuzzing := flag.Lookup("test.fuzz").Value.String() != ""
	for i, v := range vectors.Read(f, "wire") {
		if i%10 != 0 || !fuzzing && i%100 != 0 {
			continue // the vectors have tests of their own, and many seeds start slowly
		}
		if n, ok := slices.BinarySearch(names, v.Message); ok {
			f.Add(uint16(n), []byte(v.Input))
		}
	}
	n, _ := slices.BinarySearch(names, "hotpb.vectors.e23.All")
	f.Add(uint16(n), []byte("\xb2\x3f\x05\xb2\x30\x30\x30\x30")) // ext_string that is not UTF-8
	f.Fuzz(func(t *testing.T, n uint16, input []byte) {
		checkBridge(t, names[int(n)%len(names)], input)
	})
}

// TestDamagedVectorsBreakNothing is FuzzBridge without a fuzzer: the same in every run.
func TestDamagedVectorsBreakNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shown := 0
	for _, v := range vectors.Read(t, "wire") {
		if len(v.Input) == 0 || len(v.Input) > 2000 || !slices.Contains(names, v.Message) {
			continue
		}
		b := slices.Clone([]byte(v.Input))
		for range 1 + r.IntN(2) {
			b[r.IntN(len(b))] ^= 1 << r.UintN(8)
		}
		if checkBridge(t, v.Message, b) {
			shown++
		}
	}
	if shown < 500 {
		t.Errorf("only %d were shown", shown)
	}
}

func checkBridge(t *testing.T, name string, input []byte) (shown bool) {
	t.Helper()
	o := wire.Options{MaxDepth: 20}
	f := messages[name]
	pooled, errP := f.pool(input, o, nil)
	viewed, errV := f.view(input, o, nil)
	if (errP == nil) != (errV == nil) {
		if errors.Is(errP, wire.CountExceeded) {
			return false // views need no memory
		}
		t.Fatalf("%s %x: the pool says %v, the view %v", name, input, errP, errV)
	}
	if errP != nil {
		return false
	}
	if set, _ := holds(pooled); set && !legacy {
		return false
	}
	if difference := differ(pooled, viewed); difference != "" {
		t.Fatalf("%s %x: %s", name, input, difference)
	}
	stock := pooled.ProtoReflect().New().Interface()
	if strings.Contains(name, ".p3.") && stockOptions.Unmarshal(input, stock) == nil {
		if difference := differ(stock, pooled); difference != "" {
			t.Fatalf("%s %x: %s", name, input, difference)
		}
	}
	encoded, err := proto.MarshalOptions{AllowPartial: true}.Marshal(pooled)
	if err == nil {
		_, err = f.canonical(encoded, o)
	}
	// These are errors in extensions, which the stock runtime reads: it neither checks required fields nor all
	// strings of editions.
	checked := errors.Is(err, wire.MissingRequired) || errors.Is(err, wire.InvalidUtf8)
	if err != nil && !checked && !strings.Contains(err.Error(), "invalid UTF-8") {
		t.Fatalf("%s %x: %v", name, input, err)
	}
	return true
}
