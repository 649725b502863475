// Package growth tests that work grows no faster than its input. It counts instructions, so that the load of a machine
// changes nothing: the test runs itself once more under valgrind.
package growth

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// Work is the work of a case on an input of size n. Prepare is not counted.
type Work struct {
	Name    string
	Prepare func(n int) (run func())
}

// counts is the variable that has the file for the counts, in a test that runs under valgrind.
const counts = "HOTPB_GROWTH"

// few is the smaller number of elements; the larger one is four times as many. A few instructions for each pair of elements
// are then more than the hundreds that an element usually costs.
const few = 120

// Test fails for each work whose instructions grow faster than their input, by more than a logarithm. Call it once in a test, at its end.
// Without HOTPB_THOROUGH it counts one work of each three, which are others for each group of three.
func Test(t *testing.T, works []Work) {
	t.Helper()
	works = sample(works)
	if os.Getenv(counts) != "" {
		for _, w := range works {
			t.Run(w.Name, func(t *testing.T) { measure(t, w) })
		}
		return
	}
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		t.Skip("valgrind is missing; tools/setup apt installs it")
	}
	// The binary of go test has no names of functions.
	file, binary := filepath.Join(t.TempDir(), "counts"), filepath.Join(t.TempDir(), "binary")
	if out, err := exec.Command("go", "test", "-c", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := exec.Command(valgrind, "--quiet", "--tool=callgrind", "--zero-before=*growth.begin*", "--dump-before=*growth.end*", "--callgrind-out-file="+file,
		binary, "-test.run=^"+t.Name()+"$", "-test.v")
	// One thread of Go, and a collection only where measure has one.
	c.Env = append(os.Environ(), counts+"="+file, "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	out, err := c.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Fatalf("%v\n%s", err, out)
	}
}

// sample returns every work, or, by the order of their names, the first of three, the second of the next three and so on: where the names of three
// tiers begin with the same shape, each shape is counted in one tier, and each tier with a third of the shapes.
func sample(works []Work) (some []Work) {
	slices.SortFunc(works, func(a, b Work) int { return strings.Compare(a.Name, b.Name) })
	if os.Getenv("HOTPB_THOROUGH") != "" {
		return works
	}
	for i := 0; 3*i < len(works); i++ {
		some = append(some, works[min(3*i+i%3, len(works)-1)])
	}
	return some
}

func measure(t *testing.T, w Work) {
	w.Prepare(few)() // what happens only once, it does now
	var err error
	for range 3 { // now and then the runtime gets new memory
		if err = grows(func(n int) (uint64, error) { return count(w.Prepare(n)) }); err == nil {
			return
		}
	}
	t.Error(err)
}

// grows returns an error if four times as many elements take more than six times as many instructions.
func grows(count func(n int) (uint64, error)) error {
	var at [3]float64
	for i, n := range []int{0, few, 4 * few} {
		instructions, err := count(n)
		if err != nil {
			return err
		}
		at[i] = float64(instructions)
	}
	const enough = 100_000 // for new memory, which does not come in the same pieces each time
	if single, four := max(at[1]-at[0], 0), at[2]-at[0]; four > 6*single+enough {
		return fmt.Errorf("no elements take %.0f instructions, %d take %.0f and %d take %.0f", at[0], few, at[1], 4*few, at[2])
	}
	return nil
}

var dumps int

// count returns the number of instructions of a function.
func count(run func()) (uint64, error) {
	var memory runtime.MemStats
	if runtime.ReadMemStats(&memory); memory.HeapAlloc > 512<<20 {
		debug.FreeOSMemory()
	}
	begin()
	run()
	end()
	dumps++
	name := fmt.Sprintf("%s.%d", os.Getenv(counts), dumps)
	dump, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	_, total, found := strings.Cut(string(dump), "\ntotals: ")
	if !found {
		return 0, errors.New("valgrind's dump has no total")
	}
	var n uint64
	if _, err := fmt.Sscan(total, &n); err != nil {
		return 0, err
	}
	return n, os.Remove(name)
}

// At the start of begin, valgrind sets its counts to zero; at that of end it writes them to a file.

//go:noinline
func begin() { mark++ }

//go:noinline
func end() { mark++ }

var mark int
