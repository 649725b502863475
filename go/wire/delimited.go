package wire

import (
	"errors"
	rt "github.com/hotpb/hotpb/go/rt/wire"
	"io"
)

// AppendDelimited appends message, length-prefixed, as one message of a delimited stream.
func AppendDelimited(dst, message []byte) []byte { return rt.AppendBytes(dst, message) }

// DelimitedReader reads the messages of a delimited stream, as writeDelimitedTo, protodelim and ClickHouse's Protobuf
// format write them.
type DelimitedReader struct {
	r       io.Reader
	limit   uint64
	offset  int64 // of the next byte in the stream
	message []byte
	err     error
	head    [1]byte
}

// NewDelimitedReader returns a reader of r. Of the options it uses the size limit only. Pass a buffered reader,
// because the DelimitedReader reads lengths byte by byte.
func NewDelimitedReader(r io.Reader, o Options) *DelimitedReader {
	return &DelimitedReader{r: r, limit: uint64(o.Size())}
}

// Next returns the next message, io.EOF at the end of the stream, or an *Error whose offset counts from the start of
// the stream. The bytes are valid until the next call. Memory grows with the bytes that have arrived, not with the
// length that the stream announces.
func (d *DelimitedReader) Next() ([]byte, error) {
	if d.err == nil {
		d.err = d.next()
	}
	if d.err != nil {
		return nil, d.err
	}
	return d.message, nil
}

// Offset returns the position in the stream where the current message starts. Add it to the offset of an error in the
// message.
func (d *DelimitedReader) Offset() int64 { return d.offset - int64(len(d.message)) }

func (d *DelimitedReader) next() error {
	if d.r == nil { // the zero DelimitedReader has no stream
		return HandleMisuse
	}
	start := d.offset
	length, err := d.readLength(start)
	if err != nil {
		return err
	}
	if length > d.limit {
		return &Error{Code: SizeExceeded, Offset: start}
	}
	const step = 64 << 10
	d.message = d.message[:0]
	for have := 0; have < int(length); have = len(d.message) {
		if have == cap(d.message) {
			grown := make([]byte, have, min(int(length), max(2*have, step)))
			copy(grown, d.message)
			d.message = grown
		}
		part := d.message[have:min(int(length), cap(d.message))]
		n, err := io.ReadFull(d.r, part)
		d.message = d.message[:have+n]
		d.offset += int64(n)
		if err != nil {
			return d.broken(err, start)
		}
	}
	return nil
}

func (d *DelimitedReader) readLength(start int64) (length uint64, err error) {
	for n := 0; n < MaxVarint; n++ {
		if _, err := io.ReadFull(d.r, d.head[:]); err != nil {
			if n == 0 && err == io.EOF {
				return 0, io.EOF
			}
			return 0, d.broken(err, start)
		}
		d.offset++
		length |= uint64(d.head[0]&0x7f) << (7 * uint(n))
		if d.head[0] < 0x80 {
			return length, nil
		}
	}
	return 0, &Error{Code: VarintOverflow, Offset: start}
}

// broken distinguishes the end of the stream from a failure of the underlying reader.
func (d *DelimitedReader) broken(err error, start int64) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{Code: Truncated, Offset: start}
	}
	return err
}

// CutDelimited is DelimitedReader for a stream that is already in memory. It returns the message at position i of
// stream and the position after it. At the end of the stream next is i.
func CutDelimited(stream []byte, i int, o Options) (message []byte, next int, err error) {
	if i < 0 || i >= len(stream) {
		return nil, i, nil
	}
	length, start := rt.ReadVarint(stream, i)
	switch {
	case start < 0:
		return nil, i, &Error{Code: rt.Failed(start), Offset: int64(i)}
	case length > uint64(o.Size()):
		return nil, i, &Error{Code: SizeExceeded, Offset: int64(i)}
	case length > uint64(len(stream)-start):
		return nil, i, &Error{Code: Truncated, Offset: int64(i)}
	}
	next = start + int(length)
	return stream[start:next:next], next, nil
}
