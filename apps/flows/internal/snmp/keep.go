package snmp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"time"
)

// kept is an answer in the file that outlives the process.
type kept struct {
	Address  netip.Addr
	Answered time.Time
	Facts    *Facts
}

// The file has a line of JSON for each answer.
const (
	maxKept   = 1 << 30 // bytes of the file
	keepEvery = time.Minute
)

// readKept reads the file. A fault costs what follows it.
func readKept(path string) (map[netip.Addr]kept, error) {
	all := map[netip.Addr]kept{}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return all, err
	}
	defer f.Close()
	for d := json.NewDecoder(io.LimitReader(f, maxKept)); ; {
		var k kept
		if err := d.Decode(&k); err == io.EOF {
			return all, nil
		} else if err != nil {
			return all, fmt.Errorf("%s: %w", path, err)
		}
		if k.Facts == nil || !k.Address.IsValid() || len(k.Facts.Ports) > maxPorts || len(all) >= maxDevices {
			continue
		}
		all[k.Address] = k
	}
}

// keep writes the file, as a whole or not at all. It creates its folder.
func (p *Poller) keep(path string) (err error) {
	p.mu.Lock()
	list := make([]kept, 0, len(p.devices)+len(p.saved))
	for _, d := range p.devices {
		if f := d.facts.Load(); f != nil {
			list = append(list, kept{d.address, d.answered, f})
		}
	}
	for _, k := range p.saved { // exporters from which no flow has come yet
		list = append(list, k)
	}
	p.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".snmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	e := json.NewEncoder(f)
	for _, k := range list {
		err = errors.Join(err, e.Encode(k))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// load takes over the answers of the last run. Those that have expired are left out.
func (p *Poller) load(o *Options) {
	saved, err := readKept(o.Keep)
	if err != nil {
		p.log.Error("names of the last run cannot be read; exporters are asked again", "error", err)
	}
	for address, k := range saved {
		if time.Since(k.Answered) > o.Expire {
			delete(saved, address)
		}
	}
	p.saved = saved
}

// save writes the file if anything has changed since the last time.
func (p *Poller) save() {
	o := p.options.Load()
	n := p.polls[1].Load()
	if o.Keep == "" || n == p.written {
		return
	}
	p.written = n
	if err := p.keep(o.Keep); err != nil {
		p.log.Error("names cannot be kept for the next start", "file", o.Keep, "error", err)
	}
}
