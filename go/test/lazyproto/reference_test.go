package lazyproto_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/compat/lazyproto"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/vectors"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
	vectorfiles "github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/wire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// defOf defines all fields of a message, down to some levels of messages in it.
func defOf(m protoreflect.MessageDescriptor, levels int) lazyproto.Def {
	def := lazyproto.NewDef()
	for i := range m.Fields().Len() {
		field := m.Fields().Get(i)
		if def.Tags(uint32(field.Number())); field.Message() != nil && levels > 0 {
			def[uint32(field.Number())] = defOf(field.Message(), levels-1)
		}
	}
	return def
}

// same reports how a result differs from a message that the stock runtime decoded.
func same(r *lazyproto.DecodeResult, m protoreflect.Message, levels int) error {
	for i := range m.Descriptor().Fields().Len() {
		field := m.Descriptor().Fields().Get(i)
		closed := field.Enum() != nil && field.Enum().IsClosed() // other numbers are unknown fields there
		// A message in the form of a group, or the other way round, is an unknown field to a reader that knows the schema.
		unlike := field.Message() != nil && hasUnknown(m, field.Number())
		if field.ContainingOneof() != nil || field.IsMap() || closed || unlike {
			continue
		}
		var err error
		switch {
		case field.Message() == nil:
			err = sameValue(r, m, field)
		case levels == 0:
		case field.IsList():
			err = sameList(r, m.Get(field).List(), field, levels)
		default:
			var nested *lazyproto.DecodeResult
			if nested, err = r.NestedResult(uint32(field.Number())); err == nil {
				err = same(nested, m.Get(field).Message(), levels-1)
			} else if !m.Has(field) && absent(err) {
				err = nil
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", field.Name(), err)
		}
	}
	return nil
}

func hasUnknown(m protoreflect.Message, number protoreflect.FieldNumber) bool {
	_, found, err := wire.Find(m.GetUnknown(), uint32(number))
	return found || err != nil
}

// mixed reports whether a message somewhere has a message field in the other form, which may hold anything.
func mixed(m protoreflect.Message) (is bool) {
	for i := range m.Descriptor().Fields().Len() {
		field := m.Descriptor().Fields().Get(i)
		is = is || field.Message() != nil && hasUnknown(m, field.Number())
	}
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.IsMap() && field.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { is = is || mixed(v.Message()); return true })
		case field.IsMap() || field.Message() == nil:
		case field.IsList():
			for i := range v.List().Len() {
				is = is || mixed(v.List().Get(i).Message())
			}
		default:
			is = is || mixed(v.Message())
		}
		return true
	})
	return is
}

func absent(err error) bool {
	return errors.Is(err, lazyproto.ErrTagNotFound) || errors.Is(err, wire.TypeMismatch)
}

func sameList(r *lazyproto.DecodeResult, list protoreflect.List, field protoreflect.FieldDescriptor, levels int) error {
	results, err := r.NestedResults(uint32(field.Number()))
	if len(results) != list.Len() || err != nil && !absent(err) {
		return fmt.Errorf("%d messages, want %d; %w", len(results), list.Len(), err)
	}
	for i, nested := range results {
		if err := same(nested, list.Get(i).Message(), levels-1); err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
	}
	return nil
}

// sameValue compares a field of numbers, strings or bytes.
func sameValue(r *lazyproto.DecodeResult, m protoreflect.Message, field protoreflect.FieldDescriptor) error {
	fd, err := r.FieldData(uint32(field.Number()))
	if err != nil && !errors.Is(err, lazyproto.ErrTagNotFound) {
		return err
	}
	var got any
	if field.IsList() {
		got, err = values(fd, field.Kind())
	} else {
		got, err = value(fd, field.Kind())
	}
	if err != nil && absent(err) {
		if m.Has(field) {
			return err
		}
		return nil
	}
	if err != nil {
		return err
	}
	want := any(m.Get(field).Interface())
	if list, is := want.(protoreflect.List); is {
		var all []any
		for i := range list.Len() {
			all = append(all, list.Get(i).Interface())
		}
		want = all
	}
	if a, b := fmt.Sprint(bits(got)), fmt.Sprint(bits(want)); a != b {
		return fmt.Errorf("%s, want %s", a, b)
	}
	return nil
}

