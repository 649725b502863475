package main

import (
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/hotpb/hotpb/examples/flows/internal/count"
	"github.com/hotpb/hotpb/examples/flows/internal/decode"
	"github.com/hotpb/hotpb/examples/flows/internal/output"
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
	}
	return nil
}

func (o *outputOptions) open(q *output.Queue, c *count.Counters, log *slog.Logger) (output.Output, error) {
	switch o.Output {
	case "file":
		if o.File.Folder == "" {
			return nil, errors.New("--file-folder is missing: set the folder for the files")
		}
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
	WaitingBytes int           `help:"Maximum bytes of data kept for each exporter while the data's template has not come." default:"262144"`
	WaitingTime  time.Duration `help:"How long such data is kept." default:"5m"`
	TemplateTime time.Duration `help:"How long a template is kept that is neither used nor sent again." default:"24h"`
	ClockSkew    time.Duration `help:"How far an exporter's clock may be off; 0 allows any difference." default:"24h"`
	MaxSampling  uint32        `help:"Highest sampling rate, as N of 1:N; higher ones are treated as mistakes." default:"16777216"`
}

func (o *decodeOptions) limits() decode.Limits {
	l := decode.DefaultLimits()
	l.Exporters, l.Templates, l.Memory = o.MaxExporters, o.MaxTemplates, o.MaxMemory
	l.Waiting, l.WaitingTime, l.Lifetime = o.WaitingBytes, o.WaitingTime, o.TemplateTime
	l.ClockSkew, l.SamplingRate = o.ClockSkew, o.MaxSampling
	return l
}
