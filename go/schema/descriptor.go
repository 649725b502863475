package schema

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/descriptor"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// FromDescriptorSet imports a message type, and all types that it reaches, from an encoded
// google.protobuf.FileDescriptorSet, as protoc writes it with --include_imports --descriptor_set_out. It reads the
// syntaxes proto2 and proto3 and the editions 2023 and 2024. Lookup finds handles by name.
//
// The bytes need not be trusted: faults are reported as an *Error (InvalidSchema), several joined, and the memory
// that it uses is in proportion to the bytes. Full names have at most 512 bytes. Extensions do not become columns.
// Rows keep the records of extensions, and all others that belong to no column (Message.KeepUnknown), items of
// message sets among them.
func FromDescriptorSet(fds []byte, message string, options ...SchemaOption) (*Schema, error) {
	files, err := descriptor.Read(fds)
	if err != nil {
		return nil, broken(message, "the descriptor set is not readable: "+err.Error())
	}
	im := importer{types: map[string]*importedType{}}
	if im.declare(files); len(im.wrong) > 0 {
		return nil, im.wrong.err()
	}
	root := im.types[message]
	if root == nil || root.message == nil {
		return nil, broken(message, "is not a message of the descriptor set")
	}
	im.s = &Schema{Pkg: root.pkg}
	for _, o := range options {
		o(im.s)
	}
	im.s.Message = im.messageOf(root)
	for len(im.open) > 0 && !im.wrong.full() {
		t := im.open[0]
		im.open = im.open[1:]
		im.columns(t)
	}
	if len(im.wrong) > 0 {
		return nil, im.wrong.err()
	}
	var wrong problems
	if im.s.check(&wrong); len(wrong) > 0 {
		return nil, wrong.err()
	}
	return im.s, nil
}

func broken(where, reason string) error { return &Error{wire.InvalidSchema, where, reason} }

// importer creates a schema from descriptors.
type importer struct {
	s     *Schema
	types map[string]*importedType // by full name
	open  []*importedType          // messages whose columns are still missing
	wrong problems
}

// importedType is a message or an enum of the descriptor set, as far as it has been used.
type importedType struct {
	name, pkg string
	message   *descriptor.Message
	enum      *descriptor.Enum
	features  descriptor.Features
	editions  bool
	parent    *importedType // of a nested type

	asMessage *Message
	asEnum    *Enum
	inMap     bool // an entry that is the type of a map
}

// declare records the types of all files.
func (im *importer) declare(files []descriptor.File) {
	for i := range files {
		file := &files[i]
		start, editions, problem := file.Start()
		if problem == "" && editions {
			problem = file.Features.Problem()
		}
		if file.Package != "" && (len(file.Package) > descriptor.MaxName || !locked.IsFullName(file.Package)) {
			problem = fmt.Sprintf("%.100q is not a package name, or is too long", file.Package)
		}
		if problem != "" {
			im.wrong.add(fmt.Sprintf("%.100s", file.Name), problem)
			continue
		}
		top := importedType{name: file.Package, pkg: file.Package, features: start, editions: editions}
		if editions {
			top.features = file.Features.Over(start)
		}
		im.declareIn(&top, nil, file.Messages, file.Enums)
	}
}

// declareIn records types that are declared in a file or a message.
func (im *importer) declareIn(scope, parent *importedType, messages []*descriptor.Message, enums []descriptor.Enum) {
	for _, m := range messages {
		if t := im.declareType(scope, parent, m.Name, m.Features); t != nil {
			t.message = m
			im.declareIn(t, t, m.Nested, m.Enums)
		}
	}
	for i := range enums {
		if t := im.declareType(scope, parent, enums[i].Name, enums[i].Features); t != nil {
			t.enum = &enums[i]
		}
	}
}

// declareType records a type, unless it has a fault.
func (im *importer) declareType(scope, parent *importedType, name string, own descriptor.Features) *importedType {
	if im.wrong.full() {
		return nil
	}
	t := &importedType{name: name, pkg: scope.pkg, editions: scope.editions, features: scope.features, parent: parent}
	if scope.name != "" {
		t.name = scope.name + "." + name
	}
	problem := ""
	if t.editions {
		problem = own.Problem()
		t.features = own.Over(scope.features)
	}
	switch {
	case len(t.name) > descriptor.MaxName:
		problem = fmt.Sprintf("a full name has at most %d bytes", descriptor.MaxName)
	case im.types[t.name] != nil:
		problem = "two types have this name"
	}
	if problem != "" {
		im.wrong.add(t.name, problem)
		return nil
	}
	im.types[t.name] = t
	return t
}

// messageOf returns the schema's message of a type. Its columns come later.
func (im *importer) messageOf(t *importedType) *Message {
	if t.asMessage != nil {
		return t.asMessage
	}
	m := im.s.AddMessage(t.name)
	m.entry = t.message.MapEntry
	m.KeepUnknown = !m.entry
	m.ReservedNames = t.message.ReservedNames
	for _, r := range t.message.ReservedNumbers {
		m.Reserve(r.First, r.Last)
	}
	t.asMessage = m
	im.open = append(im.open, t)
	return m
}

