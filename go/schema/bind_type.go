package schema

import (
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// binder matches struct types with message types.
type binder struct {
	plan  *Plan
	keep  bool // for AppendRecord
	wrong []error
	bound map[boundPair]*boundMessage // types that are bound or being bound: types may contain themselves
}

type boundPair struct {
	t       reflect.Type
	message *plannedMessage
}

// bindMessage binds a struct type to the root of a plan.
func bindMessage(p *Plan, t reflect.Type, keep bool) (*boundMessage, error) {
	b := &binder{plan: p, keep: keep, bound: map[boundPair]*boundMessage{}}
	if t.Kind() != reflect.Struct {
		return nil, &Error{wire.TypeMismatch, t.String(), "is not a struct"}
	}
	m := b.message(t, p.messages[0])
	if len(b.wrong) > 0 {
		return nil, errors.Join(b.wrong...)
	}
	return m, nil
}

// structField is a field with its offset in the outermost struct.
type structField struct {
	reflect.StructField
	tag    string // the first part of the path
	offset uintptr
}

// structFields are the fields of a struct that may be columns, including those of embedded structs.
func structFields(t reflect.Type, offset uintptr) (fields []structField) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("hotpb")
		name, _, _ := strings.Cut(tag, ",")
		switch {
		case name == "-":
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct && f.Type != timeType() && f.Type != addrType():
			fields = append(fields, structFields(f.Type, offset+f.Offset)...)
		// An embedded pointer is an ordinary field, and an error says so if there is no column for it.
		case f.IsExported() || tagged || f.Anonymous && f.Type.Kind() == reflect.Pointer:
			fields = append(fields, structField{f, name, offset + f.Offset})
		}
	}
	return fields
}

func (b *binder) message(t reflect.Type, pm *plannedMessage) *boundMessage {
	pair := boundPair{t, pm}
	if m := b.bound[pair]; m != nil {
		return m
	}
	m := &boundMessage{room: encode.Slack}
	b.bound[pair] = m
	filled := map[*Column]string{}
	fields := structFields(t, 0)
	ops := map[*Column]boundOp{}
	for _, f := range fields {
		where := t.String() + "." + f.Name
		c, reason := match(pm.def, f)
		if c == nil {
			b.mismatch(where, reason)
			continue
		}
		to := pm.def.Name + "." + c.Name
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
		case !c.Disabled:
			o.offset = uint32(f.offset)
			ops[c] = o
		}
	}
	if len(fields) == 0 {
		b.mismatch(t.String(), "has no field for a column of "+pm.def.Name)
	}
	for _, c := range pm.columns {
		if o, ok := ops[c]; ok {
			m.add(o)
		}
	}
	return m
}

func (b *binder) mismatch(where, reason string) {
	b.wrong = append(b.wrong, &Error{wire.TypeMismatch, where, reason})
}

