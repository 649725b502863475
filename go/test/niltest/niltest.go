// Package niltest calls every exported method of types on nil and zero values, with nil, zero and odd arguments. None of
// them may panic, but for a short list with reasons.
package niltest

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Exception is a panic that is documented.
type Exception struct {
	Type, Method string // a suffix of the type's name, and the method; "" or a trailing * stand for more of them
	Nil          bool   // on nil receivers only
	Reason       string
}

// Calls calls all methods of a type and returns the panics that no exception has.
func Calls(t reflect.Type, except []Exception) (made int, panics []string) {
	receivers := []struct {
		name  string
		value func() reflect.Value
	}{
		{"zero", func() reflect.Value { return reflect.New(t) }}, // its methods are those of the value, too
		{"nil", func() reflect.Value { return reflect.Zero(reflect.PointerTo(t)) }},
	}
	for _, r := range receivers {
		pointer := reflect.PointerTo(t)
		if r.name == "nil" && !onPointer(t) {
			continue
		}
		for i := range pointer.NumMethod() {
			method := pointer.Method(i)
			if _, promoted := t.MethodByName(method.Name); r.name == "nil" && promoted {
				continue // of the value: there is none
			}
			if changes(t, method, r.name == "nil") || excepted(t, method.Name, r.name == "nil", except) {
				continue
			}
			for _, odd := range []bool{false, true} {
				made++
				if why := call(r.value().Method(i), odd); why != "" {
					panics = append(panics, fmt.Sprintf("(%s *%v).%s, odd arguments %v: %s", r.name, t, method.Name, odd, why))
				}
			}
		}
	}
	return made, panics
}

func onPointer(t reflect.Type) bool { return reflect.PointerTo(t).NumMethod() > t.NumMethod() }

func excepted(t reflect.Type, method string, isNil bool, except []Exception) bool {
	for _, x := range except {
		if matches(x.Method, method) && strings.HasSuffix(name(t), x.Type) && (isNil || !x.Nil) {
			return true
		}
	}
	return false
}

func matches(pattern, method string) bool {
	if stem, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(method, stem)
	}
	if stem, open := strings.CutPrefix(pattern, "*"); open {
		return strings.HasSuffix(method, stem)
	}
	return pattern == "" || pattern == method
}

// name is the type's name with its package's path, without type arguments.
func name(t reflect.Type) string {
	n, _, _ := strings.Cut(t.Name(), "[")
	return t.PkgPath() + "." + n
}

// call makes one call, and reads its results: it runs through iterators.
func call(method reflect.Value, odd bool) (why string) {
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprint(p)
		}
	}()
	t := method.Type()
	var in []reflect.Value
	for i := range t.NumIn() {
		if t.IsVariadic() && i == t.NumIn()-1 {
			if odd {
				in = append(in, argument(t.In(i).Elem(), odd))
			}
			break
		}
		in = append(in, argument(t.In(i), odd))
	}
	for _, out := range method.Call(in) {
		if out.Kind() == reflect.Func && !out.IsNil() && out.Type().NumIn() == 1 && out.Type().In(0).Kind() == reflect.Func {
			goOn := reflect.MakeFunc(out.Type().In(0), func([]reflect.Value) []reflect.Value {
				return []reflect.Value{reflect.ValueOf(true)}
			})
			if y := out.Type().In(0); y.NumOut() == 1 && y.Out(0).Kind() == reflect.Bool {
				out.Call([]reflect.Value{goOn})
			}
		}
	}
	return ""
}

// argument is the zero value of a type, or one at its edges.
func argument(t reflect.Type, odd bool) reflect.Value {
	v := reflect.New(t).Elem()
	if !odd {
		return v
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(-1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(math.MaxUint64 >> (64 - t.Bits()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(math.NaN())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("\xff")
	case reflect.Slice:
		v = reflect.MakeSlice(t, 1, 1)
		v.Index(0).Set(argument(t.Elem(), t.Elem().Kind() < reflect.Array))
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
	case reflect.Func:
		return reflect.MakeFunc(t, func([]reflect.Value) (out []reflect.Value) {
			for i := range t.NumOut() {
				out = append(out, reflect.Zero(t.Out(i)))
			}
			return out
		})
	}
	return v
}
