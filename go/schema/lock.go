package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

// Lock records what a schema has promised: every column with its number and
// type, what is reserved, and the values of enums. It is a text, kept beside the
// schema under version control, and a schema is checked against it before it is changed for good:
//
//	lock, err := schema.ParseLock(text)
//	verdict := plan.Check(lock)
//	if verdict.Level() > schema.Compatible { … }
//	text = plan.Lock().String()
//
// Columns that are off are in it like those that are on.
type Lock struct {
	root     string
	messages []lockedMessage // by name
	enums    []lockedEnum    // by name
}

type lockedMessage struct {
	name    string
	columns []lockedColumn // by number
	numbers []Range        // reserved, in order and apart
	names   []string       // reserved, in order
}

type lockedColumn struct {
	name              string
	number            uint32
	kind              wire.Kind
	of                string // the message or enum
	repeated, isMap   bool
	packed            bool
	explicit, require bool
	oneof             string
	logical           string // what the kind stands for, with the unit; "" for nothing else, and where the message's name says it
	byDefault         string // as Column.Default, in one spelling
	off               bool   // in a plan; a text does not say it
}

type lockedEnum struct {
	name   string
	closed bool
	values []EnumValue // by number, then name
}

// Lock records the plan.
func (p *Plan) Lock() *Lock {
	l := p.record()
	for i := range l.messages {
		for j := range l.messages[i].columns {
			l.messages[i].columns[j].off = false
		}
	}
	return l
}

// record is Lock with a note of which columns are off.
func (p *Plan) record() *Lock {
	if p.isEmpty() {
		return new(Lock)
	}
	l := &Lock{root: p.messages[0].def.Name}
	for _, m := range p.messages {
		l.messages = append(l.messages, m.locked())
	}
	for _, e := range p.enums {
		l.enums = append(l.enums, e.locked())
	}
	l.sort()
	return l
}

func (l *Lock) sort() {
	slices.SortFunc(l.messages, func(a, b lockedMessage) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(l.enums, func(a, b lockedEnum) int { return strings.Compare(a.name, b.name) })
	for i := range l.messages {
		m := &l.messages[i]
		slices.Sort(m.names)
		m.names = slices.Compact(m.names)
		sortColumns(m.columns)
	}
}

func sortColumns(columns []lockedColumn) {
	slices.SortFunc(columns, func(a, b lockedColumn) int { return cmp.Compare(a.number, b.number) })
}

func (m *plannedMessage) locked() lockedMessage {
	t := lockedMessage{name: m.def.Name, numbers: mergeRanges(m.def.ReservedNumbers)}
	t.names = slices.Clone(m.def.ReservedNames)
	for _, c := range m.def.columns {
		locked := lockedColumn{
			name: c.Name, number: c.Number, kind: c.Kind, repeated: c.Repeated, isMap: c.Map, packed: c.packed(), oneof: c.Oneof,
			explicit: m.optional(c), require: c.Presence == LegacyRequired && !m.def.entry, off: c.Disabled,
			logical: c.logicalText(), byDefault: c.defaultText(),
		}
		switch {
		case c.Message != nil:
			locked.of = c.Message.Name
		case c.Enum != nil:
			locked.of = c.Enum.Name
		}
		t.columns = append(t.columns, locked)
	}
	return t
}

func (e *Enum) locked() lockedEnum {
	t := lockedEnum{name: e.Name, closed: e.Closed}
	for _, v := range e.Values {
		t.values = append(t.values, EnumValue{Name: v.Name, Number: v.Number})
	}
	slices.SortFunc(t.values, func(a, b EnumValue) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), strings.Compare(a.Name, b.Name))
	})
	return t
}

