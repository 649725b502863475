package view

import "github.com/hotpb/hotpb/go/rt/wire"

// Missing returns the error for a required field that is absent.
func (r *Raw) Missing(name string) error {
	return &wire.Error{Code: wire.MissingRequired, Offset: int64(len(r.b)), Path: name}
}

// Within prepends the name of a field to the path of an error in the field's message; index is negative for a
// singular field.
func (r *Raw) Within(err error, name string, index int) error {
	e, ok := err.(*wire.Error)
	if !ok || e.Code != wire.MissingRequired {
		return err
	}
	return r.Missing(wire.Within(name, index, e.Path))
}
