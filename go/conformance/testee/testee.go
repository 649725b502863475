// Package testee is the common part of Go's conformance testees: the protocol of the official conformance runner. The
// runner writes requests to standard input and reads responses from standard output. Each is preceded by its length,
// four bytes in little-endian order.
//
// Testees support only binary input and output, and answer everything else with "skipped". They read requests with
// our own view and write responses with package wire, so that no stock runtime is linked.
package testee

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hotpb/hotpb/go/internal/testgen/conformance/conformancehot"
	"github.com/hotpb/hotpb/go/wire"
)

// Messages are functions that re-encode messages, by the full names of their types: each function reads an input with
// the face under test and writes the message that it read. The unknown fields are the last bytes of the output;
// unknown is their size.
type Messages map[string]func(input []byte) (output []byte, unknown int, err error)

// Main is a testee's main function.
func Main(name string, messages Messages) {
	if err := run(os.Stdin, os.Stdout, messages); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// maxRequest limits the length of a request.
const maxRequest = 256 << 20

func run(stdin io.Reader, stdout io.Writer, messages Messages) error {
	in, out := bufio.NewReader(stdin), bufio.NewWriter(stdout)
	damage, err := faultFromEnvironment()
	if err != nil {
		return err
	}
	for {
		var head [4]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		size := binary.LittleEndian.Uint32(head[:])
		if size > maxRequest {
			return fmt.Errorf("a request of %d bytes", size)
		}
		request := make([]byte, size)
		if _, err := io.ReadFull(in, request); err != nil {
			return err
		}
		response := messages.answer(request, damage)
		binary.LittleEndian.PutUint32(head[:], uint32(len(response)))
		out.Write(head[:])
		out.Write(response)
		if err := out.Flush(); err != nil {
			return err
		}
	}
}

// The members of ConformanceResponse.result.
const (
	parseError      = 1
	runtimeError    = 2
	protobufPayload = 3
	skipped         = 5
)

func respond(field uint32, payload []byte) []byte {
	return wire.AppendBytes(wire.AppendTag(nil, field, wire.BytesType), payload)
}

func (m Messages) answer(request []byte, damage fault) []byte {
	var v conformancehot.ConformanceRequestView
	if err := v.Decode(request); err != nil {
		return respond(runtimeError, []byte("request: "+err.Error()))
	}
	switch {
	case v.MessageType() == "conformance.FailureSet":
		return failureSet(v.ProtobufPayload())
	case !v.HasProtobufPayload():
		return respond(skipped, []byte("only binary input is read"))
	case v.RequestedOutputFormat() != conformancehot.WireFormat_PROTOBUF:
		return respond(skipped, []byte("only binary output is written"))
	}
	rewrite := m[v.MessageType()]
	if rewrite == nil {
		return respond(runtimeError, []byte("the message type "+v.MessageType()+" is not linked in"))
	}
	output, unknown, err := rewrite(damage.before(v.ProtobufPayload()))
	if err != nil {
		return respond(parseError, []byte(err.Error()))
	}
	return respond(protobufPayload, damage.after(output, unknown))
}

// failureSet answers the runner's first request: which tests are expected to fail. It checks that the request is a
// well-formed message, and expects no failures.
func failureSet(payload []byte) []byte {
	var set conformancehot.FailureSetView
	if err := errors.Join(set.Decode(payload), set.Validate()); err != nil {
		return respond(runtimeError, []byte("FailureSet: "+err.Error()))
	}
	return respond(protobufPayload, nil)
}
