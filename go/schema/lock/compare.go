package lock

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// Level is the effect of a change on programs with the other schema, from harmless to worst.
type Level uint8

// The levels.
const (
	Compatible Level = iota // either side reads the other's messages, and skips fields that it does not know
	Renaming                // the bytes are compatible; readers that use names (JSON, ClickHouse) are affected
	Risky                   // read without an error, but values may be cut, lost, or read differently later
	Breaking                // values are refused, not found, or read as something else
)

var levelNames = [...]string{"compatible", "renaming", "risky", "breaking"}

func (l Level) String() string { return levelNames[l] }

// ChangeKind is the kind of a change.
type ChangeKind uint8

// The kinds of change.
const (
	Added           ChangeKind = iota // a new column
	Removed                           // a column that no longer exists
	SwitchedOn                        // a column that was off
	SwitchedOff                       // a column that is off now
	Renamed                           // a message, column, oneof or enum value
	Renumbered                        // a column or enum value
	Retyped                           // another kind, message for enum, repeated, map
	Repacked                          // packed or not
	PresenceChanged                   // implicit, explicit or required
	OneofMoved                        // into a oneof, out of it, or into another
	EnumChanged                       // values added or removed, opened, closed
	LogicalChanged                    // the meaning of the kind: an address, a time, its unit
	DefaultChanged                    // the value that an absent column reads as
)

var changeNames = [...]string{"added", "removed", "switched on", "switched off", "renamed", "renumbered", "retyped", "repacked",
	"presence", "oneof", "enum", "logical type", "default"}

func (k ChangeKind) String() string { return changeNames[k] }

// Change is one difference between two schemas.
type Change struct {
	Kind   ChangeKind
	Level  Level
	Where  string // the message and column, or the enum, by its present name if it has one
	Reason string
}

// String returns a text like "breaking: flows.FlowMessage.bytes: retyped: was uint64, is string".
func (c Change) String() string {
	return fmt.Sprintf("%v: %s: %v: %s", c.Level, c.Where, c.Kind, c.Reason)
}

// Verdict lists the changes between two schemas, message by message from the root on, columns by number.
type Verdict struct{ Changes []Change }

// Level returns the worst level of the changes.
func (v Verdict) Level() Level {
	worst := Compatible
	for _, c := range v.Changes {
		worst = max(worst, c.Level)
	}
	return worst
}

// String returns a line for each change.
func (v Verdict) String() string {
	lines := make([]string, len(v.Changes))
	for i, c := range v.Changes {
		lines[i] = c.String()
	}
	return strings.Join(lines, "\n")
}

// Compare compares a plan with an older one in both directions: whether new readers can read old bytes, and old
// readers new bytes. Columns that are off count as reserved.
func Compare(old, now *schema.Plan) Verdict { return compare(old.Bridge().Lock(), now.Bridge().Lock()) }

// Check compares a plan with a lock. A column that is off keeps its place like one that is on. A nil lock is
// empty.
func (l *Lock) Check(p *schema.Plan) Verdict {
	if l == nil {
		l = new(Lock)
	}
	return compare(&l.content, &Of(p).content)
}

type comparison struct {
	old, now *locked.Lock
	Verdict
	done map[[2]string]bool // pairs of messages or enums
}

func compare(old, now *locked.Lock) Verdict {
	c := comparison{old: old, now: now, done: map[[2]string]bool{}}
	c.messages(old.Root, now.Root)
	return c.Verdict
}

func (c *comparison) add(k ChangeKind, l Level, where, format string, args ...any) {
	c.Changes = append(c.Changes, Change{k, l, where, fmt.Sprintf(format, args...)})
}

// messages compares the messages in the same place.
func (c *comparison) messages(oldName, nowName string) {
	if pair := [2]string{oldName, nowName}; c.done[pair] {
		return
	} else {
		c.done[pair] = true
	}
	old, now := cmp.Or(c.old.Message(oldName), new(locked.Message)), cmp.Or(c.now.Message(nowName), new(locked.Message))
	if oldName != nowName {
		c.add(Renamed, Renaming, nowName, "was %s", oldName)
	}
	for i := range old.Columns {
		o := &old.Columns[i]
		if n := now.ByNumber(o.Number); n != nil {
			c.columns(old, now, o, n)
		} else {
			c.gone(now, o)
		}
	}
	for i := range now.Columns {
		if n := &now.Columns[i]; old.ByNumber(n.Number) == nil {
			c.new(old, now, n)
		}
	}
}

