package reflect_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot/prometheushotreflect"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	p3reflect "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot/vectorshotreflect"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	p2reflect "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot/vectors_proto2hotreflect"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/wire"
)

// POL-20, POL-51, POL-52. A pool's message, converted, is the stock message that the bridge shows, and converting it back changes
// nothing.
func TestVectorsAreConvertedAndBack(t *testing.T) {
	converted := 0
	for _, v := range vectors.Read(t, "wire") {
		f := facesOf(t, v.Message)
		if !v.Binds("pool") || strings.HasSuffix(v.Message, "MessageSet") && !legacy ||
			slices.ContainsFunc(v.IDs, func(id string) bool { return id == "SET-4" || id == "SET-6" }) {
			continue
		}
		shown, err := f.pool(v.Input, v.Limits(), nil)
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		want := proto.Clone(shown)
		if set, _ := holds(want); set && !legacy {
			continue
		}
		encoded, err := proto.MarshalOptions{AllowPartial: true}.Marshal(want)
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		canonical, _ := f.canonical(encoded, v.Limits())
		destinations := []proto.Message{want.ProtoReflect().New().Interface()}
		// Dynamic messages leave tags unchanged, and undefined values in an order of their own.
		if bytes.Equal(minimalTags(v.Canonical), v.Canonical) && !slices.Contains(v.IDs, "ENM-2") {
			destinations = append(destinations, dynamicpb.NewMessage(want.ProtoReflect().Descriptor()))
		}
		for _, dst := range destinations {
			roundTrip, err := f.convert(v.Input, v.Limits(), dst)
			if err != nil {
				t.Errorf("%s to %T: %v", v.Name, dst, err)
				continue
			}
			converted++
			if !proto.Equal(dst, want) {
				t.Errorf("%s to %T: it is %v, want %v", v.Name, dst, dst, want)
			}
			// The clone's NaNs are quiet. And the stock runtime writes a message-set extension that came in several
			// items, and that no one has read, as one item and a field with its number.
			several := slices.ContainsFunc(v.IDs, func(id string) bool { return strings.HasPrefix(id, "SET-") })
			if !bytes.Equal(roundTrip, canonical) && !slices.Contains(v.IDs, "FLD-14") && !several {
				t.Errorf("%s to %T and back: it is %x, want %x", v.Name, dst, roundTrip, canonical)
			}
		}
	}
	if converted < 5000 {
		t.Errorf("only %d were converted", converted)
	}
}

// An undefined value of a closed enum is an unknown field, and replaces no value in the stock message.
func TestConvertingKeepsTheValueBesideAnUndefinedOne(t *testing.T) {
	var m p2.All
	if err := m.Unmarshal([]byte{0x88, 1, 7, 0x88, 1, 5}); err != nil { // single_closed: 7, then CLOSED_FIVE
		t.Fatal(err)
	}
	dst := stockType(t, "hotpb.vectors.p2.All").New()
	if err := p2reflect.All.ToProto(dst.Interface(), &m); err != nil {
		t.Fatal(err)
	}
	fd := dst.Descriptor().Fields().ByName("single_closed")
	if dst.Get(fd).Enum() != 5 || !bytes.Equal(dst.GetUnknown(), []byte{0x88, 1, 7}) {
		t.Errorf("it is %v", dst)
	}
}

func TestConversionReplacesWhatWasThere(t *testing.T) {
	src, dst := writeRequest(2), writeRequest(5)
	var m prometheushot.WriteRequest
	for range 2 {
		if err := prometheushotreflect.WriteRequest.FromProto(&m, src); err != nil {
			t.Fatal(err)
		}
		if err := prometheushotreflect.WriteRequest.ToProto(dst, &m); err != nil || !proto.Equal(src, dst) {
			t.Errorf("%v: %v", err, dst)
		}
	}
	if err := prometheushotreflect.WriteRequest.FromProto(&m, &prometheus.WriteRequest{}); err != nil || len(m.Timeseries) != 0 {
		t.Error(err, len(m.Timeseries))
	}
}

func TestConversionOfAnotherTypeIsRefused(t *testing.T) {
	var m p3.All
	m.SingleInt32 = 5
	for _, wrong := range []proto.Message{nil, (*prometheus.WriteRequest)(nil), new(prometheus.WriteRequest)} {
		if err := p3reflect.All.ToProto(wrong, &m); !errors.Is(err, wire.TypeMismatch) {
			t.Error(err)
		}
		if err := p3reflect.All.FromProto(&m, wrong); !errors.Is(err, wire.TypeMismatch) {
			t.Error(err)
		}
	}
	if m.SingleInt32 != 0 {
		t.Error("after an error the message is not empty")
	}
	m.SingleString = "bad \xff"
	if err := p3reflect.All.ToProto(stockType(t, "hotpb.vectors.p3.All").New().Interface(), &m); !errors.Is(err, wire.InvalidUtf8) {
		t.Error(err)
	}
}
