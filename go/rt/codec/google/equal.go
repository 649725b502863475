package google

import (
	"bytes"
	"math"
	"reflect"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// vtMessage is a pointer to a struct.
type vtMessage interface {
	comparable
	proto.Message
}

// EqualVT is vtprotobuf's EqualVT and EqualMessageVT. A message of another type is not equal, and a nil pointer is
// equal to nil only. Otherwise the result is that of proto.Equal, which compares extensions, too; but where a number
// is NaN, two messages are not equal.
func EqualVT[M vtMessage](m M, that proto.Message) bool {
	right, is := that.(M)
	if !is {
		return false
	}
	var none M
	if m == right || m == none || right == none {
		return m == right
	}
	return equal(m, right)
}

func equal(m, right proto.Message) bool {
	if s := shapeOf(m); !s.slow {
		return s.equal((*twoWords)(unsafe.Pointer(&m))[1], (*twoWords)(unsafe.Pointer(&right))[1])
	}
	return equalByRuntime(m, right)
}

func equalByRuntime(m, right proto.Message) bool {
	return proto.Equal(m, right) && !hasNaN(m.ProtoReflect())
}

// equal compares two structs. nil is an empty one, as it is to the runtime in lists, maps and oneofs.
func (s *shape) equal(p, q unsafe.Pointer) bool {
	if p == q {
		return true
	}
	if p == nil {
		p = s.empty
	} else if q == nil {
		q = s.empty
	}
	if s.slow || s.extensions != noOffset && (s.extended(p) || s.extended(q)) {
		return equalByRuntime(s.message(p), s.message(q))
	}
	for i := range s.fields {
		f := &s.fields[i]
		m, n := unsafe.Add(p, f.offset), unsafe.Add(q, f.offset)
		switch f.usual { // these without a call for each
		case usualString:
			if *(*string)(m) != *(*string)(n) {
				return false
			}
		case usual8:
			if *(*uint64)(m) != *(*uint64)(n) {
				return false
			}
		case usualMessages:
			if !f.value.child.equalLists(*(*[]unsafe.Pointer)(m), *(*[]unsafe.Pointer)(n)) {
				return false
			}
		default:
			if !f.equal(m, n) {
				return false
			}
		}
	}
	x, y := *(*[]byte)(unsafe.Add(p, s.unknown)), *(*[]byte)(unsafe.Add(q, s.unknown))
	return len(x)|len(y) == 0 || s.drops || bytes.Equal(x, y) || len(x) == len(y) && equalUnknown(x, y)
}

func (s *shape) extended(p unsafe.Pointer) bool {
	return len(*(*protoimpl.ExtensionFields)(unsafe.Add(p, s.extensions))) > 0
}

func (s *shape) message(p unsafe.Pointer) proto.Message {
	return reflect.NewAt(s.structType, p).Interface().(proto.Message)
}

// equal compares the members of two structs that p and q point to.
func (f *shapeField) equal(p, q unsafe.Pointer) bool {
	switch f.store {
	case storePointer:
		x, y := *(*unsafe.Pointer)(p), *(*unsafe.Pointer)(q)
		return x == nil && y == nil || x != nil && y != nil && f.value.equal(x, y)
	case storeList:
		return f.value.equalLists(p, q)
	case storeMap:
		return f.equalMaps(p, q)
	case storeOneof:
		return f.equalOneofs((*twoWords)(p), (*twoWords)(q))
	}
	// A singular value. That of a message, or of bytes with presence, is absent when it is nil; a number without
	// presence is absent when all its bits are 0, which distinguishes 0 and -0.
	switch f.value.kind {
	case kindMessage:
		x, y := *(*unsafe.Pointer)(p), *(*unsafe.Pointer)(q)
		return x == y || x != nil && y != nil && f.value.child.equal(x, y)
	case kindBytes:
		x, y := *(*[]byte)(p), *(*[]byte)(q)
		return bytes.Equal(x, y) && (!f.presence || (x == nil) == (y == nil))
	case kindFloat32:
		x, y := *(*float32)(p), *(*float32)(q)
		return x == y && math.Signbit(float64(x)) == math.Signbit(float64(y))
	case kindFloat64:
		x, y := *(*float64)(p), *(*float64)(q)
		return x == y && math.Signbit(x) == math.Signbit(y)
	}
	return f.value.equal(p, q)
}

// equal compares two values that p and q point to.
func (v *shapeValue) equal(p, q unsafe.Pointer) bool {
	switch v.kind {
	case kind1:
		return *(*bool)(p) == *(*bool)(q)
	case kind4:
		return *(*uint32)(p) == *(*uint32)(q)
	case kind8:
		return *(*uint64)(p) == *(*uint64)(q)
	case kindFloat32:
		return *(*float32)(p) == *(*float32)(q)
	case kindFloat64:
		return *(*float64)(p) == *(*float64)(q)
	case kindString:
		return *(*string)(p) == *(*string)(q)
	case kindBytes:
		return bytes.Equal(*(*[]byte)(p), *(*[]byte)(q))
	}
	return v.child.equal(*(*unsafe.Pointer)(p), *(*unsafe.Pointer)(q))
}

func (v *shapeValue) equalLists(p, q unsafe.Pointer) bool {
	switch v.kind {
	case kind1:
		return equalList[bool](p, q)
	case kind4:
		return equalList[uint32](p, q)
	case kind8:
		return equalList[uint64](p, q)
	case kindFloat32:
		return equalList[float32](p, q)
	case kindFloat64:
		return equalList[float64](p, q)
	case kindString:
		return equalList[string](p, q)
	case kindBytes:
		x, y := *(*[][]byte)(p), *(*[][]byte)(q)
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if !bytes.Equal(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	return v.child.equalLists(*(*[]unsafe.Pointer)(p), *(*[]unsafe.Pointer)(q))
}

// equalLists compares two lists of messages.
func (s *shape) equalLists(x, y []unsafe.Pointer) bool {
	if len(x) != len(y) {
		return false
	}
	for i, p := range x {
		if q := y[i]; p != q && !s.equal(p, q) {
			return false
		}
	}
	return true
}

func equalList[T comparable](p, q unsafe.Pointer) bool {
	x, y := *(*[]T)(p), *(*[]T)(q)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

func (f *shapeField) equalMaps(p, q unsafe.Pointer) bool {
	x, y := reflect.NewAt(f.mapType, p).Elem(), reflect.NewAt(f.mapType, q).Elem()
	if x.Len() != y.Len() {
		return false
	}
	if x.Len() == 0 {
		return true
	}
	if f.mapType == reflect.TypeFor[map[string]string]() {
		right := *(*map[string]string)(q)
		for key, value := range *(*map[string]string)(p) {
			if v, has := right[key]; !has || v != value {
				return false
			}
		}
		return true
	}
	a, b := reflect.New(f.mapType.Elem()), reflect.New(f.mapType.Elem()) // values of maps have no address
	for entries := x.MapRange(); entries.Next(); {
		right := y.MapIndex(entries.Key())
		if !right.IsValid() {
			return false
		}
		a.Elem().SetIterValue(entries)
		b.Elem().Set(right)
		if !f.value.equal(a.UnsafePointer(), b.UnsafePointer()) {
			return false
		}
	}
	return true
}

// equalOneofs compares two oneofs. One whose wrapper is nil is not set.
func (f *shapeField) equalOneofs(p, q *twoWords) bool {
	if p[1] == nil || q[1] == nil {
		return p[1] == q[1]
	}
	if p[0] != q[0] {
		return false
	}
	for i := range f.members {
		if f.members[i].table == p[0] {
			return f.members[i].value.equal(p[1], q[1])
		}
	}
	return false
}

// equalUnknown compares unknown fields that are not in the same order, as the runtime does: those of one number have
// an order, those of several do not.
func equalUnknown(x, y []byte) bool {
	a, b := byNumber(x), byNumber(y)
	if len(a) != len(b) {
		return false
	}
	for number, records := range a {
		if !bytes.Equal(records, b[number]) {
			return false
		}
	}
	return true
}

func byNumber(b []byte) map[protoreflect.FieldNumber][]byte {
	found := map[protoreflect.FieldNumber][]byte{}
	for len(b) > 0 {
		number, _, n := protowire.ConsumeField(b)
		if n < 0 {
			n = len(b)
		}
		found[number] = append(found[number], b[:n]...)
		b = b[n:]
	}
	return found
}
