package gen

// The faces of the product. Those for tests come with RegisterTestFaces.
import (
	_ "github.com/hotpb/hotpb/go/internal/gen/codec"
	_ "github.com/hotpb/hotpb/go/internal/gen/pool"
	_ "github.com/hotpb/hotpb/go/internal/gen/reflect"
	_ "github.com/hotpb/hotpb/go/internal/gen/view"
	_ "github.com/hotpb/hotpb/go/internal/gen/writer"
)
