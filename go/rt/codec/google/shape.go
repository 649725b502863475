package google

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// A shape says where an open struct of protoc-gen-go stores what, so that one loop can compare, and another
// copy, the structs of all types. It is computed from the struct's tags and from the descriptor, which have to agree in all they say.
type shape struct {
	structType reflect.Type    // the struct
	blocks     [5]reflect.Type // arrays of 1, 2, 4, 8 and 16 of them, which a clone allocates together: whoever keeps one keeps all
	fields     []shapeField
	unknown    uintptr        // the offset of the unknown fields
	extensions uintptr        // the offset of the extensions, or noOffset
	empty      unsafe.Pointer // an empty struct
	slow       bool           // the struct is laid out in another way: only the runtime knows it
	drops      bool           // unknown fields are no part of the message
}

const noOffset = ^uintptr(0)

// shapeField is a field of the message, or a oneof.
type shapeField struct {
	offset   uintptr
	store    shapeStore
	usual    shapeUsual
	presence bool // of bytes: nil is not empty
	value    shapeValue
	mapType  reflect.Type
	members  []shapeMember
}

// shapeMember is a member of a oneof.
type shapeMember struct {
	table   unsafe.Pointer // the first word of an interface that holds the member's wrapper
	wrapper reflect.Type   // the wrapper's struct
	value   shapeValue     // in the wrapper
}

// shapeValue is the type of a value.
type shapeValue struct {
	kind  shapeKind
	child *shape // of a message
}

type shapeStore uint8

const (
	storeValue shapeStore = iota
	storePointer
	storeList
	storeMap
	storeOneof
)

// shapeUsual says that a field is one of those that most messages consist of.
type shapeUsual uint8

const (
	unusual       shapeUsual = iota
	usualString              // without a pointer
	usual8                   // an integer of 64 bits, without a pointer
	usualMessages            // a list of them
)

type shapeKind uint8

const (
	kind1       shapeKind = iota // bool
	kind4                        // 32-bit integers and enums
	kind8                        // 64-bit integers
	kindFloat32                  // these two are not equal to themselves when they are NaN
	kindFloat64
	kindString
	kindBytes
	kindMessage
)

var (
	shapes    sync.Map // from reflect.Type of the pointer to *shape
	shapeLock sync.Mutex
)

// shapeOf returns the shape of a message's struct.
func shapeOf(m proto.Message) *shape {
	if s, found := shapes.Load(reflect.TypeOf(m)); found {
		return s.(*shape)
	}
	shapeLock.Lock()
	defer shapeLock.Unlock()
	b := shapeBuilder{}
	s := b.shape(m)
	for structType, s := range b { // only now are all of them complete
		shapes.LoadOrStore(structType, s)
	}
	return s
}

type shapeBuilder map[reflect.Type]*shape

func (b shapeBuilder) shape(m proto.Message) *shape {
	structType := reflect.TypeOf(m)
	if s, found := shapes.Load(structType); found {
		return s.(*shape)
	}
	if s := b[structType]; s != nil {
		return s
	}
	s := &shape{extensions: noOffset, unknown: noOffset, slow: true}
	b[structType] = s
	if structType.Kind() != reflect.Pointer || structType.Elem().Kind() != reflect.Struct {
		return s
	}
	s.structType = structType.Elem()
	for i := range s.blocks {
		s.blocks[i] = reflect.ArrayOf(1<<i, s.structType)
	}
	s.empty = reflect.New(s.structType).UnsafePointer()
	s.slow = !b.fill(s, m.ProtoReflect().Type())
	_, s.drops = m.(interface{ DropsUnknownHot() })
	return s
}

// fill describes the members of a struct, and reports whether it knows all of them.
func (b shapeBuilder) fill(s *shape, message protoreflect.MessageType) bool {
	descriptor := message.Descriptor()
	known := 0
	for i := range s.structType.NumField() {
		member := s.structType.Field(i)
		tag, oneof := member.Tag.Get("protobuf"), member.Tag.Get("protobuf_oneof")
		switch {
		case member.Name == "unknownFields" && member.Type == reflect.TypeFor[protoimpl.UnknownFields]():
			s.unknown = member.Offset
		case member.Name == "extensionFields" && member.Type == reflect.TypeFor[protoimpl.ExtensionFields]():
			s.extensions = member.Offset
		case member.Name == "state" || member.Name == "sizeCache":
		case oneof != "" && member.Type.Kind() == reflect.Interface:
			field, is := b.oneof(member, message, descriptor.Oneofs().ByName(protoreflect.Name(oneof)))
			if !is {
				return false
			}
			s.fields = append(s.fields, field)
			known += len(field.members)
		case tag != "" && member.IsExported():
			parts := strings.Split(tag, ",")
			if len(parts) < 2 {
				return false
			}
			number, _ := strconv.Atoi(parts[1])
			field, is := b.field(member, descriptor.Fields().ByNumber(protoreflect.FieldNumber(number)), message)
			if !is {
				return false
			}
			s.fields = append(s.fields, field)
			known++
		default:
			return false
		}
	}
	return known == descriptor.Fields().Len() && s.unknown != noOffset
}

