package reflect

import rt "github.com/hotpb/hotpb/go/rt/reflect"

// Files finds the descriptors of messages: for example, a *protoregistry.Files.
type Files = rt.Files

// Types finds the Go types of messages and extensions: for example, a *protoregistry.Types or *dynamicpb.Types.
type Types = rt.Types

// Resolver says where descriptors and types come from. It remembers what it has found: create one for a set of
// descriptors, and keep it. Any number of goroutines may use it.
type Resolver = rt.Resolver

// NewResolver returns a resolver that takes descriptors from files, which need not be linked into the program, and
// the types of extensions from types. Messages that types does not know, or knows with another descriptor, are
// created by dynamicpb. If types is nil, no extension is known.
func NewResolver(files Files, types Types) *Resolver { return rt.NewResolver(files, types) }
