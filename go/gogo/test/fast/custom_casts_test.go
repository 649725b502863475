package fast_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/gogo/internal/customtest"
	"github.com/hotpb/hotpb/go/gogo/internal/stock/casts"
)

// numbers are at the limits of types of integers.
var numbers = []int64{
	0, 1, -1, -14, 127, -128, 128, 255, 1<<15 - 1, -1 << 15, 1<<16 - 1, 1<<31 - 1, -1 << 31, 1 << 31, 1<<32 - 1, 1 << 32, 1<<40 + 7, -1<<40 - 7, 1<<63 - 1, -1 << 63,
}

// castNumbers are the numbers that a type has.
func castNumbers(t reflect.Type) (all []reflect.Value) {
	for _, n := range numbers {
		v := reflect.New(t).Elem()
		if v.CanInt() && !v.OverflowInt(n) {
			v.SetInt(n)
		} else if v.CanUint() && !v.OverflowUint(uint64(n)) {
			v.SetUint(uint64(n))
		} else {
			continue
		}
		all = append(all, v)
	}
	return all
}

// castMessages are messages of a type with one number each.
func castMessages(message customtest.Message) (all []customtest.Message) {
	t := reflect.TypeOf(message).Elem()
	add := func(i int, v reflect.Value) {
		m := reflect.New(t)
		m.Elem().Field(i).Set(v)
		all = append(all, m.Interface().(customtest.Message))
	}
	for i := range t.NumField() {
		switch f := t.Field(i); {
		case strings.HasPrefix(f.Name, "XXX_"):
		case f.Name == "Choice":
			for _, w := range new(casts.Choice).XXX_OneofWrappers() {
				for _, n := range castNumbers(reflect.TypeOf(w).Elem().Field(0).Type) {
					wrapper := reflect.New(reflect.TypeOf(w).Elem())
					wrapper.Elem().Field(0).Set(n)
					add(i, wrapper)
				}
			}
		case f.Type.Kind() == reflect.Slice:
			list := reflect.MakeSlice(f.Type, 0, 0)
			for _, n := range castNumbers(f.Type.Elem()) {
				list = reflect.Append(list, n)
			}
			add(i, list)
		case f.Type.Kind() == reflect.Map && f.Type.Key().Kind() == reflect.String:
			for _, n := range castNumbers(f.Type.Elem()) {
				m := reflect.MakeMap(f.Type)
				m.SetMapIndex(reflect.ValueOf("k"), n)
				add(i, m)
			}
		case f.Type.Kind() == reflect.Map:
			for _, n := range castNumbers(f.Type.Key()) {
				m := reflect.MakeMap(f.Type)
				m.SetMapIndex(n, reflect.ValueOf("v"))
				add(i, m)
			}
		default:
			for _, n := range castNumbers(f.Type) {
				add(i, n)
			}
		}
	}
	return all
}

// COD-98: numbers as types that are wider than the field's, or have other signs.
func TestNumbersAsOtherTypesAreThoseOfGogosMethods(t *testing.T) {
	n := 0
	for _, message := range []customtest.Message{new(casts.Varints), new(casts.Lists), new(casts.Loose), new(casts.Values), new(casts.Keys), new(casts.Choice)} {
		for _, m := range castMessages(message) {
			n++
			want, err := m.(interface{ Marshal() ([]byte, error) }).Marshal()
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.MarshalHotOptions(nil, codec.MarshalOptions{Deterministic: true})
			if err != nil || !bytes.Equal(got, want) || m.SizeHot() != len(want) {
				t.Errorf("%T: %x, %v, size %d\nwant %x of %v", m, got, err, m.SizeHot(), want, m)
				continue
			}
			stock, hot := reflect.New(reflect.TypeOf(m).Elem()).Interface().(customtest.Message), reflect.New(reflect.TypeOf(m).Elem()).Interface().(customtest.Message)
			if err := stock.(interface{ Unmarshal([]byte) error }).Unmarshal(want); err != nil {
				t.Fatal(err)
			}
			if err := hot.UnmarshalHot(want); err != nil || !reflect.DeepEqual(stock, hot) {
				t.Errorf("%T: %v, %v\nwant %v\nfrom %x", m, hot, err, stock, want)
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d messages", n)
	}
}

// COD-98: of the other kinds, gogo's methods write numbers that the field's type holds as here, and read some wrongly. Fast code
// cuts other numbers to the field's type.
func TestNumbersOfOtherKindsAsOtherTypesAreThoseOfTheField(t *testing.T) {
	field := map[string]reflect.Type{
		"Sint32": reflect.TypeFor[int32](), "Sint64": reflect.TypeFor[int64](), "Fixed32": reflect.TypeFor[uint32](),
		"Fixed64": reflect.TypeFor[uint64](), "Sfixed32": reflect.TypeFor[int32](), "Sfixed64": reflect.TypeFor[int64](),
	}
	for i := range reflect.TypeFor[casts.Others]().NumField() {
		f := reflect.TypeFor[casts.Others]().Field(i)
		if strings.HasPrefix(f.Name, "XXX_") {
			continue
		}
		kind := field[f.Name[:strings.IndexAny(f.Name, "24")+1]]
		for _, n := range castNumbers(f.Type) {
			m, decoded := new(casts.Others), new(casts.Others)
			reflect.ValueOf(m).Elem().Field(i).Set(n)
			got, err := m.MarshalHot()
			if err == nil {
				err = decoded.UnmarshalHot(got)
			}
			want := n.Convert(kind).Convert(f.Type)
			if member := reflect.ValueOf(decoded).Elem().Field(i); err != nil || !member.Equal(want) {
				t.Errorf("%s: %v is %v, %v", f.Name, n, member, err)
			}
			if fmt.Sprint(n.Convert(kind)) != fmt.Sprint(n) {
				continue // it is not in the field's type
			}
			if stock, err := m.Marshal(); err != nil || !bytes.Equal(stock, got) {
				t.Errorf("%s: %v is %x, not %x, %v", f.Name, n, got, stock, err)
			}
		}
	}
}
