package pool

import "github.com/hotpb/hotpb/go/rt/wire"

// UnknownField is a record that the schema does not define, a record of an extension, or an undefined value of a
// closed enum.
type UnknownField struct {
	Number uint32
	Type   wire.Type

	record []byte
	body   int // where its value starts
}

// Append appends the record with its tag.
func (u UnknownField) Append(dst []byte) []byte { return append(dst, u.record...) }

// Raw returns the record with its tag, unchanged. It is valid as long as the message's other bytes are.
func (u UnknownField) Raw() []byte { return u.record }

// UnknownFields iterates over the unknown fields of a message, in their order:
//
//	for it := m.UnknownFields(); it.Next(); {
//		out = it.Field().Append(out)
//	}
type UnknownFields struct {
	runs     [][]byte
	i        int // in the first run
	excluded []*wire.FieldTable
	field    UnknownField

	undefined []byte // values that a record of a closed enum's extension leaves over
}

// Without leaves out the records of the extensions, which are otherwise among the unknown fields.
func (fields UnknownFields) Without(extensions ...*wire.FieldTable) UnknownFields {
	fields.excluded = extensions
	return fields
}

// Field returns the current unknown field.
func (fields *UnknownFields) Field() UnknownField { return fields.field }

// Next moves to the next unknown field and reports whether there is one.
func (fields *UnknownFields) Next() bool {
	for {
		if len(fields.undefined) > 0 {
			fields.undefined = fields.undefined[fields.read(fields.undefined, 0):]
			return true
		}
		if len(fields.runs) == 0 {
			return false
		}
		run := fields.runs[0]
		if fields.i >= len(run) {
			fields.runs, fields.i = fields.runs[1:], 0
			continue
		}
		if fields.i = fields.read(run, fields.i); !fields.left() {
			return true
		}
	}
}

// read makes the record at i the current field, and returns its end. Records were checked when they arrived.
func (fields *UnknownFields) read(run []byte, i int) (end int) {
	tag, at := wire.ReadTag(run, i)
	end = wire.Skip(run, at, tag, anyDepth)
	fields.field = UnknownField{tag.Number(), tag.Type(), run[i:end:end], at - i}
	return end
}

// anyDepth is for records whose depth was checked when they arrived.
const anyDepth = 1 << 15

// left reports whether the current field is a record of an extension that Without leaves out.
func (fields *UnknownFields) left() bool {
	for _, x := range fields.excluded {
		if x.Number == fields.field.Number && x.Matches(fields.field.Type) {
			if x.Closed != nil {
				fields.leaveUndefined(x)
			}
			return true
		}
		if x.Flags&wire.SetItem != 0 && fields.field.Number == 1 && fields.field.Type == wire.StartGroup {
			if id, _, complete := readItem(fields.field.record[fields.field.body:], nil); complete && id == x.Number {
				return true
			}
		}
	}
	return false
}

// leaveUndefined keeps the values of a record that the extension's closed enum does not define: they are not part of
// the extension.
func (fields *UnknownFields) leaveUndefined(x *wire.FieldTable) {
	record, i := fields.field.record, fields.field.body
	if fields.field.Type == wire.BytesType {
		i, _ = wire.ReadBytes(record, i)
	}
	fields.undefined = nil
	for i < len(record) {
		v, next := wire.ReadVarint(record, i)
		if next < 0 {
			return // a packed record is not checked before it is read
		}
		if i = next; !x.Closed.Has(int32(v)) {
			fields.undefined = wire.AppendTag(fields.undefined, x.Number, wire.VarintType)
			fields.undefined = wire.AppendInt32(fields.undefined, int32(v))
		}
	}
}
