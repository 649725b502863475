// Package plan is the first half of the generator: it reads descriptors and computes the plan, the resolved,
// language-neutral analysis of a schema that spec/plan.md defines. Emitters read the plan and nothing else.
//
// The structs mirror the keys of the plan's JSON. They also have fields that an emitter needs and the JSON does
// not print: pointers between the elements, comments and the declared Go package.
package plan

import "google.golang.org/protobuf/types/descriptorpb"

// Version is the plan_version of the JSON this package prints.
const Version = 2

// Plan covers the requested files of one descriptor set. Its slices have the contents and the order of the JSON.
// Pointers lead to elements of files that were not requested, too. Those are analysed in the same way.
type Plan struct {
	Files      []*File
	Messages   []*Message
	Enums      []*Enum
	Extensions []*Extendee

	// AllFiles are all files of the set, requested or not, in the order of the set.
	AllFiles []*File
}

// File is one .proto file.
type File struct {
	Name               string
	Package            string
	Syntax             string // "proto2", "proto3" or "editions"
	Edition            string // "2023", "2024" or ""
	Dependencies       []string
	OptionDependencies []string

	Requested bool
	GoPackage string // the option go_package as it is written
	GoAPI     GoAPI  // of the stock structs, if the file says
	Comment   string // the leading comment of the syntax or edition line

	GogoOptions Gogo
	Descriptor  *descriptorpb.FileDescriptorProto // as it came

	// Messages are all messages of the file, nested ones and map entries
	// included, in the order of PLN-23; Enums likewise.
	Messages []*Message
	Enums    []*Enum
	// Extensions are the extensions declared in this file: those of the file,
	// then those of its messages in the order of Messages.
	Extensions []*Field
}

// Message is a message type, a group's type or a map entry.
type Message struct {
	Name            string // full name, without a leading dot
	FileName        string
	MapEntry        bool
	MessageSet      bool
	Recursion       int   // number of the recursion component, 0 when there is none
	MaxSize         int64 // Unbounded when there is no bound
	RowBytes        int64
	Tier            Tier // of the requested files
	EncodeTier      Tier // of encoders, in faces whose two directions have tiers of their own
	ExtensionRanges []Range
	Oneofs          []*Oneof // the real ones
	Fields          []*Field // by ascending number; Fields[i].Slot == i

	File    *File
	Parent  *Message // nil for a top-level message
	Held    bool     // a field of another requested message, or an entry of a map, has it
	Listed  bool     // a list or a map of a requested message has it, or has a message that leads to it
	Comment string
	GoAPI   GoAPI // of the stock struct, if the file or message says
	// GogoOptions are the message's own; GogoBool also looks at those of its file.
	GogoOptions Gogo
	// Mempool and IgnoreUnknown are the values of vtprotobuf's options vtproto.mempool and vtproto.ignore_unknown_fields.
	Mempool, IgnoreUnknown bool
	// Declared are the fields in the order of the .proto file.
	Declared []*Field
	// Extensions are the message's extensions in the whole descriptor set, by file, then number.
	Extensions []*Field
}

// Unbounded is the MaxSize of a message whose encoded size has no bound.
const Unbounded int64 = -1

// Range is a range of extension numbers; End is exclusive.
type Range struct{ Start, End int32 }

// Oneof is a real oneof: synthetic ones of proto3 optional fields are left out.
type Oneof struct {
	Name    string
	Numbers []int32 // of the members, ascending

	Fields  []*Field // the members, in the order of Numbers
	Parent  *Message
	Comment string
}

// Presence is how a field distinguishes "absent" from "default".
type Presence string

// The values of Presence.
const (
	Explicit Presence = "explicit"
	Implicit Presence = "implicit"
	Required Presence = "required"
	Repeated Presence = "repeated"
)

// Type is the declared type of a field, with the names of PLN-26. Groups are TypeMessage.
type Type string

