package export

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/descriptor"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// textWriter writes a file.
type textWriter struct {
	strings.Builder
	file   *File
	indent string
}

func (w *textWriter) line(format string, args ...any) {
	if format != "" {
		w.WriteString(w.indent)
		fmt.Fprintf(w, format, args...)
	}
	w.WriteByte('\n')
}

// comment writes lines of comment. It leaves out characters that are not text.
func (w *textWriter) comment(text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	for _, line := range strings.Split(strings.ToValidUTF8(text, "\ufffd"), "\n") {
		line = strings.TrimRight(strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' || r == 0x7f {
				return -1
			}
			return r
		}, line), " \t")
		w.line("%s", strings.TrimRight("// "+line, " "))
	}
}

// block writes `head {`, the output of content, and `}`.
func (w *textWriter) block(head string, content func()) {
	w.line("%s {", head)
	outer := w.indent
	w.indent += "  "
	content()
	w.indent = outer
	w.line("}")
}

// Text returns the text of the file.
func (f *File) Text() string {
	w := &textWriter{file: f}
	if f.edition {
		w.line(`edition = "2023";`)
	} else {
		w.line(`syntax = "proto3";`)
	}
	if f.pkg != "" {
		w.line("")
		w.line("package %s;", f.pkg)
	}
	if len(f.imports) > 0 {
		w.line("")
	}
	for _, name := range f.imports {
		w.line("import %q;", name)
	}
	for _, t := range f.types {
		w.line("")
		w.declaration(t)
	}
	return w.String()
}

func (w *textWriter) declaration(t *declaration) {
	if t.enum != nil {
		w.enum(t.enum, t.name)
		return
	}
	if t.message != nil {
		w.comment(t.message.Comment)
	}
	w.block("message "+t.name, func() { w.message(t) })
}

func (w *textWriter) message(t *declaration) {
	sections := 0
	section := func() {
		if sections++; sections > 1 {
			w.line("")
		}
	}
	for _, n := range t.nested {
		if n.message == nil || !n.message.Entry {
			section()
			w.declaration(n)
		}
	}
	if m := t.message; m != nil && len(m.Numbers)+len(m.Names) > 0 {
		section()
		w.reserved(t)
	}
	if len(t.fields) > 0 {
		section()
	}
	for i := 0; i < len(t.fields); {
		f := t.fields[i]
		if f.oneof < 0 {
			w.field(t, f)
			i++
			continue
		}
		w.block("oneof "+t.oneofs[f.oneof], func() {
			for ; i < len(t.fields) && t.fields[i].oneof == f.oneof; i++ {
				w.field(t, t.fields[i])
			}
		})
	}
}

func (w *textWriter) reserved(t *declaration) {
	var parts []string
	for _, r := range t.message.Numbers {
		switch {
		case r.First == r.Last:
			parts = append(parts, fmt.Sprint(r.First))
		case r.Last == wire.MaxNumber:
			parts = append(parts, fmt.Sprintf("%d to max", r.First))
		default:
			parts = append(parts, fmt.Sprintf("%d to %d", r.First, r.Last))
		}
	}
	if len(parts) > 0 {
		w.line("reserved %s;", strings.Join(parts, ", "))
	}
	if len(t.message.Names) == 0 {
		return
	}
	if w.file.edition { // names without quotes
		w.line("reserved %s;", strings.Join(t.message.Names, ", "))
		return
	}
	w.line(`reserved "%s";`, strings.Join(t.message.Names, `", "`))
}

func (w *textWriter) field(t *declaration, f field) {
	w.comment(f.Comment)
	label, kind := "", w.typeName(t, f.Column)
	switch {
	case f.Map:
		entry := w.file.messages[f.Of].Columns
		kind = fmt.Sprintf("map<%s, %s>", w.typeName(t, &entry[0]), w.typeName(t, &entry[1]))
	case f.Repeated:
		label = "repeated "
	case f.synthetic >= 0:
		label = "optional "
	}
	var options string
	if list := w.file.options(t, f.Column); len(list) > 0 {
		options = " [" + strings.Join(list, ", ") + "]"
	}
	w.line("%s%s %s = %d%s;", label, kind, f.Name, f.Number, options)
}

