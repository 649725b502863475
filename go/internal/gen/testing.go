package gen

// RegisterTestFaces adds the faces for tests: functions that write back what was read, by the public accessors. The product
// does not have them; internal/testgenerator does.
func RegisterTestFaces() {
	for _, face := range []Face{reencodeFace, canonicalFace, rewriteFace} {
		Register(face)
	}
}
