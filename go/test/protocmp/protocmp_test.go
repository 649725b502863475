// Package protocmp compares messages of views, of pools and of structs=value with go-cmp. It is a module of its own, so that other
// modules do not depend on go-cmp.
package protocmp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot/prometheushotreflect"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
)

func TestProtocmpSeesTheStockMessage(t *testing.T) {
	stock := &prometheus.WriteRequest{Timeseries: []*prometheus.TimeSeries{{
		Labels:  []*prometheus.Label{{Name: "__name__", Value: "up"}},
		Samples: []*prometheus.Sample{{Timestamp: 5, Value: 1}},
	}}}
	b, err := proto.Marshal(stock)
	if err != nil {
		t.Fatal(err)
	}
	var m prometheushot.WriteRequest
	if err := m.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	var v prometheushot.WriteRequestView
	if err := v.Decode(b); err != nil {
		t.Fatal(err)
	}
	pooled, err := prometheushotreflect.WriteRequest.Reflect(&m)
	if err != nil {
		t.Fatal(err)
	}
	viewed, err := prometheushotreflect.WriteRequestView.Reflect(&v)
	if err != nil {
		t.Fatal(err)
	}
	for name, shown := range map[string]proto.Message{"pool": pooled, "view": viewed} {
		if diff := cmp.Diff(proto.Message(stock), shown, protocmp.Transform()); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		changed := proto.CloneOf(stock)
		changed.Timeseries[0].Labels[0].Value = "down"
		if diff := cmp.Diff(proto.Message(changed), shown, protocmp.Transform()); !strings.Contains(diff, `"down"`) || !strings.Contains(diff, `"up"`) {
			t.Errorf("%s: the difference is\n%s", name, diff)
		}
		if diff := cmp.Diff(proto.Message(changed), shown, protocmp.Transform(), protocmp.IgnoreFields(&prometheus.Label{}, "value")); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(pooled, viewed, protocmp.Transform()); diff != "" {
		t.Errorf("pool and view:\n%s", diff)
	}
}
