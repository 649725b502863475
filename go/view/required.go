package view

import (
	"strconv"

	"github.com/hotpb/hotpb/go/wire"
)

// Missing is the error of a required field that is absent.
func (r *Raw) Missing(name string) error {
	return &wire.Error{Code: wire.MissingRequired, Offset: int64(len(r.b)), Path: name}
}

// Within puts the name of a field in front of the path of an error that was
// found in its message; index is negative for a singular field.
func (r *Raw) Within(err error, name string, index int) error {
	e, ok := err.(*wire.Error)
	if !ok || e.Code != wire.MissingRequired {
		return err
	}
	if index >= 0 {
		name += "[" + strconv.Itoa(index) + "]"
	}
	return r.Missing(name + "." + e.Path)
}
