// Package snmp asks exporters for their names and those of their interfaces, by SNMP v2c or v3, in the background.
package snmp

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gaissmai/bart"
)

// Facts is what an exporter has answered. It is immutable.
type Facts struct {
	Name        string // sysName
	Description string // sysDescr
	Location    string // sysLocation
	Ports       map[uint64]Port
}

// gone are the facts of a device that was forgotten.
var gone Facts

// Port is an interface.
type Port struct {
	Name        string // ifName, or ifDescr if that is empty
	Description string // ifAlias
	Speed       uint64 // in bits per second
}

// Options say which exporters may be asked, and how.
type Options struct {
	Every    time.Duration // how often an exporter is asked
	Expire   time.Duration // how long its answer counts when it answers no more
	Timeout  time.Duration // of a request
	Retries  int
	Parallel int    // exporters that are asked at once
	Keep     string // file for what is known, so that it outlives the process; "" for none
	Access   *bart.Fast[*Access]
}

// Defaults are the options without those that the operator sets.
func Defaults() Options {
	return Options{Every: 10 * time.Minute, Expire: 24 * time.Hour, Timeout: 2 * time.Second, Retries: 2, Parallel: 16, Access: &bart.Fast[*Access]{}}
}

// The bounds.
const (
	maxDevices  = 1 << 14
	maxPorts    = 1 << 14 // of a device
	maxText     = 255     // bytes; longer texts are cut
	pollTime    = time.Minute
	firstPause  = 15 * time.Second // after a failure; it doubles with each
	lookEvery   = 500 * time.Millisecond
	unusedAfter = 3 // polls without a flow, after which an exporter is forgotten
)

// Device is an exporter that is asked.
type Device struct {
	address netip.Addr
	facts   atomic.Pointer[Facts]
	used    atomic.Bool // by a flow, since the last poll

	// Of the poller, under its lock.
	access   *Access
	answered time.Time // the last time
	due      time.Time
	pause    time.Duration // 0 after a success
	polling  bool
	unused   int // polls since a flow has used it
}

// Facts returns what is known, nil if nothing is. Another pointer means that the facts have changed, or that the device
// was forgotten and must be looked up again.
func (d *Device) Facts() *Facts {
	if !d.used.Load() {
		d.used.Store(true)
	}
	return d.facts.Load()
}

// Poller asks devices. Any number of goroutines may use it; Run does the work.
type Poller struct {
	log     *slog.Logger
	options atomic.Pointer[Options]
	polls   [2]atomic.Uint64 // that failed, and that succeeded
	refused atomic.Uint64    // devices for which there was no room

	mu      sync.Mutex
	devices map[netip.Addr]*Device
	saved   map[netip.Addr]kept // from the last run, of exporters from which no flow has come since
	written uint64              // polls at the last write; of Run
	wake    chan struct{}
	running int
	all     sync.WaitGroup
}

// New creates a poller, which asks nobody before Configure and Run.
func New(log *slog.Logger) *Poller {
	p := &Poller{log: log, devices: map[netip.Addr]*Device{}, wake: make(chan struct{}, 1)}
	none := Defaults()
	p.options.Store(&none)
	return p
}

// Configure replaces the options. Exporters whose access has changed are asked again; what is known of them stays.
func (p *Poller) Configure(o Options) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.Keep != "" && o.Keep != p.options.Load().Keep {
		p.load(&o)
	}
	p.options.Store(&o)
	for address, d := range p.devices {
		access, ok := o.Access.Lookup(address)
		if !ok {
			p.forget(d)
		} else if *access != *d.access {
			d.access, d.due, d.pause = access, time.Time{}, 0
		}
	}
	p.awake()
}

func (p *Poller) awake() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// forget removes a device. Whoever still has it sees that its facts have changed, and asks for it again.
func (p *Poller) forget(d *Device) {
	delete(p.devices, d.address)
	d.facts.Store(&gone)
}

// Device returns the device with an address, and has it asked. It returns nil if no access is configured for it, or
// if there are too many.
func (p *Poller) Device(a netip.Addr) *Device {
	if p == nil {
		return nil
	}
	access, ok := p.options.Load().Access.Lookup(a)
	if !ok {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.devices[a]
	if d == nil {
		if len(p.devices) >= maxDevices {
			p.refused.Add(1)
			return nil
		}
		d = &Device{address: a, access: access}
		if k, ok := p.saved[a]; ok {
			delete(p.saved, a)
			d.facts.Store(k.Facts)
			d.answered = k.Answered
		}
		p.devices[a] = d
		p.awake()
	}
	d.used.Store(true)
	return d
}

// Run asks devices until ctx ends.
func (p *Poller) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	write := time.NewTicker(keepEvery)
	defer write.Stop()
	for {
		p.look(ctx, time.Now())
		select {
		case <-ctx.Done():
			p.all.Wait()
			p.save()
			return
		case <-write.C:
			p.save()
		case <-tick.C:
		case <-p.wake:
		}
	}
}

// look begins polls of devices that are due.
func (p *Poller) look(ctx context.Context, now time.Time) {
	o := p.options.Load()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.devices {
		if p.running >= o.Parallel {
			return
		}
		if d.polling || now.Before(d.due) {
			continue
		}
		if d.unused++; d.used.Swap(false) {
			d.unused = 0
		}
		if d.unused >= unusedAfter {
			p.forget(d)
			continue
		}
		d.polling = true
		p.running++
		access := d.access
		p.all.Go(func() {
			limited, cancel := context.WithTimeout(ctx, pollTime)
			defer cancel()
			facts, err := ask(limited, d.address, access, o)
			p.done(d, o, facts, err)
		})
	}
}

// done takes over the result of a poll.
func (p *Poller) done(d *Device, o *Options, facts *Facts, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	d.polling = false
	if p.devices[d.address] != d {
		return
	}
	p.awake()
	now := time.Now()
	if err != nil {
		p.polls[0].Add(1)
		if d.pause == 0 {
			d.pause = firstPause
			p.log.Warn("an exporter does not answer SNMP; it is asked again later", "exporter", d.address.String(), "error", err)
		} else {
			d.pause *= 2
		}
		d.pause = min(d.pause, o.Every)
		d.due = now.Add(d.pause)
		if have := d.facts.Load(); have != nil && now.Sub(d.answered) > o.Expire {
			d.facts.Store(nil)
		}
		return
	}
	p.polls[1].Add(1)
	if d.pause > 0 {
		p.log.Info("an exporter answers SNMP again", "exporter", d.address.String())
	}
	d.pause, d.due = 0, now.Add(o.Every)
	d.answered = now
	if have := d.facts.Load(); have == nil || !have.same(facts) {
		d.facts.Store(facts)
	}
}
