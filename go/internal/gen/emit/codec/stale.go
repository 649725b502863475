package codec

import (
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"github.com/hotpb/hotpb/go/rt/codec"
)

// Two runs of two generators write the structs and the code for them. The compiler compares the visible parts of the structs
// (emitSameStruct). The rest is compared when the code is first used (codec.Guard).

// emitSameStruct writes a conversion that compiles only if the struct has the fields that the code was generated
// for. Go ignores struct tags in conversions.
func (c *codecType) emitSameStruct() {
	c.P("func _() {")
	c.sameStruct(c.Name, c.structFields())
	for _, oneof := range c.StockOneofs {
		for _, field := range oneof.Members {
			c.sameStruct(field.Wrapper, []string{field.GoName + " " + c.fieldType(field)})
		}
	}
	c.P("}\n")
}

// emitSameMembers writes conversions that compile only if a struct that the user declares has the members that the code was
// generated for, in any order: tables and lists are read and written without their Go types.
func (c *codecType) emitSameMembers() {
	c.P("// An error here: the struct ", c.Name, " is declared by hand (typedecl=false), and a member does not have the type that the code needs.")
	c.P("func _(m *", c.Name, ") {")
	for _, field := range c.StockFields {
		if field.Oneof == nil {
			c.P("_ = (*", c.fieldType(field), ")(&", field.StockSlot, ")")
		}
	}
	for _, oneof := range c.StockOneofs {
		c.P("_ = (*", oneof.Iface, ")(&", oneof.StockSlot, ")")
	}
	c.P("}\n")
}

func (c *codecType) sameStruct(name string, fields []string) {
	advice := "regenerate_" + name + "_with_protoc_gen_go_hotpb"
	c.P("type ", advice, " struct {\n", strings.Join(fields, "\n"), "\n}")
	c.P("_ = (*", advice, ")((*", name, ")(nil))")
}

// structFields are the fields of the struct, in order.
func (c *codecType) structFields() (fields []string) {
	seen := map[*emit.StockOneof]bool{}
	slots := 0
	for _, declared := range c.Declared {
		field := c.StockFields[declared.Slot]
		slot, kind := field.StockSlot, ""
		switch {
		case seen[field.Oneof]:
			continue
		case field.Oneof != nil:
			seen[field.Oneof] = true
			slot, kind = field.Oneof.StockSlot, field.Oneof.Iface
		case field.Boxed:
			kind = "*" + c.fieldType(field)
		default:
			kind = c.fieldType(field)
		}
		slots++
		if field.Embedded {
			fields = append(fields, kind)
			continue
		}
		fields = append(fields, strings.TrimPrefix(slot, "m.")+" "+kind)
	}
	if c.v1() {
		add := func(is bool, field string) {
			if is {
				fields = append(fields, field)
			}
		}
		add(c.Hidden.Unkeyed, "XXX_NoUnkeyedLiteral struct{}")
		if c.Extensible {
			fields = append(fields, c.Ident(c.Options.StockRuntime().Proto, "XXX_InternalExtensions"))
		}
		add(c.Hidden.Unknown, "XXX_unrecognized []byte")
		add(c.Hidden.SizeCache, "XXX_sizecache int32")
		return fields
	}
	return c.googleStruct(fields, slots)
}

// googleStruct adds the hidden fields that protoc-gen-go puts around the fields of a struct; since 1.36 most of
// them follow.
func (c *codecType) googleStruct(fields []string, slots int) []string {
	hidden := func(name, kind string) string {
		return name + " " + c.Ident("google.golang.org/protobuf/runtime/protoimpl", kind)
	}
	state, size, unknown := hidden("state", "MessageState"), hidden("sizeCache", "SizeCache"), hidden("unknownFields", "UnknownFields")
	var extensions []string
	if c.Extensible {
		extensions = []string{hidden("extensionFields", "ExtensionFields")}
	}
	if c.Options.OldStructs && !c.Opaque {
		return append(append([]string{state, size, unknown}, extensions...), fields...)
	}
	fields = append([]string{state}, fields...)
	if c.Presence != "" {
		lazy := false
		for _, field := range c.StockFields {
			lazy = lazy || field.Lazy
		}
		if lazy {
			fields = append(fields, hidden("XXX_lazyUnmarshalInfo", "LazyUnmarshalInfo"))
		}
		fields = append(fields, hidden("XXX_raceDetectHookData", "RaceDetectHookData"), "XXX_presence ["+emit.Itoa((slots+31)/32)+"]uint32")
	}
	return append(append(fields, extensions...), unknown, size)
}

