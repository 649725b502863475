package output

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// KafkaOptions say where and how. The tags are those of the command line.
type KafkaOptions struct {
	Brokers     []string      `help:"Brokers to begin with." default:"localhost:9092"`
	Topic       string        `help:"What the topics' names begin with; behind it stands the wire hash of the schema." default:"flows"`
	Compression string        `help:"Of batches." enum:"none,gzip,snappy,lz4,zstd" default:"lz4"`
	RecordBytes int           `help:"How large a record is at most; it has many flows." default:"240000"`
	BatchBytes  int           `help:"How large a batch is at most, uncompressed: no more than the brokers' message.max.bytes." default:"1000000"`
	Timeout     time.Duration `help:"How long flows wait for brokers." default:"2m"`
	Linger      time.Duration `help:"How long a batch waits for more flows." default:"10ms"`

	Create      bool  `help:"Make topics that are not there." default:"true" negatable:""`
	Partitions  int32 `help:"Of topics that are made; 0 leaves it to the brokers."`
	Replication int16 `help:"Of topics that are made; 0 leaves it to the brokers."`

	TLS           bool   `help:"Encrypt."`
	CA            string `help:"File with the certificates that brokers are known by, instead of the system's." type:"path"`
	Cert          string `help:"File with the certificate that the brokers know us by." type:"path"`
	Key           string `help:"File with its key." type:"path"`
	TLSServerName string `help:"Name in the brokers' certificates, where it is not that of their address."`

	SASL     string `help:"How to log in." enum:"none,plain,scram-sha-256,scram-sha-512" default:"none"`
	User     string `help:"To log in with."`
	Password string `help:"To log in with."`
}

// batchOverhead is more than what a batch has beside the value of its only record.
const batchOverhead = 256

// largest is how large the value of a record can be.
func (o *KafkaOptions) largest() int { return o.BatchBytes - batchOverhead }

func (o *KafkaOptions) partitions() int32 {
	if o.Partitions == 0 {
		return -1
	}
	return o.Partitions
}

func (o *KafkaOptions) replication() int16 {
	if o.Replication == 0 {
		return -1
	}
	return o.Replication
}

var compressions = map[string]func() kgo.CompressionCodec{
	"none": kgo.NoCompression, "gzip": kgo.GzipCompression, "snappy": kgo.SnappyCompression,
	"lz4": kgo.Lz4Compression, "zstd": kgo.ZstdCompression,
}

// client makes the options of the client.
func (o *KafkaOptions) client(log *slog.Logger) ([]kgo.Opt, error) {
	codec, known := compressions[o.Compression]
	switch {
	case !known:
		return nil, fmt.Errorf("there is no compression %q", o.Compression)
	case o.Topic == "":
		return nil, errors.New("the topic has no name")
	case o.RecordBytes < 1 || o.RecordBytes > o.largest():
		return nil, fmt.Errorf("records of %d bytes do not go into batches of %d", o.RecordBytes, o.BatchBytes)
	case o.Timeout < time.Second:
		return nil, fmt.Errorf("the brokers have only %v to answer", o.Timeout)
	}
	options := []kgo.Opt{
		kgo.SeedBrokers(o.Brokers...),
		kgo.ClientID("flows"),
		kgo.RequiredAcks(kgo.AllISRAcks()), // and idempotent, as is the default
		kgo.ProducerBatchCompression(codec(), kgo.NoCompression()),
		kgo.ProducerBatchMaxBytes(int32(o.BatchBytes)),
		kgo.RecordDeliveryTimeout(o.Timeout),
		kgo.ProducerLinger(o.Linger),
		kgo.MetadataMinAge(time.Second), // topics and leaders that are gone are noticed in seconds
		kgo.WithLogger(logger{log}),
	}
	switch o.SASL {
	case "", "none":
	case "plain":
		options = append(options, kgo.SASL(plain.Auth{User: o.User, Pass: o.Password}.AsMechanism()))
	case "scram-sha-256":
		options = append(options, kgo.SASL(scram.Auth{User: o.User, Pass: o.Password}.AsSha256Mechanism()))
	case "scram-sha-512":
		options = append(options, kgo.SASL(scram.Auth{User: o.User, Pass: o.Password}.AsSha512Mechanism()))
	default:
		return nil, fmt.Errorf("there is no way to log in called %q", o.SASL)
	}
	if o.TLS {
		config, err := o.tls()
		if err != nil {
			return nil, err
		}
		options = append(options, kgo.DialTLSConfig(config))
	}
	return options, nil
}

func (o *KafkaOptions) tls() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: o.TLSServerName}
	if o.CA != "" {
		text, err := os.ReadFile(o.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: there is no certificate in it", o.CA)
		}
	}
	if o.Cert != "" || o.Key != "" {
		pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// logger hands on what the client of Kafka warns of.
type logger struct{ *slog.Logger }

// Level is what is asked for.
func (l logger) Level() kgo.LogLevel {
	if l.Enabled(context.Background(), slog.LevelDebug) {
		return kgo.LogLevelDebug
	}
	return kgo.LogLevelWarn
}

// Log is called by the client.
func (l logger) Log(level kgo.LogLevel, message string, pairs ...any) {
	to := slog.LevelDebug
	switch level {
	case kgo.LogLevelError:
		to = slog.LevelError
	case kgo.LogLevelWarn:
		to = slog.LevelWarn
	}
	l.Logger.Log(context.Background(), to, "Kafka: "+message, pairs...)
}
