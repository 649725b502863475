package emit

import (
	"fmt"
	"strings"
)

// Code writes a template: lines of Go with $name$ in place of values, which follow as pairs of name and value. gofmt indents.
//
//	f.Code("if $slot$ == nil {\n$slot$ = new($kind$)\n}", "slot", slot, "kind", kind)
//
// A name with a dot is an identifier of a package, which is imported: $wire.Tag$ of the runtime's rt/wire, $math.Float32bits$ of
// package math. A line break at the start of a template and tabs at its end do not count, so that a raw string looks like its
// output; an empty line at the end counts.
func (f *File) Code(template string, values ...any) {
	text := f.Fill(strings.TrimRight(strings.TrimPrefix(template, "\n"), "\t"), values...)
	f.Body.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		f.Body.WriteByte('\n')
	}
}

// Fill returns a template with its values, for a part of a line.
func (f *File) Fill(template string, values ...any) string {
	var text strings.Builder
	for {
		before, rest, found := strings.Cut(template, "$")
		text.WriteString(before)
		if !found {
			return text.String()
		}
		name, after, closed := strings.Cut(rest, "$")
		if !closed {
			panic("gen: a $ without a counterpart in " + template)
		}
		text.WriteString(f.value(name, values))
		template = after
	}
}

// runtimePackages are the packages of the runtime that templates name without a path.
var runtimePackages = map[string]string{
	"wire": "/rt/wire", "view": "/rt/view", "writer": "/rt/writer", "pool": "/rt/pool", "codec": "/rt/codec", "bridge": "/rt/reflect",
}

// value is the text of a name in a template.
func (f *File) value(name string, values []any) string {
	for i := 0; i+1 < len(values); i += 2 {
		if values[i] == name {
			return fmt.Sprint(values[i+1])
		}
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		panic("gen: a template has no value for $" + name + "$")
	}
	if folder := runtimePackages[name[:dot]]; folder != "" {
		return f.Ident(RuntimePath+folder, name[dot+1:])
	}
	return f.Ident(name[:dot], name[dot+1:])
}

// EmitVersions writes the constants that do not compile with a runtime that does not know the emitter's version.
func (f *File) EmitVersions(runtime string, version int) {
	f.Code(`
		const (
			// An error here: the runtime is too old for this code; update the module $module$.
			_ = uint($max$ - $version$)
			// An error here: this code is too old for the runtime; generate it again.
			_ = uint($version$ - $min$)
		)
		`, "module", RuntimePath, "version", version, "max", f.Fill("$"+runtime+".MaxGenerated$"), "min", f.Fill("$"+runtime+".MinGenerated$"))
}
