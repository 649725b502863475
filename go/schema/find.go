package schema

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// Find finds a column of the message by name. A path like labels.name leads into the message of a column, and into
// the entries of a map by key and value.
func (m *Message) Find(path string) (*Column, Handle, bool) {
	for {
		name, rest, nested := strings.Cut(path, ".")
		c := m.column(name)
		if c == nil {
			return nil, Handle{}, false
		}
		if !nested {
			return c, Handle{m.scope, c.index}, true
		}
		if c.Message == nil {
			return nil, Handle{}, false
		}
		m, path = c.Message, rest
	}
}

func (m *Message) column(name string) *Column {
	if m == nil {
		return nil
	}
	for _, c := range m.columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// find is Find for a type of handle. A column of another type is TypeMismatch here, and not when the handle is
// used.
func (m *Message) find(path string, want encode.Shape, list bool) (Handle, error) {
	c, h, ok := m.Find(path)
	where := path
	if m != nil {
		where = m.Name + "." + path
	}
	if !ok {
		return Handle{}, &Error{wire.InvalidSchema, where, "there is no such column"}
	}
	if isList := c.Repeated && !c.Map; c.shape() != want || isList != list {
		return Handle{}, &Error{wire.TypeMismatch, where, fmt.Sprintf("is %s, not %s", c.handleName(), handleName(want, list))}
	}
	return h, nil
}

func handleName(s encode.Shape, list bool) string {
	if list {
		return shapeNames[s] + "List"
	}
	return shapeNames[s] + "Column"
}

// handleName returns the type of the column's handle.
func (c *Column) handleName() string { return handleName(c.shape(), c.Repeated && !c.Map) }

// FindUint is the handle of the column with this path; TypeMismatch when it takes other values.
func (m *Message) FindUint(path string) (UintColumn, error) {
	h, err := m.find(path, encode.ShapeUint, false)
	return UintColumn{h}, err
}

// FindUintList is the handle of the repeated column with this path.
func (m *Message) FindUintList(path string) (UintList, error) {
	h, err := m.find(path, encode.ShapeUint, true)
	return UintList{h}, err
}

// FindInt is the handle of the column with this path; TypeMismatch when it takes other values.
func (m *Message) FindInt(path string) (IntColumn, error) {
	h, err := m.find(path, encode.ShapeInt, false)
	return IntColumn{h}, err
}

// FindIntList is the handle of the repeated column with this path.
func (m *Message) FindIntList(path string) (IntList, error) {
	h, err := m.find(path, encode.ShapeInt, true)
	return IntList{h}, err
}

// FindFloat is the handle of the column with this path; TypeMismatch when it takes other values.
func (m *Message) FindFloat(path string) (FloatColumn, error) {
	h, err := m.find(path, encode.ShapeFloat, false)
	return FloatColumn{h}, err
}

// FindFloatList is the handle of the repeated column with this path.
func (m *Message) FindFloatList(path string) (FloatList, error) {
	h, err := m.find(path, encode.ShapeFloat, true)
	return FloatList{h}, err
}

// FindBool is the handle of the column with this path; TypeMismatch when it takes other values.
func (m *Message) FindBool(path string) (BoolColumn, error) {
	h, err := m.find(path, encode.ShapeBool, false)
	return BoolColumn{h}, err
}

// FindBoolList is the handle of the repeated column with this path.
func (m *Message) FindBoolList(path string) (BoolList, error) {
	h, err := m.find(path, encode.ShapeBool, true)
	return BoolList{h}, err
}

// FindEnum is the handle of the column with this path; TypeMismatch when it takes other values.
func (m *Message) FindEnum(path string) (EnumColumn, error) {
	h, err := m.find(path, encode.ShapeEnum, false)
	return EnumColumn{h}, err
}

// FindEnumList is the handle of the repeated column with this path.
func (m *Message) FindEnumList(path string) (EnumList, error) {
	h, err := m.find(path, encode.ShapeEnum, true)
	return EnumList{h}, err
}

// FindString is the handle of the column with this path; TypeMismatch when it takes other values.
func (m *Message) FindString(path string) (StringColumn, error) {
	h, err := m.find(path, encode.ShapeString, false)
	return StringColumn{h}, err
}

// FindStringList is the handle of the repeated column with this path.
func (m *Message) FindStringList(path string) (StringList, error) {
	h, err := m.find(path, encode.ShapeString, true)
	return StringList{h}, err
}

// FindBytes is the handle of the column with this path; TypeMismatch when it takes other values.
func (m *Message) FindBytes(path string) (BytesColumn, error) {
	h, err := m.find(path, encode.ShapeBytes, false)
	return BytesColumn{h}, err
}

// FindBytesList is the handle of the repeated column with this path.
func (m *Message) FindBytesList(path string) (BytesList, error) {
	h, err := m.find(path, encode.ShapeBytes, true)
	return BytesList{h}, err
}

// FindIP is the handle of the column with this path; TypeMismatch when it takes other values.
func (m *Message) FindIP(path string) (IPColumn, error) {
	h, err := m.find(path, encode.ShapeIP, false)
	return IPColumn{h}, err
}

// FindIPList is the handle of the repeated column with this path.
func (m *Message) FindIPList(path string) (IPList, error) {
	h, err := m.find(path, encode.ShapeIP, true)
	return IPList{h}, err
}

// FindMAC is the handle of the column with this path; TypeMismatch when it takes other values.
func (m *Message) FindMAC(path string) (MACColumn, error) {
	h, err := m.find(path, encode.ShapeMAC, false)
	return MACColumn{h}, err
}

// FindTime is the handle of the column with this path; TypeMismatch when it takes other values.
func (m *Message) FindTime(path string) (TimeColumn, error) {
	h, err := m.find(path, encode.ShapeTime, false)
	return TimeColumn{h}, err
}

// FindDuration is the handle of the column with this path; TypeMismatch when it takes other values.
func (m *Message) FindDuration(path string) (DurationColumn, error) {
	h, err := m.find(path, encode.ShapeDuration, false)
	return DurationColumn{h}, err
}

// FindMessage is the handle of the column with this path; TypeMismatch when it takes other values.
func (m *Message) FindMessage(path string) (MessageColumn, error) {
	h, err := m.find(path, encode.ShapeMessage, false)
	return MessageColumn{h}, err
}

// FindMessageList is the handle of the repeated column with this path.
func (m *Message) FindMessageList(path string) (MessageList, error) {
	h, err := m.find(path, encode.ShapeMessage, true)
	return MessageList{h}, err
}

// FindMap is the handle of the map with this path.
func (m *Message) FindMap(path string) (MapColumn, error) {
	h, err := m.find(path, encode.ShapeMap, false)
	return MapColumn{h}, err
}
