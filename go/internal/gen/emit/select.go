package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// FieldSelection are the fields of messages that only= and skip= leave. The plan itself stays whole: names,
// slots and groups of tables are those of the whole schema. So leaving out a field renames nothing, and other runs
// of the generator agree on the positions.
type FieldSelection struct {
	kept    map[*plan.Message][]*plan.Field // of the messages that were named
	skipped map[*plan.Message][]*plan.Field
}

// fields returns the fields of a message that are generated.
func (s *FieldSelection) fields(m *plan.Message) []*plan.Field {
	if kept, named := s.kept[m]; named {
		return kept
	}
	return m.Fields
}

// Fields returns the fields of a message that are generated, for a message of any file.
func (f *File) Fields(m *plan.Message) []*plan.Field { return f.Gen.Selected.fields(m) }

// Skipped returns the fields of a message that are left out.
func (f *File) Skipped(m *plan.Message) []*plan.Field { return f.Gen.Selected.skipped[m] }

// Dropped returns the skipped fields whose records are not kept as unknown fields.
func (f *File) Dropped(m *plan.Message) []*plan.Field {
	if f.Options.KeepSkipped {
		return nil
	}
	return f.Skipped(m)
}

// Oneofs returns the oneofs of a message that are generated. Either all members of a oneof are left out or none.
func (f *File) Oneofs(m *plan.Message) []*plan.Oneof {
	return slices.DeleteFunc(slices.Clone(m.Oneofs), func(oneof *plan.Oneof) bool {
		return slices.Contains(f.Skipped(m), oneof.Fields[0])
	})
}

// selectsFields checks that a face supports only= and skip=.
func (o *Options) selectsFields(face *Face) error {
	for _, given := range []struct {
		option string
		names  []string
	}{{"only", o.Only}, {"skip", o.Skip}} {
		if len(given.names) == 0 {
			continue
		}
		option, value := given.option, strings.Join(given.names, "+")
		if !face.Selects {
			return &OptionError{option, value, fmt.Sprintf("the face %s has no selection in this version", face.Name)}
		}
		if face.Encodes && !o.KeepSkipped {
			return &OptionError{option, value, fmt.Sprintf("%s would write messages without what is left out; keep_skipped, or faces= without it, is allowed", face.Name)}
		}
	}
	return nil
}

// selectFields finds the fields that only= and skip= name.
func (o *Options) selectFields(p *plan.Plan) (FieldSelection, error) {
	s := FieldSelection{kept: map[*plan.Message][]*plan.Field{}, skipped: map[*plan.Message][]*plan.Field{}}
	only, err := findFields(p, "only", o.Only)
	if err != nil {
		return s, err
	}
	skip, err := findFields(p, "skip", o.Skip)
	if err != nil {
		return s, err
	}
	for _, m := range p.Messages {
		if only[m] != nil && skip[m] != nil {
			return s, &OptionError{"skip", strings.Join(o.Skip, "+"), fmt.Sprintf("only= names fields of %s too; one of the two is allowed for a message", m.Name)}
		}
		option, value := "only", o.Only
		switch {
		case only[m] != nil:
			s.divide(m, func(field *plan.Field) bool { return !only[m][field] })
		case skip[m] != nil:
			s.divide(m, func(field *plan.Field) bool { return skip[m][field] })
			option, value = "skip", o.Skip
		}
		for _, oneof := range m.Oneofs {
			if problem := s.splits(oneof); problem != "" {
				return s, &OptionError{option, strings.Join(value, "+"), problem}
			}
		}
	}
	return s, nil
}

func (s *FieldSelection) divide(m *plan.Message, isSkipped func(*plan.Field) bool) {
	kept := []*plan.Field{}
	for _, field := range m.Fields {
		if isSkipped(field) {
			s.skipped[m] = append(s.skipped[m], field)
		} else {
			kept = append(kept, field)
		}
	}
	s.kept[m] = kept
}

// splits describes the problem if some members of a oneof are left out and others are not: a record of a member
// that is left out would not clear the others.
func (s *FieldSelection) splits(oneof *plan.Oneof) string {
	var kept, skipped []string
	for _, field := range oneof.Fields {
		if slices.Contains(s.skipped[oneof.Parent], field) {
			skipped = append(skipped, field.Name)
		} else {
			kept = append(kept, field.Name)
		}
	}
	if len(kept) == 0 || len(skipped) == 0 {
		return ""
	}
	return fmt.Sprintf("of the oneof %s.%s it leaves out %s but not %s, and which member is set would be lost; all or none of them are allowed",
		oneof.Parent.Name, oneof.Name, shortList(skipped), shortList(kept))
}

// findFields reads names such as pkg.Msg.field.
func findFields(p *plan.Plan, option string, names []string) (map[*plan.Message]map[*plan.Field]bool, error) {
	found := map[*plan.Message]map[*plan.Field]bool{}
	if len(names) == 0 {
		return found, nil
	}
	refuse := func(text string, args ...any) error {
		return &OptionError{option, strings.Join(names, "+"), fmt.Sprintf(text, args...)}
	}
	byName := make(map[string]*plan.Message, len(p.Messages))
	for _, message := range p.Messages {
		byName[message.Name] = message
	}
	for _, name := range names {
		dot := max(strings.LastIndexByte(name, '.'), 0)
		message := byName[name[:dot]]
		if message == nil {
			return nil, refuse("%q is not a message of the files to generate; full names of fields such as %s are allowed", name[:dot], exampleField(p))
		}
		if message.MapEntry {
			return nil, refuse("%s is an entry of a map; the map field as a whole may be named", message.Name)
		}
		at := slices.IndexFunc(message.Fields, func(field *plan.Field) bool { return field.Name == name[dot+1:] })
		if at < 0 {
			var has []string
			for _, field := range message.Fields {
				has = append(has, field.Name)
			}
			return nil, refuse("the message %s has no field %q; it has %s", message.Name, name[dot+1:], shortList(has))
		}
		field := message.Fields[at]
		if found[message][field] {
			return nil, refuse("%s is named twice", name)
		}
		if found[message] == nil {
			found[message] = map[*plan.Field]bool{}
		}
		found[message][field] = true
	}
	return found, nil
}

// shortList joins names. For very many names it adds only the number of the rest.
func shortList(names []string) string {
	const most = 40
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

func exampleField(p *plan.Plan) string {
	for _, message := range p.Messages {
		if !message.MapEntry && len(message.Fields) > 0 {
			return message.Name + "." + message.Fields[0].Name
		}
	}
	return "pkg.Message.field"
}
