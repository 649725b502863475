package schema

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/descriptor"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// Proto returns the plan as the text of a .proto file, named after the root. The same schema always has the same
// text. The text is proto3 if that can express the plan. Groups, closed enums, required columns and defaults need
// edition 2023.
//
// Numbers and names of columns that are off are reserved. Columns are in the order of their numbers, those of a
// oneof together. The text has only messages and enums to which columns lead that are on; it imports well-known
// types. Readers of a proto3 string refuse bytes that are not UTF-8 whether or not the column has CheckUTF8;
// edition 2023 says which columns are unchecked.
//
// An error lists everything that a .proto cannot express; each part is an *Error.
func (p *Plan) Proto() (string, error) {
	files, err := p.protoFiles()
	if err != nil {
		return "", err
	}
	return files[len(files)-1].text(), nil
}

// protoText writes a file.
type protoText struct {
	strings.Builder
	file   *protoFile
	indent string
}

func (w *protoText) line(format string, args ...any) {
	if format != "" {
		w.WriteString(w.indent)
		fmt.Fprintf(w, format, args...)
	}
	w.WriteByte('\n')
}

// comment writes lines of comment. It leaves out characters that are not text.
func (w *protoText) comment(text string) {
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
func (w *protoText) block(head string, content func()) {
	w.line("%s {", head)
	outer := w.indent
	w.indent += "  "
	content()
	w.indent = outer
	w.line("}")
}

func (f *protoFile) text() string {
	w := &protoText{file: f}
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

func (w *protoText) declaration(t *protoType) {
	if t.enum != nil {
		w.enum(t.enum, t.name)
		return
	}
	if t.message != nil {
		w.comment(t.message.def.Comment)
	}
	w.block("message "+t.name, func() { w.message(t) })
}

func (w *protoText) message(t *protoType) {
	sections := 0
	section := func() {
		if sections++; sections > 1 {
			w.line("")
		}
	}
	for _, n := range t.nested {
		if n.message == nil || !n.message.def.entry {
			section()
			w.declaration(n)
		}
	}
	if len(t.reservedNumbers)+len(t.reservedNames) > 0 {
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

func (w *protoText) reserved(t *protoType) {
	var parts []string
	for _, r := range t.reservedNumbers {
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
	if len(t.reservedNames) == 0 {
		return
	}
	if w.file.edition { // names without quotes
		w.line("reserved %s;", strings.Join(t.reservedNames, ", "))
		return
	}
	w.line(`reserved "%s";`, strings.Join(t.reservedNames, `", "`))
}

func (w *protoText) field(t *protoType, f protoField) {
	w.comment(f.Comment)
	label, kind := "", w.typeName(t, f.Column)
	switch {
	case f.Map:
		entry := w.file.plan.childOf(f.Column)
		key, value := entry.columns[0], entry.columns[1]
		kind = fmt.Sprintf("map<%s, %s>", w.typeName(t, key), w.typeName(t, value))
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
func (f *protoFile) options(t *protoType, c *Column) (list []string) {
	if !f.edition {
		if c.Unpacked {
			list = append(list, "packed = false")
		}
		return list
	}
	if c.Default != "" {
		list = append(list, "default = "+c.defaultLiteral())
	}
	features := f.features(t, c)
	for _, name := range features {
		list = append(list, "features."+name.name+" = "+name.value)
	}
	return list
}

// defaultLiteral is a column's default as a .proto spells it.
func (c *Column) defaultLiteral() string {
	switch c.Kind {
	case wire.String:
		return `"` + descriptor.Escape([]byte(c.Default)) + `"`
	case wire.Bytes:
		return `"` + c.defaultText() + `"`
	}
	return c.defaultText()
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
func (f *protoFile) features(t *protoType, c *Column) (list []feature) {
	switch {
	case t.message.def.entry || c.Repeated || c.Oneof != "":
	case c.Presence == LegacyRequired:
		list = append(list, requiredPresence)
	case c.Presence == Implicit:
		list = append(list, implicitPresence)
	}
	if c.Unpacked {
		list = append(list, expandedNumbers)
	}
	strings := []*Column{c}
	switch { // the key and value of a map have the map's features
	case t.message.def.entry:
		strings = t.message.columns
	case c.Map:
		strings = f.plan.childOf(c).columns
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
func unchecked(columns []*Column) bool {
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
func (w *protoText) typeName(t *protoType, c *Column) string {
	full := ""
	switch {
	case c.Message != nil:
		full = c.Message.Name
	case c.Enum != nil:
		full = c.Enum.Name
	default:
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
func (f *protoFile) hides(t *protoType, name string) bool {
	for end := len(t.full); end > len(f.pkg); end = strings.LastIndexByte(t.full[:end], '.') {
		if around := f.messages[t.full[:end]]; around != nil && around.declares(name) {
			return true
		}
	}
	return false
}

// keywords start something other than a field's type where a field is expected.
const keywords = " message enum oneof option reserved extensions extend group optional required repeated map stream export local " +
	"int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 float double bool string bytes "

func (w *protoText) enum(e *Enum, name string) {
	w.block("enum "+name, func() {
		if e.Closed {
			w.line("option features.enum_type = CLOSED;")
		}
		if e.aliases() {
			w.line("option allow_alias = true;")
		}
		for _, v := range e.Values {
			w.comment(v.Comment)
			w.line("%s = %d;", v.Name, v.Number)
		}
	})
}

// aliases reports whether a number has several names.
func (e *Enum) aliases() bool {
	numbers := map[int32]bool{}
	for _, v := range e.Values {
		if numbers[v.Number] {
			return true
		}
		numbers[v.Number] = true
	}
	return false
}