// explainStale explains the errors that the conversions of emitSameStruct cause, and their remedy.
func explainStale(f *emit.File, types []*codecType) {
	if len(types) == 0 || f.Options.Values {
		return
	}
	if fault := emit.StockFileFault(f.Plan); fault != "" {
		f.P("// Errors such as undefined: ", types[0].Name, ": ", fault, ".\n")
		f.Gen.Warn(f.Plan.Name + ": " + fault)
	}
	for _, c := range types {
		if !c.v1() && !c.Opaque {
			c.checkLayout()
			break
		}
	}
	f.P("// An error at regenerate_…: this code was generated for other fields than the struct has. Run protoc-gen-go-hotpb")
	// For the structs of Google's runtime checkLayout has the hint.
	f.P("// again on the .proto of the struct", map[bool]string{true: ", with the runtime= of its generator"}[types[0].v1()], ".\n")
}

// checkLayout writes a constant that compiles only if the structs have the layout of the protoc-gen-go that the options say: before
// 1.36, the place for unknown fields followed that for the size.
func (c *codecType) checkLayout() {
	first, then, remedy := "unknownFields", "sizeCache", "use_structs_before_1_36"
	explanation := "a protoc-gen-go before 1.36 has written the structs. Use structs=before_1.36, or generate the structs again."
	if c.Options.OldStructs {
		first, then, remedy = then, first, "leave_out_structs_before_1_36"
		explanation = "a protoc-gen-go of 1.36 or later has written the structs. Leave out structs=before_1.36."
	}
	c.P("// An error at ", remedy, ": ", explanation, " If")
	c.P("// the struct lacks the field, it is of another runtime, which runtime= names.")
	offset := func(field string) string { return c.Ident("unsafe", "Offsetof") + "(" + remedy + "." + field + ")" }
	c.P("func _(", remedy, " *", c.Name, ") { const _ = ", offset(then), " - ", offset(first), " }\n")
}

// guardName is the variable that compares the code of the file with the linked structs.
func guardName(f *emit.File) string { return f.Claim("guardHot", "the guard of "+f.Plan.Name) }

// emitGuard writes that variable, into the first of several files that are written for a .proto.
func emitGuard(f *emit.File) {
	own := f.Gen.SelectedOf(f.Plan)
	if len(own) == 0 || f.Part.Message != nil && f.Part.Message != own[0] {
		return
	}
	name := guardName(f)
	if !f.Options.Values {
		f.P("// ", name, " fails if the structs and their fast methods were generated from different schemas.")
	}
	f.P("var ", name, " = ", Codec(f, "Guard"), "{")
	if f.Options.Values { // structs and methods are in one file
		f.Printf("File: %q,\n}\n\n", f.Plan.Name)
		return
	}
	f.Printf("File: %q,\nDescribe: %s,\n", f.Plan.Name, CodecRuntime(f, "Describe"))
	f.P("Messages: []", Codec(f, "Guarded"), "{")
	for _, m := range calledDirectly(f, own) {
		if r := f.Options.StockRuntime(); r.Gogo && !r.Declares(m) {
			continue
		}
		f.Printf("{Message: (*%s)(nil), Fingerprint: %#016x},\n", f.MessageName(m), codec.FingerprintOf(description(f, m)))
	}
	f.P("},\n}\n")
}

