package hotpb

import (
	"fmt"
	"io"
	"slices"

	"github.com/hotpb/hotpb/go/codec"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The methods with which a message can be encoded without its runtime. The package looks for each of them separately.
type (
	// Sizer returns the size of the encoding in bytes.
	Sizer interface{ Size() int }
	// Marshaler returns the encoding.
	Marshaler interface{ Marshal() ([]byte, error) }
	// MarshalAppender appends the encoding.
	MarshalAppender interface {
		MarshalAppend(b []byte) ([]byte, error)
	}
	// MarshalerTo fills a slice of exactly Size bytes: csproto's interface of this name, which compat=csproto implements.
	// A message without the method Size, because it has a field of that name, must have a runtime, which knows the size.
	MarshalerTo interface {
		MarshalTo(b []byte) error
	}
	// GogoMarshalerTo has gogo's method of the same name, which also returns the number of bytes that it has written into
	// the beginning of b. The size is that of [MarshalerTo].
	GogoMarshalerTo interface {
		MarshalTo(b []byte) (int, error)
	}
	// Unmarshaler decodes. If the message has a method Reset, that is called first.
	Unmarshaler interface{ Unmarshal(b []byte) error }
)

// vtprotobuf's methods.
type (
	vtMarshaler interface {
		SizeVT() int
		MarshalVT() ([]byte, error)
		MarshalToSizedBufferVT(b []byte) (int, error)
	}
	vtUnmarshaler interface{ UnmarshalVT(b []byte) error }
)

// bind finds the methods that the entry's type has for its encoding, and leaves the rest to the runtime. It reports
// false if there are no methods and no runtime.
func (e *entry) bind(msg any) bool {
	e.bindEncoding(msg)
	e.bindDecoding(msg)
	if e.runtime != nil {
		own := e.size != nil || e.marshal != nil || e.unmarshal != nil
		_, is := msg.(proto.Message)
		e.google = !own && is && e.runtime == Runtime(google{})
		return true
	}
	if e.marshal == nil && e.unmarshal == nil {
		return false
	}
	if e.err.(*Error).Err == ErrNotMessage {
		e.err = &Error{Type: e.keep, Err: ErrNoRuntime, Detail: "it has methods for its encoding, and nothing else"}
	}
	e.fail()
	return true
}

func (e *entry) bindEncoding(msg any) {
	if _, ok := msg.(codec.Message); ok { // only RuntimeOf gets here with such a message
		e.size = func(msg any) int { return msg.(codec.Message).SizeHot() }
		e.marshal = func(msg any) ([]byte, error) { return msg.(codec.Message).MarshalHot() }
		e.marshalAppend = func(b []byte, msg any) ([]byte, error) { return msg.(codec.Message).MarshalAppendHot(b) }
		return
	}
	// The methods that it has, and the source of its size.
	_, sizes := msg.(Sizer)
	_, whole := msg.(Marshaler)
	_, appends := msg.(MarshalAppender)
	_, gogo := msg.(GogoMarshalerTo)
	_, to := msg.(MarshalerTo)
	_, vt := msg.(vtMarshaler)
	size := sizeOfSizer
	if !sizes && e.runtime != nil {
		size = e.runtime.Size
	}
	gogo, to = gogo && (sizes || e.runtime != nil), to && (sizes || e.runtime != nil)
	// Of several methods, the one that is bound last encodes.
	if gogo {
		e.marshalAppend = appendWith(size, func(b []byte, msg any) (int, error) {
			return msg.(GogoMarshalerTo).MarshalTo(b)
		})
	}
	if to {
		e.marshalAppend = appendWith(size, func(b []byte, msg any) (int, error) {
			return len(b), msg.(MarshalerTo).MarshalTo(b)
		})
	}
	if whole {
		e.marshal = func(msg any) ([]byte, error) { return msg.(Marshaler).Marshal() }
	}
	if appends {
		e.marshalAppend = func(b []byte, msg any) ([]byte, error) { return msg.(MarshalAppender).MarshalAppend(b) }
	}
	// vtprotobuf's methods encode only if there are no others.
	vt = vt && e.marshal == nil && e.marshalAppend == nil && !extensible(msg)
	if vt {
		sizes, e.size = false, func(msg any) int { return msg.(vtMarshaler).SizeVT() }
		e.marshal = func(msg any) ([]byte, error) { return msg.(vtMarshaler).MarshalVT() }
		e.marshalAppend = appendWith(e.size, func(b []byte, msg any) (int, error) {
			return msg.(vtMarshaler).MarshalToSizedBufferVT(b)
		})
	}
	// Marshal and MarshalAppend, if one of them is missing, by the other.
	encodes := e.marshal != nil || e.marshalAppend != nil
	switch {
	case !encodes: // the runtime encodes
	case e.marshal == nil:
		appended := e.marshalAppend
		e.marshal = func(msg any) ([]byte, error) { return appended(nil, msg) }
	case e.marshalAppend == nil:
		e.marshalAppend = func(b []byte, msg any) ([]byte, error) {
			encoded, err := msg.(Marshaler).Marshal()
			return append(b, encoded...), err
		}
	}
	// The size.
	switch {
	case sizes:
		e.size = sizeOfSizer
	case e.size == nil && encodes: // the size of the encoding that its own methods write
		marshal := e.marshal
		e.size = func(msg any) int {
			b, err := marshal(msg)
			if err != nil {
				return 0
			}
			return len(b)
		}
	}
}

func (e *entry) bindDecoding(msg any) {
	_, decodes := msg.(Unmarshaler)
	_, vt := msg.(vtUnmarshaler)
	switch _, fast := msg.(codec.Unmarshaler); {
	case fast:
		e.unmarshal = func(b []byte, msg any) error { return msg.(codec.Unmarshaler).UnmarshalHot(b) }
	case decodes:
		e.unmarshal = func(b []byte, msg any) error {
			reset(msg)
			return msg.(Unmarshaler).Unmarshal(b)
		}
	case vt && !extensible(msg):
		e.unmarshal = func(b []byte, msg any) error {
			reset(msg)
			return msg.(vtUnmarshaler).UnmarshalVT(b)
		}
	}
}

// fail fills the functions that neither the methods nor a runtime provide with ones that return the error.
func (e *entry) fail() {
	err := e.err
	if e.marshal == nil {
		e.size = func(any) int { return 0 }
		e.marshal = func(any) ([]byte, error) { return nil, err }
		e.marshalAppend = func(b []byte, _ any) ([]byte, error) { return b, err }
	}
	if e.unmarshal == nil {
		e.unmarshal = func([]byte, any) error { return err }
	}
}

func sizeOfSizer(msg any) int { return msg.(Sizer).Size() }

// reset is for methods that merge, as gogo's and vtprotobuf's do.
func reset(msg any) {
	if m, ok := msg.(interface{ Reset() }); ok {
		m.Reset()
	}
}

// appendWith turns a function that fills a slice of the right size into an appending one.
func appendWith(size func(any) int, fill func(b []byte, msg any) (int, error)) func([]byte, any) ([]byte, error) {
	return func(b []byte, msg any) ([]byte, error) {
		n := size(msg)
		grown := slices.Grow(b, n)
		written, err := fill(grown[len(b):len(b)+n:len(b)+n], msg)
		if err != nil {
			return b, err
		}
		if written != n { // the message was changed meanwhile, or its methods do not agree
			return b, fmt.Errorf("hotpb: %T has a size of %d bytes but wrote %d: %w", msg, n, written, io.ErrShortWrite)
		}
		return grown[:len(b)+n], nil
	}
}

// extensible reports whether a message, or one that it can contain, can have extensions.
func extensible(msg any) bool {
	m, ok := msg.(proto.Message)
	return ok && reaches(m.ProtoReflect().Descriptor(), map[protoreflect.FullName]bool{})
}

func reaches(message protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) bool {
	if message == nil || seen[message.FullName()] {
		return false
	}
	if message.ExtensionRanges().Len() > 0 {
		return true
	}
	seen[message.FullName()] = true
	fields := message.Fields()
	for i := range fields.Len() {
		if reaches(fields.Get(i).Message(), seen) {
			return true
		}
	}
	return false
}
