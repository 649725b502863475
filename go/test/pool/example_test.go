package pool_test

import (
	"errors"
	"fmt"

	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/internal/testgen/sorted_p3/sorted_p3hot"
	"github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/wire"
)

// Keep one message per worker: once it is warm, decoding allocates nothing.
func Example() {
	bodies := [][]byte{madeRequest(1), madeRequest(2)}
	var req prometheushot.WriteRequest
	for _, body := range bodies {
		if err := req.Unmarshal(body); err != nil {
			fmt.Println(err)
			continue
		}
		for i := range req.Timeseries {
			ts := &req.Timeseries[i]
			fmt.Println(ts.Labels[0].Name, ts.Labels[5].Value, ts.Samples[0].Timestamp)
		}
	}
	// Output:
	// __name__ value_0_of_label_5 1700000000000
	// __name__ value_0_of_label_5 1700000000000
	// __name__ value_1_of_label_5 1700000000001
}

// A message is a plain struct: fill it in, and append it to your bytes.
func Example_encode() {
	req := prometheushot.WriteRequest{Timeseries: []prometheushot.TimeSeries{{
		Labels:  []prometheushot.Label{{Name: "job", Value: "api"}},
		Samples: []prometheushot.Sample{{Value: 1.5, Timestamp: 1000}},
	}}}
	out, err := req.MarshalAppend([]byte("> "))
	fmt.Printf("%q %v %d\n", out, err, req.Size())
	// Output: "> \n\x1a\n\n\n\x03job\x12\x03api\x12\f\t\x00\x00\x00\x00\x00\x00\xf8?\x10\xe8\a" <nil> 28
}

// Methods set fields that have presence, and their presence with them.
func Example_presence() {
	var m vectors_proto2hot.Child
	fmt.Println(m.HasId(), m.GetId())
	m.SetId(0)
	m.MutableChild().SetName("inner")
	fmt.Println(m.HasId(), m.GetChild().GetName(), m.WhichPick())
	// Output:
	// false 0
	// true inner 0
}

// UnmarshalWith accepts limits; an error says what is wrong, where, and in which field.
func ExampleUnmarshal() {
	var req prometheushot.WriteRequest
	err := req.UnmarshalWith(madeRequest(3), pool.Options{Mode: pool.Alias, MaxElements: 10})
	fmt.Println(err, errors.Is(err, wire.CountExceeded))
	// Output: hotpb: CountExceeded at byte 234: timeseries[1].labels[1] true
}

// Extensions stay among the unknown fields until you read them.
func ExampleReadExtension() {
	var m vectors_proto2hot.All
	if err := vectors_proto2hot.E_ExtString.Put(&m, "more"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(vectors_proto2hot.E_ExtString.Read(&m))
	// Output: more true <nil>
}

// With maps=sorted, a map is a list ordered by key.
func ExampleSortedMap() {
	var m sorted_p3hot.All
	m.KeyString.Set("region", "eu")
	m.KeyString.Set("host", "a1")
	value, has := m.KeyString.Get("region")
	fmt.Println(value, has, m.KeyString.Len())
	for key, value := range m.KeyString.All() {
		fmt.Println(key, value)
	}
	// Output:
	// eu true 2
	// host a1
	// region eu
}
