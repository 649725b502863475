package schema

import (
	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/descriptor"
)

// FileDescriptorSet returns the plan as an encoded google.protobuf.FileDescriptorSet with everything that it
// needs: the files of well-known types, cut down to the types that are used, and last the file whose text is
// Proto, as protoc compiles it, without comments.
func (p *Plan) FileDescriptorSet() ([]byte, error) {
	files, err := p.protoFiles()
	if err != nil {
		return nil, err
	}
	var set descriptor.Writer
	for _, f := range files {
		set.Message(1, func(d *descriptor.Writer) { f.describe(d) })
	}
	return set, nil
}

// features writes features into the message of options that has them under a number.
func features(d *descriptor.Writer, number uint32, list ...feature) {
	d.Message(number, func(d *descriptor.Writer) {
		for _, f := range list {
			d.Number(f.number, int64(f.setting))
		}
	})
}

func (f *protoFile) describe(d *descriptor.Writer) {
	d.Text(1, f.name)
	if f.pkg != "" {
		d.Text(2, f.pkg)
	}
	for _, name := range f.imports {
		d.Text(3, name)
	}
	for _, t := range f.types {
		if t.enum == nil {
			d.Message(4, func(d *descriptor.Writer) { f.describeMessage(d, t) })
		}
	}
	for _, t := range f.types {
		if t.enum != nil {
			d.Message(5, func(d *descriptor.Writer) { describeEnum(d, t) })
		}
	}
	if !f.edition {
		d.Text(12, "proto3")
		return
	}
	d.Text(12, "editions")
	d.Number(14, 1000) // EDITION_2023
}

func (f *protoFile) describeMessage(d *descriptor.Writer, t *protoType) {
	d.Text(1, t.name)
	for _, c := range t.fields {
		d.Message(2, func(d *descriptor.Writer) { f.describeField(d, t, c) })
	}
	for _, n := range f.nestedInOrder(t) {
		d.Message(3, func(d *descriptor.Writer) { f.describeMessage(d, n) })
	}
	for _, n := range t.nested {
		if n.enum != nil {
			d.Message(4, func(d *descriptor.Writer) { describeEnum(d, n) })
		}
	}
	if t.message == nil {
		return
	}
	if t.message.def.entry {
		d.Message(7, func(d *descriptor.Writer) { d.Number(7, 1) })
	}
	for _, name := range t.oneofs {
		d.Message(8, func(d *descriptor.Writer) { d.Text(1, name) })
	}
	for _, r := range t.reservedNumbers {
		d.Message(9, func(d *descriptor.Writer) {
			d.Number(1, int64(r.First))
			d.Number(2, int64(r.Last)+1)
		})
	}
	for _, name := range t.reservedNames {
		d.Text(10, name)
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

func (f *protoFile) describeField(d *descriptor.Writer, t *protoType, c protoField) {
	d.Text(1, c.Name)
	d.Number(3, int64(c.Number))
	label := int64(1)
	if c.Repeated {
		label = 3
	}
	d.Number(4, label)
	kind := c.Kind
	if kind == wire.Group { // which is a feature of the field
		kind = wire.Message
	}
	d.Number(5, int64(descriptor.TypeOf(kind)))
	switch {
	case c.Message != nil:
		d.Text(6, "."+c.Message.Name)
	case c.Enum != nil:
		d.Text(6, "."+c.Enum.Name)
	}
	if c.Default != "" {
		d.Text(7, c.defaultText())
	}
	if f.edition {
		if list := f.features(t, c.Column); len(list) > 0 {
			d.Message(8, func(d *descriptor.Writer) { features(d, descriptor.FieldFeatures, list...) })
		}
	} else if c.Unpacked {
		d.Message(8, func(d *descriptor.Writer) { d.Number(2, 0) })
	}
	switch {
	case c.oneof >= 0:
		d.Number(9, int64(c.oneof))
	case c.synthetic >= 0:
		d.Number(9, int64(c.synthetic))
	}
	d.Text(10, descriptor.JSONName(c.Name))
	if c.synthetic >= 0 {
		d.Number(17, 1)
	}
}

func describeEnum(d *descriptor.Writer, t *protoType) {
	e := t.enum
	d.Text(1, t.name)
	for _, v := range e.Values {
		d.Message(2, func(d *descriptor.Writer) {
			d.Text(1, v.Name)
			d.Number(2, int64(v.Number))
		})
	}
	if e.Closed || e.aliases() {
		d.Message(3, func(d *descriptor.Writer) {
			if e.aliases() {
				d.Number(2, 1)
			}
			if e.Closed {
				features(d, descriptor.EnumFeatures, closedEnum)
			}
		})
	}
}
