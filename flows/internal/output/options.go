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

// KafkaOptions configure the output to Kafka. The tags describe the command line.
type KafkaOptions struct {
	Brokers     []string      `help:"Brokers to connect to first." default:"localhost:9092"`
	Topic       string        `help:"Prefix of the topics' names; the wire hash of the schema follows." default:"flows"`
	Compression string        `help:"Compression of batches: none, gzip, snappy, lz4 or zstd." enum:"none,gzip,snappy,lz4,zstd" default:"lz4"`
	RecordBytes int           `help:"Maximum size of a record in bytes; a record has many flows." default:"240000"`
	BatchBytes  int           `help:"Maximum size of an uncompressed batch in bytes; at most the brokers' message.max.bytes." default:"1000000"`
	Timeout     time.Duration `help:"How long flows wait for brokers that cannot be reached." default:"2m"`
	Linger      time.Duration `help:"How long a batch waits for more flows." default:"10ms"`

	Create      bool  `help:"Create missing topics." default:"true" negatable:""`
	Partitions  int32 `help:"Partitions of created topics; 0 leaves the number to the brokers."`
	Replication int16 `help:"Replication factor of created topics; 0 leaves it to the brokers."`

	TLS           bool   `help:"Connect with TLS."`
	CA            string `help:"File with the CA certificates that verify the brokers, instead of the system's." type:"path"`
	Cert          string `help:"File with the client certificate." type:"path"`
	Key           string `help:"File with the key of the client certificate." type:"path"`
	TLSServerName string `help:"Name in the brokers' certificates, if it differs from their address."`

	SASL     string `help:"SASL mechanism to log in with: none, plain, scram-sha-256 or scram-sha-512." enum:"none,plain,scram-sha-256,scram-sha-512" default:"none"`
	User     string `help:"User name to log in with."`
	Password string `help:"Password to log in with."`
}

// batchOverhead is more than a batch needs besides the value of its only record.
const batchOverhead = 256

// largest is the maximum size of a record's value.
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

// client returns the options of the client.
func (o *KafkaOptions) client(log *slog.Logger) ([]kgo.Opt, error) {
	codec, known := compressions[o.Compression]
	switch {
	case !known:
		return nil, fmt.Errorf("unknown compression %q; use none, gzip, snappy, lz4 or zstd", o.Compression)
	case o.Topic == "":
		return nil, errors.New("the topic has no name")
	case o.RecordBytes < 1 || o.RecordBytes > o.largest():
		return nil, fmt.Errorf("records of %d bytes do not fit into batches of %d bytes", o.RecordBytes, o.BatchBytes)
	case o.Timeout < time.Second:
		return nil, fmt.Errorf("a timeout of %v is too short for the brokers to answer", o.Timeout)
	}
	options := []kgo.Opt{
		kgo.SeedBrokers(o.Brokers...),
		kgo.ClientID("flows"),
		kgo.RequiredAcks(kgo.AllISRAcks()), // and idempotent, as is the default
		kgo.ProducerBatchCompression(codec(), kgo.NoCompression()),
		kgo.ProducerBatchMaxBytes(int32(o.BatchBytes)),
		kgo.RecordDeliveryTimeout(o.Timeout),
		kgo.ProducerLinger(o.Linger),
		kgo.MetadataMinAge(time.Second), // so that topics and leaders that are gone are noticed in seconds
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
		return nil, fmt.Errorf("unknown SASL mechanism %q; use none, plain, scram-sha-256 or scram-sha-512", o.SASL)
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
			return nil, fmt.Errorf("%s: the file contains no certificate", o.CA)
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

// logger passes on the warnings of the Kafka client.
type logger struct{ *slog.Logger }

// Level returns the level to log.
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
