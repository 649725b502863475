package export

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/descriptor"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// check finds everything that protoc would refuse.
func (f *File) check() {
	symbols := map[string]string{}
	if f.pkg != "" {
		for i := range f.pkg + "." {
			if i == len(f.pkg) || f.pkg[i] == '.' {
				symbols[f.pkg[:i]] = "the package"
			}
		}
	}
	for _, t := range f.types {
		f.checkType(t, f.pkg, symbols)
	}
}

func join(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}

func (f *File) checkType(t *declaration, scope string, symbols map[string]string) {
	claim := func(full, subject string) {
		if earlier, ok := symbols[full]; ok {
			f.report(full, fmt.Sprintf("%s and %s have this name, which a .proto does not allow", subject, earlier))
			return
		}
		symbols[full] = subject
	}
	if t.enum != nil {
		claim(t.full, "an enum")
		for _, v := range t.enum.Values {
			claim(join(scope, v.Name), "a value of "+t.full)
		}
		f.checkEnum(t.enum)
		return
	}
	claim(t.full, "a message")
	json := map[string]string{}
	for _, c := range t.fields {
		claim(t.full+"."+c.Name, "a column")
		if earlier, ok := json[descriptor.JSONName(c.Name)]; ok {
			f.report(t.full+"."+c.Name, fmt.Sprintf("has the name %s in JSON, as %s has", descriptor.JSONName(c.Name), earlier))
		}
		json[descriptor.JSONName(c.Name)] = c.Name
		f.checkField(t, c.Column)
	}
	for _, name := range t.oneofs {
		claim(t.full+"."+name, "a oneof")
	}
	if t.message != nil && t.message.Entry {
		return
	}
	for _, n := range t.nested {
		f.checkType(n, t.full, symbols)
	}
}

func (f *File) checkEnum(e *locked.Enum) {
	// protoc compares the names as they are in languages that drop the prefix.
	stripped := map[string]locked.Value{}
	for _, v := range e.Values {
		if v.Name == "option" || v.Name == "reserved" {
			f.report(e.Name, fmt.Sprintf("a value must not be called %s in a .proto", v.Name))
		}
		short := descriptor.WithoutPrefix(v.Name, e.Name[strings.LastIndexByte(e.Name, '.')+1:])
		if earlier, ok := stripped[short]; ok && earlier.Number != v.Number {
			f.report(e.Name, fmt.Sprintf("%s and %s are the same name without the enum's name", earlier.Name, v.Name))
		}
		stripped[short] = v
	}
}

func (f *File) checkField(t *declaration, c *locked.Column) {
	where := t.full + "." + c.Name
	if c.Map {
		if name := c.Of; name != t.full+"."+descriptor.EntryName(c.Name) {
			f.report(where, fmt.Sprintf("the entry type of a map is called %s in a .proto, and not %s", descriptor.EntryName(c.Name), name))
		}
		if e := f.enums[f.messages[c.Of].Columns[1].Of]; e != nil && e.Values[0].Number != 0 {
			f.report(where, fmt.Sprintf("the first value of %s is not 0, as it must be in maps", e.Name))
		}
		return
	}
	if e := f.enums[c.Of]; e != nil && e.Closed && isImplicit(t.message, c) {
		f.report(where, fmt.Sprintf("%s is closed, and a column of a closed enum must have explicit presence in a .proto (Optional)", e.Name))
	}
}

// declares reports whether a message has an element of that name: a type, field, oneof, or value of an enum.
func (t *declaration) declares(name string) bool {
	if t.names == nil {
		t.names = map[string]bool{}
		for _, n := range t.nested {
			if t.names[n.name] = true; n.enum != nil {
				for _, v := range n.enum.Values {
					t.names[v.Name] = true
				}
			}
		}
		for _, name := range t.oneofs {
			t.names[name] = true
		}
		for _, f := range t.fields {
			t.names[f.Name] = true
		}
	}
	return t.names[name]
}

// isImplicit reports whether a column of a message has implicit presence.
func isImplicit(m *locked.Message, c *locked.Column) bool {
	return !m.Entry && !c.Repeated && !c.Explicit && !c.Required && c.Oneof == "" && c.Kind != wire.Message && c.Kind != wire.Group
}
