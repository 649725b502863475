package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/snappy"
)

// A body is a request as it was POSTed (a snappy block) or as it was before that.
type body struct {
	name      string
	bytes     []byte
	notSnappy error // why the file is taken as uncompressed, if it is
}

// maxBytes is what a block may inflate to: its length is the sender's word.
const maxBytes = 256 << 20

func readBody(path string) (body, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return body{}, err
	}
	b := body{name: filepath.Base(path)}
	b.bytes, b.notSnappy = inflate(file)
	if b.notSnappy != nil {
		b.bytes = file
	}
	return b, nil
}

func inflate(block []byte) ([]byte, error) {
	length, err := snappy.DecodedLen(block)
	if err != nil {
		return nil, err
	}
	if length > maxBytes {
		return nil, fmt.Errorf("its length %d is above the limit of %d", length, maxBytes)
	}
	return snappy.Decode(nil, block)
}

// doubt stands before an error of a body that was taken as uncompressed.
func (b body) doubt() string {
	if b.notSnappy == nil {
		return ""
	}
	return fmt.Sprintf("not a snappy block (%v); read as it is: ", b.notSnappy)
}
