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
	for _, m := range f.Messages() {
		r := &reencoder{File: f, message: m}
		r.names, r.oneofs = view.ViewMembers(f, m)
		r.emit()
	}
	table := f.Claim("Reencoders", "the reencoders of "+f.Plan.Name)
	f.P("// ", table, " creates the reencoder of each message of ", f.Plan.Name, " by its full name.")
	constructors(f, table, `interface {
		DecodeWith(b []byte, o $view.Options$) error
		Validate() error
		CheckInitialized() error
		AppendCanonical(dst []byte) ([]byte, error)
	}`, func(m *plan.Message) string { return f.TypeName(m, reencoderSuffix) })
	return nil
}

// constructors writes a map of functions that create the file's messages, by full name, as values of an interface.
func constructors(f *emit.File, table, contract string, typeName func(*plan.Message) string) {
	f.Code("var $table$ = map[string]func() "+contract+"{", "table", table)
	for _, m := range f.Messages() {
		f.Code(`"$message$": func() `+contract+` { return new($type$) },`, "message", m.Name, "type", typeName(m))
	}
	f.P("}")
}

type reencoder struct {
	*emit.File
	message *plan.Message
	names   map[*plan.Field]string
	oneofs  map[*plan.Oneof]string
}

func (r *reencoder) emit() {
	m := r.message
	r.Code(`
		// $reencoder$ is a $view$ that can be written back.
		type $reencoder$ struct{ $view$ }

		// AppendCanonical appends the canonical encoding of the message.
		func (r *$reencoder$) AppendCanonical(dst []byte) (_ []byte, err error) {
			v := &r.$view$
		`, "reencoder", r.TypeName(m, reencoderSuffix), "view", r.TypeName(m, emit.ViewSuffix))
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
	r.unknown("v", extensions, "dst = u.Field().Append(dst)", "dst, nil")
}

// unknown writes the loop over a message's unknown fields, and the end of the function.
func (r *reencoder) unknown(message string, extensions []*plan.Field, step, result string) {
	without := ""
	for _, x := range extensions {
		without += r.ExtensionName(x) + ".Table(),\n"
	}
	if without != "" {
		without = ".Without(\n" + without + ")"
	}
	r.Code(`
		// unknown fields
		for u := $message$.UnknownFields()$without$; u.Next(); {
			$step$
		}
		return $result$
		}

		`, "message", message, "without", without, "step", step, "result", result)
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
	r.P("dst = append(dst, ", emit.ByteList(plan.TagBytes(number, wireType)), ")")
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
	r.Code(`
		{
			type entry struct {
				key   $key$
				value $value$
			}
			var entries []entry
			for key, value := range v.$name$() {
				entries = append(entries, entry{key, value})
			}
			$slices.SortStableFunc$(entries, func(a, b entry) int { return $compare$ })
			for i, e := range entries {
				if i+1 < len(entries) && entries[i+1].key == e.key {
					continue // replaced by a later one
				}
		`, "key", r.GoType(key), "value", valueType, "name", r.names[field], "compare", compare)
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
