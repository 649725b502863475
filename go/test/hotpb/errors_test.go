package hotpb_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"google.golang.org/protobuf/proto"
)

// byHand is a message as people wrote them by hand for the v1 API: struct tags and three methods.
type byHand struct {
	Name string   `protobuf:"bytes,1,opt,name=name"`
	IDs  []uint32 `protobuf:"varint,2,rep,packed,name=ids"`
}

func (m *byHand) Reset()         { *m = byHand{} }
func (m *byHand) String() string { return fmt.Sprint(*m) }
func (*byHand) ProtoMessage()    {}

type badTags struct {
	M map[string]int32 `protobuf:"bytes,1,rep,name=m"` // without protobuf_key
}

func (m *badTags) Reset()         { *m = badTags{} }
func (m *badTags) String() string { return "" }
func (*badTags) ProtoMessage()    {}

func TestMessagesByHand(t *testing.T) {
	m := &byHand{"n", []uint32{1, 2}}
	b, err := hotpb.Marshal(m)
	if want := []byte{10, 1, 'n', 18, 2, 1, 2}; err != nil || !bytes.Equal(b, want) || hotpb.Size(m) != len(want) {
		t.Fatalf("%x, %v", b, err)
	}
	decoded := &byHand{"old", nil}
	if err := hotpb.Unmarshal(b, decoded); err != nil || !reflect.DeepEqual(m, decoded) {
		t.Errorf("%v, %v", decoded, err)
	}
	if clone, ok := hotpb.Clone(m).(*byHand); !ok || clone == m || !reflect.DeepEqual(m, clone) || !hotpb.Equal(m, clone) {
		t.Errorf("Clone: %v", clone)
	}
}

func TestWhatIsNoMessageIsAnError(t *testing.T) {
	for _, v := range []any{3, "text", []byte{}, struct{}{}, new(int), map[string]int{"a": 1}, io.EOF, codec_proto3.Actor{}, &badTags{}} {
		_, err := hotpb.Marshal(v)
		for _, err := range []error{err, hotpb.Unmarshal(nil, v), hotpb.SetExtension(v, nil, nil), hotpb.UnmarshalText(nil, v)} {
			var e *hotpb.Error
			if !errors.Is(err, hotpb.ErrNotMessage) || !errors.As(err, &e) || e.Type != reflect.TypeOf(v) {
				t.Errorf("%T: %v", v, err)
			}
		}
		if hotpb.Size(v) != 0 || hotpb.Clone(v) != nil || hotpb.Equal(v, v) {
			t.Errorf("Size, Clone or Equal of a %T", v)
		}
	}
	if _, err := hotpb.Marshal(codec_proto3.Actor{}); !strings.Contains(err.Error(), "pass a pointer") {
		t.Errorf("a message by value: %v", err)
	}
}

func TestNilIsAnError(t *testing.T) {
	for _, v := range []any{nil, (*int)(nil), (*byHand)(nil), map[string]int(nil)} {
		if _, err := hotpb.Marshal(v); !errors.Is(err, hotpb.ErrNil) {
			t.Errorf("%T: %v", v, err)
		}
	}
	if hotpb.Size(nil) != 0 || hotpb.Clone(nil) != nil || !hotpb.Equal(nil, nil) || hotpb.Equal(nil, new(codec_proto3.Actor)) {
		t.Error("Size, Clone or Equal of nil")
	}
}

// COD-34
func TestNilMessagesOfGooglesRuntimeAreWhatTheyAreToIt(t *testing.T) {
	for _, m := range []proto.Message{(*codec_proto3.Actor)(nil), (*codec_proto2.BaseEvent)(nil), (*prometheus.Label)(nil)} {
		want, wantErr := proto.Marshal(m)
		b, err := hotpb.Marshal(m)
		appended, appendErr := hotpb.MarshalAppend([]byte("+"), m)
		n, toErr := hotpb.MarshalTo(make([]byte, 9), m)
		for _, err := range []error{err, appendErr, toErr} {
			if (err != nil) != (wantErr != nil) || err != nil && err.Error() != wantErr.Error() {
				t.Errorf("%T: %v, proto.Marshal says %v", m, err, wantErr)
			}
		}
		if !bytes.Equal(b, want) || string(appended) != "+" || n != 0 || hotpb.Size(m) != 0 {
			t.Errorf("%T: %x, %x and %d bytes; proto.Marshal gives %x", m, b, appended, n, want)
		}
	}
}

// strange is compiled against a runtime that nobody registered.
type strange struct{}

func (*strange) XXX_Merge(src bytes.Buffer) {}

