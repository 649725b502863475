package locked

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

// Problem is a fault in a text, and its place.
type Problem struct{ Where, Reason string }

// Parse reads the text of a lock. Empty lines and lines that start with # are allowed.
func Parse(text string) (*Lock, []Problem) {
	l := &Lock{}
	var message *Message
	var enum *Enum
	begun := false
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		wrong := func(reason string) []Problem { return []Problem{{fmt.Sprintf("line %d", i+1), reason}} }
		if !begun {
			if begun = strings.Join(words, " ") == head; !begun {
				return nil, wrong(fmt.Sprintf("a lock must start with %q", head))
			}
			continue
		}
		ok := false
		switch first := words[0]; {
		case first == "root" && len(words) == 2 && l.Root == "" && IsFullName(words[1]):
			l.Root, ok = words[1], true
		case first == "message" && len(words) == 2 && IsFullName(words[1]):
			l.Messages = append(l.Messages, Message{Name: words[1]})
			message, enum, ok = &l.Messages[len(l.Messages)-1], nil, true
		case first == "enum" && len(words) == 3 && IsFullName(words[1]) && (words[2] == "open" || words[2] == "closed"):
			l.Enums = append(l.Enums, Enum{Name: words[1], Closed: words[2] == "closed"})
			message, enum, ok = nil, &l.Enums[len(l.Enums)-1], true
		case message != nil && first == "reserved":
			ok = message.parseReserved(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), first)))
		case message != nil:
			ok = message.parseColumn(line)
		case enum != nil && len(words) == 2 && IsName(words[1]):
			n, err := strconv.ParseInt(first, 10, 32)
			enum.Values = append(enum.Values, Value{Name: words[1], Number: int32(n)})
			ok = err == nil
		}
		if !ok {
			return nil, wrong(fmt.Sprintf("%q is no line of a lock", strings.TrimSpace(line)))
		}
	}
	if !begun {
		return nil, []Problem{{"line 1", fmt.Sprintf("a lock must start with %q; this one is empty", head)}}
	}
	l.Sort()
	return l, l.check()
}

func (m *Message) parseReserved(text string) bool {
	if strings.HasPrefix(text, `"`) {
		name, err := strconv.Unquote(text)
		m.Names = append(m.Names, name)
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
	m.Numbers = MergeRanges(append(m.Numbers, Range{uint32(first), uint32(last)}))
	return err == nil && err2 == nil && first <= last && last <= wire.MaxNumber
}

var logicalTexts = []string{"ip", "mac", "timestamp seconds", "timestamp millis", "timestamp micros", "timestamp nanos",
	"duration seconds", "duration millis", "duration micros", "duration nanos"}

func (m *Message) parseColumn(line string) bool {
	line, quoted, hasDefault := strings.Cut(line, `"`)
	byDefault := ""
	var wrong error
	if hasDefault {
		byDefault, wrong = strconv.Unquote(`"` + strings.TrimSpace(quoted))
	}
	words := strings.Fields(line)
	if len(words) < 3 || !IsName(words[1]) {
		return false
	}
	number, err := strconv.ParseUint(words[0], 10, 32)
	c := Column{Name: words[1], Number: uint32(number), Default: byDefault}
	words = words[2:]
	next := func(word string) bool {
		if len(words) > 0 && words[0] == word {
			words = words[1:]
			return true
		}
		return false
	}
	c.Map = next("map")
	c.Repeated = c.Map || next("repeated")
	if len(words) == 0 {
		return false
	}
	c.Kind = wire.Kind(max(0, slices.Index(KindNames[:], words[0])))
	words = words[1:]
	if c.Kind == wire.Message || c.Kind == wire.Group || c.Kind == wire.Enum {
		if len(words) == 0 || !IsFullName(words[0]) {
			return false
		}
		c.Of, words = words[0], words[1:]
	}
	c.Packed = c.Repeated && Packable(c.Kind) && !next("unpacked")
	c.Explicit = next("optional")
	c.Required = next("required")
	if next("oneof") && len(words) > 0 && IsName(words[0]) {
		c.Oneof, words = words[0], words[1:]
	}
	for _, logical := range logicalTexts {
		if text := strings.Join(words[:min(len(words), strings.Count(logical, " ")+1)], " "); text == logical {
			c.Logical, words = logical, words[strings.Count(logical, " ")+1:]
			break
		}
	}
	if hasDefault && (!next("default") || byDefault == "") {
		return false
	}
	m.Columns = append(m.Columns, c)
	return err == nil && wrong == nil && number > 0 && number <= wire.MaxNumber && c.Kind != 0 && len(words) == 0
}

// check finds the faults that make a lock useless.
func (l *Lock) check() (wrong []Problem) {
	add := func(where, reason string) { wrong = append(wrong, Problem{where, reason}) }
	if l.Message(l.Root) == nil {
		add(l.Root, "is the root, but is not in the lock")
	}
	for i, m := range l.Messages {
		if i > 0 && m.Name == l.Messages[i-1].Name {
			add(m.Name, "is in the lock twice")
		}
		for j, c := range m.Columns {
			if j > 0 && c.Number == m.Columns[j-1].Number {
				add(m.Name, fmt.Sprintf("the number %d is in the lock twice", c.Number))
			}
			if c.Kind == wire.Enum && l.Enum(c.Of) == nil || (c.Kind == wire.Message || c.Kind == wire.Group) && l.Message(c.Of) == nil {
				add(m.Name+"."+c.Name, c.Of+" is not in the lock")
			}
		}
	}
	return wrong
}
