package hotpb_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"google.golang.org/protobuf/proto"
)

// record is a message that consists of its bytes only, and notes which of its methods was called.
type record struct {
	bytes  []byte
	called string
}

func (r *record) note(name string) { r.called += name + " " }
func (r *record) Reset()           { r.note("Reset"); r.bytes = nil }

type (
	sized     struct{ record }
	gogoLike  struct{ sized }
	csproto   struct{ sized }
	whole     struct{ record }
	appending struct{ record }
	vt        struct{ record }
)

func (m *sized) Size() int { m.note("Size"); return len(m.bytes) }
func (m *gogoLike) MarshalTo(b []byte) (int, error) {
	m.note("MarshalTo")
	return copy(b, m.bytes), nil
}
func (m *csproto) MarshalTo(b []byte) error { m.note("MarshalTo"); copy(b, m.bytes); return nil }
func (m *whole) Marshal() ([]byte, error)   { m.note("Marshal"); return bytes.Clone(m.bytes), nil }
func (m *whole) Unmarshal(b []byte) error {
	m.note("Unmarshal")
	m.bytes = append(m.bytes, b...)
	return nil
}
func (m *appending) MarshalAppend(b []byte) ([]byte, error) {
	m.note("MarshalAppend")
	return append(b, m.bytes...), nil
}
func (m *vt) SizeVT() int                { m.note("SizeVT"); return len(m.bytes) }
func (m *vt) MarshalVT() ([]byte, error) { m.note("MarshalVT"); return bytes.Clone(m.bytes), nil }
func (m *vt) MarshalToSizedBufferVT(b []byte) (int, error) {
	m.note("MarshalToSizedBufferVT")
	return copy(b[len(b)-len(m.bytes):], m.bytes), nil
}
func (m *vt) UnmarshalVT(b []byte) error {
	m.note("UnmarshalVT")
	m.bytes = append(m.bytes, b...)
	return nil
}

// COD-2. Each function uses the methods that fit, whether or not the message has a runtime.
func TestMethodsOfAMessageAreUsed(t *testing.T) {
	data := []byte("abc")
	for _, test := range []struct {
		name string
		msg  any
		in   *record
		want [4]string // the methods that Size, Marshal, MarshalAppend and Unmarshal call
	}{
		{"gogo", new(gogoLike), nil, [4]string{"Size ", "Size MarshalTo ", "Size MarshalTo ", ""}},
		{"csproto", new(csproto), nil, [4]string{"Size ", "Size MarshalTo ", "Size MarshalTo ", ""}},
		{"whole", new(whole), nil, [4]string{"Marshal ", "Marshal ", "Marshal ", "Reset Unmarshal "}},
		{"appending", new(appending), nil, [4]string{"MarshalAppend ", "MarshalAppend ", "MarshalAppend ", ""}},
		{"vtprotobuf", new(vt), nil, [4]string{"SizeVT ", "MarshalVT ", "SizeVT MarshalToSizedBufferVT ", "Reset UnmarshalVT "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := recordOf(test.msg)
			r.bytes = data
			step := func(i int) {
				t.Helper()
				if r.called != test.want[i] {
					t.Errorf("function %d called %q, want %q", i, r.called, test.want[i])
				}
				r.called = ""
			}
			if n := hotpb.Size(test.msg); n != 3 {
				t.Errorf("Size: %d", n)
			}
			step(0)
			if b, err := hotpb.Marshal(test.msg); err != nil || string(b) != "abc" {
				t.Errorf("Marshal: %s, %v", b, err)
			}
			step(1)
			if b, err := hotpb.MarshalAppend([]byte("+"), test.msg); err != nil || string(b) != "+abc" {
				t.Errorf("MarshalAppend: %s, %v", b, err)
			}
			step(2)
			err := hotpb.Unmarshal([]byte("xyz"), test.msg)
			step(3)
			if test.want[3] == "" {
				if !errors.Is(err, hotpb.ErrNoRuntime) {
					t.Errorf("Unmarshal without a method for it: %v", err)
				}
			} else if string(r.bytes) != "xyz" || err != nil { // methods that merge start with an empty message
				t.Errorf("Unmarshal: %s, %v", r.bytes, err)
			}
			if _, err := hotpb.RuntimeOf(test.msg); !errors.Is(err, hotpb.ErrNoRuntime) {
				t.Errorf("RuntimeOf: %v", err)
			}
			if hotpb.Clone(test.msg) != nil || hotpb.Equal(test.msg, test.msg) {
				t.Error("Clone or Equal without a runtime")
			}
			if _, err := hotpb.MarshalJSON(test.msg); !errors.Is(err, hotpb.ErrNoRuntime) {
				t.Errorf("MarshalJSON: %v", err)
			}
		})
	}
}

func recordOf(msg any) *record {
	switch m := msg.(type) {
	case *gogoLike:
		return &m.record
	case *csproto:
		return &m.record
	case *whole:
		return &m.record
	case *appending:
		return &m.record
	case *vt:
		return &m.record
	}
	panic("unknown")
}

type (
	toAllActor struct{ *codec_proto3.Actor }
	toActor    struct{ *codec_proto3.Actor }
	toNothing  struct{}
)

func (m *toAllActor) MarshalTo(b []byte) error     { copy(b, "abcd"); return nil }
func (m *toActor) MarshalTo(b []byte) (int, error) { return copy(b, "abcd"), nil }
func (toNothing) MarshalTo(b []byte) error         { return nil }

