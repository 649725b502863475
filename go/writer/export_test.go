package writer

import "reflect"

// IsOpen tells whether a generated writer or the handle of a packed field is open.
func IsOpen(handle reflect.Value) bool {
	return handle.Convert(reflect.TypeFor[Message]()).Interface().(Message).IsOpen()
}
