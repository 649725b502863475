package schema

import (
	"fmt"
	"strings"

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
	files, err := readFiles(fds)
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
	message   *messageDescriptor
	enum      *enumDescriptor
	features  featureSet
	editions  bool
	parent    *importedType // of a nested type

	asMessage *Message
	asEnum    *Enum
	inMap     bool // an entry that is the type of a map
}

// declare records the types of all files.
func (im *importer) declare(files []fileDescriptor) {
	for i := range files {
		file := &files[i]
		start, editions, problem := file.start()
		if problem == "" && editions {
			problem = file.features.problem()
		}
		if file.pkg != "" && (len(file.pkg) > maxName || !locked.IsFullName(file.pkg)) {
			problem = fmt.Sprintf("%.100q is not a package name, or is too long", file.pkg)
		}
		if problem != "" {
			im.wrong.add(fmt.Sprintf("%.100s", file.name), problem)
			continue
		}
		top := importedType{name: file.pkg, pkg: file.pkg, features: start, editions: editions}
		if editions {
			top.features = file.features.over(start)
		}
		im.declareIn(&top, nil, file.messages, file.enums)
	}
}

// declareIn records types that are declared in a file or a message.
func (im *importer) declareIn(scope, parent *importedType, messages []*messageDescriptor, enums []enumDescriptor) {
	for _, m := range messages {
		if t := im.declareType(scope, parent, m.name, m.features); t != nil {
			t.message = m
			im.declareIn(t, t, m.nested, m.enums)
		}
	}
	for i := range enums {
		if t := im.declareType(scope, parent, enums[i].name, enums[i].features); t != nil {
			t.enum = &enums[i]
		}
	}
}

