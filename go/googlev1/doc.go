// Package googlev1 lets package hotpb work with messages of github.com/golang/protobuf before v1.4, the v1 API with a
// runtime of its own. Import it for that effect, once per program, in the main package only:
//
//	import _ "github.com/hotpb/hotpb/go/googlev1"
//
// From v1.4 on github.com/golang/protobuf is built on google.golang.org/protobuf. Messages that are compiled against
// such a version, including those of old generators, need only package hotpb. Every program has such a version unless
// it pins the old one, because google.golang.org/protobuf requires v1.5. To keep the old one:
//
//	replace github.com/golang/protobuf => github.com/golang/protobuf v1.3.5
//
// It is a module of its own, so that only programs that use it depend on golang/protobuf.
package googlev1
