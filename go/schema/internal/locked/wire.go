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

// classes assigns a class to each message: messages of one class have the same columns, whose messages are of
// the same classes, at all depths.
//
// It starts with one class for all messages that have the same lines. It splits classes until none has messages
// whose columns lead to different classes. The largest part of a split class keeps the class. So only columns that
// lead to the smaller parts must be examined again, and each column leads there at most log2(messages) times.
func (w *wireText) classes() []int {
	n := len(w.lock.Messages)
	s := splitter{class: make([]int, n), children: make([][]int, n), parents: make([][]int, n)}
	known := map[string]int{}
	for i := range w.lock.Messages {
		var b strings.Builder
		w.write(&b, &w.lock.Messages[i], func(child int) int {
			s.children[i] = append(s.children[i], child)
			s.parents[child] = append(s.parents[child], i)
			return 0
		})
		class, ok := known[b.String()]
		if !ok {
			class = s.add()
			known[b.String()] = class
		}
		s.put(i, class)
	}
	for i := range n {
		s.touch(i)
	}
	for len(s.queue) > 0 {
		class := s.queue[0]
		s.queue = s.queue[1:]
		s.split(class)
	}
	return s.class
}

type splitter struct {
	class    []int   // of each message
	children [][]int // of each message, by column
	parents  [][]int // the reverse
	classes  []wireClass
	queue    []int // classes with messages that must be examined
}

type wireClass struct {
	members map[int]struct{}
	touched map[int]struct{} // those of the members whose children have changed their class
	leads   string           // the classes to which the columns of the others lead
}

func (s *splitter) add() int {
	s.classes = append(s.classes, wireClass{members: map[int]struct{}{}, touched: map[int]struct{}{}})
	return len(s.classes) - 1
}

func (s *splitter) put(message, class int) {
	s.class[message] = class
	s.classes[class].members[message] = struct{}{}
}

func (s *splitter) touch(message int) {
	class := s.class[message]
	touched := s.classes[class].touched
	if len(touched) == 0 {
		s.queue = append(s.queue, class)
	}
	touched[message] = struct{}{}
}

// leads returns the classes to which a message's columns lead, as a string for comparison.
func (s *splitter) leads(message int) string {
	var b []byte
	for _, child := range s.children[message] {
		class := uint32(s.class[child])
		b = append(b, byte(class), byte(class>>8), byte(class>>16), byte(class>>24))
	}
	return string(b)
}

// split removes the messages from a class that differ from those of its largest part.
func (s *splitter) split(class int) {
	c := &s.classes[class]
	if len(c.members) == 1 { // classes get no members later
		clear(c.touched)
		return
	}
	parts := map[string][]int{}
	untouched := len(c.members) - len(c.touched)
	for message := range c.touched {
		leads := s.leads(message)
		parts[leads] = append(parts[leads], message)
	}
	largest, size := c.leads, untouched+len(parts[c.leads])
	if untouched == 0 {
		largest, size = "", 0
	}
	for leads, part := range parts {
		if len(part) > size {
			largest, size = leads, len(part)
		}
	}
	if untouched > 0 && largest != c.leads { // then they are less than half
		for message := range c.members {
			if _, ok := c.touched[message]; !ok {
				parts[c.leads] = append(parts[c.leads], message)
			}
		}
	}
	clear(c.touched)
	c.leads = largest
	delete(parts, largest)
	var moved []int
	for leads, part := range parts {
		next := s.add()
		s.classes[next].leads = leads
		for _, message := range part {
			delete(s.classes[class].members, message)
			s.put(message, next)
		}
		moved = append(moved, part...)
	}
	slices.Sort(moved)
	for _, message := range moved {
		for _, parent := range s.parents[message] {
			s.touch(parent)
		}
	}
}
