// Package console has what commands read from and write to.
package console

import "io"

// Streams are the standard streams, and how results are written.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	JSON     bool // --json: results and errors are JSON
}
