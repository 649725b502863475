package bind

import (
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/wire"
)

// binder matches struct types with message types.
type binder struct {
	plan  *plan.Plan
	keep  bool // for AppendRecord
	wrong []*plan.Fault
	bound map[boundPair]*boundMessage // types that are bound or being bound: types may contain themselves
}

type boundPair struct {
	t       reflect.Type
	message *plan.Message
}

// bindMessage binds a struct type to the root of a plan.
func bindMessage(p *plan.Plan, t reflect.Type, keep bool) (*boundMessage, []*plan.Fault) {
	b := &binder{plan: p, keep: keep, bound: map[boundPair]*boundMessage{}}
	if t.Kind() != reflect.Struct {
		b.mismatch(t.String(), "is not a struct")
		return nil, b.wrong
	}
	return b.message(t, p.Messages[0]), b.wrong
}

// StructField is a field with its offset in the outermost struct.
type StructField struct {
	reflect.StructField
	name   string // the first part of the tag
	offset uintptr
}

// StructFields are the fields of a struct that may be columns, including those of embedded structs.
func StructFields(t reflect.Type, offset uintptr) (fields []StructField) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("hotpb")
		name, _, _ := strings.Cut(tag, ",")
		switch {
		case name == "-":
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct && f.Type != timeType() && f.Type != addrType():
			fields = append(fields, StructFields(f.Type, offset+f.Offset)...)
		// An embedded pointer is an ordinary field, and an error says so if there is no column for it.
		case f.IsExported() || tagged || f.Anonymous && f.Type.Kind() == reflect.Pointer:
			fields = append(fields, StructField{f, name, offset + f.Offset})
		}
	}
	return fields
}

func (b *binder) message(t reflect.Type, pm *plan.Message) *boundMessage {
	pair := boundPair{t, pm}
	if m := b.bound[pair]; m != nil {
		return m
	}
	m := &boundMessage{room: encode.Slack}
	b.bound[pair] = m
	filled := map[*plan.Column]string{}
	fields := StructFields(t, 0)
	ops := map[*plan.Column]boundOp{}
	for _, f := range fields {
		where := t.String() + "." + f.Name
		c, reason := match(pm, f)
		if c == nil {
			b.mismatch(where, reason)
			continue
		}
		to := pm.Name + "." + c.Name
		if earlier, ok := filled[c]; ok {
			b.mismatch(where, fmt.Sprintf("the column %s is already filled by %s", to, earlier))
			continue
		}
		filled[c] = where
		if f.offset > 1<<31 {
			b.mismatch(where, "is too far inside the struct")
			continue
		}
		o, reason := b.column(c, f.Type, pm)
		switch {
		case reason != "":
			b.mismatch(where, fmt.Sprintf("a %s does not fit the column %s: %s", f.Type, to, reason))
		case !c.Off:
			o.offset = uint32(f.offset)
			ops[c] = o
		}
	}
	if len(fields) == 0 {
		b.mismatch(t.String(), "has no field for a column of "+pm.Name)
	}
	for _, c := range pm.Columns {
		if o, ok := ops[c]; ok {
			m.add(o)
		}
	}
	return m
}

func (b *binder) mismatch(where, reason string) {
	b.wrong = append(b.wrong, &plan.Fault{Code: wire.TypeMismatch, Where: where, Reason: reason})
}

// match finds the column of a field.
func match(m *plan.Message, f StructField) (c *plan.Column, reason string) {
	if f.name != "" {
		if !f.IsExported() {
			return nil, "is not exported"
		}
		for _, c := range m.Defined {
			if c.Name == f.name {
				return c, ""
			}
		}
		return nil, fmt.Sprintf("%s has no column %s", m.Name, f.name)
	}
	for _, each := range m.Defined {
		if each.Name == f.Name {
			return each, ""
		}
		if plainName(each.Name) == plainName(f.Name) {
			if c != nil {
				return nil, fmt.Sprintf("may be the column %s or %s: tag it", c.Name, each.Name)
			}
			c = each
		}
	}
	if c == nil {
		return nil, fmt.Sprintf("%s has no such column: tag it with one, or with -", m.Name)
	}
	return c, ""
}

func plainName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

// add adds an op and counts the bytes that it needs.
func (m *boundMessage) add(o boundOp) {
	m.ops = append(m.ops, o)
	// The tag, the largest value that is stored with it (an IP, or a short string and its length), and a store.
	m.room += 5 + 1 + 16
	if o.load == loadText {
		m.room += shortText
	}
}

// single returns a list of one op, for a value by itself.
func (b *binder) single(o boundOp) *boundMessage {
	m := &boundMessage{room: encode.Slack}
	m.add(o)
	return m
}

