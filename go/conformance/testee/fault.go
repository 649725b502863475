package testee

import (
	"fmt"
	"os"

	"github.com/hotpb/hotpb/go/wire"
)

// fault is an injected error. A run with one must fail: that shows that the run without one means something.
type fault string

const (
	none        fault = ""
	skipMerge   fault = "skip-merge"   // of a message that came in several records only the last one counts
	dropUnknown fault = "drop-unknown" // unknown fields are not re-encoded
)

func faultFromEnvironment() (fault, error) {
	switch f := fault(os.Getenv("HOTPB_TESTEE_FAULT")); f {
	case none, skipMerge, dropUnknown:
		return f, nil
	default:
		return none, fmt.Errorf("HOTPB_TESTEE_FAULT=%s: %s and %s are known", f, skipMerge, dropUnknown)
	}
}

// before damages the input: for skip-merge it drops every length-delimited record whose field occurs again, so that
// no decoder can return the merged message.
func (f fault) before(input []byte) []byte {
	if f != skipMerge {
		return input
	}
	last := map[wire.Tag]int{}
	if !records(input, func(tag wire.Tag, start, _ int) { last[tag] = start }) {
		return input
	}
	var output []byte
	records(input, func(tag wire.Tag, start, end int) {
		if tag.Type() != wire.BytesType || last[tag] == start {
			output = append(output, input[start:end]...)
		}
	})
	return output
}

// after damages the output: for drop-unknown it removes the unknown fields, which are at its end.
func (f fault) after(output []byte, unknown int) []byte {
	if f != dropUnknown {
		return output
	}
	return output[:max(len(output)-unknown, 0)]
}

// records calls each for every record of a message, and reports whether all are well-formed.
func records(b []byte, each func(tag wire.Tag, start, end int)) bool {
	for i := 0; i < len(b); {
		tag, next := wire.ReadTag(b, i)
		if next < 0 {
			return false
		}
		if next = wire.Skip(b, next, tag, wire.DefaultDepth); next < 0 {
			return false
		}
		each(tag, i, next)
		i = next
	}
	return true
}