func (b shapeBuilder) field(member reflect.StructField, field protoreflect.FieldDescriptor, in protoreflect.MessageType) (shapeField, bool) {
	if field == nil || field.ContainingOneof() != nil && !field.ContainingOneof().IsSynthetic() {
		return shapeField{}, false
	}
	f := shapeField{offset: member.Offset, presence: field.HasPresence()}
	goType, value := member.Type, field
	switch {
	case field.IsMap():
		if goType.Kind() != reflect.Map {
			return f, false
		}
		f.store, f.mapType, goType, value = storeMap, goType, goType.Elem(), field.MapValue()
	case field.IsList():
		if goType.Kind() != reflect.Slice {
			return f, false
		}
		f.store, goType = storeList, goType.Elem()
	case field.HasPresence() && field.Message() == nil && field.Kind() != protoreflect.BytesKind:
		if goType.Kind() != reflect.Pointer {
			return f, false
		}
		f.store, goType = storePointer, goType.Elem()
	}
	var is bool
	f.value, is = b.value(goType, value)
	switch {
	case f.store == storeValue && f.value.kind == kindString:
		f.usual = usualString
	case f.store == storeValue && f.value.kind == kind8:
		f.usual = usual8
	case f.store == storeList && f.value.kind == kindMessage:
		f.usual = usualMessages
	}
	return f, is
}

// value returns the type of a value, if its Go type is the one that the descriptor says.
func (b shapeBuilder) value(goType reflect.Type, field protoreflect.FieldDescriptor) (v shapeValue, is bool) {
	if field.Message() != nil {
		if goType.Kind() != reflect.Pointer || goType.Elem().Kind() != reflect.Struct {
			return v, false
		}
		m, is := reflect.Zero(goType).Interface().(proto.Message)
		if !is {
			return v, false
		}
		return shapeValue{kindMessage, b.shape(m)}, true
	}
	want := map[protoreflect.Kind]struct {
		kind   shapeKind
		goKind reflect.Kind
	}{
		protoreflect.BoolKind: {kind1, reflect.Bool}, protoreflect.EnumKind: {kind4, reflect.Int32},
		protoreflect.Int32Kind: {kind4, reflect.Int32}, protoreflect.Sint32Kind: {kind4, reflect.Int32}, protoreflect.Sfixed32Kind: {kind4, reflect.Int32},
		protoreflect.Uint32Kind: {kind4, reflect.Uint32}, protoreflect.Fixed32Kind: {kind4, reflect.Uint32},
		protoreflect.Int64Kind: {kind8, reflect.Int64}, protoreflect.Sint64Kind: {kind8, reflect.Int64}, protoreflect.Sfixed64Kind: {kind8, reflect.Int64},
		protoreflect.Uint64Kind: {kind8, reflect.Uint64}, protoreflect.Fixed64Kind: {kind8, reflect.Uint64},
		protoreflect.FloatKind: {kindFloat32, reflect.Float32}, protoreflect.DoubleKind: {kindFloat64, reflect.Float64},
		protoreflect.StringKind: {kindString, reflect.String}, protoreflect.BytesKind: {kindBytes, reflect.Slice},
	}[field.Kind()]
	return shapeValue{kind: want.kind}, goType.Kind() == want.goKind && (want.kind != kindBytes || goType.Elem().Kind() == reflect.Uint8)
}

// oneof finds out which wrapper each member has, by setting it.
func (b shapeBuilder) oneof(member reflect.StructField, message protoreflect.MessageType, oneof protoreflect.OneofDescriptor) (f shapeField, is bool) {
	f = shapeField{offset: member.Offset, store: storeOneof}
	if oneof == nil {
		return f, false
	}
	for i, fields := 0, oneof.Fields(); i < fields.Len(); i++ {
		m := message.New()
		m.Set(fields.Get(i), m.NewField(fields.Get(i)))
		at := reflect.ValueOf(m.Interface()).Elem().FieldByIndex(member.Index)
		wrapper := at.Elem().Type()
		if wrapper.Kind() != reflect.Pointer || wrapper.Elem().Kind() != reflect.Struct || wrapper.Elem().NumField() != 1 {
			return f, false
		}
		value, is := b.value(wrapper.Elem().Field(0).Type, fields.Get(i))
		if !is {
			return f, false
		}
		f.members = append(f.members, shapeMember{(*twoWords)(at.Addr().UnsafePointer())[0], wrapper.Elem(), value})
	}
	return f, true
}

// twoWords are those of an interface: its type, and the pointer that it holds.
type twoWords [2]unsafe.Pointer