// linkedLater is compiled against a runtime that a test registers.
type linkedLater struct{}

func (*linkedLater) XXX_Merge(src strings.Builder) {}

func TestARuntimeThatIsNotLinkedIsNamed(t *testing.T) {
	_, err := hotpb.Marshal(&strange{})
	var e *hotpb.Error
	if !errors.Is(err, hotpb.ErrNotLinked) || !errors.As(err, &e) || e.Runtime != "bytes" || e.Import != "" {
		t.Errorf("%v", err)
	}
}

// toy is a runtime for the types of one package, and for one type that does not name its package.
type toy struct {
	hotpb.Runtime // nil: nothing else is called
	name          string
	knows         reflect.Type
}

func (r toy) ImportPath() string              { return r.name }
func (r toy) Knows(msg any) bool              { return r.knows != nil && reflect.TypeOf(msg) == r.knows }
func (toy) ExtensionNumber(any) (int32, bool) { return 0, false }
func (r toy) Marshal(any) ([]byte, error)     { return []byte(r.name), nil }

type (
	inRegistry struct{ X int }
	early      struct{ X int }
)

func TestRegisteredRuntimesAreAskedInOrder(t *testing.T) {
	if _, err := hotpb.Marshal(&inRegistry{}); !errors.Is(err, hotpb.ErrNotMessage) {
		t.Fatalf("before: %v", err)
	}
	m := &early{}
	knows := reflect.TypeOf(&inRegistry{})
	hotpb.RegisterRuntime(toy{name: "z/last", knows: knows})
	hotpb.RegisterRuntime(toy{name: "b/second", knows: knows})
	hotpb.RegisterRuntime(toy{name: "a/first"})
	if b, err := hotpb.Marshal(&inRegistry{}); err != nil || string(b) != "b/second" {
		t.Errorf("%s, %v", b, err)
	}
	// The package asks a runtime that is registered later about types that it has seen before.
	hotpb.RegisterRuntime(toy{name: "a/first", knows: knows})
	if b, err := hotpb.Marshal(&inRegistry{}); err != nil || string(b) != "a/first" {
		t.Errorf("%s, %v", b, err)
	}
	hotpb.RegisterRuntime(toy{name: "a/first", knows: reflect.TypeOf(m)})
	if b, err := hotpb.Marshal(m); err != nil || string(b) != "a/first" {
		t.Errorf("%s, %v", b, err)
	}
	// The package that a type names takes precedence over any registry.
	hotpb.RegisterRuntime(toy{name: "strings", knows: knows})
	if b, err := hotpb.Marshal(&linkedLater{}); err != nil || string(b) != "strings" {
		t.Errorf("%s, %v", b, err)
	}
	for _, name := range []string{"a/first", "b/second", "z/last", "strings"} { // leave nothing for the other tests
		hotpb.RegisterRuntime(toy{name: name})
	}
}

// leaf is a generic type with many instances, more than the first table has room for.
type leaf[T any] struct{ whole }

type (
	l1[T any] = leaf[leaf[T]]
	l2[T any] = l1[l1[T]]
)

// The table of types grows while others read it.
func TestTypesAreFoundOnceByManyGoroutines(t *testing.T) {
	messages := []any{
		&leaf[int]{}, &leaf[int8]{}, &leaf[int16]{}, &leaf[int32]{}, &leaf[int64]{}, &leaf[uint]{}, &leaf[uint8]{}, &leaf[uint16]{},
		&l1[int]{}, &l1[int8]{}, &l1[int16]{}, &l1[int32]{}, &l1[int64]{}, &l1[uint]{}, &l1[uint8]{}, &l1[uint16]{},
		&l2[int]{}, &l2[int8]{}, &l2[int16]{}, &l2[int32]{}, &l2[int64]{}, &l2[uint]{}, &l2[uint8]{}, &l2[uint16]{},
	}
	var group sync.WaitGroup
	for g := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range messages {
				m := messages[(i*5+g)%len(messages)]
				fresh := reflect.New(reflect.TypeOf(m).Elem()).Interface()
				if err := hotpb.Unmarshal([]byte("x"), fresh); err != nil || hotpb.Size(fresh) != 1 {
					t.Errorf("%T: %v", m, err)
				}
				if g == 0 && i%8 == 0 {
					hotpb.RegisterRuntime(toy{name: "a/first"})
				}
			}
		}()
	}
	group.Wait()
	actor := new(codec_proto3.Actor)
	if n := testing.AllocsPerRun(100, func() { hotpb.Size(actor) }); n != 0 {
		t.Errorf("a type that is known costs %v allocations", n)
	}
}