// mergeRanges puts ranges in order and joins those that touch.
func mergeRanges(ranges []Range) (merged []Range) {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	for _, r := range ranges {
		if n := len(merged); n > 0 && r.First <= merged[n-1].Last+1 {
			merged[n-1].Last = max(merged[n-1].Last, r.Last)
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

const lockHead = "hotpb lock 1"

// String is the lock as text: the same for the same schema, in whatever order it was built.
func (l *Lock) String() string {
	var b strings.Builder
	b.WriteString(lockHead + "\n")
	fmt.Fprintf(&b, "root %s\n", l.root)
	for _, m := range l.messages {
		m.write(&b)
	}
	for _, e := range l.enums {
		e.write(&b)
	}
	return b.String()
}

func (m *lockedMessage) write(b *strings.Builder) {
	fmt.Fprintf(b, "message %s\n", m.name)
	for _, c := range m.columns {
		fmt.Fprintf(b, "  %d %s %s\n", c.number, c.name, c.typeText())
	}
	for _, r := range m.numbers {
		if r.First == r.Last {
			fmt.Fprintf(b, "  reserved %d\n", r.First)
			continue
		}
		fmt.Fprintf(b, "  reserved %d to %d\n", r.First, r.Last)
	}
	for _, name := range m.names {
		fmt.Fprintf(b, "  reserved %q\n", name)
	}
}

// typeText is what stands behind the name of a column.
func (c *lockedColumn) typeText() string {
	var words []string
	switch {
	case c.isMap:
		words = append(words, "map")
	case c.repeated:
		words = append(words, "repeated")
	}
	words = append(words, kindNames[c.kind])
	if c.of != "" {
		words = append(words, c.of)
	}
	switch {
	case c.repeated && packable(c.kind) && !c.packed:
		words = append(words, "unpacked")
	case c.explicit:
		words = append(words, "optional")
	case c.require:
		words = append(words, "required")
	}
	if c.oneof != "" {
		words = append(words, "oneof", c.oneof)
	}
	if c.logical != "" {
		words = append(words, c.logical)
	}
	if c.byDefault != "" {
		words = append(words, "default", strconv.QuoteToASCII(c.byDefault))
	}
	return strings.Join(words, " ")
}

func (e *lockedEnum) write(b *strings.Builder) {
	openness := "open"
	if e.closed {
		openness = "closed"
	}
	fmt.Fprintf(b, "enum %s %s\n", e.name, openness)
	for _, v := range e.values {
		fmt.Fprintf(b, "  %d %s\n", v.Number, v.Name)
	}
}

// ParseLock reads the text of a lock. Empty lines and lines that start with # are allowed. What is wrong is
// an *Error with the number of the line.
func ParseLock(text string) (*Lock, error) {
	l := &Lock{}
	var message *lockedMessage
	var enum *lockedEnum
	head := false
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		wrong := func(reason string) error {
			return &Error{wire.InvalidSchema, fmt.Sprintf("line %d", i+1), reason}
		}
		if !head {
			if head = strings.Join(words, " ") == lockHead; !head {
				return nil, wrong(fmt.Sprintf("a lock starts with %q", lockHead))
			}
			continue
		}
		ok := false
		switch first := words[0]; {
		case first == "root" && len(words) == 2 && l.root == "" && isFullName(words[1]):
			l.root, ok = words[1], true
		case first == "message" && len(words) == 2 && isFullName(words[1]):
			l.messages = append(l.messages, lockedMessage{name: words[1]})
			message, enum, ok = &l.messages[len(l.messages)-1], nil, true
		case first == "enum" && len(words) == 3 && isFullName(words[1]) && (words[2] == "open" || words[2] == "closed"):
			l.enums = append(l.enums, lockedEnum{name: words[1], closed: words[2] == "closed"})
			message, enum, ok = nil, &l.enums[len(l.enums)-1], true
		case message != nil && first == "reserved":
			ok = message.parseReserved(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), first)))
		case message != nil:
			ok = message.parseColumn(line)
		case enum != nil && len(words) == 2 && isName(words[1]):
			n, err := strconv.ParseInt(first, 10, 32)
			enum.values = append(enum.values, EnumValue{Name: words[1], Number: int32(n)})
			ok = err == nil
		}
		if !ok {
			return nil, wrong(fmt.Sprintf("%q is no line of a lock", strings.TrimSpace(line)))
		}
	}
	l.sort()
	return l, l.check()
}

func (m *lockedMessage) parseReserved(text string) bool {
	if strings.HasPrefix(text, `"`) {
		name, err := strconv.Unquote(text)
		m.names = append(m.names, name)
		return err == nil
	}
	var first, last uint64
	var err, err2 error
	switch words := strings.Fields(text); {
	case len(words) == 1:
		first, err = strconv.ParseUint(words[0], 10, 32)
		last = first
	case len(words) == 3 && words[1] == "to":
		first, err = strconv.ParseUint(words[0], 10, 32)
		last, err2 = strconv.ParseUint(words[2], 10, 32)
	default:
		return false
	}
	m.numbers = mergeRanges(append(m.numbers, Range{uint32(first), uint32(last)}))
	return err == nil && err2 == nil && first <= last && last <= wire.MaxNumber
}