// gone reports a column whose number no column has any more.
func (c *comparison) gone(now *locked.Message, o *locked.Column) {
	where := now.Name + "." + o.Name
	if n := now.ByName(o.Name); n != nil {
		c.add(Renumbered, Breaking, where, "was %d, is %d", o.Number, n.Number)
		return
	}
	level, reserved := Compatible, "is reserved"
	if !now.Reserves(o.Number) {
		level, reserved = Risky, "must be reserved, so that it does not get another meaning"
	}
	c.add(Removed, level, where, "its number %d %s", o.Number, reserved)
	if o.Required {
		c.add(PresenceChanged, Breaking, where, "was required: older readers refuse messages without it")
	}
}

// new reports a column whose number no column had before.
func (c *comparison) new(old, now *locked.Message, n *locked.Column) {
	where := now.Name + "." + n.Name
	switch {
	case old.ByName(n.Name) != nil: // renumbered; gone reports that unless another column now has its number
		if o := old.ByName(n.Name); now.ByNumber(o.Number) != nil {
			c.add(Renumbered, Breaking, where, "was %d, is %d", o.Number, n.Number)
		}
	case old.Reserves(n.Number):
		c.add(Added, Breaking, where, "its number %d was reserved", n.Number)
	case slices.Contains(old.Names, n.Name):
		c.add(Added, Renaming, where, "its name was reserved")
	default:
		c.add(Added, Compatible, where, "%d %s", n.Number, n.TypeText())
	}
	if n.Required {
		c.add(PresenceChanged, Breaking, where, "is required: older messages do not have it")
	}
}

// columns compares the columns with the same number.
func (c *comparison) columns(old, now *locked.Message, o, n *locked.Column) {
	where := now.Name + "." + n.Name
	switch {
	case o.Off && !n.Off:
		c.add(SwitchedOn, Compatible, where, "%d %s", n.Number, n.TypeText())
	case !o.Off && n.Off:
		c.add(SwitchedOff, Compatible, where, "its number %d is reserved", n.Number)
	}
	if o.Name != n.Name {
		if moved := now.ByName(o.Name); moved != nil {
			c.add(Renumbered, Breaking, now.Name+"."+o.Name, "was %d, is %d, and %d is %s", o.Number, moved.Number, n.Number, n.Name)
		} else {
			c.add(Renamed, Renaming, where, "was %s", o.Name)
		}
	}
	if level, reason := retyped(o, n); reason != "" {
		if o.Of != n.Of && (closed(c.old, o) || closed(c.now, n)) {
			level = max(level, Risky)
		}
		c.add(Retyped, level, where, "was %s, is %s: %s", shortType(o), shortType(n), reason)
	}
	if o.Logical != n.Logical && o.Of == "" && n.Of == "" {
		c.add(LogicalChanged, Risky, where, "was %s, is %s: one value means one thing here and another there",
			cmp.Or(o.Logical, "plain"), cmp.Or(n.Logical, "plain"))
	}
	if o.Default != n.Default {
		c.add(DefaultChanged, Risky, where, "was %s, is %s: absent, it reads as one value here and as another there",
			defaultWords(o), defaultWords(n))
	}
	if o.Repeated && n.Repeated && o.Packed != n.Packed && locked.Packable(o.Kind) && locked.Packable(n.Kind) {
		c.add(Repacked, Compatible, where, "readers take elements packed or not")
	}
	if o.Required != n.Required {
		c.add(PresenceChanged, Breaking, where, "required on one side only: messages without it are refused there")
	} else if presence(o) != presence(n) && o.Repeated == n.Repeated {
		c.add(PresenceChanged, Compatible, where, "only one side distinguishes zero and absent")
	}
	c.oneofs(old, now, o, n, where)
	switch {
	case o.Of == "" || n.Of == "":
	case o.Kind == wire.Enum && n.Kind == wire.Enum:
		c.enums(o.Of, n.Of)
	case o.Kind != wire.Enum && n.Kind != wire.Enum:
		c.messages(o.Of, n.Of)
	}
}

