package wire_test

import (
	"bytes"
	"io"
	"testing/iotest"
)

// newSlowReader returns a reader that delivers b in small pieces.
func newSlowReader(b []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(b)) }
