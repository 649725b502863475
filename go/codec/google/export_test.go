package google

import "google.golang.org/protobuf/proto"

// KnowsShape reports whether EqualVT and CloneVT know the structs of m's type itself.
func KnowsShape(m proto.Message) bool { return !shapeOf(m).slow }