func (im *importer) enumOf(t *importedType) *Enum {
	if t.asEnum == nil {
		t.asEnum = im.s.AddEnum(Enum{Name: t.name, Closed: t.features.Enum == descriptor.EnumClosed})
		for _, v := range t.enum.Values {
			t.asEnum.Values = append(t.asEnum.Values, EnumValue(v))
		}
	}
	return t.asEnum
}

// columns creates the columns of a message.
func (im *importer) columns(t *importedType) {
	d := t.message
	if d.MessageSet && len(d.Fields) > 0 {
		im.wrong.add(t.name, "a message set cannot have fields of its own")
	}
	// A oneof whose members are all proto3 optional fields is not a oneof.
	oneofs := make([]struct {
		real     bool
		features descriptor.Features
	}, len(d.Oneofs))
	for i := range oneofs {
		oneofs[i].features = t.features
		if t.editions {
			oneofs[i].features = d.Oneofs[i].Features.Over(t.features)
			if problem := d.Oneofs[i].Features.Problem(); problem != "" {
				im.wrong.add(t.name+"."+d.Oneofs[i].Name, problem)
			}
		}
	}
	for i := range d.Fields {
		if o := int(d.Fields[i].Oneof); o >= 0 && o < len(oneofs) && !d.Fields[i].Proto3Optional {
			oneofs[o].real = true
		}
	}
	for i := range d.Fields {
		if im.wrong.full() {
			return
		}
		f := &d.Fields[i]
		where := t.name + "." + f.Name
		inherited, oneof := t.features, ""
		if int(f.Oneof) >= len(oneofs) {
			im.wrong.add(where, fmt.Sprintf("its oneof %d does not exist", f.Oneof))
			continue
		} else if f.Oneof >= 0 {
			inherited = oneofs[f.Oneof].features
			if oneofs[f.Oneof].real {
				oneof = d.Oneofs[f.Oneof].Name
			}
		}
		if c, problem := im.column(t, f, inherited, oneof); problem != "" {
			im.wrong.add(where, problem)
		} else {
			t.asMessage.Add(c)
		}
	}
}

const (
	labelRequired = 2
	labelRepeated = 3
)

func (im *importer) column(
	t *importedType, f *descriptor.Field, inherited descriptor.Features, oneof string,
) (c Column, problem string) {
	features := inherited
	if t.editions {
		if problem := f.Features.Problem(); problem != "" {
			return c, problem
		}
		features = f.Features.Over(inherited)
	}
	kind, ok := descriptor.KindOf(f.Type)
	if !ok {
		return c, fmt.Sprintf("its type %d is not known", f.Type)
	}
	c = Column{
		Name: f.Name, Number: f.Number, Kind: kind,
		Repeated: f.Label == labelRepeated, Oneof: oneof, Default: f.Default,
	}
	if problem := im.typed(t, f, &c, features); problem != "" {
		return c, problem
	}
	isMessage := c.Message != nil
	switch {
	case c.Repeated:
	case f.Label == labelRequired || features.Presence == descriptor.PresenceRequired:
		c.Presence = LegacyRequired
	case isMessage || oneof != "" || f.Proto3Optional || features.Presence != descriptor.PresenceImplicit:
		c.Presence = Explicit
	}
	if t.message.MapEntry && !c.Repeated {
		c.Presence = Explicit // both columns of an entry are written
	}
	c.CheckUTF8 = c.Kind == wire.String && features.UTF8 == descriptor.UTF8Verify
	if c.Repeated && locked.Packable(c.Kind) {
		packed := features.Repeated == descriptor.RepeatedPacked
		if !t.editions && f.Packed != descriptor.PackedUnset {
			packed = f.Packed == descriptor.PackedTrue
		}
		c.Unpacked = !packed
	}
	return c, ""
}

// typed resolves the type of a field that names one.
func (im *importer) typed(t *importedType, f *descriptor.Field, c *Column, features descriptor.Features) (problem string) {
	named := c.Kind == wire.Message || c.Kind == wire.Group || c.Kind == wire.Enum
	if !named {
		return ""
	}
	name, absolute := strings.CutPrefix(f.TypeName, ".")
	typ := im.types[name]
	switch {
	case typ == nil || !absolute || (typ.enum != nil) != (c.Kind == wire.Enum):
		return fmt.Sprintf("its type %q is not in the descriptor set (--include_imports)", f.TypeName)
	case typ.enum != nil:
		c.Enum = im.enumOf(typ)
		return ""
	}
	if typ.message.MapEntry {
		if typ.parent != t || typ.inMap || !c.Repeated {
			return fmt.Sprintf("%s is the entry type of another map", name)
		}
		typ.inMap, c.Map = true, true
	}
	c.Message = im.messageOf(typ)
	// Neither maps nor the fields of their entries are groups, whatever the file says.
	if c.Kind == wire.Message && features.Encoding == descriptor.EncodingGroup && !c.Map && !t.message.MapEntry {
		c.Kind = wire.Group
	}
	return ""
}
