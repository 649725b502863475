package reflect_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	_ "google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/typepb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"

	api "github.com/hotpb/hotpb/go/internal/testgen/api/apihot"
	apireflect "github.com/hotpb/hotpb/go/internal/testgen/api/apihot/apihotreflect"
	"github.com/hotpb/hotpb/go/pool"
	protobridge "github.com/hotpb/hotpb/go/rt/reflect"
	"github.com/hotpb/hotpb/go/wire"
	"github.com/hotpb/hotpb/go/wkt"
	"github.com/hotpb/hotpb/go/wkt/wktreflect"
)

// readers read a message with both faces.
func readers[P interface {
	comparable
	pool.Message
}, V viewMessage](p protobridge.Pool[P], newPool func() P, v protobridge.View[V], newView func() V) []face {
	return []face{
		func(b []byte, _ wire.Options, from *protobridge.Resolver) (proto.Message, error) {
			m := newPool()
			if err := pool.Unmarshal(m, b, pool.Options{}); err != nil {
				return nil, err
			}
			return p.ReflectWith(m, from)
		},
		func(b []byte, o wire.Options, from *protobridge.Resolver) (proto.Message, error) {
			m := newView()
			if err := m.DecodeWith(b, o); err != nil {
				return nil, err
			}
			return v.ReflectWith(m, from)
		},
	}
}

// The well-known types have JSON forms of their own, by their full names.
func TestWellKnownTypesHaveTheirJSON(t *testing.T) {
	for _, c := range []struct {
		name, json string
		faces      []face
	}{
		{"google.protobuf.Timestamp", `"2026-11-22T06:30:00.000000007Z"`,
			readers(wktreflect.Timestamp, made[wkt.Timestamp], wktreflect.TimestampView, made[wkt.TimestampView])},
		{"google.protobuf.Duration", `"-1.500s"`,
			readers(wktreflect.Duration, made[wkt.Duration], wktreflect.DurationView, made[wkt.DurationView])},
		{"google.protobuf.FieldMask", `"a.fooBar,b"`,
			readers(wktreflect.FieldMask, made[wkt.FieldMask], wktreflect.FieldMaskView, made[wkt.FieldMaskView])},
		{"google.protobuf.Int64Value", `"-5"`,
			readers(wktreflect.Int64Value, made[wkt.Int64Value], wktreflect.Int64ValueView, made[wkt.Int64ValueView])},
		{"google.protobuf.Struct", `{"list":[1,"two",null,true,{"deep":[[]]}]}`,
			readers(wktreflect.Struct, made[wkt.Struct], wktreflect.StructView, made[wkt.StructView])},
		{"google.protobuf.Any", `{"@type":"type.googleapis.com/google.protobuf.Duration","value":"3s"}`,
			readers(wktreflect.Any, made[wkt.Any], wktreflect.AnyView, made[wkt.AnyView])},
		{"google.protobuf.Type", `{"name":"T","options":[{"name":"o","value":{"@type":"type.googleapis.com/google.protobuf.BoolValue","value":true}}],"sourceContext":{"fileName":"f"},"syntax":"SYNTAX_PROTO3"}`,
			readers(apireflect.Type, made[api.Type], apireflect.TypeView, made[api.TypeView])},
	} {
		want := stockType(t, c.name).New().Interface()
		if err := protojson.Unmarshal([]byte(c.json), want); err != nil {
			t.Fatal(err)
		}
		b, err := proto.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		for _, read := range c.faces {
			got, err := read(b, wire.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if difference := differ(want, got); difference != "" {
				t.Errorf("%s: %s", c.name, difference)
			}
		}
	}
}
