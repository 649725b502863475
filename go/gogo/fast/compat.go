package fast

import (
	"errors"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/wire"
)

// Marshal is the method of this name that compat=csproto adds. The runtime calls it in place of its own code, for
// messages inside others too, and cannot say what it was asked for. So maps are written by key, and where required
// fields are absent the encoding comes with the runtime's error, as from the runtime.
func Marshal[T any, P codec.Encodable[T]](m P) ([]byte, error) {
	o := codec.MarshalOptions{Deterministic: true}
	b, err := codec.Marshal(m, o)
	if errors.Is(err, wire.MissingRequired) {
		o.AllowPartial = true
		if b, err = codec.Marshal(m, o); err == nil {
			err = new(proto.RequiredNotSetError)
		}
	}
	return b, err
}
