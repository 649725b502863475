// Package googlev1 lets package hotpb work with messages of
// github.com/golang/protobuf before v1.4, the v1 API with a runtime of its own.
// It is imported for that effect, once per program, by no more than the main package:
//
//	import _ "github.com/hotpb/hotpb/go/googlev1"
//
// From v1.4 on github.com/golang/protobuf stands on google.golang.org/protobuf.
// Messages that are compiled against such a version, also those of old
// generators, need nothing but package hotpb. That is what every program has that
// does not hold the old version fast: google.golang.org/protobuf requires v1.5. To keep it:
//
//	replace github.com/golang/protobuf => github.com/golang/protobuf v1.3.5
//
// It is a module of its own, so that only those have golang/protobuf among their
// dependencies who use it.
package googlev1