// COD-97. A message with a field called size lacks the method Size, and keeps the others.
func TestAMessageWithoutTheMethodSizeMarshalsWithItsOthers(t *testing.T) {
	actor := &codec_proto3.Actor{Id: 1, User: "a"} // five bytes
	for _, m := range []any{&toAllActor{actor}, &toActor{actor}} {
		b, err := hotpb.MarshalAppend([]byte("+"), m)
		if _, counts := m.(*toActor); counts && (err == nil || string(b) != "+") {
			t.Errorf("%T writes less than the size: %q, %v", m, b, err)
		} else if !counts && (err != nil || string(b) != "+abcd\x00") {
			t.Errorf("%T: %q, %v", m, b, err)
		}
	}
	if _, err := hotpb.Marshal(toNothing{}); !errors.Is(err, hotpb.ErrNotMessage) {
		t.Errorf("a type without a size: %v", err)
	}
}

type liar struct{ gogoLike }

func (m *liar) Size() int { return len(m.bytes) + 1 }

// Methods that do not agree cause an error, not a message with bytes that nobody wrote.
func TestASizeThatIsWrongIsAnError(t *testing.T) {
	m := new(liar)
	m.bytes = []byte("abc")
	if b, err := hotpb.Marshal(m); err == nil || len(b) != 0 {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := hotpb.MarshalAppend([]byte("+"), m); err == nil || string(b) != "+" {
		t.Errorf("%q, %v", b, err)
	}
}

type (
	vtBase  struct{ *codec_proto2.BaseEvent } // can have extensions, which vtprotobuf's methods lose
	vtActor struct{ *codec_proto3.Actor }     // cannot
)

func (*vtBase) SizeVT() int                { return -1 }
func (*vtBase) MarshalVT() ([]byte, error) { return nil, errors.New("MarshalVT") }
func (*vtBase) MarshalToSizedBufferVT([]byte) (int, error) {
	return 0, errors.New("MarshalToSizedBufferVT")
}
func (*vtBase) UnmarshalVT([]byte) error    { return errors.New("UnmarshalVT") }
func (*vtActor) SizeVT() int                { return -1 }
func (*vtActor) MarshalVT() ([]byte, error) { return nil, errors.New("MarshalVT") }
func (*vtActor) MarshalToSizedBufferVT([]byte) (int, error) {
	return 0, errors.New("MarshalToSizedBufferVT")
}
func (*vtActor) UnmarshalVT([]byte) error { return errors.New("UnmarshalVT") }

func TestMethodsThatLoseExtensionsArePassedOver(t *testing.T) {
	base := &vtBase{&codec_proto2.BaseEvent{
		EventId: proto.String("e"), SourceId: proto.String("s"), TimestampNs: proto.Uint64(1), Kind: new(codec_proto2.EventKind),
	}}
	proto.SetExtension(base.BaseEvent, codec_proto2.E_Note, "kept")
	b, err := hotpb.Marshal(base)
	if err != nil || !bytes.Contains(b, []byte("kept")) || hotpb.Size(base) != len(b) {
		t.Fatalf("%q, %v", b, err)
	}
	if err := hotpb.Unmarshal(b, base); err != nil || !hotpb.HasExtension(base, codec_proto2.E_Note) {
		t.Errorf("HasExtension after Unmarshal: %v", err)
	}
	if _, err := hotpb.Marshal(&vtActor{new(codec_proto3.Actor)}); err == nil || err.Error() != "MarshalVT" {
		t.Errorf("a message without extensions: %v", err)
	}
}

// Messages of the pool face have methods for their encoding and need no runtime.
func TestMessagesOfThePool(t *testing.T) {
	m := &prometheushot.WriteRequest{Timeseries: []prometheushot.TimeSeries{{Samples: []prometheushot.Sample{{Value: 1, Timestamp: 2}}}}}
	b, err := hotpb.Marshal(m)
	if err != nil || len(b) != hotpb.Size(m) || len(b) == 0 {
		t.Fatalf("%x, %v", b, err)
	}
	var decoded prometheushot.WriteRequest
	if err := hotpb.Unmarshal(b, &decoded); err != nil || !decoded.Equal(m) {
		t.Errorf("%v, %v", decoded, err)
	}
	if _, err := hotpb.RuntimeOf(m); !errors.Is(err, hotpb.ErrNoRuntime) || !strings.Contains(err.Error(), "*prometheushot.WriteRequest") {
		t.Errorf("RuntimeOf: %v", err)
	}
}

// COD-31. Generated fast methods take precedence over everything else; the runtime does the rest.
func TestGeneratedFastMethodsAreUsed(t *testing.T) {
	m := &prometheus.WriteRequest{Timeseries: []*prometheus.TimeSeries{{Labels: []*prometheus.Label{{Name: "a", Value: "b"}}}}}
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	decoded := &prometheus.WriteRequest{Timeseries: []*prometheus.TimeSeries{nil, nil}}
	if err := hotpb.Unmarshal(b, decoded); err != nil || !hotpb.Equal(decoded, m) {
		t.Errorf("%v, %v", decoded, err)
	}
	var fast interface{ UnmarshalHot([]byte) error } = decoded
	got, want := hotpb.Unmarshal(b[:len(b)-1], decoded), fast.UnmarshalHot(b[:len(b)-1])
	if got == nil || got.Error() != want.Error() {
		t.Errorf("the error is %v, that of the method %v", got, want)
	}
	if err := hotpb.Unmarshal(b, (*prometheus.WriteRequest)(nil)); !errors.Is(err, hotpb.ErrNil) {
		t.Errorf("Unmarshal into nil: %v", err)
	}
	if r, err := hotpb.RuntimeOf(m); err != nil || r.ImportPath() != google {
		t.Errorf("RuntimeOf: %v, %v", r, err)
	}
}
