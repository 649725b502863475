//go:build linux

package load

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Folder counts the length-prefixed messages in the files of a folder while they are being written.
type Folder struct {
	Path string
	// Remove makes Folder remove files that are counted and finished, as long runs need it. Names of unfinished files
	// end in .part.
	Remove bool

	sizes    map[string]int64 // of the messages counted, by the file's name without .part
	messages uint64
}

// Count returns how many messages there are by now, including those in files that were removed.
func (f *Folder) Count() (uint64, error) {
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		return 0, err
	}
	if f.sizes == nil {
		f.sizes = map[string]int64{}
	}
	for _, e := range entries {
		name, unfinished := strings.CutSuffix(e.Name(), ".part")
		path := filepath.Join(f.Path, e.Name())
		n, size, err := messages(path, f.sizes[name])
		if errors.Is(err, os.ErrNotExist) {
			continue // finished meanwhile: the next call finds it
		}
		if err != nil {
			return 0, err
		}
		f.messages += n
		f.sizes[name] += size
		if f.Remove && !unfinished {
			if err := os.Remove(path); err != nil {
				return 0, err
			}
			delete(f.sizes, name)
		}
	}
	return f.messages, nil
}

// Rest returns how many bytes the files have after their last whole messages, once Count has been called.
func (f *Folder) Rest() (rest int64, err error) {
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return 0, err
		}
		rest += info.Size() - f.sizes[strings.TrimSuffix(e.Name(), ".part")]
	}
	return rest, nil
}

// messages counts the whole messages of a file from an offset on, and their bytes.
func messages(path string, from int64) (n uint64, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return 0, 0, err
	}
	for r := bufio.NewReaderSize(f, 1<<20); ; n++ {
		length, err := binary.ReadUvarint(r)
		if err == nil {
			_, err = r.Discard(int(length))
		}
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return n, size, nil
		case err != nil:
			return n, size, err
		}
		size += int64(length) + int64(lengthOf(length))
	}
}

func lengthOf(v uint64) int {
	var b [binary.MaxVarintLen64]byte
	return binary.PutUvarint(b[:], v)
}