// declareType records a type, unless it has a fault.
func (im *importer) declareType(scope, parent *importedType, name string, own featureSet) *importedType {
	if im.wrong.full() {
		return nil
	}
	t := &importedType{name: name, pkg: scope.pkg, editions: scope.editions, features: scope.features, parent: parent}
	if scope.name != "" {
		t.name = scope.name + "." + name
	}
	problem := ""
	if t.editions {
		problem = own.problem()
		t.features = own.over(scope.features)
	}
	switch {
	case len(t.name) > maxName:
		problem = fmt.Sprintf("a full name has at most %d bytes", maxName)
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
	m.entry = t.message.mapEntry
	m.KeepUnknown = !m.entry
	m.ReservedNumbers, m.ReservedNames = t.message.reservedNumbers, t.message.reservedNames
	t.asMessage = m
	im.open = append(im.open, t)
	return m
}

func (im *importer) enumOf(t *importedType) *Enum {
	if t.asEnum == nil {
		t.asEnum = im.s.AddEnum(Enum{Name: t.name, Values: t.enum.values, Closed: t.features.enum == enumClosed})
	}
	return t.asEnum
}

// columns creates the columns of a message.
func (im *importer) columns(t *importedType) {
	d := t.message
	if d.messageSet && len(d.fields) > 0 {
		im.wrong.add(t.name, "a message set cannot have fields of its own")
	}
	// A oneof whose members are all proto3 optional fields is not a oneof.
	oneofs := make([]struct {
		real     bool
		features featureSet
	}, len(d.oneofs))
	for i := range oneofs {
		oneofs[i].features = t.features
		if t.editions {
			oneofs[i].features = d.oneofs[i].features.over(t.features)
			if problem := d.oneofs[i].features.problem(); problem != "" {
				im.wrong.add(t.name+"."+d.oneofs[i].name, problem)
			}
		}
	}
	for i := range d.fields {
		if o := int(d.fields[i].oneof); o >= 0 && o < len(oneofs) && !d.fields[i].optional3 {
			oneofs[o].real = true
		}
	}
	for i := range d.fields {
		if im.wrong.full() {
			return
		}
		f := &d.fields[i]
		where := t.name + "." + f.name
		inherited, oneof := t.features, ""
		if int(f.oneof) >= len(oneofs) {
			im.wrong.add(where, fmt.Sprintf("its oneof %d does not exist", f.oneof))
			continue
		} else if f.oneof >= 0 {
			inherited = oneofs[f.oneof].features
			if oneofs[f.oneof].real {
				oneof = d.oneofs[f.oneof].name
			}
		}
		if c, problem := im.column(t, f, inherited, oneof); problem != "" {
			im.wrong.add(where, problem)
		} else {
			t.asMessage.Add(c)
		}
	}
}

// descriptorKinds are the kinds by the numbers of FieldDescriptorProto.Type.
var descriptorKinds = [...]wire.Kind{
	1: wire.Double, wire.Float, wire.Int64, wire.Uint64, wire.Int32, wire.Fixed64, wire.Fixed32, wire.Bool, wire.String,
	wire.Group, wire.Message, wire.Bytes, wire.Uint32, wire.Enum, wire.Sfixed32, wire.Sfixed64, wire.Sint32, wire.Sint64,
}

const (
	labelRequired = 2
	labelRepeated = 3
)

func (im *importer) column(
	t *importedType, f *fieldDescriptor, inherited featureSet, oneof string,
) (c Column, problem string) {
	features := inherited
	if t.editions {
		if problem := f.features.problem(); problem != "" {
			return c, problem
		}
		features = f.features.over(inherited)
	}
	if f.kind == 0 || int(f.kind) >= len(descriptorKinds) {
		return c, fmt.Sprintf("its type %d is not known", f.kind)
	}
	c = Column{
		Name: f.name, Number: f.number, Kind: descriptorKinds[f.kind],
		Repeated: f.label == labelRepeated, Oneof: oneof, Default: f.defaultValue,
	}
	if problem := im.typed(t, f, &c, features); problem != "" {
		return c, problem
	}
	isMessage := c.Message != nil
	switch {
	case c.Repeated:
	case f.label == labelRequired || features.presence == presenceRequired:
		c.Presence = LegacyRequired
	case isMessage || oneof != "" || f.optional3 || features.presence != presenceImplicit:
		c.Presence = Explicit
	}
	if t.message.mapEntry && !c.Repeated {
		c.Presence = Explicit // both columns of an entry are written
	}
	c.CheckUTF8 = c.Kind == wire.String && features.utf8 == utf8Verify
	if c.Repeated && locked.Packable(c.Kind) {
		packed := features.repeated == repeatedPacked
		if !t.editions && f.packed != packedUnsaid {
			packed = f.packed == packedTrue
		}
		c.Unpacked = !packed
	}
	return c, ""
}

// typed resolves the type of a field that names one.
func (im *importer) typed(t *importedType, f *fieldDescriptor, c *Column, features featureSet) (problem string) {
	named := c.Kind == wire.Message || c.Kind == wire.Group || c.Kind == wire.Enum
	if !named {
		return ""
	}
	name, absolute := strings.CutPrefix(f.typeName, ".")
	typ := im.types[name]
	switch {
	case typ == nil || !absolute || (typ.enum != nil) != (c.Kind == wire.Enum):
		return fmt.Sprintf("its type %q is not in the descriptor set (--include_imports)", f.typeName)
	case typ.enum != nil:
		c.Enum = im.enumOf(typ)
		return ""
	}
	if typ.message.mapEntry {
		if typ.parent != t || typ.inMap || !c.Repeated {
			return fmt.Sprintf("%s is the entry type of another map", name)
		}
		typ.inMap, c.Map = true, true
	}
	c.Message = im.messageOf(typ)
	// Neither maps nor the fields of their entries are groups, whatever the file says.
	if c.Kind == wire.Message && features.encoding == encodingGroup && !c.Map && !t.message.mapEntry {
		c.Kind = wire.Group
	}
	return ""
}
