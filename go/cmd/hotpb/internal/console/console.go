// Package console has what commands read from and write to.
package console

import (
	"encoding/json"
	"fmt"
	"io"
)

// Streams are the standard streams, and how results are written.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	JSON     bool // --json: results and errors are JSON
}

// WriteJSON writes v as a line.
func (s *Streams) WriteJSON(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Out, "%s\n", text)
	return err
}
