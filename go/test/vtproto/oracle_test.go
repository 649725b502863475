// Package vtproto holds the methods of compat=vtproto against those that vtprotobuf's own generator writes, and runs
// vtprotobuf's own test programs on them. It is a module of its own, so that the codec needs no vtprotobuf.
package vtproto

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/test/codectest"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "github.com/hotpb/hotpb/go/test/vtproto/internal/ours/codec_proto2"
	_ "github.com/hotpb/hotpb/go/test/vtproto/internal/ours/codec_proto3"
	_ "github.com/hotpb/hotpb/go/test/vtproto/internal/ours/prometheus"
	_ "github.com/hotpb/hotpb/go/test/vtproto/internal/ours/raft"
	_ "github.com/hotpb/hotpb/go/test/vtproto/internal/ours/test_messages_proto2"
	_ "github.com/hotpb/hotpb/go/test/vtproto/internal/ours/test_messages_proto3"
	_ "github.com/hotpb/hotpb/go/test/vtproto/internal/theirs/codec_proto2"
	_ "github.com/hotpb/hotpb/go/test/vtproto/internal/theirs/codec_proto3"
	_ "github.com/hotpb/hotpb/go/test/vtproto/internal/theirs/prometheus"
	_ "github.com/hotpb/hotpb/go/test/vtproto/internal/theirs/raft"
	_ "github.com/hotpb/hotpb/go/test/vtproto/internal/theirs/test_messages_proto2"
	_ "github.com/hotpb/hotpb/go/test/vtproto/internal/theirs/test_messages_proto3"
)

// message has the methods of vtprotobuf's that need not name the type.
type message interface {
	proto.Message
	SizeVT() int
	MarshalVT() ([]byte, error)
	MarshalToVT(b []byte) (int, error)
	MarshalToSizedBufferVT(b []byte) (int, error)
	MarshalVTStrict() ([]byte, error)
	MarshalToVTStrict(b []byte) (int, error)
	MarshalToSizedBufferVTStrict(b []byte) (int, error)
	UnmarshalVT(b []byte) error
	UnmarshalVTUnsafe(b []byte) error
	EqualMessageVT(that proto.Message) bool
	CloneMessageVT() proto.Message
}

// pair is a message with our methods and the same one with vtprotobuf's.
type pair struct{ hot, theirs message }

func fresh(t *testing.T, name string) pair {
	t.Helper()
	find := func(side string) message {
		mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(side + "." + name))
		if err != nil {
			t.Fatal(err)
		}
		return mt.New().Interface().(message)
	}
	return pair{find("ours"), find("theirs")}
}

// names are those of the messages that vtprotobuf supports: it has message sets, but writes them as it must not.
func names() (names []string) {
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		name, hot := strings.CutPrefix(string(mt.Descriptor().FullName()), "ours.")
		if hot && !strings.Contains(name, "MessageSet") {
			names = append(names, name)
		}
		return true
	})
	slices.Sort(names)
	return names
}

// decoded returns the message that b is, on both sides.
func decoded(t *testing.T, name string, b []byte) pair {
	t.Helper()
	p := fresh(t, name)
	for _, m := range []message{p.hot, p.theirs} {
		if err := (proto.UnmarshalOptions{AllowPartial: true, NoLazyDecoding: true}).Unmarshal(b, m); err != nil {
			t.Fatalf("%s: %v: %x", name, err, b)
		}
	}
	return p
}

func encoded(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// random returns the encoding of a random message without what vtprotobuf loses.
func random(t *testing.T, r *rand.Rand, name string) []byte {
	t.Helper()
	m := fresh(t, name).hot
	(&codectest.Filler{Rand: r, Fill: r.Float64()}).Message(m.ProtoReflect(), 3)
	keepCommon(m.ProtoReflect())
	return encoded(t, m)
}

// visit calls f for a message and for all messages in it.
func visit(m protoreflect.Message, f func(protoreflect.Message)) {
	f(m)
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.Message() == nil:
		case field.IsMap():
			if field.MapValue().Message() != nil {
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					visit(v.Message(), f)
					return true
				})
			}
		case field.IsList():
			for i := range v.List().Len() {
				visit(v.List().Get(i).Message(), f)
			}
		default:
			visit(v.Message(), f)
		}
		return true
	})
}

// keepCommon clears what vtprotobuf loses or cannot read: extensions, and all fields before an unknown one with the number of an
// extension; -0 in fields without presence; unknown fields in well-known types; groups.
func keepCommon(m protoreflect.Message) {
	visit(m, func(m protoreflect.Message) {
		if d := m.Descriptor(); d.ExtensionRanges().Len() > 0 || d.ParentFile().Package() == "google.protobuf" {
			m.SetUnknown(nil)
		}
		m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			number, _ := v.Interface().(float64)
			single, is := v.Interface().(float32)
			if field.IsExtension() || field.Kind() == protoreflect.GroupKind || !field.HasPresence() && (math.Signbit(number) && number == 0 || is && single == 0) {
				m.Clear(field)
			}
			return true
		})
	})
}

