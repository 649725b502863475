package gen

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/testface"
)

// RegisterTestFaces adds the faces for tests: functions that write back what was read, by the public accessors.
// The product does not have them; internal/testgenerator does.
func RegisterTestFaces() {
	for _, face := range []emit.Face{testface.ReencodeFace, testface.CanonicalFace, testface.RewriteFace, testface.ChecksumFace} {
		emit.Register(face)
	}
}
