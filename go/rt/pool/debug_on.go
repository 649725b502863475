//go:build hotpbdebug

package pool

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

var soiled atomic.Uint32

// debugSoil fills scratch memory with a different byte each time, so that an encoding that contains scratch bytes
// differs from the next one.
func debugSoil(scratch []byte) {
	pattern := byte(soiled.Add(0x35))
	for i := range scratch {
		scratch[i] = pattern
	}
}

const debugSoils = true

// soil fills elements that will be reused with values that no message has: an element that shows them was not
// written.
func (s *slab) soil(e elements) {
	if e.slice().Elem().PkgPath() == reflect.TypeFor[Hidden]().PkgPath() {
		return // sorted maps reuse the contents of their elements
	}
	used := s.buf
	used.len = max(s.high, s.buf.len)
	for all, i := reflect.NewAt(e.slice(), unsafe.Pointer(&used)).Elem(), 0; i < used.len; i++ {
		soilValue(all.Index(i))
	}
}

func soilValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(0x5a5a5a5a)
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(0xa5a5a5a5)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(-5.5)
	case reflect.String:
		v.SetString("stale")
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("stale"))
		}
	case reflect.Struct:
		if v.Type().PkgPath() == reflect.TypeFor[Hidden]().PkgPath() {
			return
		}
		for i := range v.NumField() {
			field := v.Field(i)
			soilValue(reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem())
		}
	}
}
