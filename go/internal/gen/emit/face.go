// Package emit is what all faces of the generator stand on: options, names, packages and imports of the code, the plan's
// fields as Go types, tables, enums and the handles of extensions. A face registers itself; the model of a field is plan.Field.
package emit

import (
	"slices"
	"sort"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Face is one emitter. It registers itself from an init function.
type Face struct {
	// Name is what the option faces= calls it.
	Name string
	// Of names the faces an extra such as reencode is added to, of which one at least
	// must be asked for; it is empty for a face that stands alone. An extra is never part of the default.
	Of []string
	// Suffix ends the name of the file this face writes into: ".hot.go" unless
	// set. Faces with the same suffix share a file.
	Suffix string
	// Package ends the name of the package that the face has for itself, below that of the
	// other faces; it is empty for those that share one. It goes with a suffix of its own.
	Package string
	// Stock tells that the face adds methods to the stock structs: it writes into their package.
	Stock bool
	// Strict tells that the face honours utf8=strict.
	Strict bool
	// Selects tells that the face honours messages=, only= and skip=.
	Selects bool
	// Encodes tells that the face writes messages that were read. They must have all their fields.
	Encodes bool
	// TypeSuffixes are the types (or other package-level names) that the face
	// declares for a message, as suffixes to the message's own Go name: "View"
	// makes FooView. One with a * has the name in its place: "New*Writer" makes
	// NewFooWriter, which gives way to the others. All of them are reserved whether or not the face is asked
	// for, so that asking for one more face renames nothing.
	TypeSuffixes func(*plan.Message) []string
	// Emit writes the face of one .proto file.
	Emit func(*File) error
}

var Registry = map[string]*Face{}

// Register adds a face, before options are read.
func Register(face Face) {
	if Registry[face.Name] != nil {
		panic("gen: the face " + face.Name + " registers twice")
	}
	if face.Suffix == "" {
		face.Suffix = ".hot.go"
	}
	Registry[face.Name] = &face
}

// faces gives all registered faces in the order in which they are emitted:
// by name, an extra after the face it is of.
func faces() []*Face {
	all := make([]*Face, 0, len(Registry))
	for _, face := range Registry {
		all = append(all, face)
	}
	sort.Slice(all, func(i, j int) bool { return sortKey(all[i]) < sortKey(all[j]) })
	return all
}

func sortKey(face *Face) string { return face.spellings()[0] }

// spellings are the ways to ask for the face.
func (face *Face) spellings() []string {
	if len(face.Of) == 0 {
		return []string{face.Name}
	}
	var all []string
	for _, of := range face.Of {
		all = append(all, of+"+"+face.Name)
	}
	return all
}

// Existing names the faces that faces= may ask for.
func Existing() []string {
	var names []string
	for _, face := range faces() {
		names = append(names, face.spellings()...)
	}
	return names
}

// defaultFaces are those that stand alone, and in a package of their own.
func defaultFaces() []*Face {
	return slices.DeleteFunc(faces(), func(face *Face) bool { return len(face.Of) > 0 || face.Stock })
}