// hasOrder reports whether the encoding of a message is the same whenever it is written: no map has two entries.
func hasOrder(m proto.Message) (is bool) {
	is = true
	visit(m.ProtoReflect(), func(m protoreflect.Message) {
		m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			is = is && (!field.IsMap() || v.Map().Len() < 2)
			return true
		})
	})
	return is
}

// hasOneof reports whether a member of a oneof is set.
func hasOneof(m proto.Message) (is bool) {
	visit(m.ProtoReflect(), func(m protoreflect.Message) {
		m.Range(func(field protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
			oneof := field.ContainingOneof()
			is = is || oneof != nil && !oneof.IsSynthetic()
			return true
		})
	})
	return is
}

const rounds = 60

// COD-84, COD-94
func TestTheyWriteTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	same, strict := 0, 0
	for _, name := range names() {
		for range rounds {
			p := decoded(t, name, random(t, r, name))
			hot, err := p.hot.MarshalVT()
			theirs, theirErr := p.theirs.MarshalVT()
			if (err == nil) != (theirErr == nil) {
				t.Errorf("%s: %v, theirs: %v", name, err, theirErr)
			}
			if err != nil {
				continue
			}
			if len(hot) != len(theirs) || p.hot.SizeVT() != len(hot) || p.theirs.SizeVT() != len(hot) {
				t.Errorf("%s: %d bytes, SizeVT is %d; theirs: %d, %d", name, len(hot), p.hot.SizeVT(), len(theirs), p.theirs.SizeVT())
			}
			if !hasOrder(p.hot) {
				continue
			}
			if !hasOneof(p.hot) {
				same++
				if !bytes.Equal(hot, theirs) {
					t.Errorf("%s: %x, theirs: %x", name, hot, theirs)
				}
			}
			hot, err = p.hot.MarshalVTStrict()
			theirs, theirErr = p.theirs.MarshalVTStrict()
			if strict++; err != nil || theirErr != nil || !bytes.Equal(hot, theirs) {
				t.Errorf("%s: strict %x, %v; theirs: %x, %v", name, hot, err, theirs, theirErr)
			}
		}
	}
	if same < 500 || strict < 500 {
		t.Errorf("only %d messages of one encoding, %d strict", same, strict)
	}
}

// COD-85
func TestTheyWriteIntoTheSameBytesOfABuffer(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range names() {
		for range 5 {
			p := decoded(t, name, random(t, r, name))
			whole, err := p.hot.MarshalVTStrict() // one order, for maps, too
			if err != nil {
				continue
			}
			for _, c := range []struct {
				name  string
				write func(b []byte) (int, error)
				at    int
			}{
				{"MarshalToVT", p.hot.MarshalToVT, 0}, {"MarshalToVTStrict", p.hot.MarshalToVTStrict, 0},
				{"MarshalToSizedBufferVT", p.hot.MarshalToSizedBufferVT, 7}, {"MarshalToSizedBufferVTStrict", p.hot.MarshalToSizedBufferVTStrict, 7},
				{"their MarshalToVT", p.theirs.MarshalToVT, 0}, {"their MarshalToSizedBufferVT", p.theirs.MarshalToSizedBufferVT, 7},
			} {
				b := bytes.Repeat([]byte{0xee}, len(whole)+7)
				n, err := c.write(b)
				if err != nil || n != len(whole) {
					t.Fatalf("%s of %s: %d, %v", c.name, name, n, err)
				}
				rest := slices.Concat(b[:c.at], b[c.at+n:])
				if reread := decoded(t, name, b[c.at:c.at+n]).hot; !bytes.Equal(encoded(t, reread), encoded(t, p.hot)) || !bytes.Equal(rest, bytes.Repeat([]byte{0xee}, 7)) {
					t.Errorf("%s of %s writes %x for %x", c.name, name, b, whole)
				}
			}
		}
	}
}

// COD-87
func TestTheyReadTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	read := 0
	for _, name := range names() {
		var before []byte
		for range rounds {
			b := random(t, r, name)
			p, unsafe, onTop := fresh(t, name), fresh(t, name), decoded(t, name, before)
			err, theirErr := p.hot.UnmarshalVT(b), p.theirs.UnmarshalVT(b)
			if (err == nil) != (theirErr == nil) {
				t.Errorf("%s: %v, theirs: %v: %x", name, err, theirErr, b)
			}
			if err != nil {
				continue
			}
			read++
			want := encoded(t, p.theirs)
			if got := encoded(t, p.hot); !bytes.Equal(got, want) || !bytes.Equal(got, b) {
				t.Errorf("%s: %x, theirs: %x", name, got, want)
			}
			if err, theirErr := unsafe.hot.UnmarshalVTUnsafe(b), unsafe.theirs.UnmarshalVTUnsafe(b); err != nil || theirErr != nil ||
				!bytes.Equal(encoded(t, unsafe.hot), encoded(t, unsafe.theirs)) {
				t.Errorf("%s, unsafe: %v, theirs: %v", name, err, theirErr)
			}
			if err, theirErr := onTop.hot.UnmarshalVT(b), onTop.theirs.UnmarshalVT(b); err != nil || theirErr != nil ||
				!bytes.Equal(encoded(t, onTop.hot), encoded(t, onTop.theirs)) {
				t.Errorf("%s on top of %x: %v, %x; theirs: %v, %x", name, before, err, encoded(t, onTop.hot), theirErr, encoded(t, onTop.theirs))
			}
			before = b
		}
	}
	if read < 1000 {
		t.Errorf("only %d messages were read", read)
	}
}

