package hotpb

// Ptr returns a pointer to a new variable with the value v, for fields that are pointers: numbers, strings, bools and
// enums with presence. For a nil pointer, write nil.
func Ptr[T any](v T) *T { return &v }

// The functions below are Ptr for one type each. They accept constants, which Ptr would take for an int or a float64.

// Bool returns a pointer to a new variable with the value v.
func Bool(v bool) *bool { return &v }

// Int returns a pointer to a new int32 with the value of v, of which the low 32 bits count, as in csproto.
func Int(v int) *int32 { return Ptr(int32(v)) }

// Int32 returns a pointer to a new variable with the value v.
func Int32(v int32) *int32 { return &v }

// Int64 returns a pointer to a new variable with the value v.
func Int64(v int64) *int64 { return &v }

// Uint32 returns a pointer to a new variable with the value v.
func Uint32(v uint32) *uint32 { return &v }

// Uint64 returns a pointer to a new variable with the value v.
func Uint64(v uint64) *uint64 { return &v }

// Float32 returns a pointer to a new variable with the value v.
func Float32(v float32) *float32 { return &v }

// Float64 returns a pointer to a new variable with the value v.
func Float64(v float64) *float64 { return &v }

// String returns a pointer to a new variable with the value v.
func String(v string) *string { return &v }
