package schema

import "github.com/hotpb/hotpb/go/rt/wire"

// FileDescriptorSet returns the plan as an encoded google.protobuf.FileDescriptorSet with everything that it
// needs: the files of well-known types, cut down to the types that are used, and last the file whose text is
// Proto, as protoc compiles it, without comments.
func (p *Plan) FileDescriptorSet() ([]byte, error) {
	files, err := p.protoFiles()
	if err != nil {
		return nil, err
	}
	var set descriptor
	for _, f := range files {
		set.message(1, func(d *descriptor) { f.describe(d) })
	}
	return set, nil
}

// descriptor is an encoded message of descriptor.proto.
type descriptor []byte

func (d *descriptor) text(number uint32, v string) {
	*d = wire.AppendString(wire.AppendTag(*d, number, wire.BytesType), v)
}

func (d *descriptor) number(number uint32, v int64) {
	*d = wire.AppendVarint(wire.AppendTag(*d, number, wire.VarintType), uint64(v))
}

func (d *descriptor) message(number uint32, content func(*descriptor)) {
	*d = wire.AppendTag(*d, number, wire.BytesType)
	start := len(*d)
	content(d)
	*d = wire.InsertLength(*d, start)
}

// The numbers of the field features in messages of options.
const (
	fieldFeatures = 21
	enumFeatures  = 7
)

func (d *descriptor) features(number uint32, list ...feature) {
	if len(list) == 0 {
		return
	}
	d.message(number, func(d *descriptor) {
		for _, f := range list {
			d.number(f.number, int64(f.setting))
		}
	})
}

func (f *protoFile) describe(d *descriptor) {
	d.text(1, f.name)
	if f.pkg != "" {
		d.text(2, f.pkg)
	}
	for _, name := range f.imports {
		d.text(3, name)
	}
	for _, t := range f.types {
		if t.enum == nil {
			d.message(4, func(d *descriptor) { f.describeMessage(d, t) })
		}
	}
	for _, t := range f.types {
		if t.enum != nil {
			d.message(5, func(d *descriptor) { describeEnum(d, t) })
		}
	}
	if !f.edition {
		d.text(12, "proto3")
		return
	}
	d.text(12, "editions")
	d.number(14, 1000) // EDITION_2023
}

func (f *protoFile) describeMessage(d *descriptor, t *protoType) {
	d.text(1, t.name)
	for _, c := range t.fields {
		d.message(2, func(d *descriptor) { f.describeField(d, t, c) })
	}
	for _, n := range f.nestedInOrder(t) {
		d.message(3, func(d *descriptor) { f.describeMessage(d, n) })
	}
	for _, n := range t.nested {
		if n.enum != nil {
			d.message(4, func(d *descriptor) { describeEnum(d, n) })
		}
	}
	if t.message == nil {
		return
	}
	if t.message.def.entry {
		d.message(7, func(d *descriptor) { d.number(7, 1) })
	}
	for _, name := range t.oneofs {
		d.message(8, func(d *descriptor) { d.text(1, name) })
	}
	for _, r := range t.reservedNumbers {
		d.message(9, func(d *descriptor) {
			d.number(1, int64(r.First))
			d.number(2, int64(r.Last)+1)
		})
	}
	for _, name := range t.reservedNames {
		d.text(10, name)
	}
}

// nestedInOrder returns the messages in a message: first those of the text, then the entries of its maps.
func (f *protoFile) nestedInOrder(t *protoType) (list []*protoType) {
	for _, n := range t.nested {
		if n.enum == nil && (n.message == nil || !n.message.def.entry) {
			list = append(list, n)
		}
	}
	for _, c := range t.fields {
		for _, n := range t.nested {
			if c.Map && n.full == c.Message.Name {
				list = append(list, n)
			}
		}
	}
	return list
}

func (f *protoFile) describeField(d *descriptor, t *protoType, c protoField) {
	d.text(1, c.Name)
	d.number(3, int64(c.Number))
	label := int64(1)
	if c.Repeated {
		label = 3
	}
	d.number(4, label)
	kind := c.Kind
	if kind == wire.Group { // which is a feature of the field
		kind = wire.Message
	}
	d.number(5, int64(descriptorTypes[kind]))
	switch {
	case c.Message != nil:
		d.text(6, "."+c.Message.Name)
	case c.Enum != nil:
		d.text(6, "."+c.Enum.Name)
	}
	if c.Default != "" {
		d.text(7, c.defaultText())
	}
	if f.edition {
		if list := f.features(t, c.Column); len(list) > 0 {
			d.message(8, func(d *descriptor) { d.features(fieldFeatures, list...) })
		}
	} else if c.Unpacked {
		d.message(8, func(d *descriptor) { d.number(2, 0) })
	}
	switch {
	case c.oneof >= 0:
		d.number(9, int64(c.oneof))
	case c.synthetic >= 0:
		d.number(9, int64(c.synthetic))
	}
	d.text(10, jsonName(c.Name))
	if c.synthetic >= 0 {
		d.number(17, 1)
	}
}

func describeEnum(d *descriptor, t *protoType) {
	e := t.enum
	d.text(1, t.name)
	for _, v := range e.Values {
		d.message(2, func(d *descriptor) {
			d.text(1, v.Name)
			d.number(2, int64(v.Number))
		})
	}
	if e.Closed || e.aliases() {
		d.message(3, func(d *descriptor) {
			if e.aliases() {
				d.number(2, 1)
			}
			if e.Closed {
				d.features(enumFeatures, closedEnum)
			}
		})
	}
}

// descriptorTypes are the kinds in FieldDescriptorProto.Type.
var descriptorTypes = [...]uint8{
	wire.Double: 1, wire.Float: 2, wire.Int64: 3, wire.Uint64: 4, wire.Int32: 5, wire.Fixed64: 6, wire.Fixed32: 7,
	wire.Bool: 8, wire.String: 9, wire.Group: 10, wire.Message: 11, wire.Bytes: 12, wire.Uint32: 13, wire.Enum: 14,
	wire.Sfixed32: 15, wire.Sfixed64: 16, wire.Sint32: 17, wire.Sint64: 18,
}
