package load

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// Messages tells how many messages a file of messages behind their lengths has, and how many bytes there are after the last
// whole one.
func Messages(file string) (messages uint64, rest int64, err error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	r, whole := bufio.NewReaderSize(f, 1<<20), int64(0)
	for {
		length, err := binary.ReadUvarint(r)
		if err == nil {
			_, err = r.Discard(int(length))
		}
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return messages, info.Size() - whole, nil
		case err != nil:
			return messages, 0, err
		}
		messages++
		whole += int64(length) + int64(lengthOf(length))
	}
}

func lengthOf(v uint64) (n int) {
	var b [binary.MaxVarintLen64]byte
	return binary.PutUvarint(b[:], v)
}
