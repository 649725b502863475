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
	runs  [][]byte
	i     int // in the first run
	asked []*wire.FieldTable
	field UnknownField

	undefined []byte // values that a record of a closed enum's extension leaves over
}

// Without leaves out the records of the extensions, which are otherwise among the unknown fields.
func (it UnknownFields) Without(extensions ...*wire.FieldTable) UnknownFields {
	it.asked = extensions
	return it
}

// Field returns the current unknown field.
func (it *UnknownFields) Field() UnknownField { return it.field }

// Next moves to the next unknown field and reports whether there is one.
func (it *UnknownFields) Next() bool {
	for {
		if len(it.undefined) > 0 {
			it.undefined = it.undefined[it.read(it.undefined, 0):]
			return true
		}
		if len(it.runs) == 0 {
			return false
		}
		run := it.runs[0]
		if it.i >= len(run) {
			it.runs, it.i = it.runs[1:], 0
			continue
		}
		if it.i = it.read(run, it.i); !it.left() {
			return true
		}
	}
}

// read makes the record at i the current field, and returns its end. Records were checked when they arrived.
func (it *UnknownFields) read(run []byte, i int) (end int) {
	tag, at := wire.ReadTag(run, i)
	end = wire.Skip(run, at, tag, anyDepth)
	it.field = UnknownField{tag.Number(), tag.Type(), run[i:end:end], at - i}
	return end
}

// anyDepth is for records whose depth was checked when they arrived.
const anyDepth = 1 << 15

// left reports whether the current field is a record of an extension that Without leaves out.
func (it *UnknownFields) left() bool {
	for _, x := range it.asked {
		if x.Number == it.field.Number && x.Matches(it.field.Type) {
			if x.Closed != nil {
				it.leaveUndefined(x)
			}
			return true
		}
		if x.Flags&wire.SetItem != 0 && it.field.Number == 1 && it.field.Type == wire.StartGroup {
			if id, _, complete := readItem(it.field.record[it.field.body:], nil); complete && id == x.Number {
				return true
			}
		}
	}
	return false
}

// leaveUndefined keeps the values of a record that the extension's closed enum does not define: they are not part of
// the extension.
func (it *UnknownFields) leaveUndefined(x *wire.FieldTable) {
	record, i := it.field.record, it.field.body
	if it.field.Type == wire.BytesType {
		i, _ = wire.ReadBytes(record, i)
	}
	it.undefined = nil
	for i < len(record) {
		v, next := wire.ReadVarint(record, i)
		if next < 0 {
			return // a packed record is not checked before it is read
		}
		if i = next; !x.Closed.Has(int32(v)) {
			it.undefined = wire.AppendTag(it.undefined, x.Number, wire.VarintType)
			it.undefined = wire.AppendInt32(it.undefined, int32(v))
		}
	}
}
