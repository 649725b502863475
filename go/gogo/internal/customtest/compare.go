// Package customtest compares fast methods with the methods that gogo's generators write, on structs that options of gogo
// change.
package customtest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
	googleproto "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	_ "google.golang.org/protobuf/types/known/durationpb" // whose files dynamic messages need
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"
)

// Message is a message with fast methods, and perhaps with those of gogo's generators.
type Message interface {
	proto.Message
	codec.Message
}

// marshal encodes with gogo's method, or else with its runtime, maps by key.
func marshal(m Message) ([]byte, error) {
	if own, is := m.(interface{ Marshal() ([]byte, error) }); is {
		return own.Marshal()
	}
	var buffer proto.Buffer
	buffer.SetDeterministic(true)
	err := buffer.Marshal(m)
	return buffer.Bytes(), err
}

// unmarshal decodes with gogo's method, or else with its runtime.
func unmarshal(m Message, b []byte) error {
	if own, is := m.(interface{ Unmarshal(b []byte) error }); is {
		return own.Unmarshal(b)
	}
	return proto.Unmarshal(b, m)
}

func fresh[M any](m M) M { return reflect.New(reflect.TypeOf(m).Elem()).Interface().(M) }

func stockSize(m any) int {
	if sized, is := m.(interface{ ProtoSize() int }); is {
		return sized.ProtoSize()
	}
	if sized, is := m.(interface{ Size() int }); is {
		return sized.Size()
	}
	return proto.Size(m.(proto.Message))
}

// Same compares encodings, sizes and decoded structs of n random messages of each type with those of gogo's methods.
func Same(t *testing.T, n int, messages ...Message) {
	t.Helper()
	r := filler{rand.New(rand.NewPCG(1, 2))}
	for _, prototype := range messages {
		encoded, refused := 0, 0
		for range n {
			m := fresh(prototype)
			r.message(reflect.ValueOf(m).Elem(), 4)
			want, err := marshal(m)
			got, gotErr := m.MarshalHotOptions(nil, codec.MarshalOptions{Deterministic: true})
			if (err != nil) != (gotErr != nil) || err == nil && !bytes.Equal(got, want) {
				t.Fatalf("%T: %x, %v\nwant %x, %v\nof %v", m, got, gotErr, want, err, m)
			}
			if err != nil {
				refused++
				continue
			}
			encoded++
			if n := m.SizeHot(); n != len(want) || n != stockSize(m) {
				t.Fatalf("%T: the size is %d and %d, not %d", m, n, stockSize(m), len(want))
			}
			stock, hot := fresh(prototype), fresh(prototype)
			if err := unmarshal(stock, want); err != nil {
				t.Fatal(err)
			}
			if err := hot.UnmarshalHot(want); err != nil || !reflect.DeepEqual(stock, hot) {
				t.Fatalf("%T: %v\n%#v\nwant\n%#v\nfrom %x", m, err, hot, stock, want)
			}
			if into, err := m.MarshalAppendHot(make([]byte, 3, 3+len(want))); err != nil || len(into) != 3+len(want) {
				t.Fatalf("%T: %x, %v", m, into, err)
			}
			if err := hot.UnmarshalHotOptions(want, codec.UnmarshalOptions{Alias: true}); err != nil || !reflect.DeepEqual(stock, hot) {
				t.Fatalf("%T: %v, with an alias", m, err)
			}
		}
		if encoded < n/20 {
			t.Errorf("%T: %d messages are encoded and %d refused", prototype, encoded, refused)
		}
	}
}

// Bytes compares the results of decoding any bytes, as a message of each type.
func Bytes(t *testing.T, b []byte, messages ...Message) {
	t.Helper()
	for _, prototype := range messages {
		compare(t, prototype, dynamic(t, prototype), b)
	}
}

