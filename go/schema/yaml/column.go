package yaml

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

func (r *reader) column(m *schema.Message, n ast.Node) {
	var c schema.Column
	var kind, constant ast.Node
	// The name comes first, so that errors in all other keys can name it.
	for _, pair := range r.pairs(n, "a column") {
		if key, ok := pair.Key.(*ast.StringNode); ok && key.Value == "name" {
			c.Name = r.text(pair.Value, "a name")
			r.where += "." + c.Name
			r.file.lines[r.where] = lineOf(pair.Key)
		}
	}
	// Read the keys. The type and the constant need other keys, and are kept for the end.
	explicit := func(p schema.Presence, field string) func(ast.Node) {
		return func(v ast.Node) {
			if r.flag(v, field) {
				c.Presence = p
			}
		}
	}
	set := func(to *bool, field string) func(ast.Node) {
		return func(v ast.Node) { *to = r.flag(v, field) }
	}
	name := func(to *string, field string) func(ast.Node) {
		return func(v ast.Node) { *to = r.text(v, field) }
	}
	r.mapping(n, "a column", map[string]func(ast.Node){
		"name":       func(ast.Node) {},
		"number":     func(v ast.Node) { c.Number = uint32(r.integer(v, "a number", 1, wire.MaxNumber)) },
		"type":       func(v ast.Node) { kind = v },
		"from":       func(v ast.Node) { c.Sources = r.sources(v) },
		"zero":       func(v ast.Node) { c.CountZero = r.choice(v, "zero", "none", "value") == 1 },
		"off":        set(&c.Disabled, "off"),
		"group":      name(&c.Group, "a group"),
		"optional":   explicit(schema.Explicit, "optional"),
		"required":   explicit(schema.LegacyRequired, "required"),
		"oneof":      name(&c.Oneof, "a oneof"),
		"keep":       func(v ast.Node) { c.KeepFirst = r.choice(v, "keep", "last", "first") == 1 },
		"misfit":     func(v ast.Node) { c.Misfit = schema.Misfit(r.choice(v, "misfit", "drop", "mask", "refuse")) },
		"utf8":       set(&c.CheckUTF8, "utf8"),
		"unpacked":   set(&c.Unpacked, "unpacked"),
		"deferred":   set(&c.Deferred, "deferred"),
		"clickhouse": func(v ast.Node) { c.ClickHouse = r.clickHouse(v) },
		"comment":    name(&c.Comment, "a comment"),
		"constant":   func(v ast.Node) { constant = v },
	})
	// Refuse a column that lacks a part.
	switch {
	case c.Name == "":
		r.fail(n, "a column has no name")
		return
	case c.Number == 0:
		r.fail(n, "has no number")
		return
	case kind == nil:
		r.fail(n, "has no type")
		return
	}
	// Add it, now that its type can be read.
	if c.Oneof != "" {
		c.Presence = schema.Explicit
	}
	if handle, ok := r.add(m, c, kind); ok && constant != nil {
		r.constant(m, c.Name, handle, constant)
	}
}

var scalars = map[string]wire.Kind{
	"int32": wire.Int32, "int64": wire.Int64, "uint32": wire.Uint32, "uint64": wire.Uint64, "sint32": wire.Sint32, "sint64": wire.Sint64,
	"fixed32": wire.Fixed32, "fixed64": wire.Fixed64, "sfixed32": wire.Sfixed32, "sfixed64": wire.Sfixed64,
	"float": wire.Float, "double": wire.Double, "bool": wire.Bool, "string": wire.String, "bytes": wire.Bytes,
}

// add adds a column of the type that a text names.
func (r *reader) add(m *schema.Message, c schema.Column, kind ast.Node) (h schema.Handle, ok bool) {
	text := strings.TrimSpace(r.text(kind, "a type"))
	if inner, ok := strings.CutPrefix(text, "map<"); ok {
		key, value, two := strings.Cut(strings.TrimSuffix(inner, ">"), ",")
		if !two || !strings.HasSuffix(inner, ">") {
			r.fail(kind, "%q is not a type: write map<KEY, VALUE>", text)
			return h, false
		}
		var k, v schema.Column
		if !r.typed(&k, strings.TrimSpace(key), kind) || !r.typed(&v, strings.TrimSpace(value), kind) {
			return h, false
		}
		k.Name, k.Number, v.Name, v.Number = "key", 1, "value", 2
		k.CheckUTF8, v.CheckUTF8 = c.CheckUTF8 && k.Kind == wire.String, c.CheckUTF8 && v.Kind == wire.String
		handle := m.Map(c.Name, c.Number, func(e *schema.Message) { e.Add(k); e.Add(v) }, func(added *schema.Column) {
			c.Kind, c.Repeated, c.Map, c.Message, c.CheckUTF8 = added.Kind, true, true, added.Message, false
			*added = c
		})
		return handle.Handle, true
	}
	if inner, ok := strings.CutPrefix(text, "repeated "); ok {
		text, c.Repeated = strings.TrimSpace(inner), true
	}
	if !r.typed(&c, text, kind) {
		return h, false
	}
	r.fit(&c, kind)
	return m.Add(c), true
}

// typed sets the type of one value on a column.
func (r *reader) typed(c *schema.Column, text string, at ast.Node) bool {
	base, unit, hasUnit := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	group, isGroup := strings.CutPrefix(text, "group ")
	switch {
	case scalars[text] != 0:
		c.Kind = scalars[text]
	case text == "ip":
		c.Kind, c.Logical = wire.Bytes, schema.IP
	case text == "mac":
		c.Kind, c.Logical = wire.Uint64, schema.MAC
	case hasUnit && strings.HasSuffix(text, ")") && (base == "timestamp" || base == "duration"):
		return r.timed(c, base, unit, at)
	case isGroup && r.messages[strings.TrimSpace(group)] != nil:
		c.Kind, c.Message = wire.Group, r.messages[strings.TrimSpace(group)]
	case r.messages[text] != nil:
		c.Kind, c.Message = wire.Message, r.messages[text]
	case r.enums[text] != nil:
		c.Kind, c.Enum = wire.Enum, r.enums[text]
	default:
		r.fail(at, "%q is not a type%s", text, r.instead(text))
		return false
	}
	if c.Message != nil && !c.Repeated && c.Presence == schema.Implicit {
		c.Presence = schema.Explicit
	}
	return true
}

// timed reads timestamps and durations.
func (r *reader) timed(c *schema.Column, base, unit string, at ast.Node) bool {
	u := slices.Index([]string{"seconds", "millis", "micros", "nanos", "wellknown"}, unit)
	if u < 0 {
		r.fail(at, "%q is not a unit: use seconds, millis, micros, nanos or wellknown", unit)
		return false
	}
	c.Kind, c.Logical, c.Unit = wire.Int64, schema.Timestamp, schema.Unit(u)
	message := "google.protobuf.Timestamp"
	if base == "duration" {
		c.Logical, message = schema.Duration, "google.protobuf.Duration"
	}
	if c.Unit == schema.WellKnown {
		c.Kind, c.Message = wire.Message, r.file.Schema.WellKnown(message)
		if !c.Repeated && c.Presence == schema.Implicit {
			c.Presence = schema.Explicit
		}
	}
	return true
}