// COD-88, COD-89
func TestTheyAgreeOnEqualityAndClones(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	equal, different := 0, 0
	for _, name := range names() {
		before := random(t, r, name)
		for range rounds {
			b := random(t, r, name)
			if r.IntN(3) == 0 {
				b = before
			}
			x, y := decoded(t, name, b), decoded(t, name, before)
			got, want := x.hot.EqualMessageVT(y.hot), x.theirs.EqualMessageVT(y.theirs)
			if got != want {
				t.Errorf("%s: %v, theirs: %v: %x, %x", name, got, want, b, before)
			}
			if got {
				equal++
			} else {
				different++
			}
			before = b
			clone := x.hot.CloneMessageVT()
			if !bytes.Equal(encoded(t, clone), encoded(t, x.hot)) || clone == proto.Message(x.hot) {
				t.Errorf("%s: the clone of %x is %x", name, b, encoded(t, clone))
			}
			for _, message := range []proto.Message{nil, x.theirs} {
				if x.hot.EqualMessageVT(message) {
					t.Errorf("%s is equal to a %T", name, message)
				}
			}
		}
	}
	if equal < 300 || different < 300 {
		t.Errorf("%d were equal, %d not", equal, different)
	}
}

// A number that is NaN is not equal to itself, wherever it is; a message is equal to itself all the same. COD-88
func TestNaNIsNotEqual(t *testing.T) {
	found := 0
	for _, name := range names() {
		fields := fresh(t, name).hot.ProtoReflect().Descriptor().Fields()
		for i := range fields.Len() {
			field := fields.Get(i)
			value := field
			if field.IsMap() {
				value = field.MapValue()
			}
			var nan protoreflect.Value
			switch value.Kind() {
			case protoreflect.FloatKind:
				nan = protoreflect.ValueOfFloat32(float32(math.NaN()))
			case protoreflect.DoubleKind:
				nan = protoreflect.ValueOfFloat64(math.NaN())
			default:
				continue
			}
			found++
			m := fresh(t, name).hot
			switch r := m.ProtoReflect(); {
			case field.IsMap():
				r.Mutable(field).Map().Set(protoreflect.ValueOf(zeroOf(field.MapKey().Kind())).MapKey(), nan)
			case field.IsList():
				r.Mutable(field).List().Append(nan)
			default:
				r.Set(field, nan)
			}
			p := decoded(t, name, encoded(t, m))
			q := decoded(t, name, encoded(t, m))
			if p.hot.EqualMessageVT(q.hot) || p.theirs.EqualMessageVT(q.theirs) || !p.hot.EqualMessageVT(p.hot) {
				t.Errorf("%s: with %s", name, field.Name())
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d fields", found)
	}
}

func zeroOf(kind protoreflect.Kind) any {
	switch kind {
	case protoreflect.StringKind:
		return ""
	case protoreflect.BoolKind:
		return false
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return int64(0)
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return uint64(0)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return uint32(0)
	}
	return int32(0)
}

// COD-86
func TestNilsAreWhatTheyAreToVtprotobuf(t *testing.T) {
	for _, name := range names() {
		p := fresh(t, name)
		for side, m := range map[string]message{"ours": p.hot, "theirs": p.theirs} {
			none := m.ProtoReflect().Type().Zero().Interface().(message)
			if b, err := none.MarshalVT(); b != nil || err != nil {
				t.Errorf("%s %s: MarshalVT: %x, %v", side, name, b, err)
			}
			if b, err := none.MarshalVTStrict(); b != nil || err != nil {
				t.Errorf("%s %s: MarshalVTStrict: %x, %v", side, name, b, err)
			}
			for _, write := range []func([]byte) (int, error){none.MarshalToVT, none.MarshalToSizedBufferVT, none.MarshalToVTStrict, none.MarshalToSizedBufferVTStrict} {
				b := []byte{0xee, 0xee}
				if n, err := write(b); n != 0 || err != nil || b[0] != 0xee || b[1] != 0xee {
					t.Errorf("%s %s: %d bytes, %v, %x", side, name, n, err, b)
				}
			}
			if none.SizeVT() != 0 || none.CloneMessageVT().ProtoReflect().IsValid() {
				t.Errorf("%s %s: size %d, clone %v", side, name, none.SizeVT(), none.CloneMessageVT())
			}
			if none.EqualMessageVT(m) || m.EqualMessageVT(none) || !none.EqualMessageVT(none) {
				t.Errorf("%s %s: nil is equal to an empty message, or not to nil", side, name)
			}
		}
	}
}
