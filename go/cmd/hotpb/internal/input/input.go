// Package input reads the users' files or standard input, compressed or not, as bytes, hexadecimal or base64.
package input

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// Flags are those of commands that read messages.
type Flags struct {
	Decompress string `help:"How the input is compressed: ${enum}." enum:"auto,none,gzip,snappy,snappy-framed,zstd" default:"auto"`
	MaxSize    Size   `help:"The most bytes that an input may have, after decompression." default:"1GiB" placeholder:"SIZE"`
}

// Size is a number of bytes, like 64MiB.
type Size int64

// UnmarshalText reads a number with a unit or without one.
func (s *Size) UnmarshalText(text []byte) error {
	var number int64
	var unit string
	n, _ := fmt.Sscanf(string(text), "%d%s", &number, &unit)
	shift, known := map[string]int{"": 0, "B": 0, "KiB": 10, "MiB": 20, "GiB": 30}[unit]
	if n == 0 || !known || number < 1 || number > 1<<62>>shift {
		return fmt.Errorf("%q is no size; write one like 64MiB", text)
	}
	*s = Size(number << shift)
	return nil
}

// Stdin is the name of standard input.
const Stdin = "-"

// Name is how errors call an input.
func Name(file string) string {
	if file == Stdin {
		return "standard input"
	}
	return file
}

// Open opens a file, or standard input, and decompresses it.
func (f Flags) Open(file string, stdin io.Reader) (io.ReadCloser, error) {
	raw := io.NopCloser(stdin)
	if file != Stdin {
		opened, err := os.Open(file)
		if err != nil {
			return nil, fault.IO(file, err)
		}
		raw = opened
		if info, err := opened.Stat(); err == nil && info.IsDir() {
			opened.Close()
			return nil, fault.In(file, "is a directory", "name a file")
		}
	}
	plain, err := Decompress(f.Decompress, raw, int64(f.MaxSize))
	if err != nil {
		raw.Close()
		return nil, fault.In(Name(file), "it cannot be decompressed: "+fault.Cause(err), "--decompress names the compression, none is one of them")
	}
	return &limited{Reader: plain, closer: raw, left: int64(f.MaxSize), limit: int64(f.MaxSize), name: Name(file)}, nil
}

// limited stops at the size limit, and adds the file's name to errors.
type limited struct {
	io.Reader
	closer      io.Closer
	left, limit int64
	name        string
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, fault.In(l.name, fmt.Sprintf("the input has more than %d bytes", l.limit), "--max-size raises the limit")
	}
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.Reader.Read(p)
	l.left -= int64(n)
	if l.left < 0 {
		return 0, fault.In(l.name, fmt.Sprintf("the input has more than %d bytes", l.limit), "--max-size raises the limit")
	}
	if err != nil && err != io.EOF {
		err = fault.At(l.name, l.limit-l.left, "reading fails: "+fault.Cause(err), "the file is cut or damaged, or compressed in another way (--decompress)")
	}
	return n, err
}

func (l *limited) Close() error { return l.closer.Close() }

// Read reads all of a file.
func (f Flags) Read(file string, stdin io.Reader) ([]byte, error) {
	r, err := f.Open(file, stdin)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// Hex reads hexadecimal digits. Spaces, colons, commas, "0x" and "\x" may stand between bytes.
func Hex(name string, text []byte) ([]byte, error) {
	out := make([]byte, 0, len(text)/2)
	high, have := byte(0), false
	for i := 0; i < len(text); i++ {
		c := text[i]
		digit := byte(0)
		switch {
		case '0' <= c && c <= '9':
			if c == '0' && !have && i+1 < len(text) && text[i+1]|0x20 == 'x' {
				i++
				continue
			}
			digit = c - '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			digit = c | 0x20 - 'a' + 10
		case c == '\\' && !have && i+1 < len(text) && text[i+1] == 'x':
			i++
			continue
		case !have && strings.IndexByte(" \t\r\n:,", c) >= 0:
			continue
		default:
			return nil, fault.At(name, int64(i), fmt.Sprintf("%q is no hexadecimal digit", c), "two digits are a byte; spaces, colons, commas and 0x may stand between bytes")
		}
		if have = !have; have {
			high = digit
			continue
		}
		out = append(out, high<<4|digit)
	}
	if have {
		return nil, fault.At(name, int64(len(text)), "the last byte has one digit", "copy all of the dump")
	}
	return out, nil
}

// Base64 reads base64, with either alphabet, with padding or without.
func Base64(name string, text []byte) ([]byte, error) {
	clean := strings.NewReplacer("\n", "", "\r", "", " ", "", "-", "+", "_", "/").Replace(string(text))
	out, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(clean, "="))
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) {
		return nil, fault.At(name, int64(corrupt), "this is no character of base64 (counted without spaces)", "copy the text again")
	}
	return out, err
}
