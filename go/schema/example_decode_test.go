package schema_test

import (
	"fmt"
	"os"

	"github.com/hotpb/hotpb/go/schema"
)

// A message type that protoc has described is imported, and handles are looked up by name.
func ExampleFromDescriptorSet() {
	fds, err := os.ReadFile("../../vectors/plans/remote_write_v1.fds") // protoc --include_imports --descriptor_set_out
	if err != nil {
		panic(err)
	}
	s, err := schema.FromDescriptorSet(fds, "prometheus.WriteRequest")
	if err != nil {
		panic(err)
	}
	series, err := schema.Lookup[schema.MessageList](s.Message, "timeseries")
	if err != nil {
		panic(err)
	}
	labels, _ := schema.Lookup[schema.MessageList](s.Message, "timeseries.labels")
	name, _ := schema.Lookup[schema.StringColumn](s.Message, "timeseries.labels.name")
	value, _ := schema.Lookup[schema.StringColumn](s.Message, "timeseries.labels.value")
	plan, err := s.Compile()
	if err != nil {
		panic(err)
	}

	row := plan.NewRow() // keep it, one per worker
	if err := row.Unmarshal([]byte("\x0a\x0f\x0a\x0d\x0a\x03job\x12\x06router")); err != nil {
		panic(err)
	}
	for _, ts := range row.Messages(series).All() {
		for _, l := range ts.Messages(labels).All() {
			fmt.Println(l.String(name), l.String(value))
		}
	}
	_, err = schema.Lookup[schema.UintColumn](s.Message, "timeseries.labels.name")
	fmt.Println(err)
	// Output:
	// job router
	// hotpb: TypeMismatch: prometheus.WriteRequest.timeseries.labels.name: is StringColumn, not UintColumn
}

// Messages are collected column by column, as column stores take them.
func ExamplePlan_NewColumns() {
	s := schema.New("Flow")
	bytes := s.Uint64("bytes", 1)
	path := s.Uint32s("as_path", 2)
	name := s.String("exporter", 3)
	plan, err := s.Compile()
	if err != nil {
		panic(err)
	}
	cols, err := plan.NewColumns()
	if err != nil {
		panic(err)
	}
	for _, b := range []string{"\x08\x40\x12\x02\x01\x02", "\x1a\x05edge1\x12\x01\x07"} {
		if err := cols.Unmarshal([]byte(b)); err != nil {
			panic(err)
		}
	}
	paths, names := cols.Vector(path.Handle), cols.Vector(name.Handle)
	fmt.Println(cols.Len(), cols.Vector(bytes.Handle).Uint64s)
	fmt.Println(paths.Starts, paths.Uint32s)
	fmt.Printf("%q %q\n", names.TextAt(0), names.TextAt(1))
	// Output:
	// 2 [64 0]
	// [0 2 3] [1 2 7]
	// "" "edge1"
}
