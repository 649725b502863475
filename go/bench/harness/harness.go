// Package harness runs one contender of one task in a process of its own, so that neither its garbage nor its
// retained memory is charged to a neighbour. bench/run starts one such process per contender and lets them take
// turns; the protocol is a line "round" on stdin and one JSON object per line on stdout.
package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// An Op is one operation of a task, which is timed. It returns a checksum of what it read, 0 if it reads nothing.
type Op func() (uint64, error)

// A Contender is one rival in one task, bound to its input.
type Contender struct {
	Op Op
	// Verify compares the outcome of an Op with the stock runtime's and says what differs.
	Verify func() error
	// Note stands in the result row.
	Note string
	// Size is that of the message in bytes, where it is not the input's.
	Size int
	// Wrong says why Verify is known to fail: the row says so and has no time.
	Wrong string
}

// Wrong makes contenders that are known to be wrong.
func Wrong(factory Factory, why string) Factory {
	return func(input []byte) (Contender, error) {
		c, err := factory(input)
		c.Wrong = why
		return c, err
	}
}

// A Factory binds a contender to an input.
type Factory func(input []byte) (Contender, error)

// Tasks holds the contenders by task, or task/case where the case is no input but another operation, and name.
type Tasks map[string]map[string]Factory

// ready is the first line a process prints.
type ready struct {
	Ready    bool   `json:"ready"`
	Verified bool   `json:"verified"`
	Wrong    bool   `json:"wrong,omitempty"` // as is known
	Note     string `json:"note"`
	Checksum string `json:"checksum"`
	Size     int    `json:"size,omitempty"`
}

// round is the answer to one "round".
type round struct {
	NsPerOp    float64 `json:"ns_per_op"`
	Iterations int     `json:"iterations"`
	Allocs     float64 `json:"allocs"`
	BytesPerOp float64 `json:"bytes_per_op"`
}

// roundTime is how long a turn takes; tests, to which times mean nothing, ask for short ones.
func roundTime() time.Duration {
	if ms, err := strconv.Atoi(os.Getenv("HOTPB_BENCH_ROUND_MS")); err == nil {
		return time.Duration(ms) * time.Millisecond
	}
	return 20 * time.Millisecond
}

// Serve verifies the contender and answers rounds until the input ends; before the first it warms the contender up.
func Serve(c Contender, in io.Reader, out io.Writer) error {
	runtime.GOMAXPROCS(1) // the collector works on the contender's time
	answers := json.NewEncoder(out)
	sum, err := c.Op()
	if err != nil {
		return err
	}
	r := ready{Ready: true, Verified: true, Note: c.Note, Checksum: fmt.Sprintf("%016x", sum), Size: c.Size}
	if err := c.Verify(); err != nil {
		fmt.Fprintln(os.Stderr, "not verified:", err)
		r.Verified = false
		r.Note = "not verified: " + err.Error()
		if c.Wrong != "" {
			r.Wrong, r.Note = true, "wrong: "+c.Wrong
		}
	} else if c.Wrong != "" {
		return fmt.Errorf("it is not wrong any more: %s", c.Wrong)
	}
	if err := answers.Encode(r); err != nil || !r.Verified {
		return err // what is wrong is not timed
	}
	iterations := 0
	turns := bufio.NewScanner(in)
	for turns.Scan() {
		if turns.Text() != "round" {
			return fmt.Errorf("unknown request %q", turns.Text())
		}
		if iterations == 0 { // now, because nobody else works in this contender's turn
			if iterations, err = calibrate(c.Op); err != nil {
				return err
			}
		}
		measured, err := measure(c.Op, iterations)
		if err != nil {
			return err
		}
		if err := answers.Encode(measured); err != nil {
			return err
		}
	}
	return turns.Err()
}

// calibrate warms the contender up and finds how many operations fill a round.
func calibrate(op Op) (int, error) {
	full := roundTime()
	for iterations := 1; ; iterations *= 2 {
		start := ProcessorTime()
		if err := Count(op, iterations); err != nil {
			return 0, err
		}
		if took := ProcessorTime() - start; took >= full/4 {
			return max(2, int(float64(iterations)*float64(full)/float64(took))), nil
		}
	}
}

// ProcessorTime is the time of this process so far, its collector's time included: what else runs on the machine is not
// in it.
func ProcessorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Count does so many operations and nothing else, for a profiler that counts instructions.
func Count(op Op, operations int) error {
	for range operations {
		sum, err := op()
		if err != nil {
			return err
		}
		sink += sum
	}
	return nil
}

// sink keeps the compiler from dropping what an Op computes.
var sink uint64

func measure(op Op, iterations int) (round, error) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := ProcessorTime()
	if err := Count(op, iterations); err != nil {
		return round{}, err
	}
	took := ProcessorTime() - start
	runtime.ReadMemStats(&after)
	n := float64(iterations)
	return round{
		NsPerOp:    float64(took.Nanoseconds()) / n,
		Iterations: iterations,
		Allocs:     float64(after.Mallocs-before.Mallocs) / n,
		BytesPerOp: float64(after.TotalAlloc-before.TotalAlloc) / n,
	}, nil
}
