package output

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// NewJSON creates an output that writes each flow as a line of JSON for people to read. It decodes the encoded
// flows again.
func NewJSON(w io.Writer, q *Queue, c *count.Counters, log *slog.Logger) Output {
	return newSerial(&lines{w: w}, q, c, log)
}

// lines is the sink.
type lines struct {
	w      io.Writer
	layout *layout.Layout
	*printer
}

// flushAt is about how many bytes are written at once.
const flushAt = 64 << 10

func (s *lines) write(ctx context.Context, c flow.Chunk) (flows int, reason count.Reason, err error) {
	if s.layout != c.Layout {
		s.layout, s.printer = c.Layout, newPrinter(c.Layout)
	}
	for at, waiting := 0, 0; at < len(c.Bytes); {
		message, next, wrong := wire.CutDelimited(c.Bytes, at, wire.Options{})
		if wrong != nil {
			next = len(c.Bytes) // the position of the next message is unknown
		} else if wrong = s.add(message); wrong == nil {
			waiting++
		}
		if wrong != nil {
			err = wrong
		}
		at = next
		if len(s.out) >= flushAt || at == len(c.Bytes) {
			if ctx.Err() != nil {
				s.out = s.out[:0]
				return flows, count.Shutdown, ctx.Err()
			}
			if err := s.flush(s.w); err != nil {
				return flows, count.OutputFailed, err
			}
			flows, waiting = flows+waiting, 0
		}
	}
	return flows, count.OutputFailed, err
}

func (s *lines) tick(time.Time) {}

func (s *lines) end() error { return nil }

// Cat writes the messages of a delimited stream as lines of JSON, and returns how many there are. An error of the
// stream is a *wire.Error with the position. Cat has then written all messages before it.
func Cat(l *layout.Layout, r io.Reader, w io.Writer) (flows int, err error) {
	messages := wire.NewDelimitedReader(bufio.NewReaderSize(r, 1<<20), wire.Options{})
	p := newPrinter(l)
	for ; ; flows++ {
		message, wrong := messages.Next()
		if wrong == nil {
			if wrong = p.add(message); wrong != nil {
				wrong = fmt.Errorf("the message at byte %d: %w", messages.Offset(), wrong)
			}
		}
		if wrong != nil || len(p.out) >= flushAt {
			if err := p.flush(w); err != nil {
				return flows, err
			}
		}
		if wrong == io.EOF {
			return flows, nil
		}
		if wrong != nil {
			return flows, wrong
		}
	}
}

// printer formats messages of one layout as lines.
type printer struct {
	row  *schema.Row
	root *object
	out  []byte
}

func newPrinter(l *layout.Layout) *printer {
	m := objects{plan: l.Plan, made: map[string]*object{}}
	return &printer{row: l.Plan.NewRow(), root: m.object(l.File.Schema.Message)}
}

// add adds a message's line.
func (p *printer) add(message []byte) error {
	if err := p.row.UnmarshalAlias(message); err != nil {
		return err
	}
	p.out = append(p.root.append(p.out, p.row.Fields), '\n')
	return nil
}

// Printer formats single messages as Cat does.
type Printer struct{ printer *printer }

// NewPrinter creates a printer for messages of a layout.
func NewPrinter(l *layout.Layout) *Printer { return &Printer{newPrinter(l)} }

// Line returns a message as JSON.
func (p *Printer) Line(message []byte) string {
	p.printer.out = p.printer.out[:0]
	if err := p.printer.add(message); err != nil {
		return err.Error()
	}
	return string(p.printer.out[:len(p.printer.out)-1])
}

func (p *printer) flush(w io.Writer) error {
	_, err := w.Write(p.out)
	p.out = p.out[:0]
	return err
}
