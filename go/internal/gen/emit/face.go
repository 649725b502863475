// Package emit has the shared parts of the generator's faces: options, names, packages and imports of the code, the
// plan's fields as Go types, tables, enums and the handles of extensions. plan.Field models a field.
package emit

import (
	"slices"
	"sort"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Face is one emitter.
type Face struct {
	// Name is the name of the face in the option faces=.
	Name string
	// Of names the faces that an extra such as reencode adds to. One of them at least must be asked for. Of is empty
	// for a face that stands alone. An extra is never part of the default.
	Of []string
	// Suffix ends the name of the file that this face writes; ".hot.go" by default. Faces with the same suffix share
	// a file.
	Suffix string
	// Package ends the name of the face's own package, which lies below the package of the other faces. It is empty
	// for faces that share a package. A face with a package of its own also needs a suffix of its own.
	Package string
	// Stock says that the face adds methods to the stock structs, and writes into their package.
	Stock bool
	// Strict says that the face supports utf8=strict.
	Strict bool
	// Selects says that the face supports messages=, only= and skip=.
	Selects bool
	// Encodes says that the face writes messages that were read. Such messages must have all their fields.
	Encodes bool
	// TypeSuffixes are the types (or other package-level names) that the face declares for a message, as suffixes to
	// the message's own Go name: "View" means FooView. In a suffix with a *, the name replaces the *: "New*Writer"
	// means NewFooWriter. Such a name yields to the others. All names are reserved whether or not the face is
	// asked for, so that adding a face to faces= renames nothing.
	TypeSuffixes func(*plan.Message) []string
	// Emit writes the face of one .proto file.
	Emit func(*File) error
}

var Registry = map[string]*Face{}

// Register adds faces. Call it before options are read.
func Register(faces ...Face) {
	for _, face := range faces {
		if Registry[face.Name] != nil {
			panic("gen: the face " + face.Name + " registers twice")
		}
		if face.Suffix == "" {
			face.Suffix = ".hot.go"
		}
		Registry[face.Name] = &face
	}
}

// faces returns all registered faces in the order of their output: by name, an extra after the face that it adds
// to.
func faces() []*Face {
	all := make([]*Face, 0, len(Registry))
	for _, face := range Registry {
		all = append(all, face)
	}
	sort.Slice(all, func(i, j int) bool { return sortKey(all[i]) < sortKey(all[j]) })
	return all
}

func sortKey(face *Face) string { return face.spellings()[0] }

// spellings are the ways to name the face in faces=.
func (face *Face) spellings() []string {
	if len(face.Of) == 0 {
		return []string{face.Name}
	}
	var all []string
	for _, base := range face.Of {
		all = append(all, base+"+"+face.Name)
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

// Default names the faces that are generated without faces=.
func Default() []string {
	var names []string
	for _, face := range defaultFaces() {
		names = append(names, face.Name)
	}
	return names
}

// defaultFaces are the faces that stand alone and have a package of their own.
func defaultFaces() []*Face {
	return slices.DeleteFunc(faces(), func(face *Face) bool { return len(face.Of) > 0 || face.Stock })
}
