package schema

import (
	"fmt"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
)

// The parts of descriptor.proto that matter to columns. They are read by hand, because the stock descriptor types
// would link the stock runtime.

type fileDescriptor struct {
	name, pkg, syntax string
	edition           uint64
	features          featureSet
	messages          []*messageDescriptor
	enums             []enumDescriptor
}

type messageDescriptor struct {
	name            string
	fields          []fieldDescriptor
	nested          []*messageDescriptor
	enums           []enumDescriptor
	oneofs          []oneofDescriptor
	reservedNumbers []Range
	reservedNames   []string
	features        featureSet
	mapEntry        bool
	messageSet      bool
}

type fieldDescriptor struct {
	name, typeName string
	defaultValue   string
	number         uint32 // a number above the largest one
	oneof          int32  // -1 for none
	label, kind    uint8  // 255 for more
	optional3      bool
	packed         packedOption
	features       featureSet
}

type oneofDescriptor struct {
	name     string
	features featureSet
}

type enumDescriptor struct {
	name     string
	values   []EnumValue
	features featureSet
}

// packedOption is the option packed, which is unset if absent.
type packedOption uint8

const (
	packedUnsaid packedOption = iota
	packedFalse
	packedTrue
)

// maxNesting limits how deep message declarations nest, and maxName the length of full names: all names within a
// message start with the message's own name.
const (
	maxNesting = 100
	maxName    = 512
)

// descriptorField is one field of a descriptor that is being read.
type descriptorField struct {
	number uint32
	value  uint64 // of a varint
	bytes  []byte // for a length-delimited field; its varint is 0
}

// eachField reads a message and calls what for its varints and length-delimited fields.
func eachField(b []byte, visit func(f descriptorField) error) error {
	for i := 0; i < len(b); {
		tag, at := wire.ReadTag(b, i)
		if at < 0 {
			return wire.Failed(at)
		}
		next := wire.Skip(b, at, tag, maxNesting)
		if next < 0 {
			return wire.Failed(next)
		}
		f := descriptorField{number: tag.Number()}
		i = next
		switch tag.Type() {
		case wire.VarintType:
			f.value, _ = wire.ReadVarint(b, at)
		case wire.BytesType:
			start, end := wire.ReadBytes(b, at)
			f.bytes = b[start:end:end]
		default:
			continue
		}
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// appendRead appends the result of read for a field to a list.
func appendRead[T any](to *[]T, b []byte, read func(*T, []byte) error) error {
	var empty T
	*to = append(*to, empty)
	return read(&(*to)[len(*to)-1], b)
}

// named is called after reading a named element, with the error so far.
func named(name *string, err error) error {
	if err == nil && (len(*name) > maxName || !locked.IsName(*name)) {
		err = fmt.Errorf("%.100q is not a name, or is too long", *name)
	}
	return err
}

// small returns a number that matters only if it is small.
func small(v uint64) uint8 { return uint8(min(v, 255)) }

func readFiles(fds []byte) (files []fileDescriptor, err error) {
	err = eachField(fds, func(f descriptorField) error {
		if f.number == 1 {
			return appendRead(&files, f.bytes, (*fileDescriptor).read)
		}
		return nil
	})
	return files, err
}

func (d *fileDescriptor) read(b []byte) error {
	return eachField(b, func(f descriptorField) error {
		switch f.number {
		case 1:
			d.name = string(f.bytes)
		case 2:
			d.pkg = string(f.bytes)
		case 4:
			m := new(messageDescriptor)
			d.messages = append(d.messages, m)
			return m.read(f.bytes, 1)
		case 5:
			return appendRead(&d.enums, f.bytes, (*enumDescriptor).read)
		case 8:
			return d.features.readOptions(f.bytes, 50)
		case 12:
			d.syntax = string(f.bytes)
		case 14:
			d.edition = f.value
		}
		return nil
	})
}

func (d *messageDescriptor) read(b []byte, level int) error {
	if level > maxNesting {
		return wire.DepthExceeded
	}
	return named(&d.name, eachField(b, func(f descriptorField) error {
		switch f.number {
		case 1:
			d.name = string(f.bytes)
		case 2:
			return appendRead(&d.fields, f.bytes, (*fieldDescriptor).read)
		case 3:
			m := new(messageDescriptor)
			d.nested = append(d.nested, m)
			return m.read(f.bytes, level+1)
		case 4:
			return appendRead(&d.enums, f.bytes, (*enumDescriptor).read)
		case 7:
			if err := d.features.readOptions(f.bytes, 12); err != nil {
				return err
			}
			return eachField(f.bytes, func(f descriptorField) error {
				switch f.number {
				case 1:
					d.messageSet = f.value != 0
				case 7:
					d.mapEntry = f.value != 0
				}
				return nil
			})
		case 8:
			return appendRead(&d.oneofs, f.bytes, (*oneofDescriptor).read)
		case 9:
			return appendRead(&d.reservedNumbers, f.bytes, readReserved)
		case 10:
			// A string that is not a name reserves nothing; protoc only warns of it.
			if name := string(f.bytes); len(name) <= maxName && locked.IsName(name) {
				d.reservedNames = append(d.reservedNames, name)
			}
		}
		return nil
	}))
}

// readReserved reads a range whose end is exclusive.
func readReserved(r *Range, b []byte) error {
	var first, end uint64
	err := eachField(b, func(f descriptorField) error {
		switch f.number {
		case 1:
			first = f.value
		case 2:
			end = f.value
		}
		return nil
	})
	// A bad range stays bad: 0 is not a number, and nothing above the largest is.
	r.First, r.Last = uint32(min(first, wire.MaxNumber+1)), uint32(min(end-1, wire.MaxNumber+1))
	return err
}

func (d *fieldDescriptor) read(b []byte) error {
	d.oneof = -1
	return named(&d.name, eachField(b, func(f descriptorField) error {
		switch f.number {
		case 1:
			d.name = string(f.bytes)
		case 3:
			d.number = uint32(min(f.value, 1<<32-1))
		case 4:
			d.label = small(f.value)
		case 5:
			d.kind = small(f.value)
		case 6:
			d.typeName = string(f.bytes)
		case 7:
			d.defaultValue = string(f.bytes)
		case 8:
			if err := d.features.readOptions(f.bytes, 21); err != nil {
				return err
			}
			return eachField(f.bytes, func(f descriptorField) error {
				if f.number == 2 {
					d.packed = packedFalse
					if f.value != 0 {
						d.packed = packedTrue
					}
				}
				return nil
			})
		case 9:
			d.oneof = int32(min(f.value, 1<<31-1))
		case 17:
			d.optional3 = f.value != 0
		}
		return nil
	}))
}

func (d *oneofDescriptor) read(b []byte) error {
	return named(&d.name, eachField(b, func(f descriptorField) error {
		switch f.number {
		case 1:
			d.name = string(f.bytes)
		case 2:
			return d.features.readOptions(f.bytes, 1)
		}
		return nil
	}))
}

func (d *enumDescriptor) read(b []byte) error {
	return named(&d.name, eachField(b, func(f descriptorField) error {
		switch f.number {
		case 1:
			d.name = string(f.bytes)
		case 2:
			return appendRead(&d.values, f.bytes, readEnumValue)
		case 3:
			return d.features.readOptions(f.bytes, 7)
		}
		return nil
	}))
}

func readEnumValue(v *EnumValue, b []byte) error {
	return named(&v.Name, eachField(b, func(f descriptorField) error {
		switch f.number {
		case 1:
			v.Name = string(f.bytes)
		case 2:
			v.Number = int32(f.value)
		}
		return nil
	}))
}
