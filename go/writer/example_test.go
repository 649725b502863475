package writer_test

import (
	"fmt"

	"github.com/hotpb/hotpb/go/chunk"
	"github.com/hotpb/hotpb/go/wkt"
	"github.com/hotpb/hotpb/go/writer"
)

// A call writes its bytes at once.
func Example() {
	var out writer.Buffer // keep it for each goroutine
	mask := wkt.NewFieldMaskWriter(&out)
	mask.AddPaths("name")
	fmt.Println(writer.Complete(&out))
	mask.AddPaths("id")
	if err := mask.End(); err != nil {
		panic(err)
	}
	fmt.Printf("%q %v\n", out.Bytes(), writer.Complete(&out))
	// Output:
	// hotpb: the message is not finished: its End was not called
	// "\n\x04name\n\x02id" <nil>
}

// The bytes of a full buffer still parse.
func ExampleFixedBuffer() {
	out := writer.NewFixedBuffer(make([]byte, 8), chunk.Compact)
	mask := wkt.NewFieldMaskWriter(out)
	mask.AddPaths("name")
	mask.AddPaths("address")
	fmt.Println(mask.End())
	fmt.Printf("%q\n", out.Bytes())
	// Output:
	// hotpb: BufferExhausted
	// "\n\x04name"
}