// logicalText is what a column's kind stands for, as it is written in a lock.
func (c *Column) logicalText() string {
	switch {
	case c.Message != nil: // a well-known type, whether or not the column is one of times
		return ""
	case c.Logical == IP:
		return "ip"
	case c.Logical == MAC:
		return "mac"
	case c.Logical == Timestamp:
		return "timestamp " + c.Unit.String()
	case c.Logical == Duration:
		return "duration " + c.Unit.String()
	}
	return ""
}

var logicalTexts = []string{"ip", "mac", "timestamp seconds", "timestamp millis", "timestamp micros", "timestamp nanos",
	"duration seconds", "duration millis", "duration micros", "duration nanos"}

func (m *lockedMessage) parseColumn(line string) bool {
	line, quoted, hasDefault := strings.Cut(line, `"`)
	byDefault := ""
	var wrong error
	if hasDefault {
		byDefault, wrong = strconv.Unquote(`"` + strings.TrimSpace(quoted))
	}
	words := strings.Fields(line)
	if len(words) < 3 || !isName(words[1]) {
		return false
	}
	number, err := strconv.ParseUint(words[0], 10, 32)
	c := lockedColumn{name: words[1], number: uint32(number), byDefault: byDefault}
	words = words[2:]
	next := func(word string) bool {
		if len(words) > 0 && words[0] == word {
			words = words[1:]
			return true
		}
		return false
	}
	c.isMap = next("map")
	c.repeated = c.isMap || next("repeated")
	if len(words) == 0 {
		return false
	}
	c.kind = wire.Kind(max(0, slices.Index(kindNames[:], words[0])))
	words = words[1:]
	if c.kind == wire.Message || c.kind == wire.Group || c.kind == wire.Enum {
		if len(words) == 0 || !isFullName(words[0]) {
			return false
		}
		c.of, words = words[0], words[1:]
	}
	c.packed = c.repeated && packable(c.kind) && !next("unpacked")
	c.explicit = next("optional")
	c.require = next("required")
	if next("oneof") && len(words) > 0 && isName(words[0]) {
		c.oneof, words = words[0], words[1:]
	}
	for _, logical := range logicalTexts {
		if text := strings.Join(words[:min(len(words), strings.Count(logical, " ")+1)], " "); text == logical {
			c.logical, words = logical, words[strings.Count(logical, " ")+1:]
			break
		}
	}
	if hasDefault && (!next("default") || byDefault == "") {
		return false
	}
	m.columns = append(m.columns, c)
	return err == nil && wrong == nil && number > 0 && number <= wire.MaxNumber && c.kind != 0 && len(words) == 0
}

// check finds what makes a lock useless.
func (l *Lock) check() error {
	var wrong problems
	if l.message(l.root) == nil {
		wrong.add(l.root, "is the root, and not in the lock")
	}
	for i, m := range l.messages {
		if i > 0 && m.name == l.messages[i-1].name {
			wrong.add(m.name, "is there twice")
		}
		for j, c := range m.columns {
			if j > 0 && c.number == m.columns[j-1].number {
				wrong.add(m.name, fmt.Sprintf("the number %d is there twice", c.number))
			}
			if c.kind == wire.Enum && l.enum(c.of) == nil || (c.kind == wire.Message || c.kind == wire.Group) && l.message(c.of) == nil {
				wrong.add(m.name+"."+c.name, c.of+" is not in the lock")
			}
		}
	}
	return wrong.err()
}

func (l *Lock) message(name string) *lockedMessage {
	i, ok := slices.BinarySearchFunc(l.messages, name, func(m lockedMessage, n string) int { return strings.Compare(m.name, n) })
	if !ok {
		return nil
	}
	return &l.messages[i]
}

func (l *Lock) enum(name string) *lockedEnum {
	i, ok := slices.BinarySearchFunc(l.enums, name, func(e lockedEnum, n string) int { return strings.Compare(e.name, n) })
	if !ok {
		return nil
	}
	return &l.enums[i]
}
