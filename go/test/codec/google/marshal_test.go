package google_test

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
	"github.com/hotpb/hotpb/go/test/codectest"
	"github.com/hotpb/hotpb/go/wire"
)

func TestNilsAreWrittenAsInTheRuntime(t *testing.T) {
	codectest.Encode(t, (*p3.All)(nil))
	codectest.Encode(t, (*p2.Must)(nil)) // lacks required fields
	codectest.Encode(t, &p3.All{Kind: (*p3.All_OneofInt32)(nil)})
	codectest.Encode(t, &p3.All{Kind: (*p3.All_OneofAll)(nil)})
	codectest.Encode(t, &p3.All{Kind: &p3.All_OneofAll{}})
	codectest.Encode(t, &p3.All{RepeatedAll: []*p3.All{nil, {}, nil}, ValueAll: map[string]*p3.All{"": nil}})
	codectest.Encode(t, &p3.All{SingleBytes: []byte{}, RepeatedBytes: [][]byte{nil, {}}, OptionalBytes: []byte{}})
	codectest.Encode(t, &p2.Needs{Many: []*p2.Must{nil}})
	codectest.Encode(t, &p2.Needs{ById: map[int32]*p2.Must{1: nil}})
	codectest.Encode(t, &p2.Needs{Pick: &p2.Needs_Picked{}})
	codectest.Encode(t, &p2.Needs{Pick: (*p2.Needs_Picked)(nil)})
}

func TestMarshalOfNilIsNilAndOfNothingIsNot(t *testing.T) {
	if b, err := (*p3.All)(nil).MarshalHot(); b != nil || err != nil {
		t.Error(b, err)
	}
	if b, err := new(p3.All).MarshalHot(); b == nil || len(b) > 0 || err != nil {
		t.Error(b, err)
	}
}

func TestErrorsOfAnEncodeSayWhere(t *testing.T) {
	full := func(m *p2.Must) *p2.Must { m.Id, m.Name = proto.Int32(1), proto.String("x"); return m }
	for path, m := range map[string]interface {
		MarshalHot() ([]byte, error)
		MarshalHotOptions([]byte, codec.MarshalOptions) ([]byte, error)
	}{
		"name":                    &p2.Must{Id: proto.Int32(1)},
		"many[1].must.id":         &p2.Needs{Many: []*p2.Must{full(new(p2.Must)), full(&p2.Must{Must: &p2.Must{Name: proto.String("x")}})}},
		"single_string":           &p3.All{SingleString: "a\xff"},
		"repeated_string":         &p3.All{RepeatedString: []string{"a", "b\x80"}},
		"single_all.oneof_string": &p3.All{SingleAll: &p3.All{Kind: &p3.All_OneofString{OneofString: "\xc0"}}},
	} {
		_, err := m.MarshalHot()
		var at *wire.Error
		if !errors.As(err, &at) || at.Path != path {
			t.Errorf("%v, want it at %s", err, path)
		}
		_, err = m.MarshalHotOptions(nil, codec.MarshalOptions{AllowPartial: true})
		if (err == nil) != (at.Code == wire.MissingRequired) {
			t.Errorf("%s, partial: %v", path, err)
		}
	}
}
