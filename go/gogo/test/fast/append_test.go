package fast_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/gogo/internal/stock/compat"
	p2 "github.com/hotpb/hotpb/go/gogo/internal/stock/vectors_proto2"
)

// However much room a slice has: its old contents stay, and the bytes after the result do not change; on an error
// nothing changes. This includes extensions, which the runtime encodes into reserved room, and scratch memory that
// others have used.
func TestAppendsTouchNothingAfterTheirResult(t *testing.T) {
	extended := &p2.All{SingleString: proto.String("outer")}
	if err := proto.SetExtension(extended, p2.E_ExtAll, &p2.All{SingleString: proto.String(strings.Repeat("a", 60))}); err != nil {
		t.Fatal(err)
	}
	plain := &p2.Child{Name: proto.String("child"), Id: proto.Int32(5)}
	methods := &compat.Plain{Name: proto.String("plain")}
	partial := codec.MarshalOptions{AllowPartial: true}
	const head, room, canary = 3, 200, 0x5a
	for name, call := range map[string]func([]byte) ([]byte, error){
		"plain":                  plain.MarshalAppendHot,
		"plain, options":         func(b []byte) ([]byte, error) { return plain.MarshalHotOptions(b, partial) },
		"an extension":           extended.MarshalAppendHot,
		"an extension, options":  func(b []byte) ([]byte, error) { return extended.MarshalHotOptions(b, partial) },
		"csproto":                methods.MarshalAppendHot,
		"required fields absent": new(p2.Must).MarshalAppendHot,
		"half-way":               func(b []byte) ([]byte, error) { return lacking(t).MarshalHotOptions(b, partial) },
	} {
		want, wantErr := call(nil)
		for spare := range room - head {
			all := bytes.Repeat([]byte{canary}, room)
			leaveSecrets(t)
			out, err := call(all[: head : head+spare])
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%s, %d bytes of room: %v instead of %v", name, spare, err, wantErr)
			}
			if err != nil && len(out) != head || err == nil && !bytes.Equal(out, append(bytes.Repeat([]byte{canary}, head), want...)) {
				t.Fatalf("%s, %d bytes of room: %x (%v), want %x after three", name, spare, out, err, want)
			}
			untouched := all[head:]
			if err == nil { // an encoding that is too long for the room may have begun there
				untouched = all[head+min(spare, len(want)):]
			}
			if rest := bytes.TrimLeft(untouched, string(rune(canary))); len(rest) > 0 {
				t.Fatalf("%s, %d bytes of room: touched: %x", name, spare, untouched)
			}
		}
	}
}
