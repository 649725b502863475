package output

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/go/schema"
)

// newFiles is a bench whose output writes files.
func newFiles(t *testing.T, change func(*FileOptions)) (*bench, Output, string) {
	t.Helper()
	b := &bench{T: t, layout: layoutOf(t, twoColumns), queue: NewQueue(1 << 20)}
	b.id, _ = schema.Lookup[schema.UintColumn](b.layout.File.Schema.Message, "id")
	o := FileOptions{Folder: t.TempDir(), Prefix: "t", MaxBytes: 1 << 20, MaxAge: time.Hour}
	if change != nil {
		change(&o)
	}
	out, err := NewFile(o, b.queue, &b.counts, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return b, out, o.Folder
}

func (b *bench) sendTo(o Output, n, size int) {
	b.Helper()
	if err := o.Put(b.Context(), b.chunk(n, size)); err != nil {
		b.Fatal(err)
	}
	b.put += uint64(n)
}

// files reads all finished files of a folder: how many there are, and how often each flow is in one.
func (b *bench) files(folder string) (n int, flows map[uint64]int) {
	b.Helper()
	flows = map[uint64]int{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		b.Fatal(err)
	}
	row := b.layout.Plan.NewRow()
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), b.layout.Topic("t")+"-") || !strings.HasSuffix(e.Name(), ".pb") {
			continue
		}
		n++
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			b.Fatal(err)
		}
		for message := range messages(b.T, text) {
			if err := row.Unmarshal(message); err != nil {
				b.Fatal(err)
			}
			flows[row.Uint(b.id)]++
		}
	}
	return n, flows
}

func TestFilesRotateBySizeAndHaveEachFlowOnce(t *testing.T) {
	b, out, folder := newFiles(t, func(o *FileOptions) { o.MaxBytes = 5000 })
	for range 100 {
		b.sendTo(out, 10, 95)
	}
	if err := out.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.balanced()
	b.want(0, 0)
	n, flows := b.files(folder)
	b.complete(flows)
	if n != 20 {
		t.Errorf("100 kB are in %d files of 5 kB", n)
	}
	if unfinished, _ := filepath.Glob(filepath.Join(folder, "*.part")); unfinished != nil {
		t.Error("not finished:", unfinished)
	}
	if err := out.Put(t.Context(), b.chunk(1, 1)); err != ErrClosed {
		t.Error(err)
	}
}

