package fast_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/gogo/internal/stock/compat"
	p2 "github.com/hotpb/hotpb/go/gogo/internal/stock/vectors_proto2"
	"github.com/hotpb/hotpb/go/wire"
)

const secret = "SECRET"

// leaveSecrets fills the encoders' scratch memory with the bytes of another message.
func leaveSecrets(t *testing.T) {
	t.Helper()
	if _, err := (&p2.All{SingleString: proto.String(strings.Repeat(secret, 400))}).MarshalHot(); err != nil {
		t.Fatal(err)
	}
}

// lacking returns a message that the runtime writes, because one of its extensions has no fast code, and whose other
// extension has an extension with absent required fields: in this case the runtime leaves out the extension's own fields, although it has counted them in the length.
func lacking(t *testing.T) *p2.All {
	t.Helper()
	inner := &p2.All{SingleString: proto.String(strings.Repeat("a", 60)), SingleInt32: proto.Int32(5)}
	if err := proto.SetExtension(inner, p2.E_ExtMust, new(p2.Must)); err != nil {
		t.Fatal(err)
	}
	m := &p2.All{SingleString: proto.String("outer")}
	if err := proto.SetExtension(m, p2.E_ExtInt32, proto.Int32(1)); err != nil {
		t.Fatal(err)
	}
	if err := proto.SetExtension(m, p2.E_ExtAll, inner); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnExtensionThatTheRuntimeLeavesUnfinishedIsRefused(t *testing.T) {
	for range 20 { // encoders are in a sync.Pool: this goroutine may get another one
		m := lacking(t)
		leaveSecrets(t)
		b, err := m.MarshalHotOptions(nil, codec.MarshalOptions{AllowPartial: true})
		if err == nil || len(b) != 0 {
			t.Fatalf("with AllowPartial: %q, %v", b, err)
		}
		leaveSecrets(t)
		if b, err = m.MarshalHot(); !errors.Is(err, wire.MissingRequired) || len(b) != 0 {
			t.Fatalf("without: %q, %v", b, err)
		}
		if strings.Contains(err.Error(), secret) {
			t.Fatal(err)
		}
		room := bytes.Repeat([]byte{0xaa}, 400)
		if b, err = m.MarshalAppendHot(room[:3]); err == nil || len(b) != 3 || bytes.Contains(room, []byte(secret)) {
			t.Fatalf("appended: %q, %v", room, err)
		}
	}
}

// The same with the methods that the runtime itself calls.
func TestCsprotosMarshalRefusesWhatTheRuntimeLeavesUnfinished(t *testing.T) {
	inner := &compat.Plain{Name: proto.String(strings.Repeat("a", 60))}
	if err := proto.SetExtension(inner, extLacking, new(p2.Must)); err != nil {
		t.Fatal(err)
	}
	outer := new(compat.Plain)
	if err := proto.SetExtension(outer, extPlain, &unmethodical{inner.Name, inner.XXX_InternalExtensions, nil, 0}); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		leaveSecrets(t)
		b, err := outer.Marshal()
		if err == nil || bytes.Contains(b, []byte(secret)) {
			t.Fatalf("%q, %v", b, err)
		}
	}
}

// unmethodical is compat.Plain without its methods, so that the runtime encodes it.
type unmethodical struct {
	Name                         *string `protobuf:"bytes,1,opt,name=name"`
	proto.XXX_InternalExtensions `json:"-"`
	XXX_unrecognized             []byte `json:"-"`
	XXX_sizecache                int32  `json:"-"`
}

func (m *unmethodical) Reset()         { *m = unmethodical{} }
func (m *unmethodical) String() string { return "" }
func (*unmethodical) ProtoMessage()    {}
func (*unmethodical) ExtensionRangeArray() []proto.ExtensionRange {
	return new(compat.Plain).ExtensionRangeArray()
}

var (
	extLacking = &proto.ExtensionDesc{
		ExtendedType: (*compat.Plain)(nil), ExtensionType: (*p2.Must)(nil), Field: 198, Name: "lacking", Tag: "bytes,198,opt,name=lacking",
	}
	extPlain = &proto.ExtensionDesc{
		ExtendedType: (*compat.Plain)(nil), ExtensionType: (*unmethodical)(nil), Field: 199, Name: "plain", Tag: "bytes,199,opt,name=plain",
	}
)
