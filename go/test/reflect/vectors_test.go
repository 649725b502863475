package reflect_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/internal/vectors"
)

var stockOptions = proto.UnmarshalOptions{AllowPartial: true}

// VIW-13, POL-19, VIW-39, VIW-40, VIW-41. Every valid input, read by the view and by the pool, is through the bridge the same as the stock
// runtime's message.
func TestVectorsAreTheStockRuntimesMessages(t *testing.T) {
	compared, refused, open := 0, 0, 0
	for _, v := range vectors.Read(t, "wire") {
		f := facesOf(t, v.Message)
		want := stockType(t, v.Message).New().Interface()
		// A protoreflect.Value holds floats as doubles: conversion makes signalling NaNs quiet ones.
		quiet := slices.Contains(v.IDs, "FLD-14")
		if strings.HasSuffix(v.Message, "MessageSet") && !legacy {
			continue // the stock runtime rejects them
		}
		if err := stockOptions.Unmarshal(v.Input, want); err != nil {
			// It is stricter, for example about tenth varint bytes. Our output has none, except in unknown fields.
			refused++
			if err := stockOptions.Unmarshal(v.Canonical, want); err != nil {
				want = nil
			}
		}
		canonical := minimalTags(v.Canonical)
		holdsSet, holdsUndefined := false, takesClosedForOpen(v)
		if want != nil {
			a, b := holds(want)
			holdsSet, holdsUndefined = a, holdsUndefined || b
		}
		switch {
		case holdsSet && !legacy:
			continue
		case holdsUndefined:
			open++
			want = nil
		case want == nil:
			canonical = nil
		default:
			encoded, err := proto.MarshalOptions{AllowPartial: true}.Marshal(want)
			if err == nil {
				canonical, err = f.canonical(encoded, v.Limits())
			}
			if err != nil {
				t.Errorf("%s: %v", v.Name, err)
			}
		}
		set := slices.ContainsFunc(v.IDs, func(id string) bool { return id == "SET-4" || id == "SET-6" })
		if set { // here the two have different rules
			want, canonical = nil, nil
		}
		for name, read := range map[string]face{"pool": f.pool, "view": f.view} {
			if !v.Binds(name) {
				continue
			}
			got, err := read(v.Input, v.Limits(), nil)
			if err != nil {
				t.Errorf("%s %s: %v", v.Name, name, err)
				continue
			}
			encoded, err := proto.MarshalOptions{AllowPartial: true}.Marshal(got)
			if err != nil {
				t.Errorf("%s %s: %v", v.Name, name, err)
				continue
			}
			if size := proto.Size(got); size != len(encoded) {
				t.Errorf("%s %s: Size is %d, the encoding has %d bytes", v.Name, name, size, len(encoded))
			}
			reencoded, err := f.canonical(encoded, v.Limits())
			if err != nil || canonical != nil && !quiet && !bytes.Equal(reencoded, canonical) {
				t.Errorf("%s %s %v:\nencoded by the stock runtime it is %x (%v)\nwant %x", v.Name, name, v.IDs, reencoded, err, canonical)
			}
			if want == nil {
				if err := stockOptions.Unmarshal(encoded, stockType(t, v.Message).New().Interface()); err != nil {
					t.Errorf("%s %s: the stock runtime rejects its own encoding: %v", v.Name, name, err)
				}
				continue
			}
			compared++
			if difference := differ(want, got); difference != "" {
				t.Errorf("%s %s %v: %s", v.Name, name, v.IDs, difference)
			}
		}
	}
	if compared < 3000 {
		t.Errorf("only %d were compared (%d rejected, %d with open enums)", compared, refused, open)
	}
	t.Logf("%d compared; the stock runtime rejected %d and read %d otherwise", compared, refused, open)
}

// takesClosedForOpen reports vectors with undefined values of closed enums: for hotpb unknown fields, for the stock
// runtime, which decodes extensions for the bridge, values (ENM-6).
func takesClosedForOpen(v *vectors.Vector) bool {
	return !slices.Contains(v.IDs, "EXT-1") && slices.ContainsFunc(v.IDs, func(id string) bool { return id == "ENM-2" || id == "ENM-3" || id == "ENM-4" })
}

// holds reports whether a stock message contains message sets, and undefined values of closed enums.
func holds(m proto.Message) (set, undefined bool) {
	_ = protorange.Range(m.ProtoReflect(), func(p protopath.Values) error {
		last := p.Index(-1)
		if m, ok := last.Value.Interface().(protoreflect.Message); ok {
			d, ok := m.Descriptor().(interface{ IsMessageSet() bool })
			set = set || ok && d.IsMessageSet()
		}
		if n, ok := last.Value.Interface().(protoreflect.EnumNumber); ok {
			field := p.Index(-1)
			if field.Step.Kind() != protopath.FieldAccessStep {
				field = p.Index(-2)
			}
			enum := field.Step.FieldDescriptor().Enum()
			if value := field.Step.FieldDescriptor().MapValue(); value != nil {
				enum = value.Enum()
			}
			// Not IsClosed: the stock runtime does not see an enum's own features.enum_type.
			closed := strings.HasPrefix(string(enum.Name()), "Closed")
			undefined = undefined || closed && !field.Step.FieldDescriptor().IsExtension() && enum.Values().ByNumber(n) == nil
		}
		return nil
	})
	return set, undefined
}

