package view_test

import (
	"errors"
	"fmt"

	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
	"github.com/hotpb/hotpb/go/wkt"
)

// A view is opened once; strings point into its bytes.
func Example() {
	encoded := []byte("\x0a\x04name\x0a\x07address")
	var mask wkt.FieldMaskView
	if err := mask.DecodeWith(encoded, view.Options{MaxSize: 1 << 20}); err != nil {
		panic(err)
	}
	fmt.Println(mask.PathsLen())
	for path := range mask.Paths() {
		fmt.Println(path)
	}
	err := mask.DecodeWith(encoded, view.Options{MaxSize: 4})
	fmt.Println(errors.Is(err, wire.SizeExceeded))
	// Output:
	// 2
	// name
	// address
	// true
}

// A buffer owns the bytes that an editor changes.
func ExampleBuffer() {
	var buffer view.Buffer // keep it for each goroutine
	var mask wkt.FieldMaskEdit
	mask.Start(&buffer)
	mask.AddPaths("id", "name")
	mask.SetPathsAt(0, "uid")
	fmt.Printf("%q %v\n", buffer.Bytes(), buffer.Err())
	// Output:
	// "\n\x03uid\n\x04name" <nil>
}
