package gen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// names holds the package-level identifiers of one generated Go package.
//
// The user's own names come first, message names among them although only the
// pool face declares a plain Foo: so a name does not depend on the faces asked
// for. Names made by a face come second and give way, with a trailing
// underscore that is reported.
type names struct {
	taken      map[string]string // Go name -> what has it
	tried      map[string]int
	messages   map[*plan.Message]string
	enums      map[*plan.Enum]string
	values     map[*plan.EnumValue]string
	extensions map[*plan.Field]string
	derived    map[derivedName]string
	warn       func(string)
}

type derivedName struct {
	message *plan.Message
	suffix  string
}

// newNames names everything in the files of one package, in their order.
func newNames(files []*plan.File, stock bool, warn func(string)) *names {
	n := &names{
		taken:      map[string]string{},
		tried:      map[string]int{},
		messages:   map[*plan.Message]string{},
		enums:      map[*plan.Enum]string{},
		values:     map[*plan.EnumValue]string{},
		extensions: map[*plan.Field]string{},
		derived:    map[derivedName]string{},
		warn:       warn,
	}
	for _, file := range files {
		for _, message := range file.Messages {
			if !message.MapEntry {
				n.messages[message] = n.claim(goCamelCase(local(file, message.Name)), "message "+message.Name)
			}
		}
		for _, enum := range file.Enums {
			n.enums[enum] = n.claim(goCamelCase(local(file, enum.Name)), "enum "+enum.Name)
		}
	}
	for _, file := range files {
		for _, enum := range file.Enums {
			scope := n.enums[enum]
			if enum.Parent != nil { // values stand beside their enum, in the scope around it
				scope = n.messages[enum.Parent]
			}
			for _, value := range enum.Values {
				n.values[value] = n.claim(scope+"_"+value.Name, "enum value "+enum.Name+"."+value.Name)
			}
		}
		for _, extension := range file.Extensions {
			n.extensions[extension] = n.claim("E_"+goCamelCase(local(file, extension.Name)), "extension "+extension.Name)
		}
	}
	n.deriveAll(files, stock, func(suffix string) bool { return !strings.Contains(suffix, "*") })
	n.deriveAll(files, stock, func(suffix string) bool { return strings.Contains(suffix, "*") })
	return n
}

// deriveAll names what the faces declare for the messages, as far as it is wanted now.
func (n *names) deriveAll(files []*plan.File, stock bool, wanted func(suffix string) bool) {
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

func local(file *plan.File, fullName string) string {
	if file.Package == "" {
		return fullName
	}
	return strings.TrimPrefix(fullName, file.Package+".")
}

func (n *names) derive(message *plan.Message, suffix string, face *Face) {
	key := derivedName{message, suffix}
	if n.derived[key] == "" {
		name, what := n.messages[message]+suffix, face.Name
		if before, after, is := strings.Cut(suffix, "*"); is {
			name, what = before+n.messages[message]+after, before+" of face "+face.Name
		}
		n.derived[key] = n.claim(name, fmt.Sprintf("the %s of message %s", what, message.Name))
	}
}

// nearest gives the first name that is free: with underscores behind it, and
// numbers when there are many (schemas are untrusted). tried remembers how far
// it went for each name.
func nearest(name string, tried map[string]int, isFree func(string) bool) string {
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

// claim takes a name, or the nearest free one.
func (n *names) claim(name, owner string) string {
	free := nearest(name, n.tried, func(free string) bool { return n.taken[free] == "" })
	if free != name {
		n.warn(fmt.Sprintf("%s is called %s in Go: %s has the name %s", owner, free, n.taken[name], name))
	}
	n.taken[free] = owner
	return free
}

// memberNames names the fields and oneofs of one message so that none of the
// methods made from them meet each other or a reserved one.
type memberNames struct {
	taken map[string]string
	tried map[string]int
	warn  func(string)
}

func (m *memberNames) claim(name, owner string, methods func(goName string) []string) string {
	free := nearest(name, m.tried, func(free string) bool { return m.meets(methods(free)) == "" })
	if free != name {
		first := m.meets(methods(name))
		m.warn(fmt.Sprintf("%s is called %s in Go: %s has the name %s", owner, free, m.taken[first], first))
	}
	for _, method := range methods(free) {
		m.taken[method] = owner
	}
	return free
}

// meets gives the first method that is taken, or "".
func (m *memberNames) meets(methods []string) string {
	for _, method := range methods {
		if m.taken[method] != "" {
			return method
		}
	}
	return ""
}
