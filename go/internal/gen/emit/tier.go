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

// chosen is the tier that the options make of a tier of the plan.
func (t *tiers) chosen(m *plan.Message, tier plan.Tier) plan.Tier {
	if named := t.named[m]; named != "" {
		return named
	}
	if t.all != "" {
		return t.all
	}
	return tier
}

// ByTable reports whether a loop of the runtime reads a message; if the face has one tier for both, it also writes it.
func (f *File) ByTable(m *plan.Message) bool { return f.Gen.Selected.chosen(m, m.Tier) == plan.ByTable }

// EncodesByTable reports whether a loop of the runtime writes a message.
func (f *File) EncodesByTable(m *plan.Message) bool {
	return f.Gen.Selected.chosen(m, m.EncodeTier) == plan.ByTable
}

// IsSingle reports whether a message of the type is read or written at most once with the message that holds it, in a run that
// writes many types: no list or map leads to it, and hot= does not name it.
func (f *File) IsSingle(m *plan.Message) bool {
	s := f.Gen.Selected
	return s.many && m.Held && !m.Listed && s.chosen(m, plan.ByTable) == plan.ByTable
}

// Begins reports whether messages of a type are often read and written by themselves: no other message holds them, or hot= names them.
func (f *File) Begins(m *plan.Message) bool {
	return !m.Held || f.Gen.Selected.chosen(m, "") == plan.Straight
}