// column binds a column to a Go type. It returns the reason if the type does not fit.
func (b *binder) column(c *plan.Column, t reflect.Type, pm *plan.Message) (boundOp, string) {
	o := &b.plan.Ops[c.Index]
	if c.Off { // nothing is written; whether the type would fit is checked all the same
		o = &plan.Op{Kind: c.Kind, Column: c, Max: c.Largest(), Child: c.Child}
	}
	switch {
	case c.Map && t.Kind() == reflect.Map:
		return b.mapColumn(c, o, t)
	case c.Repeated:
		if t.Kind() != reflect.Slice {
			return boundOp{}, "it is repeated"
		}
		return b.list(c, o, t.Elem())
	case t.Kind() == reflect.Pointer:
		value, reason := b.value(c, o, t.Elem(), c.Explicit)
		if reason != "" {
			return boundOp{}, reason
		}
		return b.special(o, specialPointer, &boundColumn{elem: b.single(b.kept(value))}, false), ""
	}
	value, reason := b.value(c, o, t, c.Explicit)
	if reason != "" {
		return boundOp{}, reason
	}
	return b.kept(value), ""
}

// kept changes an op for AppendRecord, for columns that need more than writing.
func (b *binder) kept(value boundOp) boundOp {
	switch o := value.op; {
	case !b.keep || !o.Slow():
		return value
	case o.Later:
		return b.special(o, specialLater, &boundColumn{field: value.field}, value.always)
	default:
		return b.special(o, specialFirst, &boundColumn{elem: b.single(value)}, value.always)
	}
}

// special returns an op that the loop cannot execute itself.
func (b *binder) special(o *plan.Op, kind special, c *boundColumn, always bool) boundOp {
	c.op, c.special = o, kind
	return boundOp{load: loadOther, always: always, boundColumn: c}
}

// list binds a repeated column to the element type of a slice.
func (b *binder) list(c *plan.Column, o *plan.Op, t reflect.Type) (boundOp, string) {
	inner, pointer := t, t.Kind() == reflect.Pointer && c.Child >= 0
	if pointer {
		inner = t.Elem()
	}
	element, reason := b.value(c, o, inner, true)
	if reason != "" {
		return boundOp{}, "its elements: " + reason
	}
	kind := specialList
	if c.Packed {
		kind = specialPacked
		element = b.special(o, specialNumber, &boundColumn{field: element.field}, true)
	}
	if pointer {
		element = b.special(o, specialPointer, &boundColumn{elem: b.single(element)}, true)
	}
	return b.special(o, kind, &boundColumn{elem: b.single(element), stride: t.Size()}, true), ""
}

func (b *binder) mapColumn(c *plan.Column, o *plan.Op, t reflect.Type) (boundOp, string) {
	entry := b.plan.Messages[c.Child]
	key, reason := b.column(entry.Defined[0], t.Key(), entry)
	if reason != "" {
		return boundOp{}, "its keys: " + reason
	}
	value, reason := b.column(entry.Defined[1], t.Elem(), entry)
	if reason != "" {
		return boundOp{}, "its values: " + reason
	}
	walks := &sync.Pool{New: func() any {
		return &mapWalk{key: reflect.New(t.Key()).Elem(), value: reflect.New(t.Elem()).Elem()}
	}}
	return b.special(o, specialMap, &boundColumn{elem: b.single(key), child: b.single(value), maps: walks, goMap: t}, true), ""
}

// Types that are values and not messages. They are functions, so that nothing runs at start-up.
func addrType() reflect.Type     { return reflect.TypeFor[netip.Addr]() }
func timeType() reflect.Type     { return reflect.TypeFor[time.Time]() }
func durationType() reflect.Type { return reflect.TypeFor[time.Duration]() }

// FieldOf returns how a type is read as a single value.
func FieldOf(t reflect.Type) Field {
	switch t {
	case addrType():
		return FieldAddr
	case timeType():
		return FieldTime
	case durationType():
		return FieldDuration
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Uint8:
		return FieldUint8
	case reflect.Uint16:
		return FieldUint16
	case reflect.Uint32:
		return FieldUint32
	case reflect.Uint64:
		return FieldUint64
	case reflect.Uint:
		return map[uintptr]Field{4: FieldUint32, 8: FieldUint64}[t.Size()]
	case reflect.Int8:
		return FieldInt8
	case reflect.Int16:
		return FieldInt16
	case reflect.Int32:
		return FieldInt32
	case reflect.Int64:
		return FieldInt64
	case reflect.Int:
		return map[uintptr]Field{4: FieldInt32, 8: FieldInt64}[t.Size()]
	case reflect.Float32:
		return FieldFloat32
	case reflect.Float64:
		return FieldFloat64
	case reflect.String:
		return FieldText
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return FieldText
		}
	case reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[int]Field{4: FieldArray4, 6: FieldArray6, 16: FieldArray16}[t.Len()]
		}
	}
	return FieldNone
}

