// Package gogo lets package hotpb work with messages of github.com/gogo/protobuf. Import it for that effect, once per
// program, in the main package only:
//
//	import _ "github.com/hotpb/hotpb/go/gogo"
//
// It is a module of its own, so that only programs that use it depend on gogo.
package gogo
