package hotpb

import (
	"fmt"
	"reflect"
)

// An extension is the variable E_Name in the generated code of the message's runtime: a protoreflect.ExtensionType,
// or an *ExtensionDesc of gogo or v1. Values have the types of that runtime: a string extension is a string for
// Google's runtime, a *string for gogo's and v1's.

// HasExtension reports whether the extension is set in the message. It returns false if there is no such message or
// extension.
func HasExtension(msg, extension any) bool {
	r, err := RuntimeOf(msg)
	return err == nil && r.HasExtension(msg, extension)
}

// GetExtension returns the extension's value. If the extension is not set, it returns the default of its declaration
// or, without a default, [ErrMissingExtension]. All runtimes behave alike here.
func GetExtension(msg, extension any) (any, error) {
	r, err := RuntimeOf(msg)
	if err != nil {
		return nil, err
	}
	return r.GetExtension(msg, extension)
}

// SetExtension sets the extension. The message uses the value itself, not a copy.
func SetExtension(msg, extension, value any) error {
	r, err := RuntimeOf(msg)
	if err != nil {
		return err
	}
	return r.SetExtension(msg, extension, value)
}

// ClearExtension removes the extension from the message, if it is set.
func ClearExtension(msg, extension any) error {
	r, err := RuntimeOf(msg)
	if err != nil {
		return err
	}
	return r.ClearExtension(msg, extension)
}

// ClearAllExtensions removes all extensions from the message.
func ClearAllExtensions(msg any) error {
	r, err := RuntimeOf(msg)
	if err == nil {
		r.ClearAllExtensions(msg)
	}
	return err
}

// RangeExtensions calls f for each extension that is set, by ascending number, with its value and full name. It stops
// at f's first error and returns that error. It leaves out extensions whose code is not linked; the message keeps
// them unchanged.
func RangeExtensions(msg any, f func(value any, name string, number int32) error) error {
	r, err := RuntimeOf(msg)
	if err != nil {
		return err
	}
	return r.RangeExtensions(msg, f)
}

// ExtensionFieldNumber returns the field number of an extension of any linked runtime.
func ExtensionFieldNumber(extension any) (int, error) {
	if number, ok := (google{}).ExtensionNumber(extension); ok {
		return int(number), nil
	}
	for _, r := range *registered.Load() {
		if number, ok := r.ExtensionNumber(extension); ok {
			return int(number), nil
		}
	}
	t := reflect.TypeOf(extension)
	if t != nil && !isNil(extension) && t.Kind() == reflect.Pointer && satellites[t.Elem().PkgPath()] != "" {
		return 0, notLinked(t, t.Elem().PkgPath())
	}
	return 0, &Error{Type: t, Err: ErrExtension, Detail: fmt.Sprintf("%T is not an extension of a linked runtime", extension)}
}
