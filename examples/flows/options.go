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
	Output     string              `help:"kafka, file, or stdout (as JSON, to look at)." enum:"kafka,file,stdout" default:"kafka"`
	Kafka      output.KafkaOptions `embed:"" prefix:"kafka-"`
	File       output.FileOptions  `embed:"" prefix:"file-"`
	QueueBytes int64               `help:"Bytes of flows that may wait for the output." default:"67108864"`
	ChunkBytes int                 `help:"Flows are handed to the output in chunks of about so many bytes." default:"262144"`
	ChunkTime  time.Duration       `help:"But after so long at the latest." default:"200ms"`
}

// check is of the options together; kong asks commands alone.
func (o *outputOptions) check() error {
	switch {
	case o.ChunkTime < time.Millisecond:
		return errors.New("--chunk-time is 1ms or more (durations have units: 200ms)")
	case o.ChunkBytes < 1<<10 || o.QueueBytes < int64(o.ChunkBytes):
		return errors.New("--chunk-bytes is 1024 or more, and --queue-bytes not less than that")
	}
	return nil
}

func (o *outputOptions) open(q *output.Queue, c *count.Counters, log *slog.Logger) (output.Output, error) {
	switch o.Output {
	case "file":
		if o.File.Folder == "" {
			return nil, errors.New("--file-folder is missing: say where the files go")
		}
		return output.NewFile(o.File, q, c, log)
	case "stdout":
		return output.NewJSON(os.Stdout, q, c, log), nil
	}
	return output.NewKafka(o.Kafka, q, c, log)
}

// decodeOptions bound what exporters can make the collector keep.
type decodeOptions struct {
	MaxExporters int           `help:"Exporters (addresses and ports) known at once." default:"16384"`
	MaxTemplates int           `help:"Templates of one exporter." default:"1024"`
	MaxMemory    int           `help:"Bytes kept for all exporters together." default:"268435456"`
	WaitingBytes int           `help:"Bytes of data kept for each exporter whose template has not come yet." default:"262144"`
	WaitingTime  time.Duration `help:"How long such data is kept." default:"5m"`
	TemplateTime time.Duration `help:"How long a template is kept that is neither used nor sent again." default:"24h"`
	ClockSkew    time.Duration `help:"How far an exporter's clock may be off; 0 is any." default:"24h"`
	MaxSampling  uint32        `help:"Sampling rates higher than 1:N are taken for mistakes." default:"16777216"`
}

func (o *decodeOptions) limits() decode.Limits {
	l := decode.DefaultLimits()
	l.Exporters, l.Templates, l.Memory = o.MaxExporters, o.MaxTemplates, o.MaxMemory
	l.Waiting, l.WaitingTime, l.Lifetime = o.WaitingBytes, o.WaitingTime, o.TemplateTime
	l.ClockSkew, l.SamplingRate = o.ClockSkew, o.MaxSampling
	return l
}
