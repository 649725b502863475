package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Names holds the package-level identifiers of one generated Go package.
//
// The user's own names come first. Message names are among them although only the pool face declares a plain Foo,
// so that a name does not depend on the faces that are asked for. Names that a face derives come second. They give
// way with a trailing underscore, and a warning says so.
type Names struct {
	Taken      map[string]string // Go name -> the element that has it
	Tried      map[string]int
	Messages   map[*plan.Message]string
	Enums      map[*plan.Enum]string
	Values     map[*plan.EnumValue]string
	Extensions map[*plan.Field]string
	Derived    map[DerivedName]string
	Warn       func(string)
}

type DerivedName struct {
	Message *plan.Message
	Suffix  string
}

// NewNames names everything in the files of one package, in their order.
func NewNames(files []*plan.File, stock bool, warn func(string)) *Names {
	n := &Names{
		Taken:      map[string]string{},
		Tried:      map[string]int{},
		Messages:   map[*plan.Message]string{},
		Enums:      map[*plan.Enum]string{},
		Values:     map[*plan.EnumValue]string{},
		Extensions: map[*plan.Field]string{},
		Derived:    map[DerivedName]string{},
		Warn:       warn,
	}
	for _, file := range files {
		for _, message := range file.Messages {
			if !message.MapEntry {
				n.Messages[message] = n.Claim(GoCamelCase(local(file, message.Name)), "message "+message.Name)
			}
		}
		for _, enum := range file.Enums {
			n.Enums[enum] = n.Claim(GoCamelCase(local(file, enum.Name)), "enum "+enum.Name)
		}
	}
	for _, file := range files {
		for _, enum := range file.Enums {
			scope := n.Enums[enum]
			if enum.Parent != nil { // values are in the scope around their enum
				scope = n.Messages[enum.Parent]
			}
			for _, value := range enum.Values {
				n.Values[value] = n.Claim(scope+"_"+value.Name, "enum value "+enum.Name+"."+value.Name)
			}
		}
		for _, extension := range file.Extensions {
			n.Extensions[extension] = n.Claim("E_"+GoCamelCase(local(file, extension.Name)), "extension "+extension.Name)
		}
	}
	n.deriveAll(files, stock, func(suffix string) bool { return !strings.Contains(suffix, "*") })
	n.deriveAll(files, stock, func(suffix string) bool { return strings.Contains(suffix, "*") })
	return n
}

// deriveAll names the declarations of the faces for the messages, as far as they are needed now.
func (n *Names) deriveAll(files []*plan.File, stock bool, wanted func(suffix string) bool) {
	for _, face := range faces() {
		if face.TypeSuffixes == nil || face.Stock != stock {
			continue
		}
		for _, file := range files {
			for _, message := range file.Messages {
				if message.MapEntry {
					continue
				}
				for _, suffix := range face.TypeSuffixes(message) {
					if wanted(suffix) {
						n.derive(message, suffix, face)
					}
				}
			}
		}
	}
}

// Local is the name of an element without that of its package.
func Local(file *plan.File, fullName string) string { return local(file, fullName) }

func local(file *plan.File, fullName string) string {
	if file.Package == "" {
		return fullName
	}
	return strings.TrimPrefix(fullName, file.Package+".")
}

func (n *Names) derive(message *plan.Message, suffix string, face *Face) {
	key := DerivedName{message, suffix}
	if n.Derived[key] == "" {
		name, declaration := n.Messages[message]+suffix, face.Name
		if before, after, is := strings.Cut(suffix, "*"); is {
			name, declaration = before+n.Messages[message]+after, before+" of face "+face.Name
		}
		n.Derived[key] = n.Claim(name, fmt.Sprintf("the %s of message %s", declaration, message.Name))
	}
}

// Nearest returns the first name that is free: it appends underscores, then numbers if there are many (schemas are
// untrusted). tried remembers for each name how far the search went.
func Nearest(name string, tried map[string]int, isFree func(string) bool) string {
	const underscores = 4
	for ; ; tried[name]++ {
		free := name + strings.Repeat("_", min(tried[name], underscores))
		if tried[name] > underscores {
			free += strconv.Itoa(tried[name])
		}
		if isFree(free) {
			return free
		}
	}
}

// Claim reserves a name, or the nearest free one.
func (n *Names) Claim(name, owner string) string {
	free := Nearest(name, n.Tried, func(free string) bool { return n.Taken[free] == "" })
	if free != name {
		n.Warn(fmt.Sprintf("%s is called %s in Go, because %s has the name %s", owner, free, n.Taken[name], name))
	}
	n.Taken[free] = owner
	return free
}

// MemberNames names the fields and oneofs of a message so that the methods derived from them collide neither with
// each other nor with a reserved method.
type MemberNames struct {
	Taken map[string]string
	Tried map[string]int
	Warn  func(string)
}

func (m *MemberNames) Claim(name, owner string, methods func(goName string) []string) string {
	free := Nearest(name, m.Tried, func(free string) bool { return m.meets(methods(free)) == "" })
	if free != name {
		first := m.meets(methods(name))
		m.Warn(fmt.Sprintf("%s is called %s in Go, because %s has the name %s", owner, free, m.Taken[first], first))
	}
	for _, method := range methods(free) {
		m.Taken[method] = owner
	}
	return free
}

// meets returns the first method whose name is in use, or "".
func (m *MemberNames) meets(methods []string) string {
	for _, method := range methods {
		if m.Taken[method] != "" {
			return method
		}
	}
	return ""
}
