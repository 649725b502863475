package customtest

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hotpb/hotpb/go/gogo/internal/custom"
)

// filler fills structs with random values.
type filler struct{ *rand.Rand }

func (r filler) fill(v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(r.Int64N(253402300800+62135596800)-62135596800, r.Int64N(2)*r.Int64N(1e9)).UTC()))
		return
	case custom.ID:
		v.Set(reflect.ValueOf(custom.ID{byte(r.IntN(100)), 2, 3, byte(r.IntN(256))}))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(r.number() >> (64 - v.Type().Bits()))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(r.number()) >> (64 - v.Type().Bits()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(float32(r.IntN(1000)) / 8))
	case reflect.String:
		v.SetString(r.text())
	case reflect.Pointer:
		if depth > 0 && r.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if r.IntN(3) > 0 {
				v.SetBytes([]byte(r.text()))
			}
			return
		}
		if kind := v.Type().Elem().Kind(); depth <= 0 && (kind == reflect.Struct || kind == reflect.Pointer) {
			return
		}
		for range r.IntN(4) {
			element := reflect.New(v.Type().Elem()).Elem()
			if _, isEnum := element.Interface().(interface{ EnumDescriptor() ([]byte, []int) }); isEnum {
				element.SetInt(r.Int64N(1 << 20)) // gogo's methods write packed negative ones wrongly
			} else if element.Kind() == reflect.Pointer {
				element.Set(reflect.New(element.Type().Elem()))
				r.fill(element.Elem(), depth-1)
			} else {
				r.fill(element, depth-1)
			}
			v.Set(reflect.Append(v, element))
		}
		// gogo leaves out elements that are nil.
		if v.Type().Elem().Kind() == reflect.Slice {
			for i := range v.Len() {
				if v.Index(i).IsNil() {
					v.Index(i).SetBytes([]byte{})
				}
			}
		}
	case reflect.Map:
		if r.IntN(3) == 0 || depth <= 0 {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			r.fill(key, 1)
			if value.Kind() == reflect.Pointer {
				value.Set(reflect.New(value.Type().Elem()))
				r.fill(value.Elem(), depth-1)
			} else {
				r.fill(value, depth-1)
			}
			if value.Kind() == reflect.Slice && value.Len() == 0 {
				value.SetBytes([]byte("b"))
			}
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		r.message(v, depth)
	}
}

func (r filler) number() int64 { return r.Int64() >> r.IntN(64) * int64(1-2*r.IntN(2)) }

func (r filler) text() string { return strings.Repeat("aé", r.IntN(20)*r.IntN(2)) + "z"[:r.IntN(2)] }

func (r filler) message(v reflect.Value, depth int) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch {
		case field.Name == "XXX_unrecognized":
			if r.IntN(3) == 0 {
				v.Field(i).SetBytes([]byte("\xf2\xac\x04\x01u"))
			}
		case strings.HasPrefix(field.Name, "XXX_"), field.Name == "Extra":
		case field.Type.Kind() == reflect.Interface:
			r.choose(v, v.Field(i), depth)
		default:
			r.fill(v.Field(i), depth)
		}
	}
}

// choose sets a oneof to one of its members.
func (r filler) choose(message, field reflect.Value, depth int) {
	wrappers := message.Addr().Interface().(interface{ XXX_OneofWrappers() []any }).XXX_OneofWrappers()
	wrappers = slices.DeleteFunc(wrappers, func(w any) bool { return !reflect.TypeOf(w).AssignableTo(field.Type()) })
	if n := r.IntN(len(wrappers) + 1); n < len(wrappers) {
		wrapper := reflect.New(reflect.TypeOf(wrappers[n]).Elem())
		if member := wrapper.Elem().Field(0); member.Kind() == reflect.Pointer {
			member.Set(reflect.New(member.Type().Elem()))
			r.fill(member.Elem(), depth-1)
		} else {
			r.fill(member, depth-1)
			if member.Kind() == reflect.Slice && member.IsNil() {
				member.SetBytes([]byte{})
			}
		}
		field.Set(wrapper)
	}
}
