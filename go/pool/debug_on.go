//go:build hotpbdebug

package pool

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

var soiled atomic.Uint32

// debugSoil fills scratch with another byte each time, so that an encoding with bytes of it differs from the next one.
func debugSoil(scratch []byte) {
	pattern := byte(soiled.Add(0x35))
	for i := range scratch {
		scratch[i] = pattern
	}
}

// debugSoilAll fills elements that are going to be used again with values that no message has: what shows them was not
// written.
func debugSoilAll[T any](used []T) {
	if reflect.TypeFor[T]().PkgPath() == reflect.TypeFor[Hidden]().PkgPath() {
		return // sorted maps: they use again what they hold
	}
	for i := range used {
		soilValue(reflect.ValueOf(&used[i]).Elem())
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
