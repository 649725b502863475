package testface

import (
	"sort"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/emit/pool"
	"github.com/hotpb/hotpb/go/internal/gen/emit/writer"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

var rewrite = emit.Face{
	Name:    "rewrite",
	Of:      []string{"writer"},
	Suffix:  "_rewrite.hot.go",
	Selects: true,
	Encodes: true,
	Emit:    emitRewrite,
}

// emitRewrite writes, for each message, a function that walks the public fields and accessors of the pool and
// calls the generated writer, in each way that writes the same message. For messages that are passed encoded it
// uses the encoding of +canonical, so it needs pool+canonical. It is for tests only, so it has a file of its own,
// with tables in which tests find the writers and the handles of extensions.
func emitRewrite(f *emit.File) error {
	if !f.Options.Has("canonical") {
		return &emit.OptionError{Option: "faces", Value: "rewrite", Allowed: "it works only with pool+canonical+writer"}
	}
	messages := f.Messages()
	for _, m := range messages {
		r := &rewriter{reencoder: reencoder{File: f, message: m}, writers: writer.WriterMembers(f, m)}
		r.names, r.oneofs = pool.PoolMembers(f, m)
		r.emit()
	}
	table := f.Claim("Rewriters", "the rewriters of "+f.Plan.Name)
	f.P("// ", table, " creates each message of ", f.Plan.Name, " by its full name.")
	constructors(f, table, `interface {
		$pool.Message$
		UnknownFields() $pool.UnknownFields$
		RewriteToHot(out $writer.Output$, way func(int) int) error
	}`, func(m *plan.Message) string { return pool.PoolMessage(f, m) })
	table = f.Claim("Writers", "the writers of "+f.Plan.Name)
	f.P("// ", table, " opens each message of ", f.Plan.Name, " by its full name.")
	f.P("var ", table, " = map[string]func(", f.Writer("Output"), ") any {")
	for _, m := range messages {
		f.Printf("%q: func(out %s) any { return %s(out) },\n", m.Name, f.Writer("Output"), f.TypeName(m, writer.WriterNew))
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
	r.Code(`
		// RewriteToHot writes the message to an output.
		func (m *$type$) RewriteToHot(out $writer.Output$, way func(int) int) error {
			w := $new$(out)
			if err := m.RewriteHot(w, way); err != nil {
				return err
			}
			return w.End()
		}

		// RewriteHot writes the content of the message; way chooses one of several ways.
		func (m *$type$) RewriteHot(w $writer$, way func(int) int) (err error) {
		`, "type", pool.PoolMessage(r.File, m), "writer", r.TypeName(m, writer.WriterSuffix), "new", r.TypeName(m, writer.WriterNew))
	extensions := r.askedExtensions()
	fields := append(append([]*plan.Field{}, r.Fields(m)...), extensions...)
	sort.SliceStable(fields, func(i, j int) bool { return fields[i].Number < fields[j].Number })
	for _, field := range fields {
		r.P("// ", emit.Declaration(field))
		name, set := r.names[field], "w."+writer.VerbOf(field)+r.writers[field]
		switch {
		case field.IsExtension():
			r.readExtension(field)
		case field.Map != nil:
			r.entries(field, set)
		case field.IsRepeated():
			r.list(field, "m."+name, set, set, "w.Packed"+r.writers[field], "")
		case field.Type == plan.TypeMessage:
			r.P("if x := m.Get", name, "(); x != nil {")
			r.child(field, "x", set, set, "")
			r.P("}")
		case pool.IsPlain(field):
			r.P("if x := m.", name, "; ", r.notDefault(field), " {")
			r.scalar(field, "x", set, "")
			r.P("}")
		default:
			r.P("if x := m.Get", name, "(); m.Has", name, "() {")
			r.scalar(field, "x", set, "")
			r.P("}")
		}
	}
	r.unknown("m", extensions, "w.AppendRaw(u.Field().Append(nil))", "err")
}

// scalar writes a value in one of several ways. writer is the first argument of an extension's methods.
func (r *rewriter) scalar(field *plan.Field, value, set, writer string) {
	if writer != "" {
		writer += ", "
	}
	if !emit.IsText(field) {
		r.P(set, "(", writer, value, ")")
		return
	}
	bytes := value
	if field.Type == plan.TypeString {
		bytes = "[]byte(" + value + ")"
	}
	r.Code(`
		if way(2) == 0 {
			$set$($writer$$value$)
		} else {
			pieces, third := $bytes$, len($value$) / 3
			$set$Parts($writer$pieces[:third], pieces[third:])
		}
		`, "set", set, "writer", writer, "value", value, "bytes", bytes)
}

// child writes a message. open and set are the calls; first are the arguments that they begin with.
func (r *rewriter) child(field *plan.Field, message, open, set, first string) {
	more := first
	if more != "" {
		more += ", "
	}
	r.P("switch way(3) {\ncase 0:")
	writer := r.TypeName(field.Message, writer.WriterSuffix)
	r.Printf("%sWith(%sfunc(w %s) { err = %s.RewriteHot(w, way) })\n", set, more, writer, message)
	if !r.message.MessageSet {
		r.P("case 1:\nvar encoded []byte")
		r.P("encoded, err = ", message, ".AppendCanonicalHot(nil)")
		r.P(set, "Raw(", more, "encoded)")
	}
	r.P("default:\nw := ", open, "(", first, ")\nerr = ", message, ".RewriteHot(w, way)")
	r.P("if way(2) == 0 { // or its parent ends it\nw.End()\n}\n}")
	r.P("if err != nil {\nreturn err\n}")
}

func (r *rewriter) list(field *plan.Field, list, open, add, packed, writer string) {
	if field.Packed {
		first := writer
		if first != "" {
			first += ", "
		}
		r.Code(`
			if way(2) == 0 {
				$add$($first$$list$)
			} else if len($list$) > 0 {
				p := $packed$($writer$)
				for _, x := range $list$ {
					p.Add(x)
				}
				p.End()
			}
			`, "list", list, "add", add, "first", first, "packed", packed, "writer", writer)
		return
	}
	r.P("for n := range ", list, " {")
	if field.Type == plan.TypeMessage {
		r.child(field, list+"[n]", open, add, writer)
	} else {
		r.scalar(field, list+"[n]", add, writer)
	}
	r.P("}")
}

// entries writes a map by key.
func (r *rewriter) entries(field *plan.Field, add string) {
	name := "m." + r.names[field]
	r.P(pool.EachByKey(r.File, field, name))
	if value := field.Map.Value; value.Type == plan.TypeMessage {
		r.child(value, "value", add, add, "key")
	} else {
		r.P(add, "(key, value)")
	}
	r.P("}")
}

// readExtension reads an extension and writes it in its place.
func (r *rewriter) readExtension(x *plan.Field) {
	handle := r.ExtensionName(x)
	switch {
	case x.IsRepeated():
		r.P("if x, err := ", handle, ".Read(m); err != nil {\nreturn err\n} else {")
		r.list(x, "x", handle+".Open", handle+".Write", handle+".Open", "w")
	case x.Type == plan.TypeMessage:
		r.P("if x, err := ", handle, ".Read(m); err != nil {\nreturn err\n} else if x != nil {")
		r.child(x, "x", handle+".Open", handle+".Write", "w")
	default:
		r.P("if x, has, err := ", handle, ".Read(m); err != nil {\nreturn err\n} else if has {")
		r.scalar(x, "x", handle+".Write", "w")
	}
	r.P("}")
}