// bits prints floats by their bits, but NaN, whose bits protoreflect changes, and enums as numbers.
func bits(v any) string {
	switch v := v.(type) {
	case float32:
		if v != v {
			return "NaN"
		}
		return fmt.Sprint(math.Float32bits(v))
	case float64:
		return fmt.Sprint(math.Float64bits(v))
	case []byte:
		return fmt.Sprintf("%x", v)
	case string:
		return fmt.Sprintf("%x", v)
	case protoreflect.EnumNumber:
		return fmt.Sprint(int32(v))
	case []any:
		var all []string
		for _, element := range v {
			all = append(all, bits(element))
		}
		return fmt.Sprint(all)
	}
	return fmt.Sprint(v)
}

func value(f *lazyproto.FieldData, kind protoreflect.Kind) (any, error) {
	switch kind {
	case protoreflect.BoolKind:
		return f.BoolValue()
	case protoreflect.EnumKind, protoreflect.Int32Kind:
		return f.Int32Value()
	case protoreflect.Sint32Kind:
		return f.SInt32Value()
	case protoreflect.Uint32Kind:
		return f.UInt32Value()
	case protoreflect.Int64Kind:
		return f.Int64Value()
	case protoreflect.Sint64Kind:
		return f.SInt64Value()
	case protoreflect.Uint64Kind:
		return f.UInt64Value()
	case protoreflect.Sfixed32Kind:
		return f.SFixed32Value()
	case protoreflect.Fixed32Kind:
		return f.Fixed32Value()
	case protoreflect.FloatKind:
		return f.Float32Value()
	case protoreflect.Sfixed64Kind:
		return f.SFixed64Value()
	case protoreflect.Fixed64Kind:
		return f.Fixed64Value()
	case protoreflect.DoubleKind:
		return f.Float64Value()
	case protoreflect.StringKind:
		return f.StringValue()
	}
	return f.BytesValue()
}

func values(f *lazyproto.FieldData, kind protoreflect.Kind) (any, error) {
	switch kind {
	case protoreflect.BoolKind:
		return each(f.BoolValues())
	case protoreflect.EnumKind, protoreflect.Int32Kind:
		return each(f.Int32Values())
	case protoreflect.Sint32Kind:
		return each(f.SInt32Values())
	case protoreflect.Uint32Kind:
		return each(f.UInt32Values())
	case protoreflect.Int64Kind:
		return each(f.Int64Values())
	case protoreflect.Sint64Kind:
		return each(f.SInt64Values())
	case protoreflect.Uint64Kind:
		return each(f.UInt64Values())
	case protoreflect.Sfixed32Kind:
		return each(f.SFixed32Values())
	case protoreflect.Fixed32Kind:
		return each(f.Fixed32Values())
	case protoreflect.FloatKind:
		return each(f.Float32Values())
	case protoreflect.Sfixed64Kind:
		return each(f.SFixed64Values())
	case protoreflect.Fixed64Kind:
		return each(f.Fixed64Values())
	case protoreflect.DoubleKind:
		return each(f.Float64Values())
	case protoreflect.StringKind:
		return each(f.StringValues())
	}
	return each(f.BytesValues())
}

func each[T any](values []T, err error) (any, error) {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all, err
}

// reference decodes messages of one type with the stock runtime and with decoders of both modes.
type reference struct {
	stock      proto.Message
	safe, fast *lazyproto.Decoder
}

const levels = 3

func newReference(t testing.TB, m proto.Message) *reference {
	t.Helper()
	r := &reference{stock: m}
	for _, c := range []struct {
		mode wire.Mode
		d    **lazyproto.Decoder
	}{{wire.Safe, &r.safe}, {wire.Fast, &r.fast}} {
		d, err := lazyproto.NewDecoder(defOf(m.ProtoReflect().Descriptor(), levels), lazyproto.WithMode(c.mode))
		if err != nil {
			t.Fatal(err)
		}
		*c.d = d
	}
	return r
}

// check compares, and returns the error of Decode.
func (r *reference) check(t *testing.T, b []byte) error {
	t.Helper()
	m := r.stock.ProtoReflect().New().Interface()
	stock := proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(b, m)
	given := bytes.Clone(b)
	safe, safeErr := r.safe.Decode(given)
	clear(given) // the result of mode Safe does not use it
	fast, fastErr := r.fast.Decode(b)
	if fmt.Sprint(safeErr) != fmt.Sprint(fastErr) {
		t.Fatalf("%v and %v for %x", safeErr, fastErr, b)
	}
	if safeErr != nil {
		if stock == nil && !errors.Is(safeErr, wire.DepthExceeded) && !errors.Is(safeErr, wire.InvalidTag) && !mixed(m.ProtoReflect()) {
			t.Fatalf("%v for %x, which the stock runtime accepts", safeErr, b)
		}
		return safeErr
	}
	defer safe.Close()
	defer fast.Close()
	if stock != nil {
		return nil
	}
	for _, result := range []*lazyproto.DecodeResult{safe, fast} {
		if err := same(result, m.ProtoReflect(), levels); err != nil {
			t.Fatalf("%v\n%v\nfrom %x", err, m, b)
		}
	}
	return nil
}

