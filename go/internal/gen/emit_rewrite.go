package gen

import (
	"sort"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

func init() {
	Register(Face{
		Name:    "rewrite",
		Of:      "writer",
		Suffix:  "_rewrite.hot.go",
		Selects: true,
		Encodes: true,
		TypeSuffixes: func(*plan.Message) []string {
			return []string{rewriterSuffix}
		},
		Emit: emitRewrite,
	})
}

const rewriterSuffix = "Rewriter"

// emitRewrite writes, per message, a function that walks the public accessors of
// the view and calls the generated writer, in each way that there is to write the
// same. Of a message in pieces it needs the encoding, so that it goes with
// view+reencode. It is for tests only and so goes into a file of its own, with
// tables by which tests find the writers and the handles of extensions.
func emitRewrite(f *File) error {
	if !f.Options.Has("reencode") {
		return &OptionError{"faces", "rewrite", "it goes with view+reencode+writer"}
	}
	messages := f.Messages()
	for _, m := range messages {
		r := &rewriter{reencoder: reencoder{File: f, message: m}, writers: writerMembers(f, m)}
		r.names, r.oneofs = viewMembers(f, m)
		r.emit()
	}
	table := f.Claim("Rewriters", "the rewriters of "+f.Plan.Name)
	const contract = `interface {
		DecodeWith(b []byte, o %s) error
		Validate() error
		CheckInitialized() error
		UnknownFields() %s
		RewriteTo(out %s, way func(int) int) error
	}`
	f.P("// ", table, " makes the rewriter of each message of ", f.Plan.Name, " by its full name.")
	types := []any{f.View("Options"), f.View("UnknownFields"), f.Writer("Output")}
	f.Printf("var %s = map[string]func() "+contract+"{\n", append([]any{table}, types...)...)
	for _, m := range messages {
		f.Printf("%q: func() "+contract+" { return new(%s) },\n", append(append([]any{m.Name}, types...), f.TypeName(m, rewriterSuffix))...)
	}
	f.P("}")
	table = f.Claim("Writers", "the writers of "+f.Plan.Name)
	f.P("// ", table, " opens each message of ", f.Plan.Name, " by its full name.")
	f.P("var ", table, " = map[string]func(", f.Writer("Output"), ") any {")
	for _, m := range messages {
		f.Printf("%q: func(out %s) any { return New%s(out) },\n", m.Name, f.Writer("Output"), f.TypeName(m, writerSuffix))
	}
	f.P("}")
	table = f.Claim("Extensions", "the extensions of "+f.Plan.Name)
	f.P("// ", table, " are the handles of ", f.Plan.Name, "'s extensions by their full names.")
	f.P("var ", table, " = map[string]any {")
	for _, x := range f.Extensions() {
		f.Printf("%q: %s,\n", x.Name, f.ExtensionName(x))
	}
	f.P("}")
	return nil
}

type rewriter struct {
	reencoder
	writers map[*plan.Field]string
}

func (r *rewriter) emit() {
	m := r.message
	r.Printf(`// %[1]s is a %[2]s that can be written by a %[3]s.
		type %[1]s struct{ %[2]s }

		// RewriteTo writes the message to an output.
		func (r *%[1]s) RewriteTo(out %[4]s, way func(int) int) error {
			w := New%[3]s(out)
			if err := r.Rewrite(w, way); err != nil {
				return err
			}
			return w.End()
		}

		// Rewrite writes what is in the message; way chooses one of several ways.
		func (r *%[1]s) Rewrite(w %[3]s, way func(int) int) (err error) {
			v := &r.%[2]s
		`, r.TypeName(m, rewriterSuffix), r.TypeName(m, viewSuffix), r.TypeName(m, writerSuffix), r.Writer("Output"))
	asked := r.askedExtensions()
	fields := append(append([]*plan.Field{}, r.Fields(m)...), asked...)
	sort.SliceStable(fields, func(i, j int) bool { return fields[i].Number < fields[j].Number })
	for _, field := range fields {
		r.P("// ", declaration(field))
		name, verb := r.names[field], verbOf(field)+r.writers[field]
		switch {
		case field.IsExtension():
			r.extension(field)
		case field.Map != nil:
			r.mapField(field, "w."+verb)
		case field.IsRepeated():
			r.repeated(field, "v."+name+"Iter()", "w."+verb, "w.Packed"+r.writers[field], "")
		case field.Type == plan.TypeMessage:
			r.P("if v.Has", name, "() {")
			r.child(field, "v."+name+"Message()", "w."+verb, "w."+verb, "")
			r.P("}")
		default:
			if field.HasPresence() {
				r.P("if x := v.", name, "(); v.Has", name, "() {")
			} else {
				r.P("if x := v.", name, "(); ", r.notDefault(field), " {")
			}
			r.scalar(field, "x", "w."+verb, "")
			r.P("}")
		}
	}
	r.P("// unknown fields")
	r.Printf("for it := v.UnknownFields()")
	if len(asked) > 0 {
		r.P(".Without(")
		for _, x := range asked {
			r.P(r.ExtensionName(x), ".Table(),")
		}
		r.Printf(")")
	}
	r.P("; it.Next(); {\nw.AppendRaw(it.Field().Append(nil))\n}\nreturn err\n}\n")
}

// scalar writes a value in one of the ways there are. first are the arguments before it.
func (r *rewriter) scalar(field *plan.Field, value, set, first string) {
	if !isText(field) {
		r.P(set, "(", first, value, ")")
		return
	}
	bytes := value
	if field.Type == plan.TypeString {
		bytes = "[]byte(" + value + ")"
	}
	r.Printf(`if way(2) == 0 {
			%[1]s(%[2]s%[3]s)
		} else {
			pieces, third := %[4]s, len(%[3]s) / 3
			%[1]sParts(%[2]spieces[:third], pieces[third:])
		}
		`, set, first, value, bytes)
}

// child writes a message that is not opened yet. open and set are the calls, key the arguments in front.
func (r *rewriter) child(field *plan.Field, message, open, set, key string) {
	more := key
	if more != "" {
		more += ", "
	}
	r.P("var c ", r.TypeName(field.Message, rewriterSuffix))
	r.P("if err = c.OpenMessage(", message, "); err != nil {\nreturn err\n}")
	r.P("switch way(3) {\ncase 0:")
	r.Printf(set+"With(%sfunc(w %s) { err = c.Rewrite(w, way) })\n", more, r.TypeName(field.Message, writerSuffix))
	if !r.message.MessageSet {
		r.P("case 1:")
		r.P("encoded, failed := (&", r.TypeName(field.Message, reencoderSuffix), "{", r.embedded(field.Message), ": c.", r.embedded(field.Message),
			"}).AppendCanonical(nil)")
		r.P("err = failed\n", set, "Raw(", more, "encoded)")
	}
	r.P("default:\nw := ", open, "(", key, ")\nerr = c.Rewrite(w, way)")
	r.P("if way(2) == 0 { // or its parent ends it\nw.End()\n}\n}")
	r.P("if err != nil {\nreturn err\n}")
}

// embedded is the name by which a rewriter embeds the view.
func (r *rewriter) embedded(m *plan.Message) string {
	name := r.TypeName(m, viewSuffix)
	return name[strings.LastIndexByte(name, '.')+1:]
}

func (r *rewriter) repeated(field *plan.Field, iterator, add, packed, first string) {
	if field.Packed {
		r.Printf(`{
			var values []%[1]s
			for it := %[2]s; it.Next(); {
				values = append(values, it.Value())
			}
			if way(2) == 0 {
				%[3]s(%[4]svalues)
			} else if len(values) > 0 {
				p := %[5]s(%[6]s)
				for _, x := range values {
					p.Add(x)
				}
				p.End()
			}
			}
			`, r.goType(field), iterator, add, first, packed, strings.TrimSuffix(first, ", "))
		return
	}
	r.P("for it := ", iterator, "; it.Next(); {")
	if field.Type == plan.TypeMessage {
		open := add
		if field.IsExtension() {
			open = r.ExtensionName(field) + ".Open"
		}
		r.child(field, "it.Message()", open, add, strings.TrimSuffix(first, ", "))
	} else {
		r.P("x := it.Value()")
		r.scalar(field, "x", add, first)
	}
	r.P("}")
}

// mapField writes the entries that count, by key.
func (r *rewriter) mapField(field *plan.Field, add string) {
	r.sortedEntries(field)
	if value := field.Map.Value; value.Type == plan.TypeMessage {
		r.child(value, "e.value", add, add, "e.key")
	} else {
		r.P(add, "(e.key, e.value)")
	}
	r.P("}\n}")
}

// extension asks for an extension and writes it.
func (r *rewriter) extension(x *plan.Field) {
	handle := r.ExtensionName(x)
	switch {
	case x.IsRepeated():
		r.P("if it, err := ", handle, ".Get(v); err != nil {\nreturn err\n} else {")
		r.repeated(x, "it", handle+".Write", handle+".Open", "w, ")
	case x.Type == plan.TypeMessage:
		r.P("if m, has, err := ", handle, ".Message(v); err != nil {\nreturn err\n} else if has {")
		r.child(x, "m", handle+".Open", handle+".Write", "w")
	default:
		r.P("if x, err := ", handle, ".Get(v); err != nil {\nreturn err\n} else if ", handle, ".Has(v) {")
		r.scalar(x, "x", handle+".Write", "w, ")
	}
	r.P("}")
}
