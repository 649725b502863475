package writer_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/chunk"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/wire"
	"github.com/hotpb/hotpb/go/writer"
)

// vector is a script and its expected result.
type vector struct {
	Name    string
	IDs     []string
	Message string
	Policy  string
	Into    map[string]json.RawMessage
	Calls   []call
	Output  *string
	Chunks  []left
	Patches []patched
	Error   *struct{ Code string }
	Valid   int64 `json:"valid_len"`
}

type left struct {
	Bytes     string
	OpenSlots int `json:"open_slots"`
}

type patched struct {
	Chunk     uint64
	Offset    int
	Bytes     string
	StillOpen int `json:"still_open"`
}

// notInGo are scripts that Go cannot run: in them the scope of a handle ends while handles inside it live on. In Go
// the end of a scope ends no handle, and End also ends the handles inside.
var notInGo = []string{
	"a_handle_that_ends_with_a_child_open.p3",
	"a_root_that_ends_with_a_child_open.p3",
}

var policies = map[string]chunk.LengthPolicy{"compact": chunk.Compact, "fixed4": chunk.Fixed4, "minimal": chunk.Minimal}

// run plays a vector's script into an output.
func (v *vector) run(out interface {
	writer.Output
	Delimited() writer.Output
	Status() (int64, error)
}) (problem string) {
	p := &player{root: roots[v.Message], out: out, handles: map[int]reflect.Value{}}
	p.play(v.Calls)
	p.leaveFrom(0)
	validLen, err := out.Status()
	code := ""
	if err != nil {
		code = err.(wire.Code).String()
	}
	want := ""
	if v.Error != nil {
		want = v.Error.Code
	}
	if code != want || validLen != v.Valid {
		return fmt.Sprintf("%q, valid_len %d, instead of %q, %d", code, validLen, want, v.Valid)
	}
	return ""
}

func (v *vector) compare(output []byte) string {
	if v.Output != nil && hex.EncodeToString(output) != *v.Output {
		return fmt.Sprintf("\n%x instead of\n%s", output, *v.Output)
	}
	return ""
}

// sizes returns the size of chunk number i, or 0: from one number for all, or from a list.
func sizes(raw json.RawMessage) func(i int) int {
	var all int
	if json.Unmarshal(raw, &all) == nil {
		return func(int) int { return all }
	}
	var list []int
	must(json.Unmarshal(raw, &list))
	return func(i int) int {
		if i < len(list) {
			return list[i]
		}
		return 0
	}
}

func TestScriptsOfCallsGiveTheirBytesChunksPatchesAndErrors(t *testing.T) {
	left, played := []string{}, 0
	for _, v := range vectors.ReadAs[vector](t, "writer") {
		if slices.Contains(notInGo, v.Name) {
			left = append(left, v.Name)
			continue
		}
		played++
		for into, raw := range v.Into {
			t.Run(v.Name, func(t *testing.T) {
				size := sizes(raw)
				switch into {
				case "fixed":
					out := writer.NewFixedBuffer(bytes.Repeat([]byte{0xee}, size(0)), policies[v.Policy])
					v.check(t, out, out.Bytes)
					if v.Error == nil || v.Error.Code != "BufferExhausted" { // a growing buffer is always large enough
						out := writer.NewBuffer(make([]byte, 0, 3), policies[v.Policy])
						v.check(t, out, out.Bytes)
					}
				case "heap":
					out := writer.NewHeapBuffer(writer.HeapOptions{Policy: policies[v.Policy], FirstChunk: size(0), LargestChunk: size(0)})
					v.check(t, out, func() []byte { return bytes.Join(out.Chunks(), nil) })
				case "chunks":
					v.chunks(t, size)
				default:
					t.Fatalf("no such output: %s", into)
				}
			})
		}
	}
	slices.Sort(left)
	if !slices.Equal(left, notInGo) || played < 100 {
		t.Errorf("%d played, left out %v", played, left)
	}
}

func (v *vector) check(t *testing.T, out interface {
	writer.Output
	Delimited() writer.Output
	Status() (int64, error)
}, output func() []byte) {
	t.Helper()
	if problem := v.run(out) + v.compare(output()); problem != "" {
		t.Errorf("%T %v: %s", out, v.IDs, problem)
	}
}

func (v *vector) chunks(t *testing.T, size func(int) int) {
	source := &collector{size: size, discard: v.Output == nil}
	out := writer.NewChunkWriter(source, chunk.StreamPolicy(policies[v.Policy]))
	v.check(t, out, source.joined)
	if v.Output == nil {
		return
	}
	if problem := source.unsound(); problem != "" {
		t.Error(problem)
	}
	if !slices.Equal(source.left, v.Chunks) {
		t.Errorf("chunks %v instead of %v", source.left, v.Chunks)
	}
	if !slices.Equal(source.patches, v.Patches) {
		t.Errorf("patches %v instead of %v", source.patches, v.Patches)
	}
}
