package sflow

import (
	"encoding/binary"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
)

// lists are what a sample may have any number of. Where a sample has some, they follow the record, each as a field of
// variable length: numbers of four bytes.
type lists struct {
	path        []byte // AS numbers to the target, of sequences
	sets        []byte // those of sets, which have no order
	communities []byte
	out         []byte // labels of MPLS that the packet leaves with
	cut         int    // lists of which the rest is left out
}

// mostNumbers is how many numbers a list may have.
const mostNumbers = 1000

// The types of a path's segments.
const (
	asSet      = 1
	asSequence = 2
)

// bgpDestinationCommunityList is the element of the communities of the route to the target (RFC 8549).
const bgpDestinationCommunityList = 485

// listFields are the fields of lists, in the order of after.
var listFields = []template.Field{
	{Enterprise: layout.Reserved, Element: layout.ASPath, Length: template.VariableLength, Each: 4},
	{Enterprise: layout.Reserved, Element: layout.ASSets, Length: template.VariableLength, Each: 4},
	{Element: bgpDestinationCommunityList, Length: template.VariableLength, Each: 4},
	{Enterprise: layout.Reserved, Element: layout.OutLabels, Length: template.VariableLength, Each: 4},
}

// newLists returns nil if no column of the layout is filled from one of the lists.
func newLists(columns []schema.Column) *lists {
	for _, c := range columns {
		for _, f := range listFields {
			if c.Repeated && slices.Contains(c.Sources, schema.Source{Enterprise: f.Enterprise, Element: f.Element}) {
				return &lists{}
			}
		}
	}
	return nil
}

func (l *lists) reset() {
	l.path, l.sets, l.communities, l.out, l.cut = l.path[:0], l.sets[:0], l.communities[:0], l.out[:0], 0
}

func (l *lists) any() bool { return len(l.path)+len(l.sets)+len(l.communities)+len(l.out) > 0 }

// after appends the lists to a record.
func (l *lists) after(record []byte) []byte {
	for _, list := range [...][]byte{l.path, l.sets, l.communities, l.out} {
		record = append(binary.BigEndian.AppendUint16(append(record, 255), uint16(len(list))), list...)
	}
	return record
}

// add adds words to a list.
func (l *lists) add(to, words []byte) []byte {
	if room := 4*mostNumbers - len(to); len(words) > room {
		l.cut++
		words = words[:room]
	}
	return append(to, words...)
}

// segment adds a segment of a path. Segments of other types, those of confederations, lead through one AS.
func (l *lists) segment(kind uint32, numbers []byte) {
	switch kind {
	case asSequence:
		l.path = l.add(l.path, numbers)
	case asSet:
		l.sets = l.add(l.sets, numbers)
	}
}

// label adds an entry of a stack.
func (l *lists) label(entry uint32) {
	var label [4]byte
	binary.BigEndian.PutUint32(label[:], entry>>12)
	l.out = l.add(l.out, label[:])
}

// noPath drops the path of a record that contradicts its lengths.
func (l *lists) noPath() { l.path, l.sets = l.path[:0], l.sets[:0] }

// stack reads a stack of MPLS labels, whose entries have four bytes.
func stack(b []byte) (entries, rest []byte, ok bool) {
	if len(b) < 4 || uint64(word(b, 0)) > uint64(len(b)-4)/4 {
		return nil, nil, false
	}
	n := 4 + 4*int(word(b, 0))
	return b[4:n], b[n:], true
}

// extendedMPLS reads the stacks that the packet came with, unless the sampled header has it, and leaves with.
func (r *record) extendedMPLS(b []byte) bool {
	hop, b, ok := address(b)
	if !ok {
		return false
	}
	in, b, ok := stack(b)
	if !ok {
		return false
	}
	if first := r.bytes[atLabels : atLabels+3]; first[0]|first[1]|first[2] == 0 {
		for i := range min(len(in)/4, labels) {
			r.take(atLabels+3*i, in[4*i:4*i+3])
		}
	}
	out, _, ok := stack(b)
	if ok && versionOf(hop) != none {
		if x := r.extra(); x != nil {
			r.variant.labelHop = versionOf(hop)
			copy(x[atLabelHop:], hop)
		}
	}
	if ok && r.lists != nil {
		r.lists.out = r.lists.out[:0]
		for i := range len(out) / 4 {
			r.lists.label(word(out, i))
		}
	}
	return ok
}
