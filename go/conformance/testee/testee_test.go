package testee

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/wire"
)

const proto3Message = "protobuf_test_messages.proto3.TestAllTypesProto3"

// request is a ConformanceRequest: a payload field, an output format, a message type.
func request(payloadField uint32, payload string, output uint64, messageType string) []byte {
	b := wire.AppendString(wire.AppendTag(nil, payloadField, wire.BytesType), payload)
	b = wire.AppendVarint(wire.AppendTag(b, 3, wire.VarintType), output)
	return wire.AppendString(wire.AppendTag(b, 4, wire.BytesType), messageType)
}

// echo returns a message unchanged if its first record is whole.
var echo = Messages{proto3Message: func(input []byte) ([]byte, int, error) {
	tag, next := wire.ReadTag(input, 0)
	if next < 0 || wire.Skip(input, next, tag, wire.DefaultDepth) < 0 {
		return nil, 0, wire.Truncated
	}
	return input, 4, nil
}}

func TestEachRequestGetsTheKindOfAnswerItCallsFor(t *testing.T) {
	for name, test := range map[string]struct {
		request []byte
		member  uint32
		payload string
	}{
		"binary to binary": {request(1, "\x08\x05", 1, proto3Message), protobufPayload, "\x08\x05"},
		"damaged":          {request(1, "\x08", 1, proto3Message), parseError, ""},
		"JSON input":       {request(2, "{}", 1, proto3Message), skipped, ""},
		"JSON output":      {request(1, "", 2, proto3Message), skipped, ""},
		"text output":      {request(1, "", 4, proto3Message), skipped, ""},
		"unknown type":     {request(1, "", 1, "no.such.Message"), runtimeError, ""},
		"failure set":      {request(1, "\x12\x03\x0a\x01x", 1, "conformance.FailureSet"), protobufPayload, ""},
		"damaged request":  {[]byte{0x08}, runtimeError, ""},
	} {
		response := echo.answer(test.request, none)
		tag, next := wire.ReadTag(response, 0)
		start, end := wire.ReadBytes(response, next)
		if tag.Number() != test.member || end != len(response) {
			t.Errorf("%s: answered %q", name, response)
		} else if test.member == protobufPayload && string(response[start:end]) != test.payload {
			t.Errorf("%s: wrote %x", name, response[start:end])
		}
	}
}

func TestFaultsDamageWhatTheyAreNamedFor(t *testing.T) {
	// optional_nested_message (18) in two records.
	input := []byte("\x92\x01\x02\x08\x01\x92\x01\x02\x08\x07")
	if got := skipMerge.before(input); !bytes.Equal(got, input[5:]) {
		t.Errorf("skip-merge leaves %x", got)
	}
	withUnknown := []byte("\x08\x05\x80\xfa\x01\x05")
	for fault, want := range map[fault][]byte{none: withUnknown, dropUnknown: withUnknown[:2]} {
		if got := fault.after(withUnknown, 4); !bytes.Equal(got, want) {
			t.Errorf("fault %q: %x", fault, got)
		}
	}
}

func TestTheProtocolEndsWithTheInputAndBreaksInsideARequest(t *testing.T) {
	framed := binary.LittleEndian.AppendUint32(nil, 3)
	var out bytes.Buffer
	if err := run(strings.NewReader(""), &out, echo); err != nil || out.Len() != 0 {
		t.Error(err)
	}
	if err := run(bytes.NewReader(append(framed, 1)), &out, echo); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if err := run(strings.NewReader("\xff\xff\xff\xff"), &out, echo); err == nil {
		t.Error("a request of four GiB was begun")
	}
}