// compare reports whether gogo and fast code both accept bytes, and whether they decode the same.
func compare(t *testing.T, sample Message, reference googleproto.Message, b []byte) (accepts, same int) {
	t.Helper()
	stock, hot := fresh(sample), fresh(sample)
	stockErr, err := safely(func() error { return unmarshal(stock, b) }), hot.UnmarshalHot(b)
	switch {
	case stockErr == nil && err == nil:
		if reflect.DeepEqual(stock, hot) {
			return 1, 1
		}
		if testing.Verbose() {
			t.Logf("%T from %x:\n%#v\n%#v", sample, b, stock, hot)
		}
		return 1, 0
	case err == nil && refuses(b, reference):
		t.Fatalf("%T: %x, which neither gogo nor Google's runtime accept", sample, b)
	case stockErr == nil && !refuses(b, reference):
		t.Fatalf("%T: %v for %x, which gogo accepts", sample, err, b)
	}
	return 0, 0
}

// Damaged compares the results of decoding damaged bytes, n for each type. Where only one of fast code and gogo refuses bytes,
// Google's runtime must agree with fast code. Nearly all others must be the same: gogo keeps nil for an entry of a map without a value.
func Damaged(t *testing.T, n int, messages ...Message) {
	t.Helper()
	r := filler{rand.New(rand.NewPCG(3, 4))}
	accepts, same := 0, 0
	for _, prototype := range messages {
		reference := dynamic(t, prototype)
		for range n {
			m := fresh(prototype)
			r.message(reflect.ValueOf(m).Elem(), 3)
			b, err := marshal(m)
			if err != nil || len(b) == 0 {
				continue
			}
			for range 1 + r.IntN(3) {
				switch at := r.IntN(len(b)); r.IntN(4) {
				case 0:
					b = b[:max(at, 1)]
				case 1:
					b = append(b[:at:at], b...) // parts twice
				default:
					b[at] = byte(r.IntN(256))
				}
			}
			accepted, equal := compare(t, prototype, reference, b)
			accepts, same = accepts+accepted, same+equal
		}
	}
	t.Logf("%d messages are accepted by both, %d are the same", accepts, same)
	if accepts < n*len(messages)/20 || same < accepts*99/100 {
		t.Errorf("%d messages are accepted by both, only %d are the same", accepts, same)
	}
}

// dynamic returns a message of Google's runtime by the descriptor that gogo's generator has stored for a struct.
func dynamic(t *testing.T, m proto.Message) *dynamicpb.Message {
	t.Helper()
	if known, is := descriptors.Load(reflect.TypeOf(m)); is {
		return dynamicpb.NewMessage(known.(protoreflect.MessageDescriptor))
	}
	zipped, path := m.(interface{ Descriptor() ([]byte, []int) }).Descriptor()
	linked := link(t, zipped, new(protoregistry.Files))
	var descriptor protoreflect.MessageDescriptor = linked.Messages().Get(path[0])
	for _, i := range path[1:] {
		descriptor = descriptor.Messages().Get(i)
	}
	descriptors.Store(reflect.TypeOf(m), descriptor)
	return dynamicpb.NewMessage(descriptor)
}

var descriptors sync.Map // of structs, by their types

// link makes a file of Google's runtime of one of gogo's, and of those that it imports.
func link(t *testing.T, zipped []byte, files *protoregistry.Files) protoreflect.FileDescriptor {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	file := new(descriptorpb.FileDescriptorProto)
	if err := googleproto.Unmarshal(raw, file); err != nil {
		t.Fatal(err)
	}
	for _, name := range file.Dependency {
		if _, err := files.FindFileByPath(name); err == nil {
			continue
		}
		if known, err := protoregistry.GlobalFiles.FindFileByPath(name); err == nil {
			err = files.RegisterFile(known)
			if err != nil {
				t.Fatal(err)
			}
		} else if zipped := proto.FileDescriptor(name); zipped != nil && name != "gogo.proto" {
			link(t, zipped, files)
		}
	}
	linked, err := protodesc.FileOptions{AllowUnresolvable: true}.New(file, files)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.RegisterFile(linked); err != nil {
		t.Fatal(err)
	}
	return linked
}

// refuses reports whether Google's runtime refuses bytes. With some entries of maps, dynamic messages panic.
func refuses(b []byte, m googleproto.Message) bool {
	err := safely(func() error { return googleproto.Unmarshal(b, m) })
	return err != nil && !strings.HasPrefix(err.Error(), "panic")
}

// safely turns a panic into an error: gogo's methods have some.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}