// options are the options of a field.
func (f *File) options(t *declaration, c *locked.Column) (list []string) {
	if !f.edition {
		if unpacked(c) {
			list = append(list, "packed = false")
		}
		return list
	}
	if c.Default != "" {
		list = append(list, "default = "+defaultLiteral(c))
	}
	features := f.features(t, c)
	for _, name := range features {
		list = append(list, "features."+name.name+" = "+name.value)
	}
	return list
}

// unpacked reports whether a repeated number has a tag for each element.
func unpacked(c *locked.Column) bool { return c.Repeated && !c.Packed && locked.Packable(c.Kind) }

// defaultLiteral is a column's default as a .proto spells it.
func defaultLiteral(c *locked.Column) string {
	switch c.Kind {
	case wire.String:
		return `"` + descriptor.Escape([]byte(c.Default)) + `"`
	case wire.Bytes:
		return `"` + c.Default + `"`
	}
	return c.Default
}

// feature is a feature of the editions with its numbers in descriptor.proto.
type feature struct {
	name, value     string
	number, setting uint32
}

var (
	implicitPresence = feature{"field_presence", "IMPLICIT", 1, 2}
	requiredPresence = feature{"field_presence", "LEGACY_REQUIRED", 1, 3}
	closedEnum       = feature{"enum_type", "CLOSED", 2, 2}
	expandedNumbers  = feature{"repeated_field_encoding", "EXPANDED", 3, 2}
	uncheckedUTF8    = feature{"utf8_validation", "NONE", 4, 3}
	delimitedMessage = feature{"message_encoding", "DELIMITED", 5, 2}
)

// features are those of a field that differ from the defaults of edition 2023.
func (f *File) features(t *declaration, c *locked.Column) (list []feature) {
	switch {
	case c.Required:
		list = append(list, requiredPresence)
	case isImplicit(t.message, c):
		list = append(list, implicitPresence)
	}
	if unpacked(c) {
		list = append(list, expandedNumbers)
	}
	strings := []locked.Column{*c}
	switch { // the key and value of a map have the map's features
	case t.message.Entry:
		strings = t.message.Columns
	case c.Map:
		strings = f.messages[c.Of].Columns
	}
	if unchecked(strings) {
		list = append(list, uncheckedUTF8)
	}
	if c.Kind == wire.Group {
		list = append(list, delimitedMessage)
	}
	return list
}

// unchecked reports whether the columns include strings and none of these is checked.
func unchecked(columns []locked.Column) bool {
	some := false
	for _, c := range columns {
		if c.CheckUTF8 {
			return false
		}
		some = some || c.Kind == wire.String
	}
	return some
}

// typeName is a column's type as it is written in the message t: relative to the package, or from the root if
// something else in scope would be found first.
func (w *textWriter) typeName(t *declaration, c *locked.Column) string {
	full := c.Of
	if full == "" {
		return locked.KindNames[c.Kind]
	}
	inner, local := full, w.file.pkg == ""
	if !local {
		inner, local = strings.CutPrefix(full, w.file.pkg+".")
	}
	first, _, _ := strings.Cut(inner, ".")
	if !local || strings.Contains(keywords, " "+first+" ") || w.file.hides(t, first) {
		return "." + full
	}
	return inner
}

// hides reports whether an element of t, or of a message around it, is called name.
func (f *File) hides(t *declaration, name string) bool {
	for end := len(t.full); end > len(f.pkg); end = strings.LastIndexByte(t.full[:end], '.') {
		if around := f.declared[t.full[:end]]; around != nil && around.declares(name) {
			return true
		}
	}
	return false
}

// keywords start something other than a field's type where a field is expected.
const keywords = " message enum oneof option reserved extensions extend group optional required repeated map stream export local " +
	"int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 float double bool string bytes "

func (w *textWriter) enum(e *locked.Enum, name string) {
	w.block("enum "+name, func() {
		if e.Closed {
			w.line("option features.enum_type = CLOSED;")
		}
		if aliases(e) {
			w.line("option allow_alias = true;")
		}
		for _, v := range e.Values {
			w.comment(v.Comment)
			w.line("%s = %d;", v.Name, v.Number)
		}
	})
}

// aliases reports whether a number has several names.
func aliases(e *locked.Enum) bool {
	numbers := map[int32]bool{}
	for _, v := range e.Values {
		if numbers[v.Number] {
			return true
		}
		numbers[v.Number] = true
	}
	return false
}
