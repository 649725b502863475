package reflect

// MinGenerated and MaxGenerated are the versions of generated code that this runtime works with. Generated code of
// any other version does not compile.
const (
	MinGenerated = 2
	MaxGenerated = 2
)
