package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

// Level says what a change does to those who use the other schema, from harmless to worst.
type Level uint8

// The levels.
const (
	Compatible Level = iota // either side reads what the other writes; what it does not know it passes over
	Renaming                // so with bytes, but who goes by names (JSON, ClickHouse) is affected
	Risky                   // read without error, but values may be cut, lost, or read otherwise later
	Breaking                // values are refused, not found or read as something else
)

var levelNames = [...]string{"compatible", "renaming", "risky", "breaking"}

func (l Level) String() string { return levelNames[l] }

// ChangeKind is what has changed.
type ChangeKind uint8

// The kinds of change.
const (
	Added           ChangeKind = iota // a column that was not there
	Removed                           // a column that is not there any more
	SwitchedOn                        // a column that was off
	SwitchedOff                       // a column that is off now
	Renamed                           // a message, column, oneof or enum value
	Renumbered                        // a column or enum value
	Retyped                           // another kind, message for enum, repeated, map
	Repacked                          // packed or not
	PresenceChanged                   // implicit, explicit or required
	OneofMoved                        // into a oneof, out of it, or into another
	EnumChanged                       // a value more or less, opened, closed
	LogicalChanged                    // what the kind stands for: an address, a time, its unit
	DefaultChanged                    // what an absent column reads as
)

var changeNames = [...]string{"added", "removed", "switched on", "switched off", "renamed", "renumbered", "retyped", "repacked",
	"presence", "oneof", "enum", "logical type", "default"}

func (k ChangeKind) String() string { return changeNames[k] }

// Change is one difference between two schemas.
type Change struct {
	Kind   ChangeKind
	Level  Level
	Where  string // the message and column, or the enum, by its name of now where it has one
	Reason string
}

// String is like "breaking: flows.FlowMessage.bytes: retyped: was uint64, is string".
func (c Change) String() string {
	return fmt.Sprintf("%v: %s: %v: %s", c.Level, c.Where, c.Kind, c.Reason)
}

// Verdict is what has changed between two schemas, message by message from the root on, columns by number.
type Verdict struct{ Changes []Change }

// Level is the worst of the changes.
func (v Verdict) Level() Level {
	worst := Compatible
	for _, c := range v.Changes {
		worst = max(worst, c.Level)
	}
	return worst
}

// String has a line for each change.
func (v Verdict) String() string {
	lines := make([]string, len(v.Changes))
	for i, c := range v.Changes {
		lines[i] = c.String()
	}
	return strings.Join(lines, "\n")
}

// Compatible compares the plan with an older one, both ways: can new readers read old bytes, and old readers new
// bytes. Columns that are off count as reserved.
func (p *Plan) Compatible(old *Plan) Verdict { return compareLocks(old.record(), p.record()) }

// Check compares the plan with what is locked. A column that is off keeps its place as one that is on.
func (p *Plan) Check(l *Lock) Verdict { return compareLocks(l, p.Lock()) }

type comparison struct {
	old, now *Lock
	Verdict
	done map[[2]string]bool // pairs of messages or enums
}

// compareLocks takes nothing for a schema without columns.
func compareLocks(old, now *Lock) Verdict {
	if old == nil {
		old = new(Lock)
	}
	if now == nil {
		now = new(Lock)
	}
	c := comparison{old: old, now: now, done: map[[2]string]bool{}}
	c.messages(old.root, now.root)
	return c.Verdict
}

func (c *comparison) add(k ChangeKind, l Level, where, format string, args ...any) {
	c.Changes = append(c.Changes, Change{k, l, where, fmt.Sprintf(format, args...)})
}

// messages compares the messages that stand at the same place.
func (c *comparison) messages(oldName, nowName string) {
	if pair := [2]string{oldName, nowName}; c.done[pair] {
		return
	} else {
		c.done[pair] = true
	}
	old, now := cmp.Or(c.old.message(oldName), new(lockedMessage)), cmp.Or(c.now.message(nowName), new(lockedMessage))
	if oldName != nowName {
		c.add(Renamed, Renaming, nowName, "was %s", oldName)
	}
	for i := range old.columns {
		o := &old.columns[i]
		if n := now.byNumber(o.number); n != nil {
			c.columns(old, now, o, n)
		} else {
			c.gone(now, o)
		}
	}
	for i := range now.columns {
		if n := &now.columns[i]; old.byNumber(n.number) == nil {
			c.new(old, now, n)
		}
	}
}

