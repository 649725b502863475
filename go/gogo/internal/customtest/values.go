package customtest

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	googleproto "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Value is a message of structs=value.
type Value interface {
	googleproto.Message
	codec.Message
	Reset()
	Marshal() ([]byte, error)
	MarshalTo([]byte) (int, error)
	MarshalToSizedBuffer([]byte) (int, error)
	Unmarshal([]byte) error
}

// Pair is the same message as gogo's struct, and as the struct that our generator writes.
type Pair struct {
	Gogo  Message
	Value Value
}

// SameStructs compares the fields of structs and of everything in them: names, order, types and tags.
func SameStructs(t *testing.T, pairs ...Pair) {
	t.Helper()
	seen := map[reflect.Type]bool{}
	for _, pair := range pairs {
		sameType(t, reflect.TypeOf(pair.Gogo), reflect.TypeOf(pair.Value), seen)
	}
}

// sameType compares two types, which have other names only in the packages of messages.
func sameType(t *testing.T, a, b reflect.Type, seen map[reflect.Type]bool) {
	t.Helper()
	if a == b || seen[a] || strings.HasSuffix(a.PkgPath(), "gogo/protobuf/types") {
		return
	}
	seen[a] = true
	if a.Kind() != b.Kind() || a.Name() != b.Name() {
		t.Errorf("%v is %v", a, b)
		return
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice:
		sameType(t, a.Elem(), b.Elem(), seen)
	case reflect.Map:
		sameType(t, a.Key(), b.Key(), seen)
		sameType(t, a.Elem(), b.Elem(), seen)
	case reflect.Struct:
		hidden := func(v reflect.StructField) bool { return strings.HasPrefix(v.Name, "XXX_") }
		var own []reflect.StructField
		for i := range b.NumField() {
			if f := b.Field(i); !hidden(f) {
				own = append(own, f)
			}
		}
		for i := range a.NumField() {
			f := a.Field(i)
			if hidden(f) {
				continue
			}
			if len(own) == 0 || own[0].Name != f.Name || own[0].Tag != f.Tag || own[0].Anonymous != f.Anonymous {
				t.Errorf("%v: %v\nwant %v", a, own[:min(1, len(own))], f)
				return
			}
			sameType(t, f.Type, own[0].Type, seen)
			own = own[1:]
		}
		if len(own) > 0 {
			t.Errorf("%v has more fields: %v", b, own)
		}
	}
}

// sameContents compares two structs of the same shape.
func sameContents(a, b reflect.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		return a.IsNil() == b.IsNil() && (a.IsNil() || sameContents(a.Elem(), b.Elem()))
	case reflect.Slice:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			return false
		}
		for i := range a.Len() {
			if !sameContents(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			return false
		}
		for entries := a.MapRange(); entries.Next(); {
			right := b.MapIndex(entries.Key().Convert(b.Type().Key()))
			if !right.IsValid() || !sameContents(entries.Value(), right) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if a.Type() == b.Type() {
			return reflect.DeepEqual(a.Interface(), b.Interface())
		}
		if strings.HasSuffix(a.Type().PkgPath(), "gogo/protobuf/types") { // another struct than Google's
			left, err := proto.Marshal(a.Addr().Interface().(proto.Message))
			right, otherErr := googleproto.Marshal(b.Addr().Interface().(googleproto.Message))
			return err == nil && otherErr == nil && bytes.Equal(left, right)
		}
		for i := range a.NumField() {
			f := a.Type().Field(i)
			if !strings.HasPrefix(f.Name, "XXX_") && !sameContents(a.Field(i), b.FieldByName(f.Name)) {
				return false
			}
		}
		return true
	}
	return a.Interface() == b.Convert(a.Type()).Interface()
}

// SameValues compares n random messages of each pair: gogo's methods must write and read the same, and Google's runtime must
// find the same contents in the struct as in a dynamic message, in both directions.
func SameValues(t *testing.T, n int, pairs ...Pair) {
	t.Helper()
	r := filler{rand.New(rand.NewPCG(5, 6))}
	for _, pair := range pairs {
		encoded := 0
		for range n {
			m := fresh(pair.Gogo)
			r.message(reflect.ValueOf(m).Elem(), 4)
			want, err := marshal(m)
			if err != nil {
				continue
			}
			encoded++
			SameValue(t, m, pair.Value, want)
		}
		if encoded < n/20 {
			t.Errorf("%T: only %d messages are encoded", pair.Gogo, encoded)
		}
	}
}

