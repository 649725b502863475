package google_test

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
	"github.com/hotpb/hotpb/go/rt/codec/google"
	"github.com/hotpb/hotpb/go/wire"
)

// ERR-2: an absent required field has its path even where only the runtime can look: in messages without fast code,
// and in extensions.
//
// COD-11.
func TestMissingFieldsHaveTheirPath(t *testing.T) {
	full := `id: 1 name: "n"`
	for _, c := range []struct {
		m          proto.Message
		text, path string
	}{
		{new(p2.Must), `id: 1`, "name"},
		{new(p2.Needs), `many { ` + full + ` } many { ` + full + ` must { name: "n" } }`, "many[1].must.id"},
		{new(p2.Needs), `by_id { key: 1 value { id: 1 } }`, "by_id.value.name"},
		{new(p2.Needs), `picked { id: 1 }`, "picked.name"},
		{new(p2.All), `[hotpb.vectors.p2.ext_must] { id: 1 }`, "[hotpb.vectors.p2.ext_must].name"},
		{new(p2.All), `single_all { [hotpb.vectors.p2.ext_must] { id: 1 } }`, "single_all.[hotpb.vectors.p2.ext_must].name"},
	} {
		if err := (prototext.UnmarshalOptions{AllowPartial: true}).Unmarshal([]byte(c.text), c.m); err != nil {
			t.Fatal(err)
		}
		b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(c.m)
		if err != nil {
			t.Fatal(err)
		}
		slow := dynamicpb.NewMessage(c.m.ProtoReflect().Descriptor())
		if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, slow); err != nil {
			t.Fatal(err)
		}
		if path := google.Missing(slow); path != c.path {
			t.Errorf("%s: without fast code it is at %q, want %q", c.text, path, c.path)
		}
		fast := c.m.(interface {
			UnmarshalHot([]byte) error
			MarshalHot() ([]byte, error)
		})
		_, err = fast.MarshalHot()
		for _, err := range []error{err, fast.UnmarshalHot(b)} {
			var at *wire.Error
			if !errors.As(err, &at) || at.Code != wire.MissingRequired || at.Path != c.path {
				t.Errorf("%s: %v, want it at %q", c.text, err, c.path)
			}
		}
	}
	if path := google.Missing(dynamicpb.NewMessage(new(p2.Needs).ProtoReflect().Descriptor())); path != "" {
		t.Errorf("nothing is missing at %q", path)
	}
}
