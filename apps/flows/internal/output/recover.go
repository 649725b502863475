package output

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hotpb/hotpb/go/wire"
)

// create creates a file that must not exist, and locks it while it is open. The lock shows other processes that
// the file is being written.
func create(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lock(f, path); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// lock locks a file that was opened at a path. The error is fs.ErrExist if another process has the lock, or has
// had it and removed or finished the file.
func lock(f *os.File, path string) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return fs.ErrExist
	} else if err != nil {
		return err
	}
	locked, err := f.Stat()
	if err != nil {
		return err
	}
	if now, err := os.Lstat(path); err != nil || !os.SameFile(locked, now) {
		return fs.ErrExist
	}
	return nil
}

// recoverFiles finishes the files that no process writes any more. It leaves and logs files that it cannot finish.
func recoverFiles(o FileOptions, log *slog.Logger) error {
	entries, err := os.ReadDir(o.Folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), o.Prefix+"-") && strings.HasSuffix(e.Name(), finishedSuffix+unfinishedSuffix) {
			if err := recoverFile(filepath.Join(o.Folder, e.Name()), log); err != nil && !errors.Is(err, fs.ErrNotExist) {
				log.Error("an unfinished file stays as it is", "file", e.Name(), "error", err)
			}
		}
	}
	return nil
}

func recoverFile(path string, log *slog.Logger) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(f, path); errors.Is(err, fs.ErrExist) {
		return nil // another process writes to it
	} else if err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	flows, whole, err := measure(f)
	if err != nil {
		return err
	}
	if whole == 0 {
		log.Warn("an unfinished file had no whole message and is removed", "file", path, "bytes", size)
		return os.Remove(path)
	}
	if whole < size {
		if err := f.Truncate(whole); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	log.Warn("an unfinished file is finished", "file", path, "flows", flows, "bytes cut", size-whole)
	return os.Rename(path, strings.TrimSuffix(path, unfinishedSuffix))
}

// measure finds the end of the last whole message.
func measure(r io.Reader) (flows int, whole int64, err error) {
	messages := wire.NewDelimitedReader(bufio.NewReaderSize(r, 1<<20), wire.Options{})
	for {
		message, err := messages.Next()
		if wrong := (*wire.Error)(nil); err == io.EOF || errors.As(err, &wrong) {
			return flows, whole, nil
		} else if err != nil {
			return flows, whole, err
		}
		flows++
		whole = messages.Offset() + int64(len(message))
	}
}
