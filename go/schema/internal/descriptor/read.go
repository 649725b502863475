// Package descriptor reads and writes the messages of descriptor.proto as far as they matter to columns. It does so by
// hand, because the stock descriptor types would link the stock runtime.
package descriptor

import (
	"fmt"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
)

// File, Message, Field, Oneof and Enum are the parts of descriptor.proto's messages of these names that matter to columns.
type (
	File struct {
		Name, Package, Syntax string
		Edition               uint64
		Features              Features
		Messages              []*Message
		Enums                 []Enum
	}
	Message struct {
		Name                 string
		Fields               []Field
		Nested               []*Message
		Enums                []Enum
		Oneofs               []Oneof
		ReservedNumbers      []locked.Range
		ReservedNames        []string
		Features             Features
		MapEntry, MessageSet bool
	}
	Field struct {
		Name, TypeName string
		Default        string
		Number         uint32 // a number above the largest one
		Oneof          int32  // -1 for none
		Label, Type    uint8  // 255 for more
		Proto3Optional bool
		Packed         Packed
		Features       Features
	}
	Oneof struct {
		Name     string
		Features Features
	}
	Enum struct {
		Name     string
		Values   []locked.Value
		Features Features
	}
)

// Packed is the option packed.
type Packed uint8

// The settings of packed.
const (
	PackedUnset Packed = iota
	PackedFalse
	PackedTrue
)

// maxNesting limits how deep message declarations nest, and MaxName the length of full names: all names within a
// message start with the message's own name.
const (
	maxNesting = 100
	MaxName    = 512
)

// part is one field of a descriptor that is being read.
type part struct {
	number uint32
	value  uint64 // of a varint
	bytes  []byte // for a length-delimited field; its varint is 0
}

// eachField reads a message and calls visit for its varints and length-delimited fields.
func eachField(b []byte, visit func(f part) error) error {
	for i := 0; i < len(b); {
		tag, at := wire.ReadTag(b, i)
		if at < 0 {
			return wire.Failed(at)
		}
		next := wire.Skip(b, at, tag, maxNesting)
		if next < 0 {
			return wire.Failed(next)
		}
		f := part{number: tag.Number()}
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
	if err == nil && (len(*name) > MaxName || !locked.IsName(*name)) {
		err = fmt.Errorf("%.100q is not a name, or is too long", *name)
	}
	return err
}

// small returns a number that matters only if it is small.
func small(v uint64) uint8 { return uint8(min(v, 255)) }

// Read reads an encoded FileDescriptorSet.
func Read(fds []byte) (files []File, err error) {
	err = eachField(fds, func(f part) error {
		if f.number == 1 {
			return appendRead(&files, f.bytes, (*File).read)
		}
		return nil
	})
	return files, err
}

func (d *File) read(b []byte) error {
	return eachField(b, func(f part) error {
		switch f.number {
		case 1:
			d.Name = string(f.bytes)
		case 2:
			d.Package = string(f.bytes)
		case 4:
			m := new(Message)
			d.Messages = append(d.Messages, m)
			return m.read(f.bytes, 1)
		case 5:
			return appendRead(&d.Enums, f.bytes, (*Enum).read)
		case 8:
			return d.Features.read(f.bytes, FileFeatures)
		case 12:
			d.Syntax = string(f.bytes)
		case 14:
			d.Edition = f.value
		}
		return nil
	})
}

func (d *Message) read(b []byte, level int) error {
	if level > maxNesting {
		return wire.DepthExceeded
	}
	return named(&d.Name, eachField(b, func(f part) error {
		switch f.number {
		case 1:
			d.Name = string(f.bytes)
		case 2:
			return appendRead(&d.Fields, f.bytes, (*Field).read)
		case 3:
			m := new(Message)
			d.Nested = append(d.Nested, m)
			return m.read(f.bytes, level+1)
		case 4:
			return appendRead(&d.Enums, f.bytes, (*Enum).read)
		case 7:
			if err := d.Features.read(f.bytes, MessageFeatures); err != nil {
				return err
			}
			return eachField(f.bytes, func(f part) error {
				switch f.number {
				case 1:
					d.MessageSet = f.value != 0
				case 7:
					d.MapEntry = f.value != 0
				}
				return nil
			})
		case 8:
			return appendRead(&d.Oneofs, f.bytes, (*Oneof).read)
		case 9:
			return appendRead(&d.ReservedNumbers, f.bytes, readReserved)
		case 10:
			// A string that is not a name reserves nothing; protoc only warns of it.
			if name := string(f.bytes); len(name) <= MaxName && locked.IsName(name) {
				d.ReservedNames = append(d.ReservedNames, name)
			}
		}
		return nil
	}))
}

// readReserved reads a range whose end is exclusive.
func readReserved(r *locked.Range, b []byte) error {
	var first, end uint64
	err := eachField(b, func(f part) error {
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

func (d *Field) read(b []byte) error {
	d.Oneof = -1
	return named(&d.Name, eachField(b, func(f part) error {
		switch f.number {
		case 1:
			d.Name = string(f.bytes)
		case 3:
			d.Number = uint32(min(f.value, 1<<32-1))
		case 4:
			d.Label = small(f.value)
		case 5:
			d.Type = small(f.value)
		case 6:
			d.TypeName = string(f.bytes)
		case 7:
			d.Default = string(f.bytes)
		case 8:
			if err := d.Features.read(f.bytes, FieldFeatures); err != nil {
				return err
			}
			return eachField(f.bytes, func(f part) error {
				if f.number == 2 {
					d.Packed = PackedFalse
					if f.value != 0 {
						d.Packed = PackedTrue
					}
				}
				return nil
			})
		case 9:
			d.Oneof = int32(min(f.value, 1<<31-1))
		case 17:
			d.Proto3Optional = f.value != 0
		}
		return nil
	}))
}

func (d *Oneof) read(b []byte) error {
	return named(&d.Name, eachField(b, func(f part) error {
		switch f.number {
		case 1:
			d.Name = string(f.bytes)
		case 2:
			return d.Features.read(f.bytes, OneofFeatures)
		}
		return nil
	}))
}

func (d *Enum) read(b []byte) error {
	return named(&d.Name, eachField(b, func(f part) error {
		switch f.number {
		case 1:
			d.Name = string(f.bytes)
		case 2:
			return appendRead(&d.Values, f.bytes, readEnumValue)
		case 3:
			return d.Features.read(f.bytes, EnumFeatures)
		}
		return nil
	}))
}

func readEnumValue(v *locked.Value, b []byte) error {
	return named(&v.Name, eachField(b, func(f part) error {
		switch f.number {
		case 1:
			v.Name = string(f.bytes)
		case 2:
			v.Number = int32(f.value)
		}
		return nil
	}))
}
