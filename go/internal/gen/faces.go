package gen

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/emit/codec"
	"github.com/hotpb/hotpb/go/internal/gen/emit/pool"
	"github.com/hotpb/hotpb/go/internal/gen/emit/reflect"
	"github.com/hotpb/hotpb/go/internal/gen/emit/view"
	"github.com/hotpb/hotpb/go/internal/gen/emit/writer"
)

// The faces of the product. An emitter knows package emit, which knows the plan; neither knows which emitters there are.
func init() {
	emit.Register(codec.Face, pool.Face, reflect.Face, view.Face, view.EditFace, writer.Face)
}
