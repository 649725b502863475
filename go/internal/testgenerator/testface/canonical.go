package testface

import (
	"sort"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/emit/pool"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

var canonical = emit.Face{
	Name:    "canonical",
	Of:      []string{"pool"},
	Suffix:  "_canonical.hot.go",
	Strict:  true,
	Selects: true,
	Encodes: true,
	Emit:    emitCanonical,
}

// emitCanonical writes, for each message, a function that walks the public fields and accessors of the pool and
// appends the canonical bytes: the pool's counterpart of reencode. It is for tests only, so it has a file of its
// own.
func emitCanonical(f *emit.File) error {
	for _, m := range f.Messages() {
		c := &canonicalWriter{reencoder: reencoder{File: f, message: m}}
		c.names, c.oneofs = pool.PoolMembers(f, m)
		c.emit()
	}
	table := f.Claim("Canonical", "the messages of "+f.Plan.Name)
	f.P("// ", table, " creates each message of ", f.Plan.Name, " by its full name.")
	constructors(f, table, `interface {
		$pool.Message$
		Unmarshal(b []byte) error
		UnmarshalAlias(b []byte) error
		MarshalWith(dst []byte, o $pool.MarshalOptions$) ([]byte, error)
		MarshalToSizedBuffer(b []byte) (n int, err error)
		Size() int
		AppendCanonicalHot(dst []byte) ([]byte, error)
		UnknownFields() $pool.UnknownFields$
		EqualAnyHot(message any) bool
		CloneAnyHot() any
	}`, func(m *plan.Message) string { return pool.PoolMessage(f, m) })
	return nil
}

type canonicalWriter struct{ reencoder }

func (c *canonicalWriter) emit() {
	m := c.message
	name := pool.PoolMessage(c.File, m)
	c.Code(`
		// EqualAnyHot is Equal for tests that do not know the type.
		func (m *$type$) EqualAnyHot(message any) bool { return m.Equal(message.(*$type$)) }

		// CloneAnyHot is Clone for tests that do not know the type.
		func (m *$type$) CloneAnyHot() any { return m.Clone() }

		// AppendCanonicalHot appends the canonical encoding of the message.
		func (m *$type$) AppendCanonicalHot(dst []byte) (_ []byte, err error) {
		`, "type", name)
	extensions := c.askedExtensions()
	fields := append(append([]*plan.Field{}, c.Fields(m)...), extensions...)
	sort.SliceStable(fields, func(i, j int) bool { return fields[i].Number < fields[j].Number })
	for _, field := range fields {
		c.P("// ", emit.Declaration(field))
		switch {
		case field.IsExtension() && m.MessageSet:
			c.item(field)
		case field.IsExtension():
			c.readExtension(field)
		case field.Map != nil:
			c.entries(field)
		case field.IsRepeated():
			c.list(field, "m."+c.names[field])
		case field.Type == plan.TypeMessage:
			c.P("if x := m.Get", c.names[field], "(); x != nil {")
			c.childOf(field, "x")
			c.P("}")
		case pool.IsPlain(field):
			c.P("if x := m.", c.names[field], "; ", c.notDefault(field), " {")
			c.appendTag(field.Number, field.WireType)
			c.value(field, "x")
			c.P("}")
		default:
			c.P("if m.Has", c.names[field], "() {")
			c.appendTag(field.Number, field.WireType)
			c.value(field, "m.Get"+c.names[field]+"()")
			c.P("}")
		}
	}
	c.unknown("m", extensions, "dst = u.Field().Append(dst)", "dst, nil")
}

// childOf appends a message or group with its tags.
func (c *canonicalWriter) childOf(field *plan.Field, message string) {
	c.appendTag(field.Number, field.WireType)
	if !field.Delimited {
		c.P("start := len(dst)")
	}
	c.P("if dst, err = ", message, ".AppendCanonicalHot(dst); err != nil {\nreturn nil, err\n}")
	if field.Delimited {
		c.appendTag(field.Number, 4)
	} else {
		c.P("dst = ", c.Wire("InsertLength"), "(dst, start)")
	}
}

func (c *canonicalWriter) list(field *plan.Field, list string) {
	if field.Packed {
		c.P("if len(", list, ") > 0 {")
		c.appendTag(field.Number, 2)
		c.P("start := len(dst)\nfor _, x := range ", list, " {")
		c.value(field, "x")
		c.P("}\ndst = ", c.Wire("InsertLength"), "(dst, start)\n}")
		return
	}
	c.P("for n := range ", list, " {")
	if field.Type == plan.TypeMessage {
		c.childOf(field, list+"[n]")
	} else {
		c.appendTag(field.Number, field.WireType)
		c.value(field, list+"[n]")
	}
	c.P("}")
}

// entries appends a map by key.
func (c *canonicalWriter) entries(field *plan.Field) {
	name := "m." + c.names[field]
	c.P(pool.EachByKey(c.File, field, name))
	c.appendTag(field.Number, 2)
	c.P("outer := len(dst)")
	c.appendTag(1, field.Map.Key.WireType)
	c.value(field.Map.Key, "key")
	if value := field.Map.Value; value.Type == plan.TypeMessage {
		c.childOf(value, "value")
	} else {
		c.appendTag(2, value.WireType)
		c.value(value, "value")
	}
	c.P("dst = ", c.Wire("InsertLength"), "(dst, outer)\n}")
}

// readExtension reads an extension and appends it in its place.
func (c *canonicalWriter) readExtension(x *plan.Field) {
	read := c.ExtensionName(x) + ".Read(m)"
	switch {
	case x.IsRepeated():
		c.P("if x, err := ", read, "; err != nil {\nreturn nil, err\n} else {")
		c.list(x, "x")
	case x.Type == plan.TypeMessage:
		c.P("if x, err := ", read, "; err != nil {\nreturn nil, err\n} else if x != nil {")
		c.childOf(x, "x")
	default:
		c.P("if x, has, err := ", read, "; err != nil {\nreturn nil, err\n} else if has {")
		c.appendTag(x.Number, x.WireType)
		c.value(x, "x")
	}
	c.P("}")
}

// item appends the item of a message set's extension.
func (c *canonicalWriter) item(x *plan.Field) {
	c.P("if x, err := ", c.ExtensionName(x), ".Read(m); err != nil {\nreturn nil, err\n} else if x != nil {")
	c.appendTag(1, 3)
	c.appendTag(2, 0)
	c.P("dst = ", c.Wire("AppendVarint"), "(dst, ", uint32(x.Number), ")")
	c.appendTag(3, 2)
	c.P("start := len(dst)\nif dst, err = x.AppendCanonicalHot(dst); err != nil {\nreturn nil, err\n}")
	c.P("dst = ", c.Wire("InsertLength"), "(dst, start)")
	c.appendTag(1, 4)
	c.P("}")
}
