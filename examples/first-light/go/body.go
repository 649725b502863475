package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/snappy"
)

// A body is a request as it was POSTed (a snappy block) or as it was before that.
type body struct {
	name      string
	bytes     []byte
	notSnappy error // why the file counts as uncompressed, if it does
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

var errDamaged = errors.New("not a snappy block, or a damaged one")

func inflate(block []byte) ([]byte, error) {
	length, err := snappy.DecodedLen(block)
	if err != nil {
		return nil, errDamaged
	}
	if length > maxBytes {
		return nil, fmt.Errorf("a snappy block of %d bytes would be above the limit of %d", length, maxBytes)
	}
	bytes, err := snappy.Decode(nil, block)
	if err != nil {
		return nil, errDamaged
	}
	return bytes, nil
}

// doubt stands before an error of a body that was taken as uncompressed.
func (b body) doubt() string {
	if b.notSnappy == nil {
		return ""
	}
	return fmt.Sprintf("%v; read uncompressed: ", b.notSnappy)
}