// SameValue compares one message, which gogo's methods have encoded.
func SameValue(t *testing.T, m Message, target Value, want []byte) {
	t.Helper()
	v := fresh(target)
	if err := v.Unmarshal(want); err != nil {
		t.Fatalf("%T: %v\nfrom %x", v, err, want)
	}
	decoded := fresh(m)
	if err := unmarshal(decoded, want); err != nil || !sameContents(reflect.ValueOf(decoded).Elem(), reflect.ValueOf(v).Elem()) {
		t.Fatalf("%T is decoded to %v\nwant %v (%v)", v, v, decoded, err)
	}
	got, err := v.MarshalHotOptions(nil, codec.MarshalOptions{Deterministic: true})
	if err != nil || !bytes.Equal(got, want) || v.SizeHot() != len(want) || googleproto.Size(v) != len(want) {
		t.Fatalf("%T: %x, %v, size %d\nwant %x", v, got, err, v.SizeHot(), want)
	}
	room := bytes.Repeat([]byte{0xaa}, len(want)+2)
	if n, err := v.MarshalTo(room); err != nil || n != len(want) || room[n] != 0xaa {
		t.Fatalf("%T: %d, %v", v, n, err)
	}
	if n, err := v.MarshalToSizedBuffer(room); err != nil || n != len(want) || room[1] != 0xaa && n > 0 && room[1] != want[1] {
		t.Fatalf("%T: %d, %v", v, n, err)
	}

	// Google's runtime.
	deterministic := googleproto.MarshalOptions{Deterministic: true}
	if got, err := deterministic.Marshal(v); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%T: Google's runtime writes %x, %v\nwant %x", v, got, err, want)
	}
	dynamic := dynamicpb.NewMessage(v.ProtoReflect().Descriptor())
	if err := googleproto.Unmarshal(want, dynamic); err != nil {
		t.Fatal(err)
	}
	if !googleproto.Equal(v, dynamic) {
		t.Fatalf("%T: by reflection it is\n%v\nwant\n%v", v, prototext.Format(v), prototext.Format(dynamic))
	}
	_, jsonErr := protojson.Marshal(dynamic) // of a timestamp outside of its range
	for name, copied := range map[string]func(to Value) error{
		"Unmarshal":             func(to Value) error { return googleproto.Unmarshal(want, to) },
		"Merge":                 func(to Value) error { googleproto.Merge(to, v); return nil },
		"Merge of another type": func(to Value) error { googleproto.Merge(to, dynamic); return nil },
		"JSON": func(to Value) error {
			b, err := protojson.Marshal(v)
			if err == nil {
				err = protojson.Unmarshal(b, to)
			}
			return err
		},
		"text": func(to Value) error {
			b, err := prototext.Marshal(v)
			if err == nil {
				err = prototext.Unmarshal(b, to)
			}
			return err
		},
	} {
		if (name == "JSON" || name == "text") && bytes.Contains(want, []byte("\xf2\xac\x04\x01u")) {
			continue // the filler's unknown fields, which these formats do not have
		}
		if name == "JSON" && jsonErr != nil {
			if copied(fresh(target)) == nil {
				t.Fatalf("%T: there is no error, want %v", v, jsonErr)
			}
			continue
		}
		to := fresh(target)
		err := copied(to)
		if err != nil {
			t.Fatalf("%T: %s: %v", v, name, err)
		}
		// To protobuf, a field of proto3 without a value is absent. gogo writes it if it is a custom type.
		got, err := deterministic.Marshal(to)
		if err != nil || !googleproto.Equal(to, v) || name == "Unmarshal" && !bytes.Equal(got, want) {
			t.Fatalf("%T: the copy by %s is %x, %v\nwant %x\n%v", v, name, got, err, want, v)
		}
	}
}
