package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/locked"
)

// WireHash is the SHA-256, in 64 hex digits, of everything that determines the meaning of the plan's bytes. Of the columns that are on,
// these are their numbers, kinds, whether they are repeated, maps or required, and which share a oneof; and the
// numbers of closed enums. Names, comments, reserved numbers, presence, packing and the values of open enums are
// not part of it: they do not change the bytes. Nor are units, other logical types and defaults, which FullHash
// has, and package lock reports. Nor is the order in which things were added, or whether two equal messages are
// one type or two. It is the hash of WireText. The first 16 digits are enough to distinguish the schemas of a topic:
// "flows-" + plan.WireHash()[:16].
func (p *Plan) WireHash() string { return hash(p.WireText()) }

// FullHash is the hash of everything that a .proto says except comments and UTF-8 checks: also the names of
// messages, columns, oneofs and enum values, presence, packing, defaults and what is reserved. It includes what a
// .proto does not say: the units of times and durations, and which columns are IP and MAC addresses. A column that
// is off counts as a reserved number and name. It is the hash of FullText.
func (p *Plan) FullHash() string { return hash(p.FullText()) }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// FullText is the text that FullHash hashes: the lock of everything to which columns lead that are on; those that
// are off are reserved.
func (p *Plan) FullText() string {
	if p.isEmpty() {
		return ""
	}
	messages, enums := p.reachable()
	l := &locked.Lock{Root: p.messages[0].def.Name}
	for _, m := range messages {
		t := m.locked()
		for _, c := range m.off {
			t.Numbers = append(t.Numbers, locked.Range{First: c.Number, Last: c.Number})
			t.Names = append(t.Names, c.Name)
		}
		t.Columns = slices.DeleteFunc(t.Columns, func(c locked.Column) bool { return c.Off })
		t.Numbers = locked.MergeRanges(t.Numbers)
		l.Messages = append(l.Messages, t)
	}
	for _, e := range enums {
		l.Enums = append(l.Enums, e.locked())
	}
	l.Sort()
	return l.String()
}

// WireText is the text that WireHash hashes. Messages are numbered in the order in which columns lead to them from
// the root, columns in ascending order.
func (p *Plan) WireText() string {
	if p.isEmpty() {
		return ""
	}
	classes := p.wireClasses()
	var b strings.Builder
	b.WriteString("hotpb wire 1\n")
	number := map[int]int{classes[0]: 0}
	queue := []*plannedMessage{p.messages[0]}
	for i := 0; i < len(queue); i++ {
		fmt.Fprintf(&b, "message %d\n", i)
		p.writeWire(&b, queue[i], func(child *plannedMessage) int {
			class := classes[child.index]
			if _, met := number[class]; !met {
				number[class] = len(queue)
				queue = append(queue, child)
			}
			return number[class]
		})
	}
	return b.String()
}

// writeWire writes a line for each column and each oneof of a message.
func (p *Plan) writeWire(b *strings.Builder, m *plannedMessage, number func(*plannedMessage) int) {
	oneofs := map[string][]uint32{}
	for _, c := range m.columns {
		kind := locked.KindNames[c.Kind]
		switch {
		case c.Message != nil:
			kind = fmt.Sprintf("%s %d", kind, number(p.childOf(c)))
		case c.Enum != nil && c.Enum.Closed:
			kind += " " + list(c.Enum.numbers())
		}
		switch {
		case c.Map:
			kind = "map " + kind
		case c.Repeated:
			kind = "repeated " + kind
		case c.Presence == LegacyRequired && !m.def.entry:
			kind = "required " + kind
		}
		if c.Oneof != "" {
			oneofs[c.Oneof] = append(oneofs[c.Oneof], c.Number)
		}
		fmt.Fprintf(b, "%d %s\n", c.Number, kind)
	}
	var lines []string
	for _, numbers := range oneofs {
		if len(numbers) > 1 { // alone in a oneof, a column is as any other
			lines = append(lines, list(numbers))
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprintf(b, "oneof %s\n", line)
	}
}

// list writes numbers with spaces between them.
func list[T any](numbers []T) string { return strings.Trim(fmt.Sprint(numbers), "[]") }