func (m *lockedMessage) byNumber(number uint32) *lockedColumn {
	i, ok := slices.BinarySearchFunc(m.columns, number, func(c lockedColumn, n uint32) int { return cmp.Compare(c.number, n) })
	if !ok {
		return nil
	}
	return &m.columns[i]
}

func (m *lockedMessage) byName(name string) *lockedColumn {
	i := slices.IndexFunc(m.columns, func(c lockedColumn) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return &m.columns[i]
}

func (m *lockedMessage) reserves(number uint32) bool {
	return slices.ContainsFunc(m.numbers, func(r Range) bool { return r.First <= number && number <= r.Last })
}

// gone is for a column whose number no column has any more.
func (c *comparison) gone(now *lockedMessage, o *lockedColumn) {
	where := now.name + "." + o.name
	if n := now.byName(o.name); n != nil {
		c.add(Renumbered, Breaking, where, "was %d, is %d", o.number, n.number)
		return
	}
	level, reserved := Compatible, "is reserved"
	if !now.reserves(o.number) {
		level, reserved = Risky, "has to be reserved, so that it does not get another meaning"
	}
	c.add(Removed, level, where, "its number %d %s", o.number, reserved)
	if o.require {
		c.add(PresenceChanged, Breaking, where, "was required: readers of before refuse messages without it")
	}
}

// new is for a column whose number no column had.
func (c *comparison) new(old, now *lockedMessage, n *lockedColumn) {
	where := now.name + "." + n.name
	switch {
	case old.byName(n.name) != nil: // renumbered, which gone tells unless its number has got another column
		if o := old.byName(n.name); now.byNumber(o.number) != nil {
			c.add(Renumbered, Breaking, where, "was %d, is %d", o.number, n.number)
		}
	case old.reserves(n.number):
		c.add(Added, Breaking, where, "its number %d was reserved", n.number)
	case slices.Contains(old.names, n.name):
		c.add(Added, Renaming, where, "its name was reserved")
	default:
		c.add(Added, Compatible, where, "%d %s", n.number, n.typeText())
	}
	if n.require {
		c.add(PresenceChanged, Breaking, where, "is required: messages of before do not have it")
	}
}

// columns compares the columns of one number.
func (c *comparison) columns(old, now *lockedMessage, o, n *lockedColumn) {
	where := now.name + "." + n.name
	switch {
	case o.off && !n.off:
		c.add(SwitchedOn, Compatible, where, "%d %s", n.number, n.typeText())
	case !o.off && n.off:
		c.add(SwitchedOff, Compatible, where, "its number %d is reserved", n.number)
	}
	if o.name != n.name {
		if moved := now.byName(o.name); moved != nil {
			c.add(Renumbered, Breaking, now.name+"."+o.name, "was %d, is %d, and %d is %s", o.number, moved.number, n.number, n.name)
		} else {
			c.add(Renamed, Renaming, where, "was %s", o.name)
		}
	}
	if level, reason := retyped(o, n); reason != "" {
		if o.of != n.of && (c.old.closed(o) || c.now.closed(n)) {
			level = max(level, Risky)
		}
		c.add(Retyped, level, where, "was %s, is %s: %s", o.shortType(), n.shortType(), reason)
	}
	if o.logical != n.logical && o.of == "" && n.of == "" {
		c.add(LogicalChanged, Risky, where, "was %s, is %s: one value means one thing here and another there",
			cmp.Or(o.logical, "plain"), cmp.Or(n.logical, "plain"))
	}
	if o.byDefault != n.byDefault {
		c.add(DefaultChanged, Risky, where, "was %s, is %s: absent, it reads as one value here and as another there",
			o.defaultWords(), n.defaultWords())
	}
	if o.repeated && n.repeated && o.packed != n.packed && packable(o.kind) && packable(n.kind) {
		c.add(Repacked, Compatible, where, "readers take elements packed or not")
	}
	if o.require != n.require {
		c.add(PresenceChanged, Breaking, where, "required on one side only: messages without it are refused there")
	} else if o.presence() != n.presence() && o.repeated == n.repeated {
		c.add(PresenceChanged, Compatible, where, "zero and absent are told apart on one side only")
	}
	c.oneofs(old, now, o, n, where)
	switch {
	case o.of == "" || n.of == "":
	case o.kind == wire.Enum && n.kind == wire.Enum:
		c.enums(o.of, n.of)
	case o.kind != wire.Enum && n.kind != wire.Enum:
		c.messages(o.of, n.of)
	}
}

func (c *lockedColumn) defaultWords() string {
	if c.byDefault == "" {
		return "none"
	}
	return strconv.Quote(c.byDefault)
}

// presence tells whether a column that is set to zero differs from one that is not.
func (c *lockedColumn) presence() bool {
	return c.explicit || c.oneof != "" || c.kind == wire.Message || c.kind == wire.Group
}

// closed tells whether a column is of a closed enum.
func (l *Lock) closed(c *lockedColumn) bool { return c.kind == wire.Enum && l.enum(c.of).closed }

func (c *lockedColumn) shortType() string {
	short := lockedColumn{kind: c.kind, of: c.of, repeated: c.repeated, isMap: c.isMap, packed: true}
	return short.typeText()
}

// fellows are the numbers that share a oneof with a column and are columns of the other message, too.
func fellows(m, other *lockedMessage, of *lockedColumn) (numbers []uint32) {
	for _, c := range m.columns {
		if of.oneof != "" && c.oneof == of.oneof && c.number != of.number && other.byNumber(c.number) != nil {
			numbers = append(numbers, c.number)
		}
	}
	return numbers
}

func (c *comparison) oneofs(old, now *lockedMessage, o, n *lockedColumn, where string) {
	switch {
	case !slices.Equal(fellows(old, now, o), fellows(now, old, n)):
		c.add(OneofMoved, Risky, where, "it shares a oneof with other columns than before: setting one clears the others")
	case o.oneof != "" && n.oneof != "" && o.oneof != n.oneof:
		c.add(Renamed, Renaming, where, "the oneof %s was %s", n.oneof, o.oneof)
	case o.oneof != n.oneof:
		c.add(OneofMoved, Compatible, where, "the oneof has no other column of before")
	}
}

func (c *comparison) enums(oldName, nowName string) {
	if pair := [2]string{oldName, nowName}; c.done[pair] {
		return
	} else {
		c.done[pair] = true
	}
	old, now := c.old.enum(oldName), c.now.enum(nowName)
	if oldName != nowName {
		c.add(Renamed, Renaming, nowName, "was %s", oldName)
	}
	if old.closed != now.closed {
		c.add(EnumChanged, Risky, nowName, "closed on one side only: other numbers are unknown fields there")
	}
	closed := old.closed || now.closed
	for _, o := range old.values {
		at := slices.IndexFunc(now.values, func(v EnumValue) bool { return v.Number == o.Number })
		byName := slices.IndexFunc(now.values, func(v EnumValue) bool { return v.Name == o.Name })
		switch {
		case byName >= 0 && now.values[byName].Number != o.Number:
			c.add(Renumbered, Breaking, nowName, "%s was %d, is %d", o.Name, o.Number, now.values[byName].Number)
		case byName >= 0:
		case at >= 0:
			c.add(Renamed, Renaming, nowName, "the name %s of %d is gone", o.Name, o.Number)
		case closed:
			c.add(EnumChanged, Risky, nowName, "%s = %d is gone, and where the enum is closed the number is an unknown field", o.Name, o.Number)
		default:
			c.add(EnumChanged, Renaming, nowName, "%s = %d is gone", o.Name, o.Number)
		}
	}
	for _, n := range now.values {
		same := func(v EnumValue) bool { return v.Name == n.Name }
		number := func(v EnumValue) bool { return v.Number == n.Number }
		switch {
		case slices.ContainsFunc(old.values, same):
		case slices.ContainsFunc(old.values, number):
			c.add(Renamed, Renaming, nowName, "%d is called %s, too", n.Number, n.Name)
		case closed:
			c.add(EnumChanged, Risky, nowName, "%s = %d is new, and where the enum is closed the number is an unknown field", n.Name, n.Number)
		default:
			c.add(EnumChanged, Compatible, nowName, "%s = %d is new", n.Name, n.Number)
		}
	}
}
