package schema

import (
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/wire"
)

// Schema is a set of message types under construction. One of them is the root: the methods of Message add its
// columns. Only one goroutine may use it. Compile creates a Plan from its present state. Columns may be added
// afterwards and compiled again. A handle works with all plans of its schema that know it.
type Schema struct {
	*Message // the root

	Pkg string // the package of the root, "" for none

	messages []*Message
	enums    []*Enum
	columns  []*Column // of all messages, by handle
}

// SchemaOption is an option of New.
type SchemaOption func(*Schema)

// Package puts the schema's messages into a protobuf package.
func Package(name string) SchemaOption { return func(s *Schema) { s.Pkg = name } }

// New creates a schema whose root message has this name.
func New(root string, options ...SchemaOption) *Schema {
	s := &Schema{}
	for _, o := range options {
		o(s)
	}
	s.Message = s.NewMessage(root)
	return s
}

// MessageTypes returns the message types in the order of their creation, the root first; map entries are among
// them.
func (s *Schema) MessageTypes() []*Message {
	if s == nil {
		return nil
	}
	return s.messages
}

// EnumTypes returns the enums in the order of their creation.
func (s *Schema) EnumTypes() []*Enum {
	if s == nil {
		return nil
	}
	return s.enums
}

// FullName returns a name with the schema's package before it.
func (s *Schema) fullName(name string) string {
	if s.Pkg == "" {
		return name
	}
	return s.Pkg + "." + name
}

// NewMessage creates a message type for columns of type message or group. The name is relative to the package and
// may have dots: Outer.Inner is nested in Outer.
func (s *Schema) NewMessage(name string) *Message { return s.AddMessage(s.fullName(name)) }

// AddMessage creates a message type with a full name, in any package.
func (s *Schema) AddMessage(fullName string) *Message {
	m := &Message{Name: fullName, schema: s, scope: scopes.Add(1)}
	s.messages = append(s.messages, m)
	return m
}

// NewEnum creates an open enum: its columns may have other numbers than its values.
func (s *Schema) NewEnum(name string, values ...EnumValue) *Enum {
	return s.AddEnum(Enum{Name: s.fullName(name), Values: values})
}

// AddEnum creates an enum with a full name.
func (s *Schema) AddEnum(e Enum) *Enum {
	e.schema = s
	s.enums = append(s.enums, &e)
	return &e
}

// scopes numbers the messages of all schemas, so that a handle of another schema is recognized. 0 is none.
var scopes atomic.Uint32

// Message is a message type: its columns and its reserved numbers and names.
type Message struct {
	Name            string // full, like flows.FlowMessage
	Comment         string
	ReservedNumbers []Range
	ReservedNames   []string
	KeepUnknown     bool // decoding keeps the records of other numbers

	schema  *Schema
	scope   uint32
	columns []*Column
	entry   bool // of a map
}

// Range is a range of field numbers, both ends included.
type Range struct{ First, Last uint32 }

// Columns returns the message's columns in the order in which they were added.
func (m *Message) Columns() []*Column {
	if m == nil {
		return nil
	}
	return m.columns
}

// IsMapEntry reports whether the message is the entry type of a map.
func (m *Message) IsMapEntry() bool { return m != nil && m.entry }

// adopt puts a message that no schema has created into a schema of its own. Its columns can be added, and Compile
// of a schema with columns of this message reports that it belongs to another one.
func (m *Message) adopt() {
	if m.schema == nil {
		m.schema, m.scope = &Schema{Message: m, messages: []*Message{m}}, scopes.Add(1)
	}
}

// Reserve reserves numbers, so that they are not used again.
func (m *Message) Reserve(first, last uint32) {
	m.ReservedNumbers = append(m.ReservedNumbers, Range{first, last})
}

// ReserveNames reserves names, so that they are not used again.
func (m *Message) ReserveNames(names ...string) {
	m.ReservedNames = append(m.ReservedNames, names...)
}

// Add adds a column that is defined by data, as importers do. Compile reports its faults.
func (m *Message) Add(c Column) Handle {
	m.adopt()
	c.index = uint32(len(m.schema.columns))
	m.schema.columns = append(m.schema.columns, &c)
	m.columns = append(m.columns, &c)
	return Handle{plan.Handle{Scope: m.scope, Index: c.index}}
}

func (m *Message) add(name string, number uint32, c Column, options []Option) Handle {
	c.Name, c.Number = name, number
	for _, o := range options {
		o(&c)
	}
	return m.Add(c)
}

func (m *Message) addKind(name string, number uint32, k wire.Kind, repeated bool, options []Option) Handle {
	return m.add(name, number, Column{Kind: k, Repeated: repeated}, options)
}

// Option is an option of a column.
type Option func(*Column)

// Disabled switches the column off: its values are neither written nor decoded. An option of Compile may switch it
// on.
func Disabled(c *Column) { c.Disabled = true }

// Deferred keeps the value in the record, readable and replaceable, until the record is encoded.
func Deferred(c *Column) { c.Deferred = true }

// Optional sets explicit presence on the column: a zero that is set is written.
func Optional(c *Column) { c.Presence = Explicit }

// KeepFirst makes the first value of the column win.
func KeepFirst(c *Column) { c.KeepFirst = true }

// Unpacked writes a repeated number with a tag for each element.
func Unpacked(c *Column) { c.Unpacked = true }

// CheckUTF8 makes a string that is not UTF-8 a misfit.
func CheckUTF8(c *Column) { c.CheckUTF8 = true }

// OnMisfit chooses the treatment of values that the column cannot hold; the default is Drop.
func OnMisfit(policy Misfit) Option { return func(c *Column) { c.Misfit = policy } }

// InGroup puts the column into a group whose columns are switched on and off together.
func InGroup(name string) Option { return func(c *Column) { c.Group = name } }

// InOneof puts the column into a oneof.
func InOneof(name string) Option { return func(c *Column) { c.Oneof, c.Presence = name, Explicit } }

// From names the fields of input templates that fill the column.
func From(sources ...Source) Option {
	return func(c *Column) { c.Sources = append(c.Sources, sources...) }
}

// CountZero makes the first field that a record has fill the column, even if it is zero and another one is not.
func CountZero(c *Column) { c.CountZero = true }

// Comment sets a comment for exports.
func Comment(text string) Option { return func(c *Column) { c.Comment = text } }

// ClickHouseType sets the column's type in the target table.
func ClickHouseType(t string) Option { return func(c *Column) { c.ClickHouse = t } }

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
			return c, Handle{plan.Handle{Scope: m.scope, Index: c.index}}, true
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
