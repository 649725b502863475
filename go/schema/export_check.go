package schema

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/descriptor"
)

// check finds everything that protoc would refuse.
func (f *protoFile) check(wrong *problems) {
	symbols := map[string]string{}
	if f.pkg != "" {
		for i := range f.pkg + "." {
			if i == len(f.pkg) || f.pkg[i] == '.' {
				symbols[f.pkg[:i]] = "the package"
			}
		}
	}
	for _, t := range f.types {
		f.checkType(t, f.pkg, symbols, wrong)
	}
}

func join(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}

func (f *protoFile) checkType(t *protoType, scope string, symbols map[string]string, wrong *problems) {
	claim := func(full, subject string) {
		if earlier, ok := symbols[full]; ok {
			wrong.add(full, fmt.Sprintf("%s and %s have this name, which a .proto does not allow", subject, earlier))
			return
		}
		symbols[full] = subject
	}
	if t.enum != nil {
		claim(t.full, "an enum")
		for _, v := range t.enum.Values {
			claim(join(scope, v.Name), "a value of "+t.full)
		}
		f.checkEnum(t.enum, wrong)
		return
	}
	claim(t.full, "a message")
	json := map[string]string{}
	for _, c := range t.fields {
		claim(t.full+"."+c.Name, "a column")
		if earlier, ok := json[descriptor.JSONName(c.Name)]; ok {
			wrong.add(t.full+"."+c.Name, fmt.Sprintf("has the name %s in JSON, as %s has", descriptor.JSONName(c.Name), earlier))
		}
		json[descriptor.JSONName(c.Name)] = c.Name
		f.checkField(t, c.Column, wrong)
	}
	for _, name := range t.oneofs {
		claim(t.full+"."+name, "a oneof")
	}
	if t.message != nil && t.message.def.entry {
		return
	}
	for _, n := range t.nested {
		f.checkType(n, t.full, symbols, wrong)
	}
}

func (f *protoFile) checkEnum(e *Enum, wrong *problems) {
	// protoc compares the names as they are in languages that drop the prefix.
	stripped := map[string]EnumValue{}
	for _, v := range e.Values {
		if v.Name == "option" || v.Name == "reserved" {
			wrong.add(e.Name, fmt.Sprintf("a value must not be called %s in a .proto", v.Name))
		}
		short := descriptor.WithoutPrefix(v.Name, e.Name[strings.LastIndexByte(e.Name, '.')+1:])
		if earlier, ok := stripped[short]; ok && earlier.Number != v.Number {
			wrong.add(e.Name, fmt.Sprintf("%s and %s are the same name without the enum's name", earlier.Name, v.Name))
		}
		stripped[short] = v
	}
}

func (f *protoFile) checkField(t *protoType, c *Column, wrong *problems) {
	where := t.full + "." + c.Name
	if c.Map {
		entry := f.plan.childOf(c)
		if name := entry.def.Name; name != t.full+"."+descriptor.EntryName(c.Name) {
			wrong.add(where, fmt.Sprintf("the entry type of a map is called %s in a .proto, and not %s", descriptor.EntryName(c.Name), name))
		}
		if e := entry.columns[1].Enum; e != nil && e.Values[0].Number != 0 {
			wrong.add(where, fmt.Sprintf("the first value of %s is not 0, as it must be in maps", e.Name))
		}
		return
	}
	if c.Enum != nil && c.Enum.Closed && c.Presence == Implicit && !c.Repeated && !t.message.def.entry {
		wrong.add(where, fmt.Sprintf("%s is closed, and a column of a closed enum must have explicit presence in a .proto (Optional)", c.Enum.Name))
	}
}

// declares reports whether a message has an element of that name: a type, field, oneof, or value of an enum.
func (t *protoType) declares(name string) bool {
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
