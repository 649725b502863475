package emit

import (
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// reach holds properties of all messages of a plan, found once. Asking for each message separately would take
// time that grows with the square of the schema.
type reach struct {
	fields   *FieldSelection
	Places   map[*plan.Message]place
	Required map[*plan.Message]bool
	text     map[*plan.Message]bool // has strings or bytes
	extended map[*plan.Message]bool // has extensions
}

// place is where a message's table is: its group and its index there.
type place struct {
	Group []*plan.Message
	Index int
}

func NewReach(files []*plan.File, fields *FieldSelection) *reach {
	r := &reach{fields: fields, Places: map[*plan.Message]place{}}
	for _, file := range files {
		r.placeTables(file)
	}
	r.findRequired(files)
	r.findText(files)
	r.findExtended(files)
	return r
}

// placeTables puts the tables of a file into groups. A recursion component and the map entries of its messages
// share one slice, because Go variables cannot be initialized with each other's addresses in a circle. The first
// message names the group. The members and their order do not depend on the fields that are left out. Only the
// entries do, and nothing else refers to them.
func (r *reach) placeTables(file *plan.File) {
	var groups [][]*plan.Message
	component := map[int]int{} // recursion -> index in groups
	for _, m := range file.Messages {
		at, open := component[m.Recursion]
		switch {
		case m.Recursion != 0 && open:
			groups[at] = append(groups[at], m)
		case m.Recursion != 0:
			component[m.Recursion] = len(groups)
			groups = append(groups, []*plan.Message{m})
		case !m.MapEntry: // an entry belongs to the group of the message that has the map
			groups = append(groups, []*plan.Message{m})
		}
	}
	for _, group := range groups {
		// A map entry cannot name the group.
		for i, member := range group {
			if !member.MapEntry {
				group[0], group[i] = group[i], group[0]
				break
			}
		}
		for _, member := range group[:len(group):len(group)] {
			for _, field := range r.fields.fields(member) {
				if field.Map != nil && field.Message.Recursion == 0 {
					group = append(group, field.Message)
				}
			}
		}
		for i, member := range group {
			r.Places[member] = place{group, i}
		}
	}
}

// findRequired finds the messages from which a required field can be reached.
func (r *reach) findRequired(files []*plan.File) {
	r.Required = r.leadingTo(files, func(m *plan.Message) bool {
		return slices.ContainsFunc(r.fields.fields(m), func(field *plan.Field) bool { return field.Presence == plan.Required })
	})
}

// findText finds the messages from which text can be reached, and findExtended those from which extensions can be
// reached.
func (r *reach) findText(files []*plan.File) {
	r.text = r.leadingTo(files, func(m *plan.Message) bool { return slices.ContainsFunc(m.Fields, IsText) })
}

func (r *reach) findExtended(files []*plan.File) {
	r.extended = r.leadingTo(files, func(m *plan.Message) bool { return len(m.ExtensionRanges) > 0 })
}

// leadingTo finds the messages of a kind and all messages that can hold them.
func (r *reach) leadingTo(files []*plan.File, isOfKind func(*plan.Message) bool) map[*plan.Message]bool {
	found := map[*plan.Message]bool{}
	holders := map[*plan.Message][]*plan.Message{}
	var open []*plan.Message
	add := func(m *plan.Message) {
		if !found[m] {
			found[m] = true
			open = append(open, m)
		}
	}
	for _, file := range files {
		for _, m := range file.Messages {
			if isOfKind(m) {
				add(m)
			}
			for _, field := range r.fields.fields(m) {
				if field.Message != nil {
					holders[field.Message] = append(holders[field.Message], m)
				}
			}
		}
	}
	for len(open) > 0 {
		m := open[len(open)-1]
		open = open[:len(open)-1]
		for _, holder := range holders[m] {
			add(holder)
		}
	}
	return found
}

// GroupOf returns the messages whose tables are in the same group as m's.
func (f *File) GroupOf(m *plan.Message) []*plan.Message { return f.Gen.reach.Places[m].Group }

// IndexInGroup is the index of m's table in its group.
func (f *File) IndexInGroup(m *plan.Message) int { return f.Gen.reach.Places[m].Index }

// NeedsRequired reports whether a message or a message reachable from it has a required field.
func (f *File) NeedsRequired(m *plan.Message) bool { return f.Gen.reach.Required[m] }

// HoldsText reports whether a message or a message reachable from it has a string or bytes field, and
// holdsExtensions whether one has extensions.
func (f *File) HoldsText(m *plan.Message) bool       { return f.Gen.reach.text[m] }
func (f *File) HoldsExtensions(m *plan.Message) bool { return f.Gen.reach.extended[m] }
