package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/output"
)

// outputOptions say where flows go.
type outputOptions struct {
	Output     string              `help:"Output: kafka, file, or stdout (as JSON, for people to read)." enum:"kafka,file,stdout" default:"kafka"`
	Kafka      output.KafkaOptions `embed:"" prefix:"kafka-"`
	File       output.FileOptions  `embed:"" prefix:"file-"`
	QueueBytes int64               `help:"Bytes of flows that may wait for the output." default:"67108864"`
	ChunkBytes int                 `help:"Approximate size in bytes of the chunks in which flows go to the output." default:"262144"`
	ChunkTime  time.Duration       `help:"Longest time before an incomplete chunk goes to the output." default:"200ms"`
}

// check checks options in combination; kong checks commands alone.
func (o *outputOptions) check() error {
	switch {
	case o.ChunkTime < time.Millisecond:
		return errors.New("--chunk-time must be 1ms or more (durations have units: 200ms)")
	case o.ChunkBytes < 1<<10 || o.QueueBytes < int64(o.ChunkBytes):
		return errors.New("--chunk-bytes must be 1024 or more, and --queue-bytes must not be less than --chunk-bytes")
	case o.Output == "kafka":
		return o.Kafka.Check()
	case o.Output == "file":
		return o.File.Check()
	}
	return nil
}

func (o *outputOptions) open(q *output.Queue, c *count.Counters, log *slog.Logger) (output.Output, error) {
	switch o.Output {
	case "file":
		return output.NewFile(o.File, q, c, log)
	case "stdout":
		return output.NewJSON(os.Stdout, q, c, log), nil
	}
	return output.NewKafka(o.Kafka, q, c, log)
}

// decodeOptions limit what exporters can make the collector keep.
type decodeOptions struct {
	MaxExporters int           `help:"Maximum number of exporters (addresses and ports) known at once." default:"16384"`
	MaxTemplates int           `help:"Maximum number of templates of one exporter." default:"1024"`
	MaxMemory    int           `help:"Maximum bytes of memory kept for all exporters together." default:"268435456"`
	WaitingBytes int           `help:"Bytes of data that each exporter may keep in any case while the data's template or sampling rate has not come." default:"262144"`
	WaitingTotal int           `help:"The same for all exporters together; an exporter may use more than its own share while half of this is free." default:"134217728"`
	WaitingTime  time.Duration `help:"How long such data is kept." default:"5m"`
	ExporterKey  string        `help:"What identifies an exporter: session (address and port, as RFC 7011 has it), or address, for those that send templates and data from different ports." enum:"session,address" default:"session"`
	TemplateTime time.Duration `help:"How long a template is kept that is neither used nor sent again." default:"24h"`
	ClockSkew    time.Duration `help:"How far an exporter's clock may be off; 0 allows any difference." default:"24h"`
	MaxSampling  uint32        `help:"Highest sampling rate, as N of 1:N; higher ones are treated as mistakes." default:"16777216"`

	SamplingDefault  []string      `help:"Sampling rates, as N of 1:N, of exporters that report none, by prefix of their addresses; the longest prefix counts." placeholder:"PREFIX=N" group:"Sampling"`
	SamplingOverride []string      `help:"Sampling rates that count whatever the exporters report." placeholder:"PREFIX=N" group:"Sampling"`
	SamplingWait     time.Duration `help:"How long flows of an observation domain wait for their first sampling rate; then they go out with the default rate, or with none." default:"10s" group:"Sampling"`
}

// check refuses limits that would forbid everything, and sampling rates that are none.
func (o *decodeOptions) check() error {
	for _, limit := range []struct {
		flag         string
		value, least int64
	}{
		{"max-exporters", int64(o.MaxExporters), 1}, {"max-templates", int64(o.MaxTemplates), 1}, {"max-memory", int64(o.MaxMemory), 1},
		{"waiting-bytes", int64(o.WaitingBytes), 0}, {"waiting-total", int64(o.WaitingTotal), 0}, {"max-sampling", int64(o.MaxSampling), 1},
	} {
		if limit.value < limit.least {
			return fmt.Errorf("--%s=%d: it must be %d or more", limit.flag, limit.value, limit.least)
		}
	}
	switch {
	case o.WaitingTime < 0 || o.ClockSkew < 0 || o.SamplingWait < 0:
		return errors.New("--waiting-time, --clock-skew and --sampling-wait must not be negative")
	case o.TemplateTime <= 0:
		return errors.New("--template-time must be longer than 0")
	}
	_, err := o.rules()
	return err
}

func (o *decodeOptions) limits() session.Limits {
	l := session.DefaultLimits()
	l.Exporters, l.Templates, l.Memory = o.MaxExporters, o.MaxTemplates, o.MaxMemory
	l.Waiting, l.WaitingTime, l.Lifetime = o.WaitingBytes, o.WaitingTime, o.TemplateTime
	l.AllWaiting = o.WaitingTotal
	l.ClockSkew, l.SamplingRate, l.RateWait = o.ClockSkew, o.MaxSampling, o.SamplingWait
	return l
}

// rules are the operator's sampling rates.
func (o *decodeOptions) rules() (*sampling.Rules, error) {
	r := &sampling.Rules{}
	for _, list := range []struct {
		flag  string
		rules []string
		add   func(netip.Prefix, float64)
	}{{"--sampling-default", o.SamplingDefault, r.Default}, {"--sampling-override", o.SamplingOverride, r.Override}} {
		for _, text := range list.rules {
			prefix, rate, err := sampling.ParseRule(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", list.flag, err)
			}
			list.add(prefix, rate)
		}
	}
	return r, nil
}
