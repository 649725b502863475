package decode

import "time"

// Limits bound what strangers can make the collector keep and do. Start from DefaultLimits: a zero means none of it,
// where nothing else is said.
type Limits struct {
	Memory       int // bytes kept for all exporters together: an estimate that is never too low by much
	PerExporter  int // and for one of them
	Exporters    int // addresses and ports at once
	Sessions     int // ports of one address
	Domains      int // observation domains (source ids, engines) of an exporter
	Templates    int // of an exporter
	AllTemplates int // templates of all exporters
	Fields       int // of a template
	Samplers     int // of an observation domain
	// TemplateRate is how many templates may be new or change in a second, of all exporters together; of one exporter, a
	// tenth of that. To bind one takes as long as hundreds of flows.
	TemplateRate int

	Waiting     int           // bytes of data sets that wait for their template, of an exporter
	AllWaiting  int           // and of all exporters
	WaitingTime time.Duration // how long they wait

	// Silent is how long an exporter has to be silent before another one may have its place, unless it never gave a flow
	// or a template: those make room at once. Whoever makes up addresses and flows can thus keep new exporters out for so
	// long, but never push out one that is heard.
	Silent time.Duration
	// Lifetime is how long a template is kept that is neither used nor sent again, a sampling rate likewise, and an
	// observation domain that has none.
	Lifetime time.Duration

	ClockSkew    time.Duration // how far the clock of an exporter may be from ours; 0 is any
	SamplingRate uint32        // higher rates are absurd
}

// DefaultLimits are for some thousand exporters.
func DefaultLimits() Limits {
	return Limits{
		Memory: 256 << 20, PerExporter: 8 << 20, Exporters: 16384, Sessions: 1024, Domains: 256,
		Templates: 1024, AllTemplates: 65536, Fields: 512, Samplers: 256, TemplateRate: 10_000,
		Waiting: 256 << 10, AllWaiting: 32 << 20, WaitingTime: 5 * time.Minute,
		Silent: 10 * time.Minute, Lifetime: 24 * time.Hour,
		ClockSkew: 24 * time.Hour, SamplingRate: 1 << 24,
	}
}
