package google_test

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
)

// The structs are those of protoc-gen-go; faces=codec adds the methods of codec.Message.
func Example() {
	label := &prometheus.Label{Name: "job", Value: "api"}
	var fast codec.Message = label
	encoded, err := fast.MarshalHotOptions(nil, codec.MarshalOptions{Deterministic: true})
	fmt.Printf("%q %v\n", encoded, err)
	var decoded prometheus.Label
	err = decoded.UnmarshalHotOptions(encoded, codec.UnmarshalOptions{Alias: true}) // strings stand in encoded
	fmt.Println(proto.Equal(label, &decoded), err)
	// Output:
	// "\n\x03job\x12\x03api" <nil>
	// true <nil>
}