func defaultWords(c *locked.Column) string {
	if c.Default == "" {
		return "none"
	}
	return strconv.Quote(c.Default)
}

// presence reports whether a column that is set to zero differs from one that is not.
func presence(c *locked.Column) bool {
	return c.Explicit || c.Oneof != "" || c.Kind == wire.Message || c.Kind == wire.Group
}

// closed reports whether the enum of a column is closed.
func closed(l *locked.Lock, c *locked.Column) bool { return c.Kind == wire.Enum && l.Enum(c.Of).Closed }

func shortType(c *locked.Column) string {
	short := locked.Column{Kind: c.Kind, Of: c.Of, Repeated: c.Repeated, Map: c.Map, Packed: true}
	return short.TypeText()
}

// fellows returns the numbers that share a oneof with a column and are columns of the other message, too.
func fellows(m, peer *locked.Message, column *locked.Column) (numbers []uint32) {
	for _, c := range m.Columns {
		if column.Oneof != "" && c.Oneof == column.Oneof && c.Number != column.Number && peer.ByNumber(c.Number) != nil {
			numbers = append(numbers, c.Number)
		}
	}
	return numbers
}

func (c *comparison) oneofs(old, now *locked.Message, o, n *locked.Column, where string) {
	switch {
	case !slices.Equal(fellows(old, now, o), fellows(now, old, n)):
		c.add(OneofMoved, Risky, where, "it shares a oneof with other columns than before: setting one clears the others")
	case o.Oneof != "" && n.Oneof != "" && o.Oneof != n.Oneof:
		c.add(Renamed, Renaming, where, "the oneof %s was %s", n.Oneof, o.Oneof)
	case o.Oneof != n.Oneof:
		c.add(OneofMoved, Compatible, where, "the oneof has none of its earlier other columns")
	}
}

func (c *comparison) enums(oldName, nowName string) {
	if pair := [2]string{oldName, nowName}; c.done[pair] {
		return
	} else {
		c.done[pair] = true
	}
	old, now := c.old.Enum(oldName), c.now.Enum(nowName)
	if oldName != nowName {
		c.add(Renamed, Renaming, nowName, "was %s", oldName)
	}
	if old.Closed != now.Closed {
		c.add(EnumChanged, Risky, nowName, "closed on one side only: other numbers are unknown fields there")
	}
	isClosed := old.Closed || now.Closed
	for _, o := range old.Values {
		at := slices.IndexFunc(now.Values, func(v locked.Value) bool { return v.Number == o.Number })
		byName := slices.IndexFunc(now.Values, func(v locked.Value) bool { return v.Name == o.Name })
		switch {
		case byName >= 0 && now.Values[byName].Number != o.Number:
			c.add(Renumbered, Breaking, nowName, "%s was %d, is %d", o.Name, o.Number, now.Values[byName].Number)
		case byName >= 0:
		case at >= 0:
			c.add(Renamed, Renaming, nowName, "the name %s of %d is gone", o.Name, o.Number)
		case isClosed:
			c.add(EnumChanged, Risky, nowName, "%s = %d is gone, and where the enum is closed the number is an unknown field", o.Name, o.Number)
		default:
			c.add(EnumChanged, Renaming, nowName, "%s = %d is gone", o.Name, o.Number)
		}
	}
	for _, n := range now.Values {
		same := func(v locked.Value) bool { return v.Name == n.Name }
		number := func(v locked.Value) bool { return v.Number == n.Number }
		switch {
		case slices.ContainsFunc(old.Values, same):
		case slices.ContainsFunc(old.Values, number):
			c.add(Renamed, Renaming, nowName, "%d is also called %s", n.Number, n.Name)
		case isClosed:
			c.add(EnumChanged, Risky, nowName, "%s = %d is new, and where the enum is closed the number is an unknown field", n.Name, n.Number)
		default:
			c.add(EnumChanged, Compatible, nowName, "%s = %d is new", n.Name, n.Number)
		}
	}
}
