// Package writer writes the face writer: typed setters that append.
package writer

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// FooWriter consists of the typed setters of a message.
//
//	scalar x          SetX(value)                         repeated: AddX
//	string, bytes x   the same, and SetXParts(pieces...)
//	packed x          AddX(slice); PackedX() for one by one
//	message x         SetX() XWriter, SetXWith(func(XWriter)), SetXRaw(encoded)
//	map x             AddX(key, value); message values: AddX(key) and so on
//	extension x       E_X.Write(w, value), WriteParts, Open(w), WriteWith, WriteRaw

// Face is the face writer.
var Face = emit.Face{
	Name:         "writer",
	Strict:       true,
	Selects:      true,
	TypeSuffixes: writerNames,
	Emit:         emitWriter,
}

const (
	WriterSuffix = "Writer"
	WriterNew    = "New*Writer" // the function that begins a writer
)

// writerVersion is the version of the code this emitter writes; the runtime
// states which versions it works with.
const writerVersion = 2

// writerMethods are the methods of every writer.
var writerMethods = []string{"End", "IsOpen", "AppendRaw"}

// writerNames are the names that the face declares for a message: its writer, the function that begins one, and
// the constants of its fields.
func writerNames(m *plan.Message) []string {
	return append([]string{WriterSuffix, WriterNew}, numberSuffixes(m)...)
}

// numberSuffixes are the suffixes of the constants' names, by slot.
func numberSuffixes(m *plan.Message) []string {
	used := map[string]bool{}
	tried := map[string]int{}
	suffixes := make([]string, len(m.Fields))
	for i, field := range m.Fields {
		stem := emit.Nearest(emit.GoCamelCase(field.Name), tried, func(name string) bool { return !used[name] })
		used[stem] = true
		suffixes[i] = "_" + stem + "_Number"
	}
	return suffixes
}

func emitWriter(f *emit.File) error {
	f.EmitVersions("writer", writerVersion)
	f.EmitEnums()
	for _, m := range f.Messages() {
		w := &writerType{File: f, message: m, name: f.TypeName(m, WriterSuffix), names: WriterMembers(f, m)}
		w.emitType()
		for _, field := range f.Fields(m) {
			w.emitSetters(field)
		}
	}
	for _, x := range f.Extensions() {
		h := f.EmitExtensionHandle(x)
		names := map[*plan.Field]string{x: ""}
		w := &writerType{File: f, message: x.Extendee, name: h.Kind, names: names, extension: x}
		w.emitSetters(x)
	}
	return nil
}

// WriterMembers names the fields of a message.
func WriterMembers(f *emit.File, m *plan.Message) map[*plan.Field]string {
	names, _ := f.Members(m, writerMethods, func(field *plan.Field, name string) []string {
		verb := VerbOf(field) + name
		switch {
		case fieldOfChild(field) != nil:
			return []string{verb, verb + "With", verb + "Raw"}
		case field.Packed:
			return []string{verb, "Packed" + name}
		case emit.IsText(field):
			return []string{verb, verb + "Parts"}
		}
		return []string{verb}
	}, func(*plan.Oneof, string) []string { return nil })
	return names
}

func VerbOf(field *plan.Field) string {
	switch {
	case field.IsExtension():
		return "Write"
	case field.IsRepeated():
		return "Add"
	}
	return "Set"
}

// fieldOfChild is the field whose message a handle writes: the field itself, or the value of a map.
func fieldOfChild(field *plan.Field) *plan.Field {
	if field.Map != nil {
		field = field.Map.Value
	}
	if field.Type == plan.TypeMessage {
		return field
	}
	return nil
}

// writerType is one generated writer, or the handle of an extension.
type writerType struct {
	*emit.File
	message   *plan.Message
	name      string
	names     map[*plan.Field]string
	extension *plan.Field
	comment   string // of the field, for its first method
}

func (w *writerType) emitType() {
	m := w.message
	w.P("// ", w.name, " writes the message ", m.Name, " (see package writer).")
	if m.Comment != "" {
		w.P("//")
		w.Comment(m.Comment)
	}
	w.P("type ", w.name, " ", w.Writer("Message"))
	if fields := w.Fields(m); len(fields) > 0 {
		w.P("const (")
		suffixes := numberSuffixes(m)
		for _, field := range fields {
			w.P(w.TypeName(m, suffixes[field.Slot]), " = ", field.Number)
		}
		w.P(")")
	}
	w.Code(`
		func $new$(out $writer.Output$) $type$ { return $type$($writer.Open$(out)) }

		func (w $type$) End() error { return $writer.Message$(w).End() }

		func (w $type$) IsOpen() bool { return $writer.Message$(w).IsOpen() }

		func (w $type$) AppendRaw(fields []byte) { $writer.Message$(w).AppendRaw(fields) }

		`, "type", w.name, "new", w.TypeName(m, WriterNew))
}

