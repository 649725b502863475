// Command go-view lets the official conformance runner test the view face: it
// reads requests from standard input and writes responses to standard output,
// each behind its length as four bytes, little-endian.
//
// Binary input and output only; everything else is answered with "skipped".
// Requests are read with our own view and responses written with package wire,
// so that no stock runtime is linked.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hotpb/hotpb/go/internal/testgen/conformance/conformancehot"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "go-view:", err)
		os.Exit(1)
	}
}

// maxRequest bounds what a length in front of a request may ask for.
const maxRequest = 256 << 20

func run(stdin io.Reader, stdout io.Writer) error {
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
		response := answer(request, damage)
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

func answer(request []byte, damage fault) []byte {
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
	newMessage := messages[v.MessageType()]
	if newMessage == nil {
		return respond(runtimeError, []byte("the message type "+v.MessageType()+" is not linked in"))
	}
	output, err := reencode(newMessage(), v.ProtobufPayload(), damage)
	if err != nil {
		return respond(parseError, []byte(err.Error()))
	}
	return respond(protobufPayload, output)
}

// failureSet answers the runner's first request: which tests are expected to
// fail. It reads what was sent, as that is a message too, and expects none.
func failureSet(payload []byte) []byte {
	var set conformancehot.FailureSetView
	if err := errors.Join(set.Decode(payload), set.Validate()); err != nil {
		return respond(runtimeError, []byte("FailureSet: "+err.Error()))
	}
	return respond(protobufPayload, nil)
}

// message is what the generated reencoders have in common.
type message = interface {
	DecodeWith(b []byte, o view.Options) error
	Validate() error
	CheckInitialized() error
	AppendCanonical(dst []byte) ([]byte, error)
}

func reencode(m message, input []byte, damage fault) ([]byte, error) {
	if err := m.DecodeWith(damage.before(input), view.Options{}); err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := m.CheckInitialized(); err != nil {
		return nil, err
	}
	output, err := m.AppendCanonical(nil)
	return damage.after(output, m), err
}