// The values of Type.
const (
	TypeDouble   Type = "double"
	TypeFloat    Type = "float"
	TypeInt64    Type = "int64"
	TypeUint64   Type = "uint64"
	TypeInt32    Type = "int32"
	TypeFixed64  Type = "fixed64"
	TypeFixed32  Type = "fixed32"
	TypeBool     Type = "bool"
	TypeString   Type = "string"
	TypeMessage  Type = "message"
	TypeBytes    Type = "bytes"
	TypeUint32   Type = "uint32"
	TypeEnum     Type = "enum"
	TypeSfixed32 Type = "sfixed32"
	TypeSfixed64 Type = "sfixed64"
	TypeSint32   Type = "sint32"
	TypeSint64   Type = "sint64"
)

// SizeClass is how the element of a field is laid out on the wire.
type SizeClass string

// The values of SizeClass.
const (
	SizeBool     SizeClass = "bool"
	SizeVarint32 SizeClass = "varint32"
	SizeVarint64 SizeClass = "varint64"
	SizeFix4     SizeClass = "fix4"
	SizeFix8     SizeClass = "fix8"
	SizeLen      SizeClass = "len"
	SizeGroup    SizeClass = "group"
)

// Storage is where a parent stores a child of message type.
type Storage string

// The values of Storage. Fields of other types have none.
const (
	StorageNone    Storage = ""
	StorageValue   Storage = "value"
	StoragePointer Storage = "pointer"
)

// UTF8 is the rule for a string's bytes. Fields of other types have none.
type UTF8 string

// The values of UTF8.
const (
	UTF8NotString UTF8 = ""
	UTF8Verify    UTF8 = "verify"
	UTF8None      UTF8 = "none"
)

// Field is a field of a message or, with Extendee set, an extension.
type Field struct {
	Name         string // the field's own name; the full name of an extension
	Number       int32
	Slot         int // index in Message.Fields; -1 for an extension
	Type         Type
	Presence     Presence
	OneofIndex   int // index in Parent.Oneofs, or -1
	Packed       bool
	UTF8         UTF8
	Delimited    bool
	WireType     int    // of one element, unpacked
	Tag          []byte // as written: wire type 2 when packed
	SizeClass    SizeClass
	Map          *Map    // nil unless this is a map field
	Default      *string // as PLN-27 prints it; nil when the schema has none
	ChildStorage Storage
	Next         []int // slots to expect after this field

	Message *Message // the type of a message, group or map field (the entry), else nil
	Enum    *Enum    // the type of an enum field, else nil
	Oneof   *Oneof   // the real oneof it is a member of, else nil
	Parent  *Message // the message that has the field; for an extension the message that declares it, or nil
	File    *File    // the file that declares it
	Comment string

	Descriptor  *descriptorpb.FieldDescriptorProto // as it came
	Lazy        bool                               // the option lazy
	Synthetic   string                             // the name of the synthetic oneof of a proto3 optional field, else ""
	GogoOptions Gogo
	Unique      bool // the value of vtprotobuf's option (vtproto.options).unique

	// Extendee is the message an extension extends, nil for ordinary fields.
	Extendee *Message
}

// IsExtension reports whether the field is an extension.
func (f *Field) IsExtension() bool { return f.Extendee != nil }

// IsRepeated reports whether the field is repeated; maps are.
func (f *Field) IsRepeated() bool { return f.Presence == Repeated }

// HasPresence reports whether an absent field differs from one that carries its default.
func (f *Field) HasPresence() bool { return f.Presence == Explicit || f.Presence == Required }

// Map returns the fields of a map's entry.
type Map struct{ Key, Value *Field }

// Enum is an enum type.
type Enum struct {
	Name     string // full name, without a leading dot
	FileName string
	Closed   bool
	Values   []*EnumValue // in order of declaration

	File        *File
	Parent      *Message // nil for a top-level enum
	Comment     string
	GogoOptions Gogo
}

// EnumValue is one name of an enum; aliases share a number.
type EnumValue struct {
	Name   string // the value's own name, without a scope
	Number int32

	Comment     string
	GogoOptions Gogo
}

// Extendee groups the extensions of the requested files by their extendee.
type Extendee struct {
	Name   string // full name of the extended message
	Fields []*Field

	Message *Message
}
