package reflect

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/schema"
)

// comments copies the leading comments of declarations into a schema.
type comments struct{ *schema.Schema }

func (c comments) read(f protoreflect.FileDescriptor, seen map[string]bool) {
	if seen[f.Path()] || f.IsPlaceholder() {
		return
	}
	seen[f.Path()] = true
	for i := range f.Imports().Len() {
		c.read(f.Imports().Get(i), seen)
	}
	for _, m := range c.Schema.MessageTypes() {
		d, ok := find(f, m.Name).(protoreflect.MessageDescriptor)
		if !ok {
			continue
		}
		m.Comment = comment(d)
		for _, column := range m.Columns() {
			if field := d.Fields().ByName(protoreflect.Name(column.Name)); field != nil && !m.IsMapEntry() {
				column.Comment = comment(field)
			}
		}
	}
	for _, e := range c.Schema.EnumTypes() {
		d, ok := find(f, e.Name).(protoreflect.EnumDescriptor)
		if !ok {
			continue
		}
		for i := range e.Values {
			if value := d.Values().ByName(protoreflect.Name(e.Values[i].Name)); value != nil {
				e.Values[i].Comment = comment(value)
			}
		}
	}
}

func comment(d protoreflect.Descriptor) string {
	lines := strings.Split(d.ParentFile().SourceLocations().ByDescriptor(d).LeadingComments, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(lines[i], " "), " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// find finds a message or enum of a file by its full name.
func find(f protoreflect.FileDescriptor, full string) protoreflect.Descriptor {
	inner := full
	if p := string(f.Package()); p != "" {
		var ok bool
		if inner, ok = strings.CutPrefix(full, p+"."); !ok {
			return nil
		}
	}
	messages := f.Messages()

	enums := f.Enums()
	for {
		name, rest, more := strings.Cut(inner, ".")
		m := messages.ByName(protoreflect.Name(name))
		if !more {
			if m != nil {
				return m
			}
			if e := enums.ByName(protoreflect.Name(name)); e != nil {
				return e
			}
			return nil
		}
		if m == nil {
			return nil
		}
		messages, enums, inner = m.Messages(), m.Enums(), rest
	}
}
