package emit

import (
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// tiers are the changes that the options hot= and cold= make to the plan's tiers.
type tiers struct {
	named map[*plan.Message]plan.Tier
	all   plan.Tier // of hot=* or cold=*, else ""
}

func (o *Options) chooseTiers(p *plan.Plan) (tiers, error) {
	t := tiers{named: map[*plan.Message]plan.Tier{}}
	byName := map[string]*plan.Message{}
	for _, m := range p.Messages {
		if !m.MapEntry {
			byName[m.Name] = m
		}
	}
	choose := func(option string, names []string, tier plan.Tier) error {
		for _, name := range names {
			m := byName[name]
			switch {
			case name == "*" && t.all != "":
				return &OptionError{option, name, "hot=* and cold=* exclude each other"}
			case name == "*":
				t.all = tier
			case m == nil:
				return &OptionError{option, name, "not a message of the files to generate; full names and * are allowed"}
			case t.named[m] != "":
				return &OptionError{option, name, "it is named twice"}
			default:
				t.named[m] = tier
			}
		}
		return nil
	}
	if err := choose("hot", o.Hot, plan.Straight); err != nil {
		return t, err
	}
	return t, choose("cold", o.Cold, plan.ByTable)
}

// byTable reports whether a message is read and written by a loop of the runtime.
func (t *tiers) byTable(m *plan.Message) bool {
	tier := m.Tier
	if t.all != "" {
		tier = t.all
	}
	if named := t.named[m]; named != "" {
		tier = named
	}
	return tier == plan.ByTable
}

// ByTable reports whether a message is read and written by a loop of the runtime.
func (f *File) ByTable(m *plan.Message) bool { return f.Gen.Selected.byTable(m) }

// mostWritten is the most fields that straight code of the face codec writes for a message by table.
const mostWritten = 64

// WrittenByTable is ByTable for the face codec's way to write and size a message. Of the messages that the plan has by table
// those that are just wide have straight code for it: it is small, and a loop takes twice its time.
func (f *File) WrittenByTable(m *plan.Message) bool {
	t := &f.Gen.Selected.tiers
	if t.all == "" && t.named[m] == "" && m.IsWide() && len(m.Fields) <= mostWritten {
		return false
	}
	return t.byTable(m)
}

// ReachesTable reports whether the message can reach a message by table, or one whose tier another run decides.
func (f *File) ReachesTable(m *plan.Message) bool { return f.Gen.reach.tables[m] }
