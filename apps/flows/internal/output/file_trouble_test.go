package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
)

// sick is a file of a disk that has gone bad.
type sick struct {
	disk
	sync, truncate error
}

func (s sick) Sync() error { return s.sync }

func (s sick) Truncate(size int64) error {
	if s.truncate != nil {
		return s.truncate
	}
	return s.disk.Truncate(size)
}

// A file without .part is on disk as a whole. The next start finishes what can be read of one that is not.
func TestAFileThatIsNotOnDiskIsNotFinished(t *testing.T) {
	for name, disease := range map[string]sick{"sync": {sync: syscall.EIO}, "truncate": {truncate: syscall.EIO}} {
		t.Run(name, func(t *testing.T) {
			b := &bench{T: t, layout: layoutOf(t, twoColumns), queue: NewQueue(10000)}
			b.id, _ = schema.Lookup[schema.UintColumn](b.layout.File.Schema.Message, "id")
			folder, room := t.TempDir(), &atomic.Int64{}
			room.Store(1 << 20)
			if disease.truncate != nil {
				room.Store(95) // within the tenth flow
			}
			s := &files{options: FileOptions{folder, "t", 1 << 20, time.Hour}, counts: &b.counts, log: slog.New(slog.DiscardHandler),
				open: map[string]*part{}, pause: time.Millisecond, create: func(path string) (file, error) {
					f, err := create(path)
					if err != nil {
						return nil, err
					}
					disease.disk = disk{f.(*os.File), room}
					return disease, nil
				}}
			ctx, cancel := context.WithCancel(t.Context())
			if disease.truncate != nil {
				cancel()
			}
			defer cancel()
			flows, _, _ := s.write(ctx, b.chunk(20, 5))
			if err := s.end(); err != nil {
				t.Fatal(err)
			}
			if finished, _ := b.files(folder); finished != 0 {
				t.Error("the file has its name")
			}
			if b.counts.OutputDataLoss.Load() != 1 {
				t.Error("it is not counted")
			}
			_, out, _ := newFiles(t, func(o *FileOptions) { o.Folder = folder })
			if err := out.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, there := b.files(folder); len(there) != flows || flows < 9 {
				t.Errorf("%d flows of %d are there after the next start", len(there), flows)
			}
		})
	}
}

func TestWhatCannotBeFinishedDoesNotStopTheStart(t *testing.T) {
	b, out, folder := newFiles(t, nil)
	b.sendTo(out, 10, 5)
	if err := out.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "t-x.pb.part"), 0o700); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	next, err := NewFile(FileOptions{folder, "t", 1 << 20, time.Hour}, NewQueue(1), &b.counts, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Close(t.Context()); err != nil || !strings.Contains(log.String(), "t-x.pb.part") {
		t.Error(err, log.String())
	}
}

// While files are created, another process looks for unfinished ones: it must not remove a file that is about to be written to.
func TestAFileThatWasMadeIsThere(t *testing.T) {
	folder, log := t.TempDir(), slog.New(slog.DiscardHandler)
	ended := make(chan struct{})
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
					if err := recoverFiles(FileOptions{Folder: folder, Prefix: "t"}, log); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for i := range 200 {
		path := filepath.Join(folder, fmt.Sprintf("t-%d.pb.part", i))
		f, err := create(path)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		made, err := f.(*os.File).Stat()
		if err != nil {
			t.Fatal(err)
		}
		if there, err := os.Stat(path); err != nil || !os.SameFile(made, there) {
			t.Errorf("file %d is not there: %v", i, err)
		}
		_ = os.Remove(path)
		f.Close()
	}
	close(ended)
	others.Wait()
}
