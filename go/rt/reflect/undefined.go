package reflect

import (
	"sync"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// The stock runtime treats closed enums as open ones: it would read an undefined value, which is an unknown field for
// hotpb, and replace the field's value with it. Messages with such values are rare: hotpb looks for them and converts
// them field by field.

// keepsUndefined reports whether the encoding of a message has undefined values of closed enums among its unknown
// fields.
func keepsUndefined(s Schema, b []byte) bool {
	return hasClosed(*s.Group, s.Index) && undefinedIn(*s.Group, s.Index, b)
}

// undefinedIn walks the records of a message, or of a group up to its end.
func undefinedIn(group []wire.MessageTable, index int, b []byte) bool {
	table := &group[index]
	for i := 0; i < len(b); {
		tag, at := wire.ReadTag(b, i)
		if i = wire.Skip(b, at, tag, anyDepth); i < 0 {
			return false // the end of a group
		}
		k := table.Find(tag.Number())
		if k < 0 || !table.Fields[k].Matches(tag.Type()) {
			continue
		}
		f := &table.Fields[k]
		content := b[at:i]
		if tag.Type() == wire.BytesType {
			start, end := wire.ReadBytes(b, at)
			content = b[start:end]
		}
		switch {
		case f.Closed != nil:
			for j := 0; j < len(content); {
				var v uint64
				if v, j = wire.ReadVarint(content, j); j < 0 || !f.Closed.Has(int32(v)) {
					return true
				}
			}
		case f.Kind == wire.Message || f.Kind == wire.Group:
			theirs := group
			if f.Child != nil {
				theirs = *f.Child
			}
			if hasClosed(theirs, int(f.Index)) && undefinedIn(theirs, int(f.Index), content) {
				return true
			}
		}
	}
	return false
}

// closed remembers which messages have closed enums, themselves or in nested messages.
var closed sync.Map // *wire.MessageTable -> bool

func hasClosed(group []wire.MessageTable, index int) bool {
	if known, is := closed.Load(&group[index]); is {
		return known.(bool)
	}
	has := findClosed(group, index, map[*wire.MessageTable]bool{})
	closed.Store(&group[index], has)
	return has
}

func findClosed(group []wire.MessageTable, index int, seen map[*wire.MessageTable]bool) bool {
	table := &group[index]
	if seen[table] {
		return false
	}
	seen[table] = true
	for i := range table.Fields {
		f := &table.Fields[i]
		if f.Closed != nil {
			return true
		}
		if f.Kind != wire.Message && f.Kind != wire.Group {
			continue
		}
		theirs := group
		if f.Child != nil {
			theirs = *f.Child
		}
		if findClosed(theirs, int(f.Index), seen) {
			return true
		}
	}
	return false
}
