package csproto

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// hidden finds the fields of a struct that code in the struct's package, as csproto's is, reaches by name.
type hidden struct{ size, unknown uintptr }

func hiddenOf[T any]() hidden {
	offset := func(name string) uintptr {
		f, ok := reflect.TypeFor[T]().FieldByName(name)
		if !ok {
			panic("the struct has no " + name) // protoc-gen-go has changed
		}
		return f.Offset
	}
	return hidden{offset(sizeField), offset(unknownField)}
}

// cached returns the size that Size left in the struct, if it did. csproto uses it until the struct is reset. A struct must not
// be encoded by Google's runtime in between, because that keeps the size plus one there.
func (h hidden) cached(m unsafe.Pointer) (int, bool) {
	n := atomic.LoadInt32((*int32)(unsafe.Add(m, h.size)))
	return int(n), n > 0
}

func (h hidden) cache(m unsafe.Pointer, size int) int {
	atomic.StoreInt32((*int32)(unsafe.Add(m, h.size)), int32(size))
	return size
}

func (h hidden) unknownOf(m unsafe.Pointer) *[]byte { return (*[]byte)(unsafe.Add(m, h.unknown)) }

// sized is a message that writes itself.
type sized interface {
	sizer
	marshalerTo
}

// marshal follows csproto's generated Marshal.
func marshal(m sized) ([]byte, error) {
	size := m.Size()
	if size == 0 {
		return []byte{}, nil
	}
	b := make([]byte, size)
	err := m.MarshalTo(b)
	return b, err
}
