package protobridge

// MinGenerated and MaxGenerated are the versions of generated code that this
// runtime works with; generated code compiles with no other.
const (
	MinGenerated = 1
	MaxGenerated = 1
)
