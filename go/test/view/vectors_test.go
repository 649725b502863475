package view_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
)

// canonical decodes, checks everything and re-encodes.
func canonical(m reencoder, input []byte, o view.Options, allowPartial bool) ([]byte, error) {
	if err := m.DecodeWith(input, o); err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if !allowPartial {
		if err := m.CheckInitialized(); err != nil {
			return nil, err
		}
	}
	return m.AppendCanonical(nil)
}

func TestWireVectorsReencodeToTheirCanonicalBytes(t *testing.T) {
	eachTier(t, wireVectorsReencodeToTheirCanonicalBytes)
}

func wireVectorsReencodeToTheirCanonicalBytes(t *testing.T) {
	n := 0
	for _, v := range vectors.Read(t, "wire") {
		if !v.Binds("view") {
			continue
		}
		n++
		want := v.Canonical
		if exception, ok := v.Exceptions["view"]; ok {
			want = exception
		}
		got, err := canonical(newMessage(t, v.Message), v.Input, v.Limits(), v.Options.AllowPartial)
		if err != nil {
			t.Errorf("%s %v: %v: %x", v.Name, v.IDs, err, []byte(v.Input))
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s %v:\ninput %x\n  got %x\n want %x", v.Name, v.IDs, []byte(v.Input), got, []byte(want))
		}
	}
	if n == 0 {
		t.Error("no vector binds the view")
	}
}

func TestInvalidVectorsGiveTheirErrors(t *testing.T) {
	eachTier(t, invalidVectorsGiveTheirErrors)
}

func invalidVectorsGiveTheirErrors(t *testing.T) {
	n := 0
	for _, v := range vectors.Read(t, "invalid") {
		if !v.Binds("view") {
			continue
		}
		n++
		_, err := canonical(newMessage(t, v.Message), v.Input, v.Limits(), v.Options.AllowPartial)
		if difference := v.Error.Differs(err); difference != "" {
			t.Errorf("%s %v: %s: %x", v.Name, v.IDs, difference, []byte(v.Input))
		}
	}
	if n == 0 {
		t.Error("no vector binds the view")
	}
}

func TestStreamVectorsGiveTheirMessagesAndErrors(t *testing.T) {
	eachTier(t, streamVectorsGiveTheirMessagesAndErrors)
}

func streamVectorsGiveTheirMessagesAndErrors(t *testing.T) {
	n := 0
	for _, v := range vectors.Read(t, "stream") {
		if !v.Binds("view") {
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
		t.Error("no vector binds the view")
	}
}

// readStream returns the messages up to the end or the first error.
func readStream(t *testing.T, v *vectors.Vector) (messages [][]byte, err error) {
	stream := wire.NewDelimitedReader(bytes.NewReader(v.Input), v.Limits())
	for {
		message, err := stream.Next()
		if err != nil {
			return messages, err
		}
		_, err = canonical(newMessage(t, v.Message), message, v.Limits(), v.Options.AllowPartial)
		if inner := (*wire.Error)(nil); errors.As(err, &inner) {
			inner.Offset += stream.Offset()
		}
		if err != nil {
			return messages, err
		}
		messages = append(messages, bytes.Clone(message))
	}
}
