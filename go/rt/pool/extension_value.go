package pool

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// extended is a message with one field, the extension.
type extended struct {
	hot    Hidden
	has    uint32
	number uint64
	text   string
	bytes  []byte
	list   list
	child  unsafe.Pointer

	layout Layout
	tables []wire.MessageTable
	fields [1]Field
	parts  [1]Part
	inner  [1]uint16
}

// extendedSlabs are the slabs of that field.
type extendedSlabs struct {
	_  Slab[byte] // for whatever elements the field has
	at unsafe.Pointer
}

func (x *extended) Reset() {
	x.number, x.text, x.bytes, x.list, x.child, x.has = 0, "", nil, list{}, nil, 0
}
func (x *extended) RefHot() Ref { return Ref{&x.layout, unsafe.Pointer(x)} }

// The loops of this package read and write the message.
func (x *extended) DecodeHot(d *Decoder, slabs unsafe.Pointer, b []byte, i, levels int) int {
	return x.layout.DecodeHot(unsafe.Pointer(x), d, slabs, b, i, levels)
}
func (x *extended) EncodeHot(e *Encoder, i int) int {
	return x.layout.EncodeHot(unsafe.Pointer(x), e, i)
}

// extension returns the message of one extension. The extension's own messages have the layout (*group)[index].
func extension(table *wire.FieldTable, group *[]Layout, index int) *extended {
	x := &extended{tables: []wire.MessageTable{{Fields: []wire.FieldTable{*table}}}}
	kind := table.Kind
	is, shows, tagType := uint32(kind), uint32(0), kind.Type()
	at := unsafe.Offsetof(x.number)
	switch {
	case table.Flags&wire.Repeated != 0:
		is, shows, at = is|isList, showsInLength, unsafe.Offsetof(x.list)
		if table.Flags&wire.Packed != 0 {
			tagType = wire.BytesType
		}
		x.parts[0] = Part{Kind: kind, Of: InSlab}
	case group != nil:
		shows, at = showsInPointer, unsafe.Offsetof(x.child)
		x.parts[0] = Part{Kind: kind, Of: InSlab | Pointer}
	case kind == wire.String:
		at = unsafe.Offsetof(x.text)
	case kind == wire.Bytes:
		at = unsafe.Offsetof(x.bytes)
	}
	if table.Flags&wire.VerifyUtf8 != 0 {
		is |= verifies
	}
	if table.Closed != nil {
		is |= isClosed
	}
	if group != nil {
		p := &x.parts[0]
		p.Child, p.Index = group, index
		p.Of |= Apart
		p.At = uint32(unsafe.Offsetof(extendedSlabs{}.at))
		if x.layout.Traits = (*group)[index].Traits & Requires; x.layout.Traits != 0 {
			x.layout.Inner = x.inner[:]
		}
	}
	if x.parts[0].Of != 0 {
		is |= isCompound
	}
	x.fields[0] = Field{uint32(wire.MakeTag(table.Number, tagType)), uint32(at), 0, is | shows<<8}
	l := &x.layout
	l.Tables, l.Of, l.Memory, l.Size = &x.tables, (*[]extended)(nil), (*extendedSlabs)(nil), unsafe.Sizeof(*x)
	l.Fields, l.Parts, l.Has, l.Code = x.fields[:], x.parts[:], unsafe.Offsetof(x.has), (*extended)(nil)
	return x
}

// read decodes and checks the records of the extension. Offsets of errors count from the first of these records.
func (x *extended) read(from *Hidden) (has bool, err error) {
	var records []byte
	table := &x.tables[0].Fields[0]
	for fields := from.UnknownFields(); fields.Next(); {
		if u := fields.Field(); u.Number == table.Number && table.Matches(u.Type) {
			records = append(records, u.record...)
		}
	}
	if err := Unmarshal(x, records, Options{Mode: Owned}); err != nil {
		return false, err
	}
	return x.layout.shown(&x.fields[0], unsafe.Pointer(x)), nil
}

// put puts the extension into a message and replaces its old value.
func (x *extended) put(to *Hidden) error {
	if path := x.layout.missing(unsafe.Pointer(x), true); path != "" {
		return Missing(path)
	}
	records, err := x.RefHot().Marshal()
	if err != nil {
		return err
	}
	return SetExtension(to, &x.tables[0].Fields[0], records)
}

// value returns the address of the field's value.
func (x *extended) value() unsafe.Pointer { return unsafe.Add(unsafe.Pointer(x), x.fields[0][1]) }

// ReadExtension reads a singular extension that is not a message, into new memory. It returns otherwise if the
// extension is absent.
func ReadExtension[T any](from *Hidden, table *wire.FieldTable, otherwise T) (value T, has bool, err error) {
	x := extension(table, nil, 0)
	if has, err = x.read(from); !has {
		return otherwise, false, err
	}
	return *(*T)(x.value()), true, nil
}

// PutExtension puts such an extension into a message and replaces its old value.
func PutExtension[T any](to *Hidden, table *wire.FieldTable, value T) error {
	x := extension(table, nil, 0)
	*(*T)(x.value()), x.has = value, 1
	return x.put(to)
}

// ReadExtensions reads the elements of a repeated extension into new memory. Messages have the layout
// (*group)[index].
func ReadExtensions[T any](from *Hidden, table *wire.FieldTable, group *[]Layout, index int) ([]T, error) {
	x := extension(table, group, index)
	_, err := x.read(from)
	return *(*[]T)(x.value()), err
}

// PutExtensions puts the elements of a repeated extension into a message and replaces the old ones.
func PutExtensions[T any](to *Hidden, table *wire.FieldTable, elements []T, group *[]Layout, index int) error {
	x := extension(table, group, index)
	*(*[]T)(x.value()) = elements
	return x.put(to)
}

// ReadMessage reads a singular message extension into new memory. It returns nil if the extension is absent.
func ReadMessage[T any](from *Hidden, table *wire.FieldTable, group *[]Layout, index int) (*T, error) {
	x := extension(table, group, index)
	_, err := x.read(from)
	return (*T)(x.child), err
}

// PutMessage puts such an extension into a message and replaces its old value; nil removes it.
func PutMessage[T any](to *Hidden, table *wire.FieldTable, message *T, group *[]Layout, index int) error {
	x := extension(table, group, index)
	x.child = unsafe.Pointer(message)
	return x.put(to)
}
