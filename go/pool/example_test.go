package pool_test

import (
	"errors"
	"fmt"

	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/wire"
	"github.com/hotpb/hotpb/go/wkt"
)

// A message keeps its memory for the next decode.
func Example() {
	var mask wkt.FieldMask // keep it, one per worker
	if err := mask.Unmarshal([]byte("\x0a\x04name\x0a\x07address")); err != nil {
		panic(err)
	}
	fmt.Println(mask.Paths)
	mask.Paths = append(mask.Paths[:1], "id")
	encoded, err := mask.MarshalAppend(nil)
	fmt.Printf("%q %v\n", encoded, err)
	// Output:
	// [name address]
	// "\n\x04name\n\x02id" <nil>
}

// Any message is decoded through the interface Message, with limits for bytes that are not trusted.
func ExampleUnmarshal() {
	var m pool.Message = new(wkt.FieldMask)
	err := pool.Unmarshal(m, []byte("\x0a\x04name\x0a\x07address"), pool.Options{MaxElements: 1, Mode: pool.Owned})
	fmt.Println(errors.Is(err, wire.CountExceeded))
	// Output:
	// true
}
