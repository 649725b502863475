package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
)

// stateOptions say where templates and sampling rates outlive the process.
type stateOptions struct {
	State       string        `help:"File that keeps templates and sampling rates between starts; empty for none." type:"path" placeholder:"FILE.json" group:"State"`
	StateEvery  time.Duration `help:"How often the file is written; it is also written at the end, and within five seconds after a template or rate has changed." default:"30s" group:"State"`
	StateShared bool          `help:"Also take in the other .json files in the file's folder as they change: several collectors that share one address know each other's templates." group:"State"`
}

func (o *stateOptions) check() error {
	switch {
	case o.StateEvery < time.Second:
		return errors.New("--state-every must be 1s or more")
	case o.StateShared && o.State == "":
		return errors.New("--state-shared needs --state, a file of this collector's own in the folder that they share")
	}
	return nil
}

// lookForStates is how often the files of other collectors are looked for, and how often ours is written for them;
// writeChanges is how often it is written for ourselves while templates or rates change.
const (
	lookForStates = time.Second
	writeChanges  = 5 * time.Second
)

// keeper writes the state of a store, and reads those of others.
type keeper struct {
	stateOptions
	store   *session.Store
	log     *slog.Logger
	saved   uint64    // Changes at the last write
	written time.Time // when
	known   map[string]time.Time
	broken  map[string]bool // files with a fault that is logged
}

func newKeeper(o stateOptions, s *session.Store, log *slog.Logger) *keeper {
	return &keeper{stateOptions: o, store: s, log: log, known: map[string]time.Time{}, broken: map[string]bool{}}
}

// load takes in the file of the last run, with a decoder. A fault costs the state, and not the start. A folder that is
// not there is created, so that a path on which nothing can be written is known now and not at the first write.
func (k *keeper) load(d *decode.Decoder) {
	if k.State == "" {
		return
	}
	k.written = time.Now()
	if err := k.probe(); err != nil {
		k.fault(k.State, cannotWrite, err)
	}
	state, err := session.ReadState(k.State)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		k.log.Error("the state cannot be read; templates and sampling rates are learnt again", "file", k.State, "error", err)
		return
	}
	d.Restore(nil, state, time.Now()) // nothing waits yet
	k.saved = k.store.Changes()
	k.log.Info("templates and sampling rates of the last run are known", "file", k.State, "exporters", len(state.Exporters),
		"templates", k.store.Templates())
}

// probe creates the folder of the file, and tries whether a file can be created there.
func (k *keeper) probe() error {
	folder := filepath.Dir(k.State)
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, ".state-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

const cannotWrite = "the state cannot be written; choose another file with --state, or give the collector the right to write there"

// run writes and reads until ctx ends, and then writes a last time.
func (k *keeper) run(ctx context.Context) {
	if k.State == "" {
		return
	}
	ticker := time.NewTicker(lookForStates)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if k.StateShared {
				k.look()
			}
			every := k.StateEvery
			if k.store.Changes() != k.saved {
				every = min(every, writeChanges)
				if k.StateShared {
					every = lookForStates
				}
			}
			if now.Sub(k.written) >= every {
				k.save()
			}
		}
	}
}

// save writes the file, also if nothing has changed: it has the times at which templates were used last.
func (k *keeper) save() {
	if k.State == "" {
		return
	}
	changes := k.store.Changes()
	k.written = time.Now()
	if err := k.store.State().WriteFile(k.State); err != nil {
		k.fault(k.State, cannotWrite, err)
		return
	}
	k.saved = changes
	delete(k.broken, k.State)
}

// look takes in the files of others that have changed: one each time, so that the next one waits for the decoders.
func (k *keeper) look() {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(k.State), "*.json"))
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || file == k.State || k.known[file].Equal(info.ModTime()) {
			continue
		}
		k.known[file] = info.ModTime()
		state, err := session.ReadState(file)
		if err != nil {
			k.fault(file, "the state of another collector cannot be read", err)
			continue
		}
		delete(k.broken, file)
		k.store.Offer(state)
		return
	}
}

// fault logs a fault of a file once.
func (k *keeper) fault(file, text string, err error) {
	if !k.broken[file] {
		k.log.Error(text, "file", file, "error", err)
	}
	k.broken[file] = true
}
