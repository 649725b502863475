package wire

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

func TestADelimitedStreamGivesItsMessagesAndItsEnd(t *testing.T) {
	var stream []byte
	messages := [][]byte{{}, {8, 1}, bytes.Repeat([]byte{7}, 300_000), {}}
	for _, m := range messages {
		stream = AppendDelimited(stream, m)
	}
	for name, r := range map[string]io.Reader{"whole": bytes.NewReader(stream), "byte by byte": iotest.OneByteReader(bytes.NewReader(stream))} {
		d := NewDelimitedReader(r, Options{})
		for i, want := range messages {
			if got, err := d.Next(); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: message %d: %d bytes, %v", name, i, len(got), err)
			}
		}
		if _, err := d.Next(); err != io.EOF {
			t.Errorf("%s: at the end: %v", name, err)
		}
	}
	i := 0
	for n := 0; ; n++ {
		m, next, err := CutDelimited(stream, i, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if next == i {
			if n != len(messages) {
				t.Errorf("%d messages", n)
			}
			break
		}
		if !bytes.Equal(m, messages[n]) {
			t.Errorf("message %d differs", n)
		}
		i = next
	}
}

func TestALengthThatPromisesMuchCostsNoMemory(t *testing.T) {
	stream := append(AppendVarint(nil, MaxSize), 1, 2, 3)
	d := NewDelimitedReader(bytes.NewReader(stream), Options{})
	_, err := d.Next()
	if !errors.Is(err, Truncated) {
		t.Fatal(err)
	}
	if cap(d.message) > 1<<20 {
		t.Errorf("%d bytes were allocated for three", cap(d.message))
	}
}

func TestAReadersOwnErrorIsPassedOn(t *testing.T) {
	broken := errors.New("the cable is unplugged")
	stream := io.MultiReader(bytes.NewReader([]byte{5, 1}), iotest.ErrReader(broken))
	if _, err := NewDelimitedReader(stream, Options{}).Next(); err != broken {
		t.Error(err)
	}
}

func TestErrorsAreRecognisedByTheirCode(t *testing.T) {
	var err error = &Error{Code: InvalidUtf8, Offset: 3, Path: "a.b[1]"}
	if !errors.Is(err, InvalidUtf8) || errors.Is(err, Truncated) {
		t.Error("errors.Is does not see the code")
	}
	var code Code
	if !errors.As(err, &code) || code != InvalidUtf8 {
		t.Error("errors.As does not find the code")
	}
	if got, want := err.Error(), "hotpb: InvalidUtf8 at byte 3: a.b[1]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Code(99).String(); got != "Code(99)" {
		t.Error(got)
	}
}
