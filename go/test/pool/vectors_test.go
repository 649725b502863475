package pool_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/wire"
)

// optionsOf returns a vector's options in the pool's form.
func optionsOf(v *vectors.Vector, mode pool.Mode) pool.Options {
	limits := v.Limits()
	o := pool.Options{Mode: mode, Strict: limits.Strict, MaxDepth: limits.MaxDepth, MaxSize: limits.MaxSize, AllowPartial: v.Options.AllowPartial}
	if n := v.Options.Elements; n != nil {
		if o.MaxElements = *n; *n == 0 {
			o.MaxElements = -1 // zero would mean the default
		}
	}
	return o
}

var modes = []pool.Mode{pool.Reuse, pool.Alias, pool.Owned}

// Each message is reused for all vectors, so that anything one vector leaves in it would show in the next.
func TestWireVectorsReencodeToTheirCanonicalBytes(t *testing.T) {
	eachTier(t, wireVectorsReencodeToTheirCanonicalBytes)
}

func wireVectorsReencodeToTheirCanonicalBytes(t *testing.T) {
	kept := map[string]message{}
	n := 0
	for _, v := range vectors.Read(t, "wire") {
		if !v.Binds("pool") {
			continue
		}
		n++
		m := kept[v.Message]
		if m == nil {
			m = newMessage(t, v.Message)
			kept[v.Message] = m
		}
		want := v.Canonical
		if exception, ok := v.Exceptions["pool"]; ok {
			want = exception
		}
		for _, mode := range modes {
			input := bytes.Clone(v.Input)
			if err := pool.Unmarshal(m, input, optionsOf(v, mode)); err != nil {
				t.Errorf("%s %v: %v: %x", v.Name, v.IDs, err, []byte(v.Input))
				continue
			}
			if mode != pool.Alias {
				clear(input) // the message must not point there
			}
			if got, err := m.AppendCanonicalHot(nil); err != nil {
				t.Errorf("%s %v: %v: %x", v.Name, v.IDs, err, []byte(v.Input))
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s %v:\ninput %x\n  got %x\n want %x", v.Name, v.IDs, []byte(v.Input), got, []byte(want))
			}
			checkMarshal(t, v, m, want)
		}
		checkMethods(t, v.Message, m, v.Input)
	}
	if n == 0 {
		t.Error("no vector binds the pool")
	}
}

// checkMethods compares the generated methods with the runtime functions that they replace, in messages that hold
// memory and in a fresh one.
func checkMethods(t *testing.T, name string, m message, input []byte) {
	t.Helper()
	fresh := newMessage(t, name)
	wantErr := pool.Unmarshal(fresh, input, pool.Options{})
	want, _ := fresh.AppendCanonicalHot(nil)
	for _, unmarshal := range []func([]byte) error{m.Unmarshal, m.UnmarshalAlias, newMessage(t, name).Unmarshal} {
		err := unmarshal(bytes.Clone(input))
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("%x: the method returns %v, the function %v", input, err, wantErr)
		}
	}
	if got, _ := m.AppendCanonicalHot(nil); !bytes.Equal(got, want) {
		t.Fatalf("%x: the method has %x, the function %x", input, got, want)
	}
	if wantErr != nil && m.Size() != 0 {
		t.Fatalf("%x: after the error the message is not empty", input)
	}
}

// checkMarshal encodes the message with the encoder that users have, and reads it back. Extensions stay among the
// unknown fields, so the bytes may differ from the canonical ones in the place of extensions only.
func checkMarshal(t *testing.T, v *vectors.Vector, m message, want []byte) {
	t.Helper()
	o := pool.MarshalOptions{Deterministic: true, AllowPartial: v.Options.AllowPartial}
	prefix := []byte("prefix")
	out, err := m.MarshalWith(prefix, o)
	if err != nil || !bytes.HasPrefix(out, prefix) {
		t.Errorf("%s: encoding: %q, %v", v.Name, out, err)
		return
	}
	out = out[len(prefix):]
	if !v.Options.AllowPartial {
		checkSized(t, v, m, len(out))
	}
	if m.Size() != len(out) {
		t.Errorf("%s: Size is %d, the encoding has %d bytes", v.Name, m.Size(), len(out))
	}
	decoded := newMessage(t, v.Message)
	limits := optionsOf(v, pool.Owned)
	limits.Strict = false
	if err := pool.Unmarshal(decoded, out, limits); err != nil {
		t.Errorf("%s: reading back %x: %v", v.Name, out, err)
		return
	}
	if !decoded.EqualAnyHot(m) || !m.EqualAnyHot(decoded) {
		t.Errorf("%s: what was written is not equal to what was read: %x", v.Name, out)
	}
	if clone := m.CloneAnyHot(); !m.EqualAnyHot(clone) {
		t.Errorf("%s: the clone is not equal", v.Name)
	}
	if got, err := decoded.AppendCanonicalHot(nil); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: written and read back, it is %x (%v), want %x", v.Name, got, err, want)
	}
	if !bytes.Equal(out, want) && !mayHoldExtensions(v) {
		t.Errorf("%s: encoded it is %x, want %x", v.Name, out, want)
	}
}

