// Package vectors reads the compiled test vectors (vectors/README.md) for the tests of all faces.
package vectors

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/hotpb/hotpb/go/wire"
)

// Hex is bytes as lower-case hex.
type Hex []byte

// UnmarshalText reads hex.
func (h *Hex) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// Vector is one line of the JSONL files.
type Vector struct {
	Name       string
	IDs        []string
	Faces      []string
	Exceptions map[string]Hex
	Message    string
	Input      Hex
	Options    struct {
		Strict       bool
		Depth        *int
		Size         *int
		Elements     *int
		AllowPartial bool `json:"allow_partial"`
	}
	Canonical Hex
	Error     *Error
	Messages  []Hex
	Kind      string
	Value     any
}

// Error is an expected error; a nil offset or path is not compared.
type Error struct {
	Code   string
	Offset *int64
	Path   *string
}

// Binds reports whether the vector is for a face.
func (v *Vector) Binds(face string) bool { return slices.Contains(v.Faces, face) }

// Limits are the vector's options as this language has them.
func (v *Vector) Limits() wire.Options {
	o := wire.Options{Strict: v.Options.Strict}
	if d := v.Options.Depth; d != nil {
		if o.MaxDepth = *d; *d == 0 {
			o.MaxDepth = -1 // zero would mean the default
		}
	}
	if s := v.Options.Size; s != nil {
		o.MaxSize = *s
	}
	return o
}

// Differs says how an error differs from the expected one, "" when it does not.
func (e *Error) Differs(got error) string {
	var err *wire.Error
	switch {
	case got == nil:
		return "there is no error"
	case !errors.As(got, &err):
		return fmt.Sprintf("the error %q has no code", got)
	case err.Code.String() != e.Code || e.Offset != nil && *e.Offset != err.Offset || e.Path != nil && *e.Path != err.Path:
		offset := "any"
		if e.Offset != nil {
			offset = fmt.Sprint(*e.Offset)
		}
		path := "any"
		if e.Path != nil {
			path = strconv.Quote(*e.Path)
		}
		return fmt.Sprintf("the error is %v at %d in %q, want %s at %s in %s", err.Code, err.Offset, err.Path, e.Code, offset, path)
	}
	return ""
}

// Read returns the vectors of build/vectors/<name>.jsonl. Without them the test fails, and names the command that writes them.
func Read(t testing.TB, name string) []*Vector {
	t.Helper()
	return ReadAs[Vector](t, name)
}

// ReadAs is Read for vectors of another shape, V as JSON.
func ReadAs[V any](t testing.TB, name string) (all []*V) {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	path := filepath.Join(filepath.Dir(here), "../../../build/vectors", name+".jsonl")
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("the vectors are not compiled (run tools/vectors/compile): %v", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<28)
	for lines.Scan() {
		v := new(V)
		if err := json.Unmarshal(lines.Bytes(), v); err != nil {
			t.Fatalf("%s:%d: %v", path, len(all)+1, err)
		}
		all = append(all, v)
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s has %d vectors: %v", path, len(all), err)
	}
	return all
}
