package session

import "time"

// Limits bound what strangers can make the collector keep and do. Start from DefaultLimits: a zero forbids the
// resource, unless the field says otherwise.
type Limits struct {
	Memory      int // bytes kept for all exporters together: an estimate that is never much too low. From 7/8 on, some give way
	PerExporter int // and for one of them
	Exporters   int // addresses and ports at once
	Sessions    int // ports of one address
	Domains     int // observation domains (source ids, engines) of an exporter
	Templates   int // of an exporter
	Fields      int // of a template
	Samplers    int // of an observation domain
	// TemplateRate is how many templates may be bound to the columns in a second for exporters that are not settled: that
	// takes as long as hundreds of flows. Data of further ones waits. For one exporter, a tenth of that may be new or change.
	TemplateRate int

	Waiting     int           // bytes of data that waits for its template, of an exporter, even if others use much
	AllWaiting  int           // and of all exporters
	WaitingTime time.Duration // how long they wait

	// RateWait is how long the records of a domain wait for their sampling rate, from the first one on; 0 for not at
	// all. Waiting and AllWaiting bound their bytes.
	RateWait time.Duration

	// Silent is how long a settled exporter must be silent before others may replace it.
	Silent time.Duration
	// Lifetime is how long a template is kept that is neither used nor sent again. It also applies to sampling rates,
	// and to observation domains without templates.
	Lifetime time.Duration

	ClockSkew    time.Duration // how far the clock of an exporter may be from ours; 0 allows any distance
	SamplingRate uint32        // higher rates are absurd
}

// DefaultLimits suit some thousand exporters.
func DefaultLimits() Limits {
	return Limits{
		Memory: 256 << 20, PerExporter: 8 << 20, Exporters: 16384, Sessions: 1024, Domains: 256,
		Templates: 1024, Fields: 512, Samplers: 256, TemplateRate: 10_000,
		Waiting: 256 << 10, AllWaiting: 128 << 20, WaitingTime: 5 * time.Minute,
		Silent: 10 * time.Minute, Lifetime: 24 * time.Hour,
		ClockSkew: 24 * time.Hour, SamplingRate: 1 << 24,
	}
}