// method writes a method of one expression. summary follows its name in the comment. Only the first method of a field that has
// a comment in the schema has one, and the methods of extensions: package writer documents them all.
func (w *writerType) method(name, parameters, result, summary, body string) {
	receiver, first := "w "+w.name, ""
	if w.extension != nil {
		receiver, first = w.name, "w "+w.TypeName(w.message, WriterSuffix)
	}
	if first != "" && parameters != "" {
		first += ", "
	}
	if result != "" {
		result, body = " "+result, "return "+body
	}
	if w.comment != "" || w.extension != nil {
		w.P("// ", name, " ", summary)
	}
	if w.comment != "" {
		w.P("//")
		w.Comment(w.comment)
		w.comment = ""
	}
	w.P("func (", receiver, ") ", name, "(", first, parameters, ")", result, " { ", body, " }")
	w.P()
}

// on is the handle on which the runtime's methods are called.
func (w *writerType) on() string { return w.Writer("Message") + "(w)" }

// tag returns the arguments for a tag: its bytes as a number, and their count.
func tagArguments(number int32, wireType int) string {
	word := uint64(0)
	bytes := plan.TagBytes(number, wireType)
	for i, c := range bytes {
		word |= uint64(c) << (8 * i)
	}
	return fmt.Sprintf("0x%0*x, %d", 2*len(bytes), word, len(bytes))
}

func (w *writerType) emitSetters(field *plan.Field) {
	verb := VerbOf(field) + w.names[field]
	summary := "writes " + emit.Declaration(field) + "."
	if w.extension == nil { // an extension's comment is at its handle
		w.comment = field.Comment
	}
	switch {
	case fieldOfChild(field) != nil:
		w.emitMessage(field, verb, summary)
	case field.Map != nil:
		key, value := field.Map.Key, field.Map.Value
		w.method(verb, "key "+w.GoType(key)+", value "+w.GoType(value), "", summary, w.on()+".PutEntry("+
			tagArguments(field.Number, 2)+", "+w.part(key, "key")+", "+w.part(value, "value")+")")
	case field.Packed:
		w.emitPacked(field, verb, summary)
	default:
		w.method(verb, "v "+w.GoType(field), "", summary, w.put(field))
		if emit.IsText(field) {
			put := ".PutParts("
			if w.checks(field) {
				put = ".PutCheckedParts("
			}
			w.method(verb+"Parts", "parts ...[]byte", "", "is "+verb+" from pieces.",
				w.on()+put+tagArguments(field.Number, 2)+", parts)")
		}
	}
}

// checks reports whether the writer refuses a string that is not UTF-8. (Reading checks more: that is its job.)
func (w *writerType) checks(field *plan.Field) bool {
	return w.Options.Strict && field.Type == plan.TypeString
}

// put is the call that writes v.
func (w *writerType) put(field *plan.Field) string {
	call := func(method, value string) string {
		return w.on() + "." + method + "(" + tagArguments(field.Number, field.WireType) + ", " + value + ")"
	}
	switch field.Type {
	case plan.TypeBool:
		return call("PutBool", "v")
	case plan.TypeString:
		if w.checks(field) {
			return call("PutChecked", "v")
		}
		return call("PutString", "v")
	case plan.TypeBytes:
		return call("PutBytes", "v")
	}
	switch field.WireType {
	case 5:
		return call("PutFixed32", w.bits(field, "v"))
	case 1:
		return call("PutFixed64", w.bits(field, "v"))
	}
	return call("PutVarint", w.bits(field, "v"))
}

