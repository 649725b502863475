package locked

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

// WireText is the text that the wire hash hashes. Messages are numbered in the order in which columns lead to them from
// the root, columns in ascending order. All columns are on, as in the result of Reached.
func (l *Lock) WireText() string {
	w := wireText{lock: l, index: make(map[string]int, len(l.Messages)), closed: map[string]string{}}
	for i := range l.Messages {
		w.index[l.Messages[i].Name] = i
	}
	for _, e := range l.Enums {
		if e.Closed {
			w.closed[e.Name] = " " + list(e.Numbers())
		}
	}
	classes := w.classes()
	var b strings.Builder
	b.WriteString("hotpb wire 1\n")
	root := w.index[l.Root]
	number := map[int]int{classes[root]: 0}
	queue := []int{root}
	for i := 0; i < len(queue); i++ {
		fmt.Fprintf(&b, "message %d\n", i)
		w.write(&b, &l.Messages[queue[i]], func(child int) int {
			class := classes[child]
			if _, met := number[class]; !met {
				number[class] = len(queue)
				queue = append(queue, child)
			}
			return number[class]
		})
	}
	return b.String()
}

// wireText writes the wire text of a lock.
type wireText struct {
	lock   *Lock
	index  map[string]int    // of messages
	closed map[string]string // the numbers of closed enums
}

// write writes a line for each column and each oneof of a message.
func (w *wireText) write(b *strings.Builder, m *Message, number func(message int) int) {
	oneofs := map[string][]uint32{}
	for _, c := range m.Columns {
		kind := KindNames[c.Kind]
		switch {
		case c.Kind == wire.Enum:
			kind += w.closed[c.Of]
		case c.Of != "":
			kind = fmt.Sprintf("%s %d", kind, number(w.index[c.Of]))
		}
		switch {
		case c.Map:
			kind = "map " + kind
		case c.Repeated:
			kind = "repeated " + kind
		case c.Required:
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

// Numbers returns the numbers of the enum's values in ascending order.
func (e *Enum) Numbers() []int32 {
	numbers := make([]int32, 0, len(e.Values))
	for _, v := range e.Values {
		numbers = append(numbers, v.Number)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// list writes numbers with spaces between them.
func list[T any](numbers []T) string { return strings.Trim(fmt.Sprint(numbers), "[]") }
