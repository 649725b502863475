package main

import (
	"errors"
	"fmt"
	"strings"

	schemayaml "github.com/hotpb/hotpb/go/schema/yaml"
)

// faultLines returns a line for each fault in an error. Lines about schema files, which have their path, are
// FILE:LINE: REASON.
func faultLines(path string, err error) (lines []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, part := range joined.Unwrap() {
			lines = append(lines, faultLines(path, part)...)
		}
		return lines
	}
	var file *fileError
	if errors.As(err, &file) && file.path != path {
		return faultLines(file.path, file.err)
	}
	var place *schemayaml.Error
	switch e, ok := err.(*schemayaml.Error); {
	case ok && e.Line > 0:
		without := *e
		without.Line = 0
		return []string{fmt.Sprintf("%s:%d: %v", path, e.Line, &without)}
	case ok:
		return []string{fmt.Sprintf("%s: %v", path, e)}
	case errors.As(err, &place) && errors.Unwrap(err) != nil:
		return faultLines(path, errors.Unwrap(err))
	}
	return strings.Split(err.Error(), "\n")
}

// fileError is a fault of a schema file.
type fileError struct {
	path string
	err  error
}

func (e *fileError) Error() string { return e.path + ": " + e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }
