package plan

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"
)

const (
	maxNumber           = 1<<29 - 1
	maxMessageSetNumber = 1<<31 - 1
	firstReserved       = 19000
	lastReserved        = 19999
)

// fields is the second pass: all types are known, so fields can be resolved.
func (b *builder) fields() error {
	for _, s := range b.scopes {
		for i, desc := range s.desc.GetExtension() {
			if err := b.extension(s, nil, desc, path{fileExtensions, int32(i)}, s.features); err != nil {
				return err
			}
		}
		for _, m := range s.messages {
			if err := b.messageFields(m); err != nil {
				return err
			}
			for i, desc := range m.desc.GetExtension() {
				if err := b.extension(s, m.message, desc, m.path.at(messageExtensions, int32(i)), m.features); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// oneofScope is a oneof as declared.
type oneofScope struct {
	oneof    *Oneof
	features features
	real     bool // not a synthetic one
	index    int  // among the real ones
	used     bool // it has a member
}

func (b *builder) messageFields(m *messageScope) error {
	s, message := m.file, m.message
	if message.MessageSet && len(m.desc.GetField()) > 0 {
		return s.fail(m.path, message.Name, "a message set has fields of its own", "move them into an extension")
	}
	oneofs, err := b.oneofs(m)
	if err != nil {
		return err
	}
	numbers := make(map[int32]string)
	names := make(map[string]bool)
	for i, desc := range m.desc.GetField() {
		at := m.path.at(messageFields, int32(i))
		full := join(message.Name, desc.GetName())
		features := m.features
		var member *oneofScope
		if desc.OneofIndex != nil {
			index := desc.GetOneofIndex()
			if index < 0 || int(index) >= len(oneofs) {
				return s.fail(at, full, fmt.Sprintf("its oneof index %d does not exist", index), "pass a descriptor set that protoc wrote")
			}
			member = oneofs[index]
			member.used = true
			features = member.features
		}
		field, err := b.field(s, message, desc, at, full, features, member)
		if err != nil {
			return err
		}
		if earlier, twice := numbers[field.Number]; twice {
			return s.fail(at, full, fmt.Sprintf("number %d is taken by the field %s", field.Number, earlier), "choose a free number")
		}
		if names[field.Name] {
			return s.fail(at, full, "two fields of the message have this name", "rename one")
		}
		numbers[field.Number], names[field.Name] = field.Name, true
		if member != nil && !member.real {
			field.Synthetic = member.oneof.Name
		}
		message.Fields = append(message.Fields, field)
	}
	message.Declared = slices.Clone(message.Fields)
	for i, scope := range oneofs {
		if !scope.used {
			return s.fail(m.path.at(messageOneofs, int32(i)), join(message.Name, scope.oneof.Name),
				"the oneof has no members", "give it one or remove it")
		}
	}
	sort.SliceStable(message.Fields, func(i, j int) bool { return message.Fields[i].Number < message.Fields[j].Number })
	for slot, field := range message.Fields {
		field.Slot = slot
		if field.Oneof != nil {
			field.Oneof.Numbers = append(field.Oneof.Numbers, field.Number)
			field.Oneof.Fields = append(field.Oneof.Fields, field)
		}
	}
	setNext(message.Fields)
	return nil
}

// oneofs declares a message's oneofs. A oneof whose members are proto3 optional
// fields only is synthetic and left out (PLN-25).
func (b *builder) oneofs(m *messageScope) ([]*oneofScope, error) {
	scopes := make([]*oneofScope, len(m.desc.GetOneofDecl()))
	names := make(map[string]bool)
	for i, desc := range m.desc.GetOneofDecl() {
		at := m.path.at(messageOneofs, int32(i))
		full := join(m.message.Name, desc.GetName())
		if !isIdentifier(desc.GetName()) || names[desc.GetName()] {
			return nil, m.file.fail(at, full, "the oneof's name is not a name of its own", "rename it")
		}
		names[desc.GetName()] = true
		features, unknown := m.features.merge(desc.GetOptions().GetFeatures())
		if unknown != "" {
			return nil, m.file.fail(at, full, unknown, unknownFeatureFix)
		}
		scopes[i] = &oneofScope{features: features, oneof: &Oneof{
			Name:    desc.GetName(),
			Parent:  m.message,
			Comment: m.file.source.comment(at),
		}}
	}
	for _, field := range m.desc.GetField() {
		if field.OneofIndex == nil || field.GetOneofIndex() < 0 || int(field.GetOneofIndex()) >= len(scopes) {
			continue // messageFields reports the error
		}
		if !field.GetProto3Optional() {
			scopes[field.GetOneofIndex()].real = true
		}
	}
	for _, scope := range scopes {
		if scope.real {
			scope.index = len(m.message.Oneofs)
			m.message.Oneofs = append(m.message.Oneofs, scope.oneof)
		}
	}
	return scopes, nil
}

func (b *builder) extension(s *fileScope, declaredIn *Message, desc *descriptorpb.FieldDescriptorProto, at path, features features) error {
	scope := s.file.Package
	if declaredIn != nil {
		scope = declaredIn.Name
	}
	full := join(scope, desc.GetName())
	extendee := b.messages[strings.TrimPrefix(desc.GetExtendee(), ".")]
	if extendee == nil || !strings.HasPrefix(desc.GetExtendee(), ".") {
		return s.fail(at, full, fmt.Sprintf("it extends %q, which is not a message of the set", desc.GetExtendee()),
			"create the set with --include_imports")
	}
	if desc.OneofIndex != nil {
		return s.fail(at, full, "an extension cannot be a member of a oneof", "take it out of the oneof")
	}
	field, err := b.fieldOf(s, declaredIn, extendee.message, desc, at, full, features, nil)
	if err != nil {
		return err
	}
	field.Name = full
	field.Slot = -1
	if field.Presence == Required {
		return s.fail(at, full, "an extension cannot be required", "make it optional")
	}
	if !inRanges(extendee.message.ExtensionRanges, field.Number) {
		return s.fail(at, full, fmt.Sprintf("%s has no extension range with the number %d", extendee.message.Name, field.Number),
			"declare the range or choose a number within one")
	}
	if extendee.message.MessageSet && (field.Type != TypeMessage || field.Presence == Repeated) {
		return s.fail(at, full, "an extension of a message set must be an optional message", "wrap the value in a message")
	}
	s.file.Extensions = append(s.file.Extensions, field)
	return nil
}

func inRanges(ranges []Range, number int32) bool {
	for _, r := range ranges {
		if r.Start <= number && number < r.End {
			return true
		}
	}
	return false
}

func (b *builder) field(s *fileScope, parent *Message, desc *descriptorpb.FieldDescriptorProto, at path, full string, features features, member *oneofScope) (*Field, error) {
	if desc.Extendee != nil {
		return nil, s.fail(at, full, "an ordinary field names an extendee", "pass a descriptor set that protoc wrote")
	}
	return b.fieldOf(s, parent, nil, desc, at, full, features, member)
}

// fieldOf resolves one field or extension (extendee not nil).
func (b *builder) fieldOf(s *fileScope, parent, extendee *Message, desc *descriptorpb.FieldDescriptorProto, at path, full string, features features, member *oneofScope) (*Field, error) {
	fail := func(problem, fix string) (*Field, error) { return nil, s.fail(at, full, problem, fix) }
	features, unknown := features.merge(desc.GetOptions().GetFeatures())
	if unknown != "" {
		return fail(unknown, unknownFeatureFix)
	}
	if !isIdentifier(desc.GetName()) {
		return fail(fmt.Sprintf("%q is not a name of a field", desc.GetName()), "use letters, digits and _")
	}
	f := &Field{
		Name:        desc.GetName(),
		Number:      desc.GetNumber(),
		OneofIndex:  -1,
		Parent:      parent,
		File:        s.file,
		Comment:     s.source.comment(at),
		Extendee:    extendee,
		Lazy:        desc.GetOptions().GetLazy(),
		GogoOptions: gogoOptionsOf(desc.GetOptions()),
		Descriptor:  desc,
	}
	f.Unique = f.GogoOptions.isUnique()
	// The number.
	last := int64(maxNumber)
	if extendee != nil && extendee.MessageSet {
		last = maxMessageSetNumber
	}
	if f.Number < 1 || int64(f.Number) > last {
		return fail(fmt.Sprintf("number %d is not within 1 to %d", f.Number, last), "choose a number in that range")
	}
	if f.Number >= firstReserved && f.Number <= lastReserved {
		return fail(fmt.Sprintf("number %d is within 19000 to 19999, which protobuf keeps for itself", f.Number), "choose another")
	}

	// The type: a map entry belongs to one field, and its parts are no groups.
	isGroup := desc.GetType() == descriptorpb.FieldDescriptorProto_TYPE_GROUP
	if problem, fix := b.resolveType(f, desc); problem != "" {
		return fail(problem, fix)
	}
	isMap := f.Message != nil && f.Message.MapEntry
	repeated := desc.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REPEATED
	if isMap {
		entry := b.messages[f.Message.Name]
		if isGroup || !repeated || extendee != nil || f.Message.Parent == nil || f.Message.Parent != parent || entry.usedBy != nil {
			return fail(fmt.Sprintf("%s is a map entry, which only its own repeated field can have as its type", f.Message.Name),
				"use map<key, value>")
		}
		entry.usedBy = f
	}
	ofEntry := extendee == nil && parent.MapEntry
	if isGroup && ofEntry {
		return fail("a map's key or value cannot be a group", "use a message")
	}

	// The properties that follow from the type, the label and the features.
	f.Delimited = f.Type == TypeMessage && !isMap && !ofEntry &&
		(isGroup || features.encoding == descriptorpb.FeatureSet_DELIMITED)
	if member != nil && member.real {
		f.Oneof, f.OneofIndex = member.oneof, member.index
	}
	switch { // PLN-9
	case repeated:
		f.Presence = Repeated
	case desc.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REQUIRED,
		features.presence == descriptorpb.FeatureSet_LEGACY_REQUIRED:
		f.Presence = Required
	case f.Type == TypeMessage, f.Oneof != nil, extendee != nil, desc.GetProto3Optional(),
		features.presence == descriptorpb.FeatureSet_EXPLICIT:
		f.Presence = Explicit
	default:
		f.Presence = Implicit
	}
	if member != nil && (f.Presence == Repeated || f.Presence == Required) {
		return fail(fmt.Sprintf("a member of a oneof cannot be %s", f.Presence), "take it out of the oneof or make it optional")
	}
	if f.Type == TypeString {
		f.UTF8 = UTF8None
		if features.utf8 == descriptorpb.FeatureSet_VERIFY {
			f.UTF8 = UTF8Verify
		}
	}
	// The form on the wire.
	f.WireType, f.SizeClass = layout(f.Type, f.Delimited)
	if repeated && f.WireType != wireLen && f.WireType != wireGroup {
		f.Packed = features.repeated == descriptorpb.FeatureSet_PACKED
		if options := desc.GetOptions(); !features.inherited && options != nil && options.Packed != nil { // PLN-7
			f.Packed = options.GetPacked()
		}
	}
	inSet := extendee != nil && extendee.MessageSet
	if inSet {
		f.WireType = wireLen // the payload of an item (PLN-29)
	}
	if !inSet || f.Number <= maxNumber {
		written := f.WireType
		if f.Packed {
			written = wireLen
		}
		f.Tag = TagBytes(f.Number, written)
	}
	// The default.
	if desc.DefaultValue != nil {
		text, problem := defaultText(f, desc.GetDefaultValue())
		if problem != "" {
			return fail(problem, "write a default that its type can hold")
		}
		f.Default = &text
	}
	return f, nil
}

func (b *builder) resolveType(f *Field, desc *descriptorpb.FieldDescriptorProto) (problem, fix string) {
	const notResolved = "create the set with --include_imports"
	if desc.Type == nil {
		return "it has no type", "pass a descriptor set that protoc wrote"
	}
	known := false
	if f.Type, known = typeNames[desc.GetType()]; !known {
		return fmt.Sprintf("its type %d is not known", desc.GetType()), "pass a descriptor set that protoc wrote"
	}
	name, absolute := strings.CutPrefix(desc.GetTypeName(), ".")
	switch f.Type {
	case TypeMessage:
		if m := b.messages[name]; m != nil && absolute {
			f.Message = m.message
			return "", ""
		}
		return fmt.Sprintf("its type %q is not a message of the set", desc.GetTypeName()), notResolved
	case TypeEnum:
		if e := b.enums[name]; e != nil && absolute {
			f.Enum = e
			return "", ""
		}
		return fmt.Sprintf("its type %q is not an enum of the set", desc.GetTypeName()), notResolved
	}
	if desc.GetTypeName() != "" {
		return fmt.Sprintf("it has the type %s and names the type %q too", f.Type, desc.GetTypeName()), "pass a descriptor set that protoc wrote"
	}
	return "", ""
}

// checkMapEntries checks that every entry is one and links the map fields with their keys and values.
func (b *builder) checkMapEntries() error {
	for _, s := range b.scopes {
		for _, m := range s.messages {
			if !m.message.MapEntry {
				continue
			}
			if problem := entryProblem(m); problem != "" {
				return s.fail(m.path, m.message.Name, "it is marked as a map entry and is not one: "+problem, "use map<key, value>")
			}
			if m.usedBy != nil {
				m.usedBy.Map = &Map{Key: m.message.Fields[0], Value: m.message.Fields[1]}
			}
		}
	}
	return nil
}

func entryProblem(m *messageScope) string {
	message, fields := m.message, m.message.Fields
	switch {
	case message.Parent == nil:
		return "it is not nested in the message that has the map"
	case len(fields) != 2 || fields[0].Number != 1 || fields[1].Number != 2 || fields[0].Name != "key" || fields[1].Name != "value":
		return "its fields are not key = 1 and value = 2"
	case fields[0].Presence == Repeated || fields[1].Presence == Repeated:
		return "its key or value is repeated"
	case len(m.desc.GetOneofDecl()) > 0 || len(message.ExtensionRanges) > 0 || message.MessageSet ||
		len(m.desc.GetNestedType()) > 0 || len(m.desc.GetEnumType()) > 0 || len(m.desc.GetExtension()) > 0:
		return "it has more than a key and a value"
	}
	switch fields[0].Type {
	case TypeFloat, TypeDouble, TypeBytes, TypeMessage, TypeEnum:
		return fmt.Sprintf("its key is of type %s", fields[0].Type)
	}
	return ""
}