func isUnsigned(f Field) bool { return FieldUint8 <= f && f <= FieldUint64 }
func isSigned(f Field) bool   { return FieldInt8 <= f && f <= FieldInt64 }

// value binds a single value to a type.
func (b *binder) value(c *plan.Column, o *plan.Op, t reflect.Type, always bool) (boundOp, string) {
	s := c.HandleShape()
	if s == encode.ShapeMessage {
		if t.Kind() != reflect.Struct || t == timeType() || t == addrType() {
			return boundOp{}, "it is a message and needs a struct"
		}
		return b.special(o, specialMessage, &boundColumn{child: b.message(t, b.plan.Messages[c.Child])}, always), ""
	}
	f := FieldOf(t)
	kind, fits, reason := specialNumber, false, ""
	switch s {
	case encode.ShapeUint:
		fits, reason = isUnsigned(f) && t.Kind() != reflect.Bool, "it holds unsigned numbers"
	case encode.ShapeInt:
		fits, reason = isSigned(f), "it holds signed numbers"
	case encode.ShapeFloat:
		fits, reason = f == FieldFloat32 || f == FieldFloat64, "it holds floating point numbers"
	case encode.ShapeBool:
		fits, reason = t.Kind() == reflect.Bool, "it holds bools"
	case encode.ShapeEnum:
		fits, reason = (isSigned(f) || isUnsigned(f)) && t.Kind() != reflect.Bool, "it holds numbers of an enum"
	case encode.ShapeString, encode.ShapeBytes:
		kind = specialText
		fits, reason = f == FieldText, "it holds strings or bytes"
	case encode.ShapeIP:
		kind = specialIP
		fits = f == FieldAddr || f == FieldArray16 || f == FieldArray4 || f == FieldText && t.Kind() == reflect.Slice
		reason = "it holds addresses: netip.Addr, [16]byte, [4]byte or []byte"
	case encode.ShapeMAC:
		fits = f == FieldUint64 || f == FieldArray6 || f == FieldText && t.Kind() == reflect.Slice
		reason = "it holds hardware addresses: uint64, [6]byte or []byte"
	case encode.ShapeTime, encode.ShapeDuration:
		wants, name := FieldTime, "time.Time"
		if s == encode.ShapeDuration {
			wants, name = FieldDuration, "time.Duration"
		}
		if fits, reason = f == wants, "it accepts "+name; fits {
			kind = specialTime
		} else if c.Child < 0 {
			number := encode.KindShapes[c.Kind]
			fits = number == encode.ShapeInt && isSigned(f) || number == encode.ShapeUint && isUnsigned(f) && t.Kind() != reflect.Bool
			reason += " or the number itself"
		}
	}
	if !fits {
		return boundOp{}, reason
	}
	value := b.special(o, kind, &boundColumn{field: f}, always)
	b.hasten(&value)
	return value, ""
}

// hasten makes the loop execute the op itself, where it can.
func (b *binder) hasten(value *boundOp) {
	o, f := value.op, value.field
	fast, limit := loadOther, uint64(1<<56-1) // that many bits can be spread at once
	switch s := encode.KindShapes[o.Kind]; {
	case value.special == specialText:
		if !o.UTF8 {
			fast = loadText
		}
	case value.special == specialIP:
		switch f {
		case FieldAddr:
			fast = loadAddr
		case FieldArray16:
			fast = loadArray16
		}
	case value.special != specialNumber, o.Column.Closed != nil:
	case o.Kind == wire.Fixed32 && f == FieldUint32, o.Kind == wire.Sfixed32 && f == FieldInt32,
		o.Kind == wire.Float && f == FieldFloat32:
		fast = loadFixed32
	case o.Kind == wire.Fixed64 && f == FieldUint64 && o.Max == ^uint64(0), o.Kind == wire.Sfixed64 && f == FieldInt64,
		o.Kind == wire.Double && f == FieldFloat64:
		fast = loadFixed64
	case o.Kind.Type() != wire.VarintType:
	case o.Kind == wire.Sint32 || o.Kind == wire.Sint64:
		switch {
		case f == FieldInt32:
			fast = loadZigzag32
		case f == FieldInt64 && o.Kind == wire.Sint64:
			fast = loadZigzag64
		}
	case isUnsigned(f) && s != encode.ShapeInt:
		fast = loadUint8 + load(f-FieldUint8)
		limit = min(limit, o.Max)
	case s == encode.ShapeInt || s == encode.ShapeEnum: // negative ones are not usual
		switch f {
		case FieldInt32:
			fast = loadInt32
		case FieldInt64:
			fast, limit = loadUint64, min(limit, o.Max)
		}
	}
	if fast == loadOther {
		return
	}
	value.load, value.limit, value.tag, value.size = fast, limit, o.Tag, o.Size
	if fast == loadAddr || fast == loadArray16 {
		value.tag |= 16 << (8 * o.Size)
		value.size++
	}
}