// checkSized encodes into the end of buffers that are larger than needed, exactly large enough, and too small.
func checkSized(t *testing.T, v *vectors.Vector, m message, size int) {
	t.Helper()
	for _, room := range []int{size + 100, size} {
		buf := make([]byte, room)
		decoded := newMessage(t, v.Message)
		if n, err := m.MarshalToSizedBuffer(buf); err != nil || n != size {
			t.Errorf("%s: into %d bytes: %d, %v, want %d", v.Name, room, n, err, size)
		} else if err := pool.Unmarshal(decoded, buf[room-n:], pool.Options{MaxDepth: 1000}); err != nil || !decoded.EqualAnyHot(m) {
			t.Errorf("%s: the end of %d bytes holds another message: %x, %v", v.Name, room, buf[room-n:], err)
		}
	}
	if size > 0 {
		if n, err := m.MarshalToSizedBuffer(make([]byte, size-1)); n != 0 || !errors.Is(err, wire.BufferExhausted) {
			t.Errorf("%s: into a byte less than it takes: %d, %v", v.Name, n, err)
		}
	}
}

// mayHoldExtensions reports vectors whose canonical bytes have extensions in their places.
func mayHoldExtensions(v *vectors.Vector) bool {
	return strings.Contains(v.Name, "everything") || slices.ContainsFunc(v.IDs, func(id string) bool {
		return strings.HasPrefix(id, "EXT") || strings.HasPrefix(id, "SET")
	})
}

func TestInvalidVectorsGiveTheirErrors(t *testing.T) { eachTier(t, invalidVectorsGiveTheirErrors) }

func invalidVectorsGiveTheirErrors(t *testing.T) {
	kept := map[string]message{}
	n := 0
	for _, v := range vectors.Read(t, "invalid") {
		if !v.Binds("pool") {
			continue
		}
		n++
		m := kept[v.Message]
		if m == nil {
			m = newMessage(t, v.Message)
			kept[v.Message] = m
		}
		for _, mode := range modes {
			err := pool.Unmarshal(m, v.Input, optionsOf(v, mode))
			if difference := v.Error.Differs(err); difference != "" {
				t.Errorf("%s %v: %s: %x", v.Name, v.IDs, difference, []byte(v.Input[:min(len(v.Input), 100)]))
			}
			if m.Size() != 0 {
				t.Errorf("%s: after the error the message is not empty", v.Name)
			}
		}
		checkMethods(t, v.Message, m, v.Input)
	}
	if n == 0 {
		t.Error("no vector binds the pool")
	}
}

// FCE-13, POL-44, UTF-6: UnmarshalUnchecked accepts any string, and changes nothing else: it finds all other errors where Unmarshal
// finds them.
func TestUncheckedDecodingLeavesOutUTF8Alone(t *testing.T) {
	eachTier(t, uncheckedDecodingLeavesOutUTF8Alone)
}

func uncheckedDecodingLeavesOutUTF8Alone(t *testing.T) {
	accepted, n := 0, 0
	for _, v := range vectors.Read(t, "invalid") {
		if !v.Binds("pool") {
			continue
		}
		n++
		err := pool.UnmarshalUnchecked(newMessage(t, v.Message), v.Input, optionsOf(v, pool.Alias))
		switch difference := v.Error.Differs(err); {
		case difference == "":
		case v.Error.Code != wire.InvalidUtf8.String() || errors.Is(err, wire.InvalidUtf8):
			t.Errorf("%s: %s", v.Name, difference)
		case err == nil:
			accepted++
		}
	}
	if n == 0 || accepted < 10 {
		t.Errorf("%d vectors, %d with strings that were not looked at", n, accepted)
	}
	for _, v := range vectors.Read(t, "wire") {
		if m := newMessage(t, v.Message); v.Binds("pool") {
			if err := pool.UnmarshalUnchecked(m, v.Input, optionsOf(v, pool.Reuse)); err != nil {
				t.Errorf("%s: %v", v.Name, err)
			}
		}
	}
	input := join(record(14, []byte("bad \xff")), record(15, []byte("cut"))[:4])
	var m p3.All
	if err := pool.UnmarshalUnchecked(&m, input, pool.Options{Strict: true}); !errors.Is(err, wire.Truncated) {
		t.Error(err)
	}
}

func TestStreamVectorsGiveTheirMessagesAndErrors(t *testing.T) {
	eachTier(t, streamVectorsGiveTheirMessagesAndErrors)
}

func streamVectorsGiveTheirMessagesAndErrors(t *testing.T) {
	n := 0
	for _, v := range vectors.Read(t, "stream") {
		if !v.Binds("pool") {
			continue
		}
		n++
		messages, err := readStream(t, v)
		if len(messages) != len(v.Messages) {
			t.Errorf("%s: %d messages, want %d (%v)", v.Name, len(messages), len(v.Messages), err)
			continue
		}
		for i, want := range v.Messages {
			if !bytes.Equal(messages[i], want) {
				t.Errorf("%s: message %d is %x, want %x", v.Name, i, messages[i], []byte(want))
			}
		}
		if v.Error == nil && err != io.EOF {
			t.Errorf("%s: %v", v.Name, err)
		}
		if v.Error != nil {
			if difference := v.Error.Differs(err); difference != "" {
				t.Errorf("%s: %s", v.Name, difference)
			}
		}
	}
	if n == 0 {
		t.Error("no vector binds the pool")
	}
}

// readStream returns the messages up to the end or the first error.
func readStream(t *testing.T, v *vectors.Vector) (messages [][]byte, err error) {
	stream := wire.NewDelimitedReader(bytes.NewReader(v.Input), v.Limits())
	m := newMessage(t, v.Message)
	for {
		input, err := stream.Next()
		if err != nil {
			return messages, err
		}
		err = pool.Unmarshal(m, input, optionsOf(v, pool.Reuse))
		if inner := (*wire.Error)(nil); errors.As(err, &inner) {
			inner.Offset += stream.Offset()
		}
		if err != nil {
			return messages, err
		}
		messages = append(messages, bytes.Clone(input))
	}
}
