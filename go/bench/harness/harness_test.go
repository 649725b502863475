package harness

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

var sinkBytes []byte

func TestWhatIsNotVerifiedIsNotTimed(t *testing.T) {
	calls := 0
	c := Contender{
		Op:     func() (uint64, error) { calls++; return 0, nil },
		Verify: func() error { return errors.New("differs") },
		Note:   "fast and wrong",
	}
	var out bytes.Buffer
	if err := Serve(c, strings.NewReader("round\n"), &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, `"verified":false`) || strings.Contains(got, "ns_per_op") {
		t.Errorf("a wrong contender got: %s", got)
	}
	if calls != 1 {
		t.Errorf("a wrong contender ran %d times", calls)
	}
}

func TestARoundCountsTheAllocationsOfOneOperation(t *testing.T) {
	measured, err := measure(func() (uint64, error) {
		for range 3 {
			sinkBytes = make([]byte, 100)
		}
		return 0, nil
	}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	// The runtime may allocate a little beside; a whole allocation more or less an operation is wrong.
	if measured.Allocs < 3 || measured.Allocs >= 4 || measured.BytesPerOp < 300 || measured.BytesPerOp >= 600 {
		t.Errorf("three allocations of 100 bytes were counted as %v of %v bytes", measured.Allocs, measured.BytesPerOp)
	}
}

func TestAFailingOperationEndsTheProcessWithItsError(t *testing.T) {
	broken := errors.New("broken")
	c := Contender{Op: func() (uint64, error) { return 0, broken }}
	if err := Serve(c, strings.NewReader(""), new(bytes.Buffer)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