// match finds the column of a field.
func match(m *Message, f structField) (c *Column, reason string) {
	if f.tag != "" {
		if !f.IsExported() {
			return nil, "is not exported"
		}
		for _, c := range m.columns {
			if c.Name == f.tag {
				return c, ""
			}
		}
		return nil, fmt.Sprintf("%s has no column %s", m.Name, f.tag)
	}
	for _, each := range m.columns {
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
func (b *binder) column(c *Column, t reflect.Type, pm *plannedMessage) (boundOp, string) {
	o := &b.plan.ops[c.index]
	if c.Disabled { // nothing is written; whether the type would fit is checked all the same
		o = &op{kind: c.Kind, column: c, max: largest(c), child: -1}
		if c.Message != nil {
			for _, m := range b.plan.messages {
				if m.def.Name == c.Message.Name {
					o.child = int32(m.index)
				}
			}
		}
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
		value, reason := b.value(c, o, t.Elem(), c.Presence != Implicit)
		if reason != "" {
			return boundOp{}, reason
		}
		return b.special(o, specialPointer, &boundColumn{elem: b.single(b.kept(value))}, false), ""
	}
	value, reason := b.value(c, o, t, c.Presence != Implicit)
	if reason != "" {
		return boundOp{}, reason
	}
	return b.kept(value), ""
}

// kept changes an op for AppendRecord, for columns that need more than writing.
func (b *binder) kept(value boundOp) boundOp {
	switch o := value.op; {
	case !b.keep || !o.slow():
		return value
	case o.later:
		return b.special(o, specialLater, &boundColumn{field: value.field}, value.always)
	default:
		return b.special(o, specialFirst, &boundColumn{elem: b.single(value)}, value.always)
	}
}

// special returns an op that the loop cannot execute itself.
func (b *binder) special(o *op, kind special, c *boundColumn, always bool) boundOp {
	c.op, c.special = o, kind
	return boundOp{load: loadOther, always: always, boundColumn: c}
}

// list binds a repeated column to the element type of a slice.
func (b *binder) list(c *Column, o *op, t reflect.Type) (boundOp, string) {
	inner, pointer := t, t.Kind() == reflect.Pointer && c.Message != nil
	if pointer {
		inner = t.Elem()
	}
	element, reason := b.value(c, o, inner, true)
	if reason != "" {
		return boundOp{}, "its elements: " + reason
	}
	kind := specialList
	if c.packed() {
		kind = specialPacked
		element = b.special(o, specialNumber, &boundColumn{field: element.field}, true)
	}
	if pointer {
		element = b.special(o, specialPointer, &boundColumn{elem: b.single(element)}, true)
	}
	return b.special(o, kind, &boundColumn{elem: b.single(element), stride: t.Size()}, true), ""
}

func (b *binder) mapColumn(c *Column, o *op, t reflect.Type) (boundOp, string) {
	entry := b.plan.messages[o.child]
	key, reason := b.column(entry.def.columns[0], t.Key(), entry)
	if reason != "" {
		return boundOp{}, "its keys: " + reason
	}
	value, reason := b.column(entry.def.columns[1], t.Elem(), entry)
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

// fieldOf returns how a type is read as a single value.
func fieldOf(t reflect.Type) field {
	switch t {
	case addrType():
		return fieldAddr
	case timeType():
		return fieldTime
	case durationType():
		return fieldDuration
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Uint8:
		return fieldUint8
	case reflect.Uint16:
		return fieldUint16
	case reflect.Uint32:
		return fieldUint32
	case reflect.Uint64:
		return fieldUint64
	case reflect.Uint:
		return map[uintptr]field{4: fieldUint32, 8: fieldUint64}[t.Size()]
	case reflect.Int8:
		return fieldInt8
	case reflect.Int16:
		return fieldInt16
	case reflect.Int32:
		return fieldInt32
	case reflect.Int64:
		return fieldInt64
	case reflect.Int:
		return map[uintptr]field{4: fieldInt32, 8: fieldInt64}[t.Size()]
	case reflect.Float32:
		return fieldFloat32
	case reflect.Float64:
		return fieldFloat64
	case reflect.String:
		return fieldText
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return fieldText
		}
	case reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[int]field{4: fieldArray4, 6: fieldArray6, 16: fieldArray16}[t.Len()]
		}
	}
	return fieldNone
}

func isUnsigned(f field) bool { return fieldUint8 <= f && f <= fieldUint64 }
func isSigned(f field) bool   { return fieldInt8 <= f && f <= fieldInt64 }

// value binds a single value to a type.
func (b *binder) value(c *Column, o *op, t reflect.Type, always bool) (boundOp, string) {
	if c.Message != nil && !(c.Logical != Plain && c.shape() != encode.ShapeMessage) {
		if t.Kind() != reflect.Struct || t == timeType() || t == addrType() {
			return boundOp{}, "it is a message and needs a struct"
		}
		return b.special(o, specialMessage, &boundColumn{child: b.message(t, b.plan.messages[o.child])}, always), ""
	}
	f := fieldOf(t)
	kind, fits, reason := specialNumber, false, ""
	switch s := c.shape(); s {
	case encode.ShapeUint:
		fits, reason = isUnsigned(f) && t.Kind() != reflect.Bool, "it holds unsigned numbers"
	case encode.ShapeInt:
		fits, reason = isSigned(f), "it holds signed numbers"
	case encode.ShapeFloat:
		fits, reason = f == fieldFloat32 || f == fieldFloat64, "it holds floating point numbers"
	case encode.ShapeBool:
		fits, reason = t.Kind() == reflect.Bool, "it holds bools"
	case encode.ShapeEnum:
		fits, reason = (isSigned(f) || isUnsigned(f)) && t.Kind() != reflect.Bool, "it holds numbers of an enum"
	case encode.ShapeString, encode.ShapeBytes:
		kind = specialText
		fits, reason = f == fieldText, "it holds strings or bytes"
	case encode.ShapeIP:
		kind = specialIP
		fits = f == fieldAddr || f == fieldArray16 || f == fieldArray4 || f == fieldText && t.Kind() == reflect.Slice
		reason = "it holds addresses: netip.Addr, [16]byte, [4]byte or []byte"
	case encode.ShapeMAC:
		fits = f == fieldUint64 || f == fieldArray6 || f == fieldText && t.Kind() == reflect.Slice
		reason = "it holds hardware addresses: uint64, [6]byte or []byte"
	case encode.ShapeTime, encode.ShapeDuration:
		wants, name := fieldTime, "time.Time"
		if s == encode.ShapeDuration {
			wants, name = fieldDuration, "time.Duration"
		}
		if fits, reason = f == wants, "it accepts "+name; fits {
			kind = specialTime
		} else if c.Message == nil {
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
	switch s := encode.KindShapes[o.kind]; {
	case value.special == specialText:
		if !o.utf8 {
			fast = loadText
		}
	case value.special == specialIP:
		switch f {
		case fieldAddr:
			fast = loadAddr
		case fieldArray16:
			fast = loadArray16
		}
	case value.special != specialNumber, o.column.Enum != nil && o.column.Enum.Closed:
	case o.kind == wire.Fixed32 && f == fieldUint32, o.kind == wire.Sfixed32 && f == fieldInt32,
		o.kind == wire.Float && f == fieldFloat32:
		fast = loadFixed32
	case o.kind == wire.Fixed64 && f == fieldUint64 && o.max == ^uint64(0), o.kind == wire.Sfixed64 && f == fieldInt64,
		o.kind == wire.Double && f == fieldFloat64:
		fast = loadFixed64
	case o.kind.Type() != wire.VarintType:
	case o.kind == wire.Sint32 || o.kind == wire.Sint64:
		switch {
		case f == fieldInt32:
			fast = loadZigzag32
		case f == fieldInt64 && o.kind == wire.Sint64:
			fast = loadZigzag64
		}
	case isUnsigned(f) && s != encode.ShapeInt:
		fast = loadUint8 + load(f-fieldUint8)
		limit = min(limit, o.max)
	case s == encode.ShapeInt || s == encode.ShapeEnum: // negative ones are not usual
		switch f {
		case fieldInt32:
			fast = loadInt32
		case fieldInt64:
			fast, limit = loadUint64, min(limit, o.max)
		}
	}
	if fast == loadOther {
		return
	}
	value.load, value.limit, value.tag, value.size = fast, limit, o.tag, o.size
	if fast == loadAddr || fast == loadArray16 {
		value.tag |= 16 << (8 * o.size)
		value.size++
	}
}