// minimalTags rewrites the tags of records, as the stock runtime does for unknown fields.
func minimalTags(records []byte) (out []byte) {
	for len(records) > 0 {
		number, t, n := protowire.ConsumeTag(records)
		end := n + protowire.ConsumeFieldValue(number, t, records[n:])
		if end < n {
			return append(out, records...)
		}
		out = append(protowire.AppendTag(out, number, t), records[n:end]...)
		records = records[end:]
	}
	return out
}

// differ describes the difference between two messages, or returns "" if no difference is visible.
func differ(want, got proto.Message) string {
	if !proto.Equal(want, got) || !proto.Equal(got, want) {
		return fmt.Sprintf("not equal:\n got %v\nwant %v", got, want)
	}
	if clone := proto.Clone(got); !proto.Equal(want, clone) {
		return "its clone is not equal"
	}
	if a, b := fmt.Sprint(proto.CheckInitialized(want)), fmt.Sprint(proto.CheckInitialized(got)); a != b {
		return fmt.Sprintf("CheckInitialized says %s, want %s", b, a)
	}
	a, errA := protojson.MarshalOptions{AllowPartial: true}.Marshal(want)
	b, errB := protojson.MarshalOptions{AllowPartial: true}.Marshal(got)
	if !bytes.Equal(a, b) || fmt.Sprint(errA) != fmt.Sprint(errB) {
		return fmt.Sprintf("as JSON it is %s (%v), want %s (%v)", b, errB, a, errA)
	}
	a, errA = prototext.MarshalOptions{AllowPartial: true, EmitUnknown: true}.Marshal(want)
	b, errB = prototext.MarshalOptions{AllowPartial: true, EmitUnknown: true}.Marshal(got)
	if !bytes.Equal(a, b) || fmt.Sprint(errA) != fmt.Sprint(errB) {
		return fmt.Sprintf("as text it is %s (%v), want %s (%v)", b, errB, a, errA)
	}
	if a, b := walk(want), walk(got); !slices.Equal(a, b) {
		return fmt.Sprintf("protorange walks %v, want %v", b, a)
	}
	return differIn(want.ProtoReflect(), got.ProtoReflect())
}

// walk returns the steps of protorange.
func walk(m proto.Message) (steps []string) {
	_ = protorange.Options{Stable: true}.Range(m.ProtoReflect(), func(p protopath.Values) error {
		last := p.Index(-1)
		text := p.Path[1:].String()
		switch v := last.Value.Interface().(type) {
		case protoreflect.Message, protoreflect.List, protoreflect.Map:
		default:
			text += fmt.Sprintf("=%v", v)
		}
		steps = append(steps, text)
		return nil
	}, nil)
	return steps
}

// differIn compares everything that two messages return, including absent fields.
func differIn(want, got protoreflect.Message) string {
	if want.Descriptor() != got.Descriptor() || want.IsValid() != got.IsValid() || got.Type() != want.Type() {
		return fmt.Sprintf("%s is another message", got.Descriptor().FullName())
	}
	if !want.IsValid() {
		return "" // absent; a recursive type would never end
	}
	if !bytes.Equal(want.GetUnknown(), got.GetUnknown()) {
		return fmt.Sprintf("the unknown fields are %x, want %x", got.GetUnknown(), want.GetUnknown())
	}
	d := want.Descriptor()
	for i := range d.Oneofs().Len() {
		if od := d.Oneofs().Get(i); want.WhichOneof(od) != got.WhichOneof(od) {
			return fmt.Sprintf("%s is %v", od.FullName(), got.WhichOneof(od))
		}
	}
	var fields []protoreflect.FieldDescriptor
	for i := range d.Fields().Len() {
		fields = append(fields, d.Fields().Get(i))
	}
	want.Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if fd.IsExtension() {
			fields = append(fields, fd)
		}
		return true
	})
	for _, fd := range fields {
		if want.Has(fd) != got.Has(fd) {
			return fmt.Sprintf("%s is there: %v", fd.FullName(), got.Has(fd))
		}
		if difference := differAt(fd, want.Get(fd), got.Get(fd)); difference != "" {
			return difference
		}
	}
	return ""
}

func differAt(fd protoreflect.FieldDescriptor, want, got protoreflect.Value) (difference string) {
	element := func(want, got protoreflect.Value) bool {
		switch a := want.Interface().(type) {
		case protoreflect.Message:
			difference = differIn(a, got.Message())
		default:
			if !want.Equal(got) {
				difference = fmt.Sprintf("%s is %v, want %v", fd.FullName(), got, want)
			}
		}
		return difference == ""
	}
	switch {
	case fd.IsList():
		a, b := want.List(), got.List()
		if a.Len() != b.Len() || a.IsValid() != b.IsValid() {
			return fmt.Sprintf("%s has %d elements, want %d", fd.FullName(), b.Len(), a.Len())
		}
		for i := 0; i < a.Len() && element(a.Get(i), b.Get(i)); i++ {
		}
	case fd.IsMap():
		a, b := want.Map(), got.Map()
		if a.Len() != b.Len() || a.IsValid() != b.IsValid() {
			return fmt.Sprintf("%s has %d entries, want %d", fd.FullName(), b.Len(), a.Len())
		}
		a.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
			if !b.Has(key) {
				difference = fmt.Sprintf("%s has no %v", fd.FullName(), key)
				return false
			}
			return element(value, b.Get(key))
		})
		n := 0
		b.Range(func(protoreflect.MapKey, protoreflect.Value) bool { n++; return true })
		if n != b.Len() {
			difference = fmt.Sprintf("%s ranges over %d entries of %d", fd.FullName(), n, b.Len())
		}
	default:
		element(want, got)
	}
	return difference
}
