// Package testface writes the faces that only tests use: functions that write back what the accessors of another
// face read.
package testface

import (
	"sort"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/emit/view"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Faces are the faces for tests: functions that write back what was read, by the public accessors.
var Faces = []emit.Face{reencode, canonical, rewrite, checksum}

var reencode = emit.Face{
	Name:    "reencode",
	Of:      []string{"view"},
	Suffix:  "_reencode.hot.go",
	Strict:  true,
	Selects: true,
	Encodes: true,
	TypeSuffixes: func(*plan.Message) []string {
		return []string{reencoderSuffix}
	},
	Emit: emitReencode,
}

const reencoderSuffix = "Reencoder"

// emitReencode writes, for each message, a function that walks the public accessors of the view and appends the
// canonical bytes. It is for tests only, so it has a file of its own.
func emitReencode(f *emit.File) error {
	messages := f.Messages()
	for _, m := range messages {
		r := &reencoder{File: f, message: m}
		r.names, r.oneofs = view.ViewMembers(f, m)
		r.emit()
	}
	table := f.Claim("Reencoders", "the reencoders of "+f.Plan.Name)
	const contract = `interface {
		DecodeWith(b []byte, o %s) error
		Validate() error
		CheckInitialized() error
		AppendCanonical(dst []byte) ([]byte, error)
	}`
	f.P("// ", table, " creates the reencoder of each message of ", f.Plan.Name, " by its full name.")
	f.Printf("var %s = map[string]func() "+contract+"{\n", table, f.View("Options"))
	for _, m := range messages {
		f.Printf("%q: func() "+contract+" { return new(%s) },\n", m.Name, f.View("Options"), f.TypeName(m, reencoderSuffix))
	}
	f.P("}")
	return nil
}

type reencoder struct {
	*emit.File
	message *plan.Message
	names   map[*plan.Field]string
	oneofs  map[*plan.Oneof]string
}

func (r *reencoder) emit() {
	m := r.message
	r.Printf(`// %[1]s is a %[2]s that can be written back.
		type %[1]s struct{ %[2]s }

		// AppendCanonical appends the canonical encoding of the message.
		func (r *%[1]s) AppendCanonical(dst []byte) (_ []byte, err error) {
			v := &r.%[2]s
		`, r.TypeName(m, reencoderSuffix), r.TypeName(m, emit.ViewSuffix))
	extensions := r.askedExtensions()
	fields := append(append([]*plan.Field{}, r.Fields(m)...), extensions...)
	sort.SliceStable(fields, func(i, j int) bool { return fields[i].Number < fields[j].Number })
	for _, field := range fields {
		r.P("// ", emit.Declaration(field))
		switch {
		case field.IsExtension() && m.MessageSet:
			r.setItem(field)
		case field.IsExtension():
			r.extension(field)
		case field.Map != nil:
			r.mapField(field)
		case field.IsRepeated():
			r.repeated(field, "v."+r.names[field]+"Iter()", "v."+r.names[field]+"Len()")
		case field.Type == plan.TypeMessage:
			r.P("if v.Has", r.names[field], "() {")
			r.child(field, "v."+r.names[field]+"Message()")
			r.P("}")
		default:
			r.singular(field)
		}
	}
	r.P("// unknown fields")
	r.Printf("for u := v.UnknownFields()")
	if len(extensions) > 0 {
		r.P(".Without(")
		for _, x := range extensions {
			r.P(r.ExtensionName(x), ".Table(),")
		}
		r.Printf(")")
	}
	r.Printf(`; u.Next(); {
				dst = u.Field().Append(dst)
			}
			return dst, nil
		}

		`)
}

// askedExtensions are those declared in the extendee's own file; all others stay unknown fields.
func (r *reencoder) askedExtensions() []*plan.Field {
	var extensions []*plan.Field
	for _, x := range r.message.Extensions {
		if x.File == r.message.File {
			extensions = append(extensions, x)
		}
	}
	sort.SliceStable(extensions, func(i, j int) bool { return extensions[i].Number < extensions[j].Number })
	return extensions
}

func (r *reencoder) appendTag(number int32, wireType int) {
	r.P("dst = append(dst, ", emit.ByteList(emit.TagBytes(number, wireType)), ")")
}

// value appends one element that is not a message.
func (r *reencoder) value(field *plan.Field, expression string) {
	call := func(function, argument string) { r.P("dst = ", r.Wire(function), "(dst, ", argument, ")") }
	switch field.Type {
	case plan.TypeInt64, plan.TypeUint32:
		call("AppendVarint", "uint64("+expression+")")
	case plan.TypeUint64:
		call("AppendVarint", expression)
	case plan.TypeEnum:
		call("AppendInt32", "int32("+expression+")")
	case plan.TypeSfixed32:
		call("AppendFixed32", "uint32("+expression+")")
	case plan.TypeSfixed64:
		call("AppendFixed64", "uint64("+expression+")")
	default:
		call("Append"+emit.KindName(field), expression)
	}
}

func (r *reencoder) singular(field *plan.Field) {
	name := r.names[field]
	if field.HasPresence() {
		r.P("if v.Has", name, "() {")
	} else {
		r.P("if x := v.", name, "(); ", r.notDefault(field), " {")
	}
	r.appendTag(field.Number, field.WireType)
	r.value(field, "v."+name+"()")
	r.P("}")
}

// notDefault is the condition under which a field with implicit presence is written.
func (r *reencoder) notDefault(field *plan.Field) string {
	switch field.Type {
	case plan.TypeString, plan.TypeBytes:
		return "len(x) > 0"
	case plan.TypeBool:
		return "x"
	case plan.TypeFloat:
		return r.Ident("math", "Float32bits") + "(x) != 0"
	case plan.TypeDouble:
		return r.Ident("math", "Float64bits") + "(x) != 0"
	}
	return "x != 0"
}

// child appends a message or group that is not opened yet, with its tags.
func (r *reencoder) child(field *plan.Field, message string) {
	r.appendTag(field.Number, field.WireType)
	if !field.Delimited {
		r.P("start := len(dst)")
	}
	r.content(field, message)
	if field.Delimited {
		r.appendTag(field.Number, 4)
	} else {
		r.P("dst = ", r.Wire("InsertLength"), "(dst, start)")
	}
}

func (r *reencoder) content(field *plan.Field, message string) {
	r.P("var c ", r.TypeName(field.Message, reencoderSuffix))
	r.P("if err = c.OpenMessage(", message, "); err != nil {\nreturn nil, err\n}")
	r.P("if dst, err = c.AppendCanonical(dst); err != nil {\nreturn nil, err\n}")
}

func (r *reencoder) repeated(field *plan.Field, iterator, length string) {
	if field.Packed {
		r.P("if ", length, " > 0 {")
		r.appendTag(field.Number, 2)
		r.P("start := len(dst)")
		r.P("for e := ", iterator, "; e.Next(); {")
		r.value(field, "e.Value()")
		r.P("}\ndst = ", r.Wire("InsertLength"), "(dst, start)\n}")
		return
	}
	r.P("for e := ", iterator, "; e.Next(); {")
	if field.Type == plan.TypeMessage {
		r.child(field, "e.Message()")
	} else {
		r.appendTag(field.Number, field.WireType)
		r.value(field, "e.Value()")
	}
	r.P("}")
}

// mapField appends the entries that count, by key.
func (r *reencoder) mapField(field *plan.Field) {
	key, value := field.Map.Key, field.Map.Value
	valueType := r.View("Message")
	if value.Type != plan.TypeMessage {
		valueType = r.GoType(value)
	}
	compare := r.Ident("cmp", "Compare") + "(a.key, b.key)"
	if key.Type == plan.TypeBool {
		compare = "map[bool]int{true: 1}[a.key] - map[bool]int{true: 1}[b.key]"
	}
	r.Printf(`{
			type entry struct {
				key   %s
				value %s
			}
			var entries []entry
			for key, value := range v.%s() {
				entries = append(entries, entry{key, value})
			}
			%s(entries, func(a, b entry) int { return %s })
			for i, e := range entries {
				if i+1 < len(entries) && entries[i+1].key == e.key {
					continue // replaced by a later one
				}
		`, r.GoType(key), valueType, r.names[field], r.Ident("slices", "SortStableFunc"), compare)
	r.appendTag(field.Number, 2)
	r.P("outer := len(dst)")
	r.appendTag(1, key.WireType)
	r.value(key, "e.key")
	if value.Type == plan.TypeMessage {
		r.child(value, "e.value")
	} else {
		r.appendTag(2, value.WireType)
		r.value(value, "e.value")
	}
	r.P("dst = ", r.Wire("InsertLength"), "(dst, outer)\n}\n}")
}

// extension asks for an extension and appends it in its place.
func (r *reencoder) extension(x *plan.Field) {
	handle := r.ExtensionName(x)
	if x.IsRepeated() {
		r.P("if e, err := ", handle, ".Get(v); err != nil {\nreturn nil, err\n} else {")
		r.repeated(x, "e", handle+".Len(v)")
		r.P("}")
		return
	}
	if x.Type == plan.TypeMessage {
		r.P("if m, has, err := ", handle, ".Message(v); err != nil {\nreturn nil, err\n} else if has {")
		r.child(x, "m")
		r.P("}")
		return
	}
	r.P("if x, err := ", handle, ".Get(v); err != nil {\nreturn nil, err\n} else if ", handle, ".Has(v) {")
	r.appendTag(x.Number, x.WireType)
	r.value(x, "x")
	r.P("}")
}

// setItem appends the item of a message set's extension.
func (r *reencoder) setItem(x *plan.Field) {
	handle := r.ExtensionName(x)
	r.P("if m, has, err := ", handle, ".Message(v); err != nil {\nreturn nil, err\n} else if has {")
	r.appendTag(1, 3)
	r.appendTag(2, 0)
	r.P("dst = ", r.Wire("AppendVarint"), "(dst, ", uint32(x.Number), ")")
	r.appendTag(3, 2)
	r.P("start := len(dst)")
	r.content(x, "m")
	r.P("dst = ", r.Wire("InsertLength"), "(dst, start)")
	r.appendTag(1, 4)
	r.P("}")
}
