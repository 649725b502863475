package gen

// These imports register the faces of the product. RegisterTestFaces adds those for tests.
import (
	_ "github.com/hotpb/hotpb/go/internal/gen/codec"
	_ "github.com/hotpb/hotpb/go/internal/gen/pool"
	_ "github.com/hotpb/hotpb/go/internal/gen/reflect"
	_ "github.com/hotpb/hotpb/go/internal/gen/view"
	_ "github.com/hotpb/hotpb/go/internal/gen/writer"
)
