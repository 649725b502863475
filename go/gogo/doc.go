// Package gogo lets package hotpb work with messages of github.com/gogo/protobuf.
// It is imported for that effect, once per program, by no more than the main package:
//
//	import _ "github.com/hotpb/hotpb/go/gogo"
//
// It is a module of its own, so that only those have gogo among their
// dependencies who use it.
package gogo
