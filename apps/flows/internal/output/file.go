package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/wire"
)

// FileOptions configure the files. The tags describe the command line.
type FileOptions struct {
	Folder   string        `help:"Folder for the files." type:"path"`
	Prefix   string        `help:"Prefix of the files' names; the wire hash of the schema and the time follow." default:"flows"`
	MaxBytes int64         `help:"Approximate size in bytes at which a new file begins." default:"268435456"`
	MaxAge   time.Duration `help:"Age at which a new file begins." default:"5m"`
}

// Check refuses options that no files can have.
func (o *FileOptions) Check() error {
	switch {
	case o.Folder == "":
		return errors.New("--file-folder is missing: set the folder for the files")
	case o.MaxBytes <= 0 || o.MaxAge <= 0:
		return fmt.Errorf("files of %d bytes or %v are impossible: --file-max-bytes and --file-max-age must be more than 0", o.MaxBytes, o.MaxAge)
	case strings.ContainsRune(o.Prefix, filepath.Separator):
		return fmt.Errorf("--file-prefix=%s must not name a folder: --file-folder does", o.Prefix)
	}
	return nil
}

// The names of files are PREFIX-HASH-TIME.pb, with unfinishedSuffix appended while the file is being written. So a
// file without the suffix has only whole messages, is on disk, and does not change.
const (
	finishedSuffix   = ".pb"
	unfinishedSuffix = ".part"
)

// NewFile creates an output that writes files of length-prefixed messages. Flows count as delivered when the
// operating system has them: they survive the end of the process, but not a crash of the system. They are on disk
// when their file is finished. If an earlier process was killed, NewFile cuts its unfinished files after the last
// whole message and finishes them.
//
// A write that fails, perhaps because the disk is full, is repeated until it succeeds. Meanwhile the queue fills.
func NewFile(o FileOptions, q *Queue, c *count.Counters, log *slog.Logger) (Output, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Folder, 0o755); err != nil {
		return nil, fmt.Errorf("--file-folder: %w", err)
	}
	if err := recoverFiles(o, log); err != nil {
		return nil, fmt.Errorf("--file-folder: %w", err)
	}
	s := &files{options: o, counts: c, log: log, open: map[string]*part{}, create: create, pause: time.Second}
	return newSerial(s, q, c, log), nil
}

// files is the sink: a file for each layout of the flows.
type files struct {
	options FileOptions
	counts  *count.Counters
	log     *slog.Logger
	open    map[string]*part
	create  func(path string) (file, error)
	pause   time.Duration // delay before the next try after a failure
	tries   uint64        // that have failed since the last success
}

// file has the methods of an os.File that the output needs.
type file interface {
	Write([]byte) (int, error)
	Truncate(size int64) error
	Seek(offset int64, whence int) (int64, error)
	Sync() error
	Close() error
}

// part is a file that is being written.
type part struct {
	file
	path  string // when it will be finished
	size  int64
	since time.Time
	torn  error // why it ends within a message
}

func (s *files) write(ctx context.Context, c flow.Chunk) (flows int, reason count.Reason, err error) {
	name := c.Layout.Topic(s.options.Prefix)
	p := s.open[name]
	for p == nil {
		if p, err = s.begin(name); err == nil {
			s.open[name] = p
		} else if !s.retry(ctx, err) {
			return 0, count.Shutdown, err
		}
	}
	for written := 0; written < len(c.Bytes); {
		n, err := p.Write(c.Bytes[written:])
		written += n
		p.size += int64(n)
		if err != nil && !s.retry(ctx, err) {
			flows, extra := wholeMessages(c.Bytes[:written])
			p.torn = p.cut(p.size - int64(extra))
			return flows, count.Shutdown, err
		}
	}
	if s.tries > 0 {
		s.log.Info("flows are written again", "file", p.path+unfinishedSuffix, "tries", s.tries)
		s.tries = 0
	}
	if p.size >= s.options.MaxBytes {
		s.finish(name)
	}
	return c.Flows, 0, nil
}

// retry waits, and reports whether there is time for another try.
func (s *files) retry(ctx context.Context, err error) bool {
	s.counts.OutputRetries.Add(1)
	if s.tries++; s.tries%60 == 1 {
		s.log.Error("flows cannot be written; they wait", "error", err, "tries", s.tries)
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(s.pause):
		return true
	}
}

// wholeMessages counts the messages in the bytes that were written, and the bytes of a message that was cut.
func wholeMessages(b []byte) (messages, extra int) {
	at := 0
	for {
		_, next, err := wire.CutDelimited(b, at, wire.Options{})
		if err != nil || next == at {
			return messages, len(b) - at
		}
		at = next
		messages++
	}
}

func (s *files) begin(name string) (*part, error) {
	now := time.Now()
	base := filepath.Join(s.options.Folder, name+"-"+now.UTC().Format("20060102T150405.000Z"))
	for try := 0; ; try++ {
		path := base + finishedSuffix
		if try > 0 {
			path = fmt.Sprintf("%s-%d%s", base, try, finishedSuffix)
		}
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		f, err := s.create(path + unfinishedSuffix)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &part{file: f, path: path, since: now}, nil
	}
}

// finish syncs a file to disk and renames it to its final name. The file system keeps the folder's entry. A file that
// may not be on disk as a whole does not get the name: the next start cuts and finishes it.
func (s *files) finish(name string) {
	p := s.open[name]
	delete(s.open, name)
	unfinished := p.path + unfinishedSuffix
	err := errors.Join(p.torn, p.Sync(), p.Close())
	if p.size == 0 {
		_ = os.Remove(unfinished)
		return
	}
	if err == nil {
		err = os.Rename(unfinished, p.path)
	}
	if err != nil {
		s.counts.OutputDataLoss.Add(1)
		s.log.Error("a file may not be on disk as a whole, and stays unfinished", "file", unfinished, "error", err)
		return
	}
	s.log.Debug("file finished", "file", p.path, "bytes", p.size)
}

// cut shortens the file.
func (p *part) cut(size int64) error {
	p.size = size
	if err := p.Truncate(size); err != nil {
		return err
	}
	_, err := p.Seek(size, io.SeekStart)
	return err
}

func (s *files) tick(now time.Time) {
	for name, p := range s.open {
		if now.Sub(p.since) >= s.options.MaxAge {
			s.finish(name)
		}
	}
}

func (s *files) end() error {
	for name := range s.open {
		s.finish(name)
	}
	return nil
}
