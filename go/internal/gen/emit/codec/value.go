package codec

import (
	"encoding/hex"
	"fmt"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// With structs=value the face writes the structs, too: those that gogo's generators write, with the same fields, names
// and struct tags, but without gogo.

// valueMethods are the methods that such a struct has besides the fast ones.
func (c *codecType) valueMethods() []string {
	methods := []string{
		c.sizeMethod(), "Marshal", "MarshalTo", "MarshalToSizedBuffer", "Unmarshal", "Reset", "String", "Equal",
		"ProtoMessage", "ProtoReflect", "XXX_OneofWrappers",
	}
	return slices.DeleteFunc(methods, func(name string) bool { return slices.Contains(emit.HandWritten(c.Message), name) })
}

func (c *codecType) sizeMethod() string {
	if c.ProtoSizer {
		return "ProtoSize"
	}
	return "Size"
}

// emitValue writes a struct and the methods that users call.
func (c *codecType) emitValue() {
	if c.Hidden.Declared {
		c.emitStruct()
	}
	c.emitOneofs()
	if c.GogoBool(plan.GogoGetters, true) {
		c.emitGetters()
	}
	c.emitValueMethods()
}

func (c *codecType) emitStruct() {
	comment := c.Message.Comment
	if comment == "" {
		comment = c.Name + " is the message " + c.Message.Name + "."
	}
	c.Comment(comment)
	c.P("type ", c.Name, " struct {")
	seen := map[*emit.StockOneof]bool{}
	for _, declared := range c.Declared {
		field := c.StockFields[declared.Slot]
		if oneof := field.Oneof; oneof != nil {
			if !seen[oneof] {
				seen[oneof] = true
				c.P("// Types that are valid to be assigned to ", strings.TrimPrefix(oneof.StockSlot, "m."), ":")
				for _, member := range oneof.Members {
					c.P("//	*", member.Wrapper)
				}
				c.Printf("%s %s `protobuf_oneof:%q`\n", strings.TrimPrefix(oneof.StockSlot, "m."), oneof.Iface, oneof.Name)
			}
			continue
		}
		c.Comment(field.Comment)
		name := field.GoName + " "
		if field.Embedded {
			name = ""
		}
		c.P(name, c.fieldType(field), " ", c.structTag(field))
	}
	if c.Hidden.Unknown {
		c.P("XXX_unrecognized []byte `json:\"-\"`")
	}
	c.P("}\n")
}

// emitOneofs writes the types of the oneofs and of their members.
func (c *codecType) emitOneofs() {
	if len(c.StockOneofs) == 0 {
		return
	}
	for _, oneof := range c.StockOneofs {
		c.P("type ", oneof.Iface, " interface {\n", oneof.Iface, "()\n}\n")
		for _, field := range oneof.Members {
			c.P("type ", field.Wrapper, " struct {\n", field.GoName, " ", c.fieldType(field), " ", c.structTag(field), "\n}\n")
			c.P("func (*", field.Wrapper, ") ", oneof.Iface, "() {}\n")
		}
	}
	c.P("// XXX_OneofWrappers are the types of the members of oneofs.")
	c.P("func (*", c.Name, ") XXX_OneofWrappers() []any {\nreturn []any{")
	for _, oneof := range c.StockOneofs {
		for _, field := range oneof.Members {
			c.P("(*", field.Wrapper, ")(nil),")
		}
	}
	c.P("}\n}\n")
}

// structTag is the tag of a field with its back quotes, word for word that of gogo's generator, but for members in lower case.
func (c *codecType) structTag(field *emit.StockField) string {
	tag := "protobuf:" + strconv.Quote(c.protobufTag(field.Field))
	o := field.GogoOptions
	json := field.Name + ",omitempty"
	native := field.IsRepeated() && field.Type != plan.TypeMessage && field.Map == nil && o.Text(plan.GogoCustomType) == ""
	if !field.GogoNullable && !native {
		json = field.Name
	}
	if own := o.Text(plan.GogoJSONTag); own != "" {
		json = own
	}
	if token.IsExported(field.GoName) { // go vet refuses the tag of another member
		tag += " json:" + strconv.Quote(json)
	}
	if more := o.Text(plan.GogoMoreTags); more != "" {
		tag += " " + more
	}
	if field.Map != nil {
		tag += " protobuf_key:" + strconv.Quote(c.protobufTag(field.Map.Key)) + " protobuf_val:" + strconv.Quote(c.protobufTag(field.Map.Value))
	}
	if strings.Contains(tag, "`") {
		return strconv.Quote(tag)
	}
	return "`" + tag + "`"
}

func (c *codecType) protobufTag(field *plan.Field) string {
	d, o := field.Descriptor, field.GogoOptions
	words := []string{tagKind(field), strconv.Itoa(int(field.Number)), "opt"}
	if field.Map != nil || field.IsRepeated() {
		words[2] = "rep"
	} else if field.Presence == plan.Required {
		words[2] = "req"
	}
	add := func(is bool, word string) {
		if is {
			words = append(words, word)
		}
	}
	add(field.Packed, "packed")
	name := field.Name
	if field.Delimited {
		name = field.Message.Name[strings.LastIndexByte(field.Message.Name, '.')+1:]
	}
	add(true, "name="+name)
	add(d.GetJsonName() != "" && d.GetJsonName() != name, "json="+d.GetJsonName())
	add(field.File.Syntax == "proto3", "proto3")
	if field.Enum != nil {
		enum := emit.GoCamelCase(emit.Local(field.Enum.File, field.Enum.Name))
		if field.Enum.File.Package != "" {
			enum = field.Enum.File.Package + "." + enum
		}
		add(true, "enum="+enum)
	}
	add(field.Oneof != nil, "oneof")
	if field.Default != nil {
		add(true, "def="+defaultTag(field))
	}
	add(o.Bool(plan.GogoEmbed, false), "embedded="+field.Name)
	for _, option := range []struct {
		number plan.GogoOption
		name   string
	}{
		{plan.GogoCustomType, "customtype"}, {plan.GogoCastType, "casttype"}, {plan.GogoCastKey, "castkey"}, {plan.GogoCastValue, "castvalue"},
	} {
		add(o.Text(option.number) != "", option.name+"="+o.Text(option.number))
	}
	if field.Map != nil && o.Text(plan.GogoCastValue) != "" && field.Map.Value.Message != nil {
		add(true, "castvaluetype="+field.Map.Value.Message.Name)
	}
	add(o.Bool(plan.GogoStdTime, false), "stdtime")
	add(o.Bool(plan.GogoStdDuration, false), "stdduration")
	add(o.Bool(plan.GogoWktPointer, false), "wktptr")
	return strings.Join(words, ",")
}

// defaultTag is a default as a struct tag has it.
func defaultTag(field *plan.Field) string {
	text := field.Descriptor.GetDefaultValue()
	switch field.Type {
	case plan.TypeBool:
		return map[bool]string{true: "1", false: "0"}[text == "true"]
	case plan.TypeEnum:
		for _, value := range field.Enum.Values {
			if value.Name == text {
				return emit.Itoa(value.Number)
			}
		}
	case plan.TypeFloat, plan.TypeDouble:
		bits := 64
		if field.Type == plan.TypeFloat {
			bits = 32
		}
		if v, err := strconv.ParseFloat(text, bits); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
			return strconv.FormatFloat(v, 'g', -1, bits)
		}
	}
	return text
}

