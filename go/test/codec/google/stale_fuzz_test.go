package google_test

import (
	"bytes"
	"flag"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/test/codectest"
)

// marshaler is the interface that all structs with fast methods have in common.
type marshaler interface {
	proto.Message
	MarshalHotOptions(b []byte, o codec.MarshalOptions) ([]byte, error)
	MarshalScratchHot(b []byte) ([]byte, error)
	MarshalHot() ([]byte, error)
}

// FuzzStaleMemory writes messages into memory that others have used: complete messages, messages that lack required
// fields, and messages with text that cannot be written. An output has the encoded message and none of the old
// contents, and an error leaves no output. In builds with the tag hotpbdebug all scratch memory is filled with a
// different pattern each time.
func FuzzStaleMemory(f *testing.F) {
	names := codectest.Names()
	for _, file := range []string{"wire", "invalid"} {
		for i, v := range vectors.Read(f, file) {
			if i%10 != 0 || flag.Lookup("test.fuzz").Value.String() == "" && i%50 != 0 {
				continue
			}
			if n, ok := slices.BinarySearch(names, v.Message); ok {
				f.Add(uint16(n), uint8(i), []byte(v.Input))
				f.Add(uint16(n), uint8(7), []byte(v.Input))
			}
		}
	}
	f.Fuzz(func(t *testing.T, n uint16, flags uint8, input []byte) {
		name := names[int(n)%len(names)]
		m, ok := codectest.New(name).(marshaler)
		if !ok || (proto.UnmarshalOptions{AllowPartial: true, RecursionLimit: 20}).Unmarshal(input, m) != nil || !codectest.Writable(m.ProtoReflect()) {
			return
		}
		if flags&4 != 0 {
			spoil(m.ProtoReflect(), int(flags>>3))
		}
		o := codec.MarshalOptions{Deterministic: true, AllowPartial: flags&1 != 0}
		secret(t)
		want, wantErr := m.MarshalHotOptions(nil, o)
		checkContent(t, m, want, wantErr, o.AllowPartial)
		const canary = 0xa7
		head := []byte("head")
		for _, spare := range []int{0, 1, len(want), len(want) + 100} {
			dst := append(make([]byte, 0, len(head)+spare), head...)
			for i := range dst[len(head):cap(dst)] {
				dst[len(head):cap(dst)][i] = canary
			}
			secret(t)
			got, err := m.MarshalHotOptions(dst, o)
			if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got[len(head):], want) || err != nil && len(got) != 0 && !bytes.Equal(got, head) {
				t.Fatalf("%s: %d bytes of room: %x, %v; into none %x, %v", name, spare, got, err, want, wantErr)
			}
			got, err = m.MarshalScratchHot(dst)
			if err == nil {
				checkContent(t, m, got[len(head):], nil, false)
			} else if len(got) != 0 && !bytes.Equal(got, head) {
				t.Fatalf("%s: %x with %v", name, got, err)
			}
		}
		if got, err := m.MarshalHot(); err != nil && len(got) != 0 {
			t.Fatalf("%s: %x with %v", name, got, err)
		}
	})
}

// secret writes and reads a large message, whose bytes stay in all scratch memory.
func secret(t *testing.T) {
	t.Helper()
	m := codectest.New("hotpb.vectors.p3.All").(marshaler)
	fields := m.ProtoReflect().Descriptor().Fields()
	m.ProtoReflect().Set(fields.ByName("single_string"), protoreflect.ValueOfString("SECRET"))
	m.ProtoReflect().Set(fields.ByName("single_bytes"), protoreflect.ValueOfBytes(bytes.Repeat([]byte("SECRET"), 500)))
	if _, err := m.MarshalHot(); err != nil {
		t.Fatal(err)
	}
}

// checkContent checks that an encoding contains the message and nothing else.
func checkContent(t *testing.T, m marshaler, b []byte, err error, partial bool) {
	t.Helper()
	stock, stockErr := (proto.MarshalOptions{Deterministic: true, AllowPartial: partial}).Marshal(m)
	if (err == nil) != (stockErr == nil) {
		t.Fatalf("%T: %v; the runtime says %v", m, err, stockErr)
	}
	if err != nil {
		if len(b) != 0 {
			t.Fatalf("%T: %x with %v", m, b, err)
		}
		return
	}
	decoded := m.ProtoReflect().New().Interface()
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, decoded); err != nil {
		t.Fatalf("%T: decoding the output, %x, returns %v", m, b, err)
	}
	// Equal content is of equal size; NaN is not equal to itself.
	if same, err := (proto.MarshalOptions{Deterministic: true, AllowPartial: true}).Marshal(decoded); err != nil || !bytes.Equal(same, stock) {
		t.Fatalf("%T: %x was written; the runtime reads %x, and should %x", m, b, same, stock)
	}
	if bytes.Contains(b, []byte("SECRETSECRET")) {
		t.Fatalf("%T: %x", m, b)
	}
}

// spoil puts text that is not UTF-8 into the n-th string of a message, nested messages included, so that encoding
// ends half-way.
func spoil(m protoreflect.Message, n int) bool {
	done := false
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.IsMap() || field.IsExtension():
		case field.IsList():
			for i := range v.List().Len() {
				switch field.Kind() {
				case protoreflect.StringKind:
					if done = n <= 0; done {
						v.List().Set(i, protoreflect.ValueOfString("half\xff"))
						return false
					}
					n--
				case protoreflect.MessageKind, protoreflect.GroupKind:
					if done = spoil(v.List().Get(i).Message(), n); done {
						return false
					}
				}
			}
		case field.Kind() == protoreflect.StringKind:
			if done = n <= 0; done {
				m.Set(field, protoreflect.ValueOfString("half\xff"))
				return false
			}
			n--
		case field.Kind() == protoreflect.MessageKind || field.Kind() == protoreflect.GroupKind:
			done = spoil(v.Message(), n)
		}
		return !done
	})
	return done
}
