package main

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotpb/hotpb/tools/foreign/oracle"
)

// fault is an injected mistake: the face gets other bytes than the oracle, as if it made the mistake itself. A run with
// one must turn red; that shows that the run without one means something.
type fault string

const (
	none        fault = ""
	dropUnknown fault = "drop-unknown" // unknown fields of the root are lost
	skipMerge   fault = "skip-merge"   // of a singular message in several records only the last counts
	acceptCut   fault = "accept-cut"   // a message that ends too early is accepted up to its last whole field
)

func (f *fault) Set(name string) error {
	switch got := fault(name); got {
	case dropUnknown, skipMerge, acceptCut:
		*f = got
		return nil
	}
	return fmt.Errorf("%s, %s and %s are known", dropUnknown, skipMerge, acceptCut)
}

func (f *fault) String() string { return string(*f) }

// damage returns the input that the face gets for a case.
func (f fault) damage(c *oracle.Case) []byte {
	if f == none {
		return c.Input
	}
	var kept []byte
	last := map[protowire.Number]int{}
	for at, n := 0, 0; at < len(c.Input); at += n {
		var number protowire.Number
		if number, _, n = protowire.ConsumeField(c.Input[at:]); n < 0 {
			break
		}
		last[number] = at
	}
	for at, n := 0, 0; at < len(c.Input); at += n {
		var number protowire.Number
		if number, _, n = protowire.ConsumeField(c.Input[at:]); n < 0 {
			if f == acceptCut {
				return kept
			}
			return c.Input
		}
		field := c.Message.Fields().ByNumber(number)
		unknown := field == nil && !c.Message.ExtensionRanges().Has(number)
		merges := field != nil && !field.IsList() && !field.IsMap() && field.Message() != nil
		if f == dropUnknown && unknown || f == skipMerge && merges && last[number] != at {
			continue
		}
		kept = append(kept, c.Input[at:at+n]...)
	}
	return kept
}