// calledDirectly returns the given messages, and the messages in them whose fast methods are called without a
// check.
func calledDirectly(f *emit.File, messages []*plan.Message) []*plan.Message {
	c := &codecType{File: f}
	seen := map[*plan.Message]bool{}
	for _, m := range messages {
		seen[m] = true
	}
	messages = append([]*plan.Message(nil), messages...)
	for i := 0; i < len(messages); i++ {
		for _, field := range messages[i].Fields {
			if child := codecChild(field); child != nil && !seen[child] && c.isLocal(child) {
				seen[child] = true
				messages = append(messages, child)
			}
		}
	}
	return messages
}

// description are the lines of a message's codec.Description, which the runtime computes for the linked struct,
// too.
func description(f *emit.File, m *plan.Message) []string {
	if r := f.Options.StockRuntime(); r.V1 {
		return tagLines(m, emit.NewStockMembers(r, m, f.Options.SpecialNames).StockFields)
	}
	return DescriptorLines(m)
}

// DescriptorLines are the lines as package codec/google computes them.
func DescriptorLines(m *plan.Message) (lines []string) {
	for _, field := range m.Declared {
		lines = append(lines, descriptorLine(field))
	}
	for _, r := range m.ExtensionRanges {
		lines = append(lines, "extensions "+emit.Itoa(r.Start)+" "+emit.Itoa(r.End))
	}
	if m.MessageSet {
		lines = append(lines, "message_set")
	}
	return lines
}

func descriptorLine(field *plan.Field) string {
	words := []string{emit.Itoa(field.Number), "optional"}
	if field.IsRepeated() {
		words[1] = "repeated"
	} else if field.Presence == plan.Required {
		words[1] = "required"
	}
	add := func(is bool, more ...string) {
		if is {
			words = append(words, more...)
		}
	}
	kind := func(f *plan.Field) {
		add(!f.Delimited, string(f.Type))
		add(f.Delimited, "group")
		add(f.UTF8 == plan.UTF8Verify, "utf8")
	}
	if field.Map != nil {
		add(true, "map")
		kind(field.Map.Key)
		kind(field.Map.Value)
		if enum := field.Map.Value.Enum; enum != nil {
			add(true, "first", strconv.Itoa(int(enum.Values[0].Number)))
		}
		return strings.Join(words, " ")
	}
	kind(field)
	add(field.Packed, "packed")
	add(field.HasPresence(), "presence")
	add(field.Lazy, "lazy")
	add(field.Oneof != nil, "oneof", strconv.Itoa(field.OneofIndex), field.Name)
	return strings.Join(words, " ")
}

// tagLines are the lines as the packages for runtimes with the first API compute them: the contents of struct
// tags, by number.
func tagLines(m *plan.Message, goNames map[*plan.Field]string) (lines []string) {
	for _, field := range m.Fields {
		line := goNames[field] + " " + fieldTag(field)
		if field.Map != nil {
			line += " " + fieldTag(field.Map.Key) + " " + fieldTag(field.Map.Value)
		}
		lines = append(lines, line)
	}
	for _, r := range m.ExtensionRanges {
		lines = append(lines, "extensions "+emit.Itoa(r.Start)+" "+emit.Itoa(r.End))
	}
	if m.MessageSet {
		lines = append(lines, "message_set")
	}
	return lines
}

func fieldTag(field *plan.Field) string {
	words := []string{tagKind(field), emit.Itoa(field.Number), "opt"}
	if field.IsRepeated() {
		words[2] = "rep"
	} else if field.Presence == plan.Required {
		words[2] = "req"
	}
	if field.Packed {
		words = append(words, "packed")
	}
	if field.File.Syntax == "proto3" {
		words = append(words, "proto3")
	}
	if field.Oneof != nil {
		words = append(words, "oneof")
	}
	return strings.Join(words, ",")
}

// tagKind is the beginning of a struct tag.
func tagKind(field *plan.Field) string {
	switch {
	case field.Delimited:
		return "group"
	case field.Type == plan.TypeSint32:
		return "zigzag32"
	case field.Type == plan.TypeSint64:
		return "zigzag64"
	}
	return map[int]string{0: "varint", 1: "fixed64", 2: "bytes", 5: "fixed32"}[field.WireType]
}