// emitGetters writes the getters that gogo's generator writes.
func (c *codecType) emitGetters() {
	for _, oneof := range c.StockOneofs {
		name := strings.TrimPrefix(oneof.StockSlot, "m.")
		c.P("func (m *", c.Name, ") Get", name, "() ", oneof.Iface, " {\nif m != nil {\nreturn ", oneof.StockSlot, "\n}\nreturn nil\n}\n")
	}
	for _, field := range c.StockFields {
		if field.Embedded || field.GogoOptions.Text(plan.GogoCustomType) != "" {
			continue
		}
		kind, slot, has := c.fieldType(field), field.StockSlot, "m != nil"
		switch {
		case field.Oneof != nil:
			has = "w, ok := m.Get" + strings.TrimPrefix(field.Oneof.StockSlot, "m.") + "().(*" + field.Wrapper + "); ok && w != nil"
		case field.Store == emit.StorePointer:
			kind, slot, has = strings.TrimPrefix(kind, "*"), "*"+slot, has+" && "+slot+" != nil"
		case field.Type == plan.TypeBytes && field.Default != nil:
			has += " && " + slot + " != nil"
		}
		c.P("func (m *", c.Name, ") Get", field.GoName, "() (v ", kind, ") {\nif ", has, " {\nreturn ", slot, "\n}")
		c.P("return ", c.getterDefault(field, kind), "\n}\n")
	}
}

// getterDefault is the value of a getter for an absent field.
func (c *codecType) getterDefault(field *emit.StockField, kind string) string {
	if field.IsRepeated() || field.Type == plan.TypeMessage || c.isPayload(field.Field) {
		return "v"
	}
	if field.Type == plan.TypeEnum {
		value := field.Enum.Values[0]
		for _, candidate := range field.Enum.Values {
			if field.Default != nil && candidate.Name == *field.Default {
				value = candidate
			}
		}
		if value.Number == 0 {
			return "v"
		}
		return kind + "(" + emit.Itoa(value.Number) + ")"
	}
	if field.Default == nil {
		return "v"
	}
	if raw, err := hex.DecodeString(*field.Default); field.Type == plan.TypeBytes && err == nil {
		return fmt.Sprintf("%s(%q)", kind, raw)
	}
	return kind + "(" + c.DefaultOf(field.Field) + ")"
}

