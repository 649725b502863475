package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// signatures are how compressed files begin. gzip and framed snappy cannot be protobuf: their first tags have wire type 7.
var signatures = []struct {
	name  string
	bytes string
}{
	{"gzip", "\x1f\x8b\x08"},
	{"zstd", "\x28\xb5\x2f\xfd"},
	{"snappy-framed", "\xff\x06\x00\x00sNaPpY"},
}

// Decompress undoes the compression of that name. With "auto" the first bytes decide; those of a raw block of snappy cannot.
func Decompress(name string, r io.Reader, limit int64) (io.Reader, error) {
	if name == "auto" {
		buffered := bufio.NewReaderSize(r, 64<<10)
		head, _ := buffered.Peek(10)
		name, r = "none", buffered
		for _, s := range signatures {
			if bytes.HasPrefix(head, []byte(s.bytes)) {
				name = s.name
			}
		}
	}
	switch name {
	case "gzip":
		return gzip.NewReader(r)
	case "zstd":
		decoder, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(256<<20))
		if err != nil {
			return nil, err
		}
		return decoder.IOReadCloser(), nil
	case "snappy-framed":
		return snappy.NewReader(r), nil
	case "snappy":
		return unblock(r, limit)
	}
	return r, nil
}

// unblock reads a block of snappy, as remote-write and Kafka have it.
func unblock(r io.Reader, limit int64) (io.Reader, error) {
	block, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	size, err := snappy.DecodedLen(block)
	switch {
	case err != nil:
		return nil, errors.New("it is no block of snappy")
	case int64(size) > limit:
		return nil, fmt.Errorf("the block holds %d bytes, above --max-size", size)
	case int64(size) > 64*int64(len(block)): // snappy does not compress better than 21 times
		return nil, fmt.Errorf("the block says that it holds %d bytes, which %d bytes cannot", size, len(block))
	}
	plain, err := snappy.Decode(nil, block)
	if err != nil {
		return nil, errors.New("it is no block of snappy")
	}
	return bytes.NewReader(plain), nil
}

// Compress puts a compression around w. Close ends it, and leaves w open.
func Compress(name string, w io.Writer) (io.WriteCloser, error) {
	switch name {
	case "gzip":
		return gzip.NewWriter(w), nil
	case "zstd":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	case "snappy-framed":
		return snappy.NewBufferedWriter(w), nil
	case "snappy":
		return &block{w: w}, nil
	}
	return plain{w}, nil
}

type plain struct{ io.Writer }

func (plain) Close() error { return nil }

type block struct {
	w io.Writer
	b bytes.Buffer
}

func (b *block) Write(p []byte) (int, error) { return b.b.Write(p) }

func (b *block) Close() error {
	_, err := b.w.Write(snappy.Encode(nil, b.b.Bytes()))
	return err
}
