package lazyproto

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/hotpb/hotpb/go/wire"
)

// Decoder decodes messages by one definition. Goroutines may share it.
type Decoder struct {
	plan   *plan
	mode   wire.Mode
	utf8   bool
	most   int
	filter func(capacity int) int
	passes sync.Pool
}

// Option changes a Decoder.
type Option func(*Decoder) error

// WithMode chooses where strings, bytes and slices are: copies with wire.Safe, which is the default, or with wire.Fast the
// input's own bytes, and slices that the next decode uses again.
func WithMode(mode wire.Mode) Option {
	return func(d *Decoder) error {
		if mode != wire.Safe && mode != wire.Fast {
			return errors.New("lazyproto: WithMode: there is no such mode")
		}
		d.mode = mode
		return nil
	}
}

// WithUTF8 makes getters of strings return wire.InvalidUtf8 for a string that is not UTF-8. Without it they return the
// bytes as they are: a definition does not say what the schema checks.
func WithUTF8() Option {
	return func(d *Decoder) error {
		d.utf8 = true
		return nil
	}
}

// DefaultMaxBufferSize is the largest number of elements of one slice that Close keeps, unless WithMaxBufferSize says
// otherwise.
const DefaultMaxBufferSize = 1 << 16

// WithMaxBufferSize makes Close drop slices with room for more than n elements: records of a field, values of a getter,
// or, of the copy of the input in mode Safe, 16 bytes.
func WithMaxBufferSize(n int) Option {
	return func(d *Decoder) error {
		if n < 0 {
			return errors.New("lazyproto: WithMaxBufferSize: a negative size")
		}
		d.most = n
		return nil
	}
}

// WithBufferFilterFunc makes Close ask fn about each slice that WithMaxBufferSize allows: fn receives the number of
// elements that the slice has room for, and Close drops a slice with room for more than fn returns. A negative result keeps
// it.
func WithBufferFilterFunc(fn func(capacity int) int) Option {
	return func(d *Decoder) error {
		if fn == nil {
			return errors.New("lazyproto: WithBufferFilterFunc: a nil function")
		}
		d.filter = fn
		return nil
	}
}

// NewDecoder returns a decoder for a definition. Later changes of def do not change the decoder.
func NewDecoder(def Def, opts ...Option) (*Decoder, error) {
	p, err := compile(def)
	if err != nil {
		return nil, err
	}
	d := &Decoder{plan: p, most: DefaultMaxBufferSize}
	for _, option := range opts {
		if option == nil {
			return nil, errors.New("lazyproto: a nil option")
		}
		if err := option(d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Decode finds the defined fields of a message. Close the result after its last use.
func (d *Decoder) Decode(data []byte) (*DecodeResult, error) {
	return d.decode(new(DecodeResult), data) // inlined: the caller's new result need not be on the heap
}

// Decode finds the fields of a message that def has, in mode Safe. It prepares def each time: use a [Decoder] for more than
// one message.
func Decode(data []byte, def Def) (DecodeResult, error) {
	d, err := NewDecoder(def)
	if err != nil {
		return DecodeResult{}, err
	}
	var r DecodeResult
	_, err = d.decode(&r, data)
	return r, err
}

var errNoDecoder = errors.New("lazyproto: a Decoder that NewDecoder did not make")

// pass is one decode, and the memory for it.
type pass struct {
	d       *Decoder
	data    []byte
	own     []byte     // the copy of the input in mode Safe
	columns [][]record // by slot
	touched []int      // the slots whose columns have records
	scratch scratch
	serial  atomic.Uint32 // of the decode; Close counts
}

// record is one occurrence of a field.
type record struct {
	head       uint32 // where its tag starts
	start, end uint32 // its value: without length, without end tag
	kind       wire.Type
}

func (d *Decoder) decode(r *DecodeResult, data []byte) (*DecodeResult, error) {
	if d == nil || d.plan == nil {
		return nil, errNoDecoder
	}
	if len(data) > wire.MaxSize {
		return nil, &wire.Error{Code: wire.SizeExceeded}
	}
	p, _ := d.passes.Get().(*pass)
	if p == nil {
		p = &pass{d: d, columns: make([][]record, d.plan.slots)}
	}
	if d.mode == wire.Safe {
		p.own = append(p.own[:0], data...)
		data = p.own
	}
	p.data = data
	if !p.scan(&d.plan.root, 0, len(data), wire.DefaultDepth) {
		err := explain(data, &d.plan.root)
		p.close()
		return nil, err
	}
	*r = DecodeResult{pass: p, serial: p.serial.Load(), node: &d.plan.root, end: uint32(len(data)), root: true}
	return r, nil
}

// close makes the results of the pass invalid and keeps its memory for another one.
func (p *pass) close() {
	p.serial.Add(1)
	p.data = nil
	for _, slot := range p.touched {
		p.columns[slot] = kept(p.d, p.columns[slot])
	}
	p.touched = p.touched[:0]
	if p.own = p.own[:0]; p.d.drops(cap(p.own) / 16) {
		p.own = nil
	}
	p.scratch.reset(p.d)
	p.d.passes.Put(p)
}

// drops reports whether Close drops a slice with room for some elements.
func (d *Decoder) drops(capacity int) bool {
	if capacity == 0 {
		return false
	}
	if capacity > d.most {
		return true
	}
	if d.filter == nil {
		return false
	}
	n := d.filter(capacity)
	return n >= 0 && capacity > n
}

// kept returns the slice for another pass: empty, or nil if it is too large to be kept.
func kept[T any](d *Decoder, s []T) []T {
	if d.drops(cap(s)) {
		return nil
	}
	return s[:0]
}
