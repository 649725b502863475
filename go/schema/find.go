package schema

import (
	"fmt"
	"reflect"
	"strings"

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

// Lookup finds the handle of a column by its path, as Message.Find does. A column with another type of handle is
// TypeMismatch, and a path without a column InvalidSchema.
//
//	bytes, err := schema.Lookup[schema.UintColumn](s.Message, "bytes")
func Lookup[H ~struct{ Handle }](m *Message, path string) (handle H, err error) {
	c, h, ok := m.Find(path)
	where := path
	if m != nil {
		where = m.Name + "." + path
	}
	if !ok {
		return handle, &Error{wire.InvalidSchema, where, "there is no such column"}
	}
	if want := reflect.TypeFor[H]().Name(); want != c.handleName() {
		return handle, &Error{wire.TypeMismatch, where, fmt.Sprintf("is %s, not %s", c.handleName(), want)}
	}
	return H(struct{ Handle }{h}), nil
}

// handleName returns the type of the column's handle.
func (c *Column) handleName() string {
	if c.Repeated && !c.Map {
		return shapeNames[c.shape()] + "List"
	}
	return shapeNames[c.shape()] + "Column"
}
