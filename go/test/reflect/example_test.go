package reflect_test

import (
	"fmt"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot/prometheushotreflect"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus" // the stock package: it has the descriptors
)

// A message of a view or a pool can be used wherever a proto.Message can.
func Example() {
	encoded, _ := proto.Marshal(&prometheus.Label{Name: "job", Value: "api"})
	var label prometheushot.LabelView
	if err := label.Decode(encoded); err != nil {
		panic(err)
	}
	m, err := prometheushotreflect.LabelView.Reflect(&label)
	if err != nil {
		panic(err) // damaged, or the stock package is not linked
	}
	fmt.Println(proto.Equal(m, &prometheus.Label{Name: "job", Value: "api"}))
	for fd, v := range m.ProtoReflect().Range {
		fmt.Println(fd.Name(), v)
	}
	_, err = prototext.Marshal(m)
	fmt.Println(err)
	// Output:
	// true
	// name job
	// value api
	// <nil>
}

// Convert between the pool's structs and the stock ones.
func ExamplePool_ToProto() {
	var label prometheushot.Label
	label.Name, label.Value = "job", "api"
	var stock prometheus.Label
	if err := prometheushotreflect.Label.ToProto(&stock, &label); err != nil {
		panic(err)
	}
	fmt.Println(stock.GetName(), stock.GetValue())

	stock.Value = "db"
	if err := prometheushotreflect.Label.FromProto(&label, &stock); err != nil {
		panic(err)
	}
	fmt.Println(label.Name, label.Value)
	// Output:
	// job api
	// job db
}