func TestFilesRotateByAgeAndOnlyThenHaveTheirName(t *testing.T) {
	t.Parallel()
	b, out, folder := newFiles(t, func(o *FileOptions) { o.MaxAge = time.Millisecond })
	b.sendTo(out, 10, 95)
	deadline := time.Now().Add(20 * time.Second)
	for n := 0; n == 0; n, _ = b.files(folder) {
		if time.Now().After(deadline) {
			t.Fatal("no file is finished")
		}
		time.Sleep(10 * time.Millisecond)
	}
	_, flows := b.files(folder)
	b.complete(flows)
	if err := out.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAnotherLayoutOfTheWireIsAnotherFile(t *testing.T) {
	b, out, folder := newFiles(t, nil)
	b.sendTo(out, 10, 5)
	first := b.layout
	b.layout = layoutOf(t, twoColumns+"  - {name: more, number: 3, type: uint32}\n")
	b.id, _ = schema.Lookup[schema.UintColumn](b.layout.File.Schema.Message, "id")
	b.sendTo(out, 20, 5)
	if err := out.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{20, 10} {
		if files, flows := b.files(folder); files != 1 || len(flows) != n {
			t.Errorf("%d flows are in %d files", len(flows), files)
		}
		b.layout = first
		b.id, _ = schema.Lookup[schema.UintColumn](b.layout.File.Schema.Message, "id")
	}
}

func TestWhatAKilledProcessHasLeftIsCutAndFinished(t *testing.T) {
	for cut := range 12 {
		b := &bench{T: t, layout: layoutOf(t, twoColumns)}
		b.id, _ = schema.Lookup[schema.UintColumn](b.layout.File.Schema.Message, "id")
		folder := t.TempDir()
		text := b.chunk(3, 5).Bytes // 10 bytes each
		name := filepath.Join(folder, b.layout.Topic("t")+"-20260101T000000.000Z.pb")
		if err := os.WriteFile(name+".part", text[:len(text)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		_, out, _ := newFiles(t, func(o *FileOptions) { o.Folder = folder })
		if err := out.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		whole := (len(text) - cut) / 10
		if _, flows := b.files(folder); len(flows) != whole {
			t.Errorf("of %d bytes there are %d flows", len(text)-cut, len(flows))
		}
		if info, err := os.Stat(name); err != nil || info.Size() != int64(10*whole) {
			t.Error(info, err)
		}
	}
}

func TestAFileThatSomebodyWritesIsLeftAlone(t *testing.T) {
	b, out, folder := newFiles(t, nil)
	b.sendTo(out, 10, 5)
	for b.counts.Delivered.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	_, second, _ := newFiles(t, func(o *FileOptions) { o.Folder = folder })
	if err := second.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, _ := b.files(folder); n != 0 {
		t.Error("the file has been finished by somebody else")
	}
	b.sendTo(out, 10, 5)
	if err := out.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, flows := b.files(folder)
	b.complete(flows)
}

func TestAFolderThatCannotBeIsAnError(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewFile(FileOptions{Folder: name, MaxBytes: 1, MaxAge: 1}, NewQueue(1), &count.Counters{}, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("no error")
	}
	if _, err := NewFile(FileOptions{Folder: t.TempDir()}, NewQueue(1), &count.Counters{}, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("files of no bytes are no error")
	}
}

// disk has room for some bytes.
type disk struct {
	*os.File
	room *atomic.Int64
}

func (d disk) Write(b []byte) (int, error) {
	n := min(int64(len(b)), d.room.Load())
	d.room.Add(-n)
	wrote, err := d.File.Write(b[:n])
	if err == nil && wrote < len(b) {
		err = syscall.ENOSPC
	}
	return wrote, err
}

func fullDisk(t *testing.T, bytes int64) (b *bench, out *serial, folder string, room *atomic.Int64) {
	b = &bench{T: t, layout: layoutOf(t, twoColumns), queue: NewQueue(10000)}
	b.id, _ = schema.Lookup[schema.UintColumn](b.layout.File.Schema.Message, "id")
	folder, room = t.TempDir(), &atomic.Int64{}
	room.Store(bytes)
	s := &files{options: FileOptions{folder, "t", 1 << 20, time.Hour}, counts: &b.counts, log: slog.New(slog.DiscardHandler),
		open: map[string]*part{}, pause: time.Millisecond, create: func(path string) (file, error) {
			f, err := create(path)
			if err != nil {
				return nil, err
			}
			return disk{f.(*os.File), room}, nil
		}}
	return b, newSerial(s, b.queue, &b.counts, slog.New(slog.DiscardHandler)), folder, room
}

func TestAFullDiskIsWaitedForAndNothingIsLost(t *testing.T) {
	b, out, folder, room := fullDisk(t, 1234)
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		c := b.chunk(10, 5)
		err := out.Put(ctx, c)
		cancel()
		if err != nil {
			b.next -= 10
			break
		}
		b.put += 10
	}
	if b.put < 1000 || b.put > 1200 { // of 10 bytes each, what is on the disk and in the queue
		t.Errorf("%d flows were taken", b.put)
	}
	if b.counts.OutputRetries.Load() == 0 {
		t.Error("no try is counted")
	}
	room.Store(1 << 20)
	if err := out.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.balanced()
	b.want(0, 0)
	_, flows := b.files(folder)
	b.complete(flows)
}

// The second time that the disk is full is reported as the first one, and so is the end of each.
func TestEachTimeThatTheDiskIsFullIsReported(t *testing.T) {
	b, _, folder, _ := fullDisk(t, 0)
	var log bytes.Buffer
	left := 0
	s := &files{options: FileOptions{folder, "t", 1, time.Hour}, counts: &b.counts, log: slog.New(slog.NewTextHandler(&log, nil)),
		open: map[string]*part{}, pause: time.Millisecond, create: func(path string) (file, error) {
			if left--; left >= 0 {
				return nil, syscall.ENOSPC
			}
			return create(path)
		}}
	for time, tries := range []int{7, 3, 1} {
		left = tries
		if flows, _, err := s.write(t.Context(), b.chunk(10, 5)); err != nil || flows != 10 {
			t.Fatal(flows, err)
		}
		if a, z := strings.Count(log.String(), "cannot be written"), strings.Count(log.String(), "written again"); a != time+1 || z != time+1 {
			t.Errorf("after %d times: %d, %d: %s", time+1, a, z, &log)
		}
	}
}

func TestADiskThatStaysFullHasWholeMessagesAndTheRestIsCounted(t *testing.T) {
	b, out, folder, _ := fullDisk(t, 1234)
	for range 50 {
		b.sendTo(out, 10, 5)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := out.Close(ctx); err != context.DeadlineExceeded {
		t.Error(err)
	}
	b.balanced()
	b.want(count.Shutdown, 500-123)
	_, flows := b.files(folder)
	b.next = 123
	b.complete(flows)
	if len(flows) != 123 {
		t.Errorf("%d flows are there", len(flows))
	}
}

func TestARealFullDisk(t *testing.T) {
	folder := t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("only root may mount a disk of 64 kB:", err)
	}
	defer func() { _ = unix.Unmount(folder, unix.MNT_DETACH) }()
	b, out, _ := newFiles(t, func(o *FileOptions) { o.Folder = folder })
	for range 10 {
		b.sendTo(out, 100, 95) // 10 kB
	}
	for b.counts.OutputRetries.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := out.Close(ctx); err != context.DeadlineExceeded {
		t.Error(err)
	}
	b.balanced()
	_, flows := b.files(folder)
	if uint64(len(flows)) != b.counts.Delivered.Load() || len(flows) < 500 || len(flows) > 660 {
		t.Errorf("%d flows are there, and %d count as delivered", len(flows), b.counts.Delivered.Load())
	}
}

func TestAFolderThatIsGoneIsWaitedFor(t *testing.T) {
	t.Parallel()
	b, out, folder := newFiles(t, nil)
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	b.sendTo(out, 10, 5)
	for b.counts.OutputRetries.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.want(0, 0)
	_, flows := b.files(folder)
	b.complete(flows)
}

// A reader that hangs holds up neither Put nor Close beyond their contexts, and what it has not read is counted.
func TestAPipeThatNobodyReads(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer r.Close()
	b := &bench{T: t, layout: layoutOf(t, twoColumns), queue: NewQueue(10000)}
	out := NewJSON(w, b.queue, &b.counts, slog.New(slog.DiscardHandler))
	for err := error(nil); err == nil; {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err = out.Put(ctx, b.chunk(10, 5)); err == nil {
			b.put += 10
		}
		cancel()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := out.Close(ctx); err != context.Canceled {
		t.Error(err)
	}
	b.balanced()
	b.want(count.Shutdown, b.put)
}

func TestAPipeThatIsClosedLosesWhatItDoesNotTake(t *testing.T) {
	r, w := io.Pipe()
	b := &bench{T: t, layout: layoutOf(t, twoColumns), queue: NewQueue(10000)}
	out := NewJSON(w, b.queue, &b.counts, slog.New(slog.DiscardHandler))
	r.CloseWithError(errors.New("gone"))
	b.sendTo(out, 10, 5)
	if err := out.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.balanced()
	b.want(count.OutputFailed, 10)
}

func TestAChunkLargerThanTheQueueIsTakenWhenTheQueueIsEmpty(t *testing.T) {
	var text bytes.Buffer
	b := &bench{T: t, layout: layoutOf(t, twoColumns), queue: NewQueue(100)}
	out := NewJSON(&text, b.queue, &b.counts, slog.New(slog.DiscardHandler))
	for range 5 {
		b.sendTo(out, 100, 5)
	}
	if err := out.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.balanced()
	if lines := bytes.Count(text.Bytes(), []byte("\n")); lines != 500 {
		t.Errorf("%d lines", lines)
	}
}