// emitValueMethods writes the methods under gogo's names, and those that make the struct a message of Google's runtime.
func (c *codecType) emitValueMethods() {
	function := func(name string) string { return CodecRuntime(c.File, name) }
	byHand := emit.HandWritten(c.Message)
	method := func(comment, signature, body string) {
		if name, _, _ := strings.Cut(signature, "("); slices.Contains(byHand, name) {
			return
		}
		if comment != "" {
			c.P("// ", comment)
		}
		c.P("func (m *", c.Name, ") ", signature, " {\n", body, "\n}\n")
	}
	method("Reset empties the message.", "Reset()", "*m = "+c.Name+"{}")
	if c.GogoBool(plan.GogoStringer, true) || c.GogoBool(plan.GogoOwnStringer, c.Options.Runtime == "gogoslick") {
		method("String returns the message as text for people.", "String() string", "return "+function("String")+"(m)")
	}
	c.P("// ProtoMessage marks a message.")
	c.P("func (*", c.Name, ") ProtoMessage() {}\n")
	method(c.sizeMethod()+" returns the length of the encoding.", c.sizeMethod()+"() int", "return m.SizeHot()")
	method("Marshal encodes the message.", "Marshal() ([]byte, error)", "return m.MarshalHot()")
	method("MarshalTo encodes the message to the beginning of b, and returns the length.", "MarshalTo(b []byte) (int, error)", "return "+function("MarshalTo")+"(b, m)")
	method("MarshalToSizedBuffer encodes the message to the end of b, and returns the length.", "MarshalToSizedBuffer(b []byte) (int, error)", "return "+function("MarshalToSizedBuffer")+"(b, m)")
	method("Unmarshal decodes b and adds to what the message holds, as gogo's method does. UnmarshalHot replaces it.", "Unmarshal(b []byte) error",
		"return m.UnmarshalHotOptions(b, "+Codec(c.File, "UnmarshalOptions")+"{Merge: true})")
	if c.GogoBool(plan.GogoEqual, c.Options.Runtime == "gogoslick") {
		method("Equal reports whether that is a message of this type, or a pointer to one, with the same contents.", "Equal(that any) bool", "return "+function("Equal")+"(m, that)")
	}
	kind := c.typeVariable(c.Message)
	c.Printf("var %s = %s{File: &%s, Name: %q", kind, function("Type"), valueFileName(c.File), c.Message.Name)
	c.emitCasts()
	c.emitCustoms()
	c.emitMembers()
	if !c.Marshals && slices.ContainsFunc(c.StockFields, func(field *emit.StockField) bool { return c.isBytesOfOneof(field) || c.unlessNil(field) != "" }) {
		c.Printf(", ByRuntime: true")
	}
	c.P("}\n")
	method("ProtoReflect makes the struct a message of google.golang.org/protobuf.", "ProtoReflect() "+c.Ident("google.golang.org/protobuf/reflect/protoreflect", "Message"),
		"return "+kind+".Of(m)")
}

// isBytesOfOneof reports whether a oneof has the field, as plain bytes.
func (c *codecType) isBytesOfOneof(field *emit.StockField) bool {
	return field.Oneof != nil && field.Type == plan.TypeBytes && !c.isPayload(field.Field)
}

func (c *codecType) typeVariable(m *plan.Message) string { return "typeHot" + c.MessageName(m) }

// emitCasts names the messages that the struct stores under another type.
func (c *codecType) emitCasts() {
	any := false
	for _, field := range c.StockFields {
		if custom := field.Custom; custom != nil && custom.Kind == emit.CustomMessage && custom.Type != "" {
			if !any {
				c.P(", Casts: map[int32]", c.Ident("reflect", "Type"), "{")
				any = true
			}
			element := field.Field
			if field.Map != nil {
				element = field.Map.Value
			}
			c.P(field.Number, ": ", c.Ident("reflect", "TypeFor"), "[*", c.structName(element.Message), "](),")
		}
	}
	if any {
		c.Printf("}")
	}
}

// emitCustoms names the fields with custom types.
func (c *codecType) emitCustoms() {
	var numbers []string
	for _, field := range c.StockFields {
		if field.Custom != nil && field.Custom.Kind == emit.CustomType {
			numbers = append(numbers, emit.Itoa(field.Number))
		}
	}
	if len(numbers) > 0 {
		c.Printf(", Customs: []int32{%s}", strings.Join(numbers, ", "))
	}
}

// emitMembers names the members of a struct that the user declares.
func (c *codecType) emitMembers() {
	if c.Hidden.Declared {
		return
	}
	c.P(", Members: map[string]string{")
	for _, field := range c.StockFields {
		if field.Oneof == nil {
			c.Printf("%q: %q,\n", field.Name, field.GoName)
		}
	}
	for _, oneof := range c.StockOneofs {
		c.Printf("%q: %q,\n", oneof.Name, strings.TrimPrefix(oneof.StockSlot, "m."))
	}
	if c.Hidden.Unknown {
		c.Printf("\"\": \"XXX_unrecognized\",\n")
	}
	c.Printf("}")
}
