package staletest

import _ "embed"

// Google tries the methods of structs of google.golang.org/protobuf, and V1 those of a runtime with the first API, whose
// import path takes the place of RUNTIME, and that of its module the place of MODULE.
var (
	//go:embed testdata/google.go.txt
	Google []byte
	//go:embed testdata/v1.go.txt
	V1 []byte
)
