// Package console has the standard streams of commands.
package console

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Streams are the standard streams, and how results are written.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	JSON     bool // --json: results and errors are JSON
}

// Notes writes lines to standard error: as they are, or as JSON with their kind as the key.
func (s *Streams) Notes(kind, lines string) error {
	for line := range strings.Lines(lines) {
		if s.JSON {
			text, err := json.Marshal(map[string]string{kind: strings.TrimSuffix(line, "\n")})
			if err != nil {
				return err
			}
			line = string(text) + "\n"
		}
		if _, err := io.WriteString(s.Err, line); err != nil {
			return err
		}
	}
	return nil
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
