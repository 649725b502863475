package plan

import (
	"fmt"
	"sort"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"
)

// Build computes the plan of the requested files of a set (PLN-1, PLN-2).
func Build(set []*descriptorpb.FileDescriptorProto, requested []string) (*Plan, error) {
	b := &builder{
		files:    make(map[string]*fileScope, len(set)),
		messages: make(map[string]*messageScope),
		enums:    make(map[string]*Enum),
	}
	steps := []func() error{
		func() error { return b.declare(set) },
		func() error { return b.request(requested) },
		b.dependencies,
		b.fields,
		b.checkMapEntries,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.collect()
	analyse(b.ordered())
	chooseTiers(b.plan)
	return b.plan, nil
}

type builder struct {
	plan     *Plan
	scopes   []*fileScope // in the order of the set
	files    map[string]*fileScope
	messages map[string]*messageScope // by full name
	enums    map[string]*Enum
}

// fileScope is a file together with the state that the analysis of its elements needs.
type fileScope struct {
	file     *File
	desc     *descriptorpb.FileDescriptorProto
	source   source
	features features
	messages []*messageScope
}

type messageScope struct {
	message  *Message
	desc     *descriptorpb.DescriptorProto
	file     *fileScope
	path     path
	features features
	usedBy   *Field // of a map entry: the map field
}

// fail returns the error for an element of a file.
func (s *fileScope) fail(at path, element, problem, fix string) *Error {
	return &Error{File: s.desc.GetName(), Line: s.source.line(at), Element: element, Problem: problem, Fix: fix}
}

// declare is the first pass: files, messages and enums get their names and features.
func (b *builder) declare(set []*descriptorpb.FileDescriptorProto) error {
	b.plan = &Plan{}
	for _, desc := range set {
		scope := &fileScope{desc: desc, source: newSource(desc)}
		if err := b.declareFile(scope); err != nil {
			return err
		}
		b.scopes = append(b.scopes, scope)
		b.plan.AllFiles = append(b.plan.AllFiles, scope.file)
	}
	return nil
}

func (b *builder) declareFile(s *fileScope) error {
	desc := s.desc
	if desc.GetName() == "" {
		return &Error{Problem: "a file of the set has no name", Fix: "pass a descriptor set that protoc wrote"}
	}
	if b.files[desc.GetName()] != nil {
		return s.fail(nil, "", "the file is in the set twice", "keep one of them")
	}
	b.files[desc.GetName()] = s
	for _, part := range strings.Split(desc.GetPackage(), ".") {
		if desc.GetPackage() != "" && !isIdentifier(part) {
			return s.fail(path{2}, "", fmt.Sprintf("package %q is not a name", desc.GetPackage()), "use letters, digits, _ and dots")
		}
	}
	syntax, edition, start, problem := syntaxOf(desc)
	at := path{fileSyntax}
	if desc.GetSyntax() == "editions" {
		at = path{fileEdition}
	}
	if problem != "" {
		return s.fail(at, "", problem, "use proto2, proto3, edition 2023 or edition 2024")
	}
	var unknown string
	if s.features, unknown = start.merge(desc.GetOptions().GetFeatures()); unknown != "" {
		return s.fail(nil, "", unknown, unknownFeatureFix)
	}
	s.file = &File{
		Name:               desc.GetName(),
		Package:            desc.GetPackage(),
		Syntax:             syntax,
		Edition:            edition,
		Dependencies:       desc.GetDependency(),
		OptionDependencies: desc.GetOptionDependency(),
		GoPackage:          desc.GetOptions().GetGoPackage(),
		GoAPI:              goAPIOf(desc),
		GogoOptions:        gogoOptionsOf(desc.GetOptions()),
		Descriptor:         desc,
		Comment:            s.source.comment(at),
	}
	for i, enum := range desc.GetEnumType() {
		if err := b.declareEnum(s, nil, enum, path{fileEnums, int32(i)}, desc.GetPackage(), s.features); err != nil {
			return err
		}
	}
	for i, message := range desc.GetMessageType() {
		if err := b.declareMessage(s, nil, message, path{fileMessages, int32(i)}); err != nil {
			return err
		}
	}
	// The enums of messages come after all top-level ones, in the order of the messages (PLN-23).
	for _, m := range s.messages {
		for i, enum := range m.desc.GetEnumType() {
			if err := b.declareEnum(s, m.message, enum, m.path.at(messageEnums, int32(i)), m.message.Name, m.features); err != nil {
				return err
			}
		}
	}
	return nil
}

const unknownFeatureFix = "use a value of google.protobuf.FeatureSet"

func (b *builder) declareMessage(s *fileScope, parent *messageScope, desc *descriptorpb.DescriptorProto, at path) error {
	scopeName, features, outer, goAPI := s.desc.GetPackage(), s.features, (*Message)(nil), s.file.GoAPI
	if parent != nil {
		scopeName, features, outer, goAPI = parent.message.Name, parent.features, parent.message, parent.message.GoAPI
	}
	name, err := b.newName(s, scopeName, desc.GetName(), at)
	if err != nil {
		return err
	}
	m := &messageScope{desc: desc, file: s, path: at}
	var unknown string
	if m.features, unknown = features.merge(desc.GetOptions().GetFeatures()); unknown != "" {
		return s.fail(at, name, unknown, unknownFeatureFix)
	}
	m.message = &Message{
		Name:        name,
		FileName:    s.file.Name,
		MapEntry:    desc.GetOptions().GetMapEntry(),
		MessageSet:  desc.GetOptions().GetMessageSetWireFormat(),
		File:        s.file,
		Parent:      outer,
		Comment:     s.source.comment(at),
		GoAPI:       goAPI.merge(desc.GetOptions().GetFeatures()),
		GogoOptions: gogoOptionsOf(desc.GetOptions()),
	}
	m.message.Mempool = m.message.GogoOptions.Bool(vtprotoMempool, false)
	m.message.IgnoreUnknown = m.message.GogoOptions.Bool(vtprotoIgnoreUnknown, false)
	last := int64(maxNumber)
	if m.message.MessageSet {
		last = maxMessageSetNumber
	}
	for i, r := range desc.GetExtensionRange() {
		// The end is exclusive and an int32, so a message set's last number cannot be expressed in full.
		if r.GetStart() < 1 || r.GetEnd() <= r.GetStart() || int64(r.GetEnd())-1 > last {
			return s.fail(at.at(messageRanges, int32(i)), name,
				fmt.Sprintf("extension range %d to %d is not within 1 to %d", r.GetStart(), int64(r.GetEnd())-1, last), "choose numbers in that range")
		}
		m.message.ExtensionRanges = append(m.message.ExtensionRanges, Range{r.GetStart(), r.GetEnd()})
	}
	b.messages[name] = m
	s.messages = append(s.messages, m)
	s.file.Messages = append(s.file.Messages, m.message)
	for i, nested := range desc.GetNestedType() {
		if err := b.declareMessage(s, m, nested, at.at(messageNested, int32(i))); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) declareEnum(s *fileScope, parent *Message, desc *descriptorpb.EnumDescriptorProto, at path, scopeName string, features features) error {
	name, err := b.newName(s, scopeName, desc.GetName(), at)
	if err != nil {
		return err
	}
	features, unknown := features.merge(desc.GetOptions().GetFeatures())
	if unknown != "" {
		return s.fail(at, name, unknown, unknownFeatureFix)
	}
	if len(desc.GetValue()) == 0 {
		return s.fail(at, name, "the enum has no values", "give it at least one")
	}
	enum := &Enum{
		Name:        name,
		FileName:    s.file.Name,
		Closed:      features.enum == descriptorpb.FeatureSet_CLOSED,
		File:        s.file,
		Parent:      parent,
		Comment:     s.source.comment(at),
		GogoOptions: gogoOptionsOf(desc.GetOptions()),
	}
	for i, value := range desc.GetValue() {
		at := at.at(enumValues, int32(i))
		if !isIdentifier(value.GetName()) {
			return s.fail(at, name, fmt.Sprintf("%q is not a name of an enum value", value.GetName()), "use letters, digits and _")
		}
		enum.Values = append(enum.Values, &EnumValue{
			Name:        value.GetName(),
			Number:      value.GetNumber(),
			Comment:     s.source.comment(at),
			GogoOptions: gogoOptionsOf(value.GetOptions()),
		})
	}
	b.enums[name] = enum
	s.file.Enums = append(s.file.Enums, enum)
	return nil
}

// newName forms the full name of a message or enum and checks that it is not in use.
func (b *builder) newName(s *fileScope, scope, name string, at path) (string, error) {
	full := join(scope, name)
	if !isIdentifier(name) {
		if name == "" {
			full = "" // its scope alone would name another element
		}
		return "", s.fail(at, full, fmt.Sprintf("%q is not a name of a type", name), "use letters, digits and _")
	}
	if b.messages[full] != nil || b.enums[full] != nil {
		return "", s.fail(at, full, "the type is declared twice in the set", "rename one or remove one of the files")
	}
	return full, nil
}

func join(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}

// isIdentifier reports whether protoc's grammar allows the name. Emitters rely on it: names are used in generated
// code and in comments.
func isIdentifier(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

func (b *builder) request(names []string) error {
	for _, name := range names {
		scope := b.files[name]
		if scope == nil {
			return &Error{File: name, Problem: "the file is asked for but not in the descriptor set",
				Fix: "name a file of the set, or create the set with --include_imports"}
		}
		scope.file.Requested = true
	}
	for _, file := range b.plan.AllFiles {
		if file.Requested {
			b.plan.Files = append(b.plan.Files, file)
		}
	}
	return nil
}

func (b *builder) dependencies() error {
	for _, s := range b.scopes {
		for i, name := range s.file.Dependencies {
			if b.files[name] == nil {
				return s.fail(path{3, int32(i)}, "", fmt.Sprintf("it imports %q, which is not in the descriptor set", name),
					"create the set with --include_imports")
			}
		}
	}
	return nil
}

// collect fills the plan's lists of the requested files (PLN-23, PLN-28).
func (b *builder) collect() {
	for _, file := range b.plan.AllFiles {
		for _, extension := range byNumber(file.Extensions) {
			extension.Extendee.Extensions = append(extension.Extendee.Extensions, extension)
		}
	}
	byExtendee := make(map[*Message]*Extendee)
	for _, file := range b.plan.Files {
		b.plan.Messages = append(b.plan.Messages, file.Messages...)
		b.plan.Enums = append(b.plan.Enums, file.Enums...)
		for _, extension := range byNumber(file.Extensions) {
			group := byExtendee[extension.Extendee]
			if group == nil {
				group = &Extendee{Name: extension.Extendee.Name, Message: extension.Extendee}
				byExtendee[extension.Extendee] = group
				b.plan.Extensions = append(b.plan.Extensions, group)
			}
			group.Fields = append(group.Fields, extension)
		}
	}
	sort.Slice(b.plan.Extensions, func(i, j int) bool {
		return b.plan.Extensions[i].Name < b.plan.Extensions[j].Name
	})
}

func byNumber(fields []*Field) []*Field {
	sorted := append([]*Field(nil), fields...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Number < sorted[j].Number })
	return sorted
}

// ordered returns all messages, those of the requested files first: components are numbered in the order of the
// plan.
func (b *builder) ordered() []*Message {
	all := append([]*Message(nil), b.plan.Messages...)
	for _, file := range b.plan.AllFiles {
		if !file.Requested {
			all = append(all, file.Messages...)
		}
	}
	return all
}
