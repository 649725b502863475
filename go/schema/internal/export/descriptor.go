package export

import (
	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/descriptor"
)

// Descriptors returns the encoded google.protobuf.FileDescriptorSet of the files.
func Descriptors(files []*File) []byte {
	var set descriptor.Writer
	for _, f := range files {
		set.Message(1, func(d *descriptor.Writer) { f.describe(d) })
	}
	return set
}

// features writes features into the message of options that has them under a number.
func features(d *descriptor.Writer, number uint32, list ...feature) {
	d.Message(number, func(d *descriptor.Writer) {
		for _, f := range list {
			d.Number(f.number, int64(f.setting))
		}
	})
}

func (f *File) describe(d *descriptor.Writer) {
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

func (f *File) describeMessage(d *descriptor.Writer, t *declaration) {
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
	if t.message.Entry {
		d.Message(7, func(d *descriptor.Writer) { d.Number(7, 1) })
	}
	for _, name := range t.oneofs {
		d.Message(8, func(d *descriptor.Writer) { d.Text(1, name) })
	}
	for _, r := range t.message.Numbers {
		d.Message(9, func(d *descriptor.Writer) {
			d.Number(1, int64(r.First))
			d.Number(2, int64(r.Last)+1)
		})
	}
	for _, name := range t.message.Names {
		d.Text(10, name)
	}
}

// nestedInOrder returns the messages in a message: first those of the text, then the entries of its maps.
func (f *File) nestedInOrder(t *declaration) (list []*declaration) {
	for _, n := range t.nested {
		if n.enum == nil && (n.message == nil || !n.message.Entry) {
			list = append(list, n)
		}
	}
	for _, c := range t.fields {
		for _, n := range t.nested {
			if c.Map && n.full == c.Of {
				list = append(list, n)
			}
		}
	}
	return list
}

func (f *File) describeField(d *descriptor.Writer, t *declaration, c field) {
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
	if c.Of != "" {
		d.Text(6, "."+c.Of)
	}
	if c.Default != "" {
		d.Text(7, c.Default)
	}
	if f.edition {
		if list := f.features(t, c.Column); len(list) > 0 {
			d.Message(8, func(d *descriptor.Writer) { features(d, descriptor.FieldFeatures, list...) })
		}
	} else if unpacked(c.Column) {
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

func describeEnum(d *descriptor.Writer, t *declaration) {
	e := t.enum
	d.Text(1, t.name)
	for _, v := range e.Values {
		d.Message(2, func(d *descriptor.Writer) {
			d.Text(1, v.Name)
			d.Number(2, int64(v.Number))
		})
	}
	if e.Closed || aliases(e) {
		d.Message(3, func(d *descriptor.Writer) {
			if aliases(e) {
				d.Number(2, 1)
			}
			if e.Closed {
				features(d, descriptor.EnumFeatures, closedEnum)
			}
		})
	}
}