var messages = map[string]proto.Message{"hotpb.vectors.p3.All": new(vectors.All), "hotpb.vectors.p2.All": new(vectors_proto2.All)}

// LOW-21 to LOW-25
func TestFieldsHaveTheValuesOfTheStockRuntime(t *testing.T) {
	for name, m := range messages {
		r, n := newReference(t, m), 0
		for _, v := range vectorfiles.Read(t, "wire") {
			if v.Message == name {
				n++
				r.check(t, v.Input)
			}
		}
		if n < 50 {
			t.Errorf("%s: only %d vectors", name, n)
		}
	}
}

// LOW-25. Where the damage is on a path or in an unknown field, the error is that of the other readers.
func TestDamagedMessagesAreRefused(t *testing.T) {
	codes := map[string]int{}
	for name, m := range messages {
		r := newReference(t, m)
		for _, v := range vectorfiles.Read(t, "invalid") {
			if v.Message != name || v.Options.Depth != nil || v.Options.Size != nil || v.Options.Strict || len(v.Input) > 1<<16 {
				continue
			}
			err := r.check(t, v.Input)
			var e *wire.Error
			if errors.As(err, &e) && e.Code.String() == v.Error.Code && v.Error.Offset != nil && *v.Error.Offset != e.Offset {
				t.Errorf("%s: %v, not at %d", v.Name, err, *v.Error.Offset)
			}
			if err != nil {
				codes[e.Code.String()]++
			}
		}
	}
	for _, code := range []wire.Code{wire.Truncated, wire.VarintOverflow, wire.InvalidTag, wire.InvalidWireType, wire.GroupMismatch, wire.SizeExceeded} {
		if codes[code.String()] == 0 {
			t.Errorf("no vector is refused with %v: %v", code, codes)
		}
	}
}

// FuzzFields compares any bytes as messages.
func FuzzFields(f *testing.F) {
	for _, name := range []string{"wire", "invalid"} {
		for i, v := range vectorfiles.Read(f, name) {
			if i%10 == 0 {
				f.Add([]byte(v.Input))
			}
		}
	}
	var all []*reference
	for _, m := range messages {
		all = append(all, newReference(f, m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, r := range all {
			r.check(t, b)
		}
	})
}

// FuzzPaths compares what a result has at some paths with wire.FindAll, whatever the bytes mean.
func FuzzPaths(f *testing.F) {
	for i, v := range vectorfiles.Read(f, "wire") {
		if i%10 == 0 {
			f.Add([]byte(v.Input))
		}
	}
	def := lazyproto.NewDef(1, 14, 16)
	below := def.NestedTag(18, 1)
	below.NestedTag(18, 1)
	def.NestedTag(901, 1)
	decoder, err := lazyproto.NewDecoder(def, lazyproto.WithMode(wire.Fast))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decoder.Decode(b)
		if err != nil {
			for _, path := range [][]uint32{{1}, {18, 1}, {18, 18, 1}, {901, 1}} {
				for _, each := range wire.FindAll(b, path...) {
					if each != nil {
						return
					}
				}
			}
			t.Fatalf("%v for %x", err, b)
		}
		defer r.Close()
		for _, path := range [][]uint32{{1}, {14}, {16}, {18}, {18, 1}, {18, 18, 1}, {901, 1}} {
			var numbers []uint32
			for _, tag := range path {
				numbers = append(numbers, uint32(tag))
			}
			var want []string
			for d, err := range wire.FindAll(b, numbers...) {
				if err != nil {
					t.Fatal(err)
				}
				if d.Tag().Type() == wire.BytesType {
					d.SetMode(wire.Fast)
					text, _ := d.DecodeStringUnchecked()
					want = append(want, text)
				}
			}
			fd, err := r.FieldData(path...)
			got, valuesErr := fd.StringValues()
			if err != nil && !absent(err) || valuesErr != nil && !absent(valuesErr) || !slices.Equal(got, want) {
				t.Fatalf("%v: %x, want %x, %v, %v", path, got, want, err, valuesErr)
			}
		}
	})
}