// bits is the number that represents a value on the wire.
func (w *writerType) bits(field *plan.Field, v string) string {
	switch field.Type {
	case plan.TypeInt32, plan.TypeEnum: // negative ones are sign-extended
		return "uint64(int64(" + v + "))"
	case plan.TypeInt64, plan.TypeUint32, plan.TypeSfixed64:
		return "uint64(" + v + ")"
	case plan.TypeSint32:
		return w.Writer("Zigzag32") + "(" + v + ")"
	case plan.TypeSint64:
		return w.Wire("EncodeZigzag") + "(" + v + ")"
	case plan.TypeSfixed32:
		return "uint32(" + v + ")"
	case plan.TypeFloat:
		return w.Ident("math", "Float32bits") + "(" + v + ")"
	case plan.TypeDouble:
		return w.Ident("math", "Float64bits") + "(" + v + ")"
	}
	return v // uint64, fixed32, fixed64
}

// part is the expression of the key or the value of a map entry.
func (w *writerType) part(field *plan.Field, v string) string {
	call := func(function, value string) string {
		return w.Writer(function) + "(" + emit.Itoa(field.Number) + ", " + value + ")"
	}
	switch field.Type {
	case plan.TypeBool:
		return call("BoolPart", v)
	case plan.TypeString:
		if w.checks(field) {
			return call("CheckedPart", v)
		}
		return call("StringPart", v)
	case plan.TypeBytes:
		return call("BytesPart", v)
	}
	switch field.WireType {
	case 5:
		return call("Fixed32Part", w.bits(field, v))
	case 1:
		return call("Fixed64Part", w.bits(field, v))
	}
	return call("VarintPart", w.bits(field, v))
}

func (w *writerType) emitPacked(field *plan.Field, verb, summary string) {
	arguments := tagArguments(field.Number, 2) + ", values)"
	put := w.on() + ".PutPacked" + emit.KindName(field) + "(" + arguments
	if field.Enum != nil {
		put = w.Writer("PutPackedEnum") + "(" + w.on() + ", " + arguments
	}
	w.method(verb, "values []"+w.GoType(field), "", summary+" An empty slice writes nothing.", put)
	handle := w.Writer("Packed" + emit.KindName(field))
	if field.Enum != nil {
		handle += "[" + w.EnumName(field.Enum) + "]"
	}
	open := "Packed" + w.names[field]
	if w.extension != nil {
		open = "Open"
	}
	w.method(open, "", handle, "opens "+field.Name+" for elements one by one.",
		w.Writer("OpenPacked")+"["+handle+"]("+w.on()+", "+tagArguments(field.Number, 2)+")")
}

func (w *writerType) emitMessage(field *plan.Field, verb, summary string) {
	child := w.TypeName(fieldOfChild(field).Message, WriterSuffix)
	open, key, keyed, self := verb, "", "", "w."
	if w.extension != nil {
		open, keyed, self = "Open", "w", "x."
	}
	var opened, raw string
	switch {
	case field.Map != nil:
		key, keyed = "key "+w.GoType(field.Map.Key), "key"
		part := tagArguments(field.Number, 2) + ", " + w.part(field.Map.Key, "key")
		opened = ".OpenEntry(" + part + ")"
		raw = ".PutEntry(" + part + ", " + w.Writer("BytesPart") + "(2, encoded))"
	case w.message.MessageSet:
		opened = ".OpenItem(" + emit.Itoa(field.Number) + ")"
	case field.Delimited:
		tags := tagArguments(field.Number, 3) + ", " + emit.Itoa(uint32(emit.TagValue(field.Number, 4)))
		opened = ".OpenGroup(" + tags + ")"
		raw = ".PutGroup(" + tags + ", encoded)"
	default:
		opened = ".Open(" + tagArguments(field.Number, 2) + ")"
		raw = ".PutBytes(" + tagArguments(field.Number, 2) + ", encoded)"
	}
	w.method(open, key, child, strings.Replace(summary, "writes", "opens", 1), child+"("+w.on()+opened+")")
	more := key
	if more != "" {
		more += ", "
	}
	if w.extension != nil {
		w.P("// ", verb, "With is Open with a function that writes the message.")
		w.P("func (x ", w.name, ") ", verb, "With(w ", w.TypeName(w.message, WriterSuffix), ", write func(", child, ")) { ",
			w.Writer("With"), "(x.Open(w), write) }")
		w.P()
	} else {
		w.method(verb+"With", more+"write func("+child+")", "", "is "+verb+" with a function that writes the message.",
			w.Writer("With")+"("+self+open+"("+keyed+"), write)")
	}
	if raw != "" {
		w.method(verb+"Raw", more+"encoded []byte", "", "is "+verb+" with an encoded message.", w.on()+raw)
	}
}
