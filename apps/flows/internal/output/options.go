package output

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"regexp"
	"slices"
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

// topicName is what Kafka allows; a hash of 17 characters follows the prefix.
var topicName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,232}$`)

// Check refuses options that cannot work with any broker, and those that would do nothing.
func (o *KafkaOptions) Check() error {
	login := o.SASL != "" && o.SASL != "none"
	switch {
	case len(o.Brokers) == 0 || slices.Contains(o.Brokers, ""):
		return errors.New("--kafka-brokers is empty: write HOST:PORT of one or more brokers")
	case compressions[o.Compression] == nil:
		return fmt.Errorf("unknown compression %q; use none, gzip, snappy, lz4 or zstd", o.Compression)
	case !topicName.MatchString(o.Topic):
		return fmt.Errorf("--kafka-topic=%s cannot be the name of a topic: write 1 to 232 letters, digits, dots, hyphens and underscores", o.Topic)
	case o.BatchBytes > math.MaxInt32:
		return fmt.Errorf("--kafka-batch-bytes=%d: it must be %d or less", o.BatchBytes, math.MaxInt32)
	case o.RecordBytes < 1 || o.RecordBytes > o.largest():
		return fmt.Errorf("--kafka-record-bytes=%d: it must be from 1 to %d, which is what --kafka-batch-bytes leaves", o.RecordBytes, o.largest())
	case o.Timeout < time.Second || o.Linger < 0:
		return errors.New("--kafka-timeout must be 1s or more, so that the brokers can answer, and --kafka-linger must not be negative")
	case o.Partitions < 0 || o.Replication < 0:
		return errors.New("--kafka-partitions and --kafka-replication must not be negative")
	case !o.TLS && o.CA+o.Cert+o.Key+o.TLSServerName != "":
		return errors.New("--kafka-ca, --kafka-cert, --kafka-key and --kafka-tls-server-name need --kafka-tls; without it nothing is encrypted")
	case login && o.User == "":
		return fmt.Errorf("--kafka-sasl=%s needs --kafka-user", o.SASL)
	case !login && o.User != "":
		return errors.New("--kafka-user needs --kafka-sasl; without it nobody logs in")
	case (o.Cert == "") != (o.Key == ""):
		return errors.New("--kafka-cert and --kafka-key need each other")
	}
	return nil
}

// client returns the options of the client.
func (o *KafkaOptions) client(log *slog.Logger) ([]kgo.Opt, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	options := []kgo.Opt{
		kgo.SeedBrokers(o.Brokers...),
		kgo.ClientID("flows"),
		kgo.RequiredAcks(kgo.AllISRAcks()), // and idempotent, as is the default
		kgo.ProducerBatchCompression(compressions[o.Compression](), kgo.NoCompression()),
		kgo.ProducerBatchMaxBytes(int32(o.BatchBytes)),
		kgo.RecordDeliveryTimeout(o.Timeout),
		kgo.ProducerLinger(o.Linger),
		kgo.MetadataMinAge(time.Second), // so that topics and leaders that are gone are noticed in seconds
		kgo.WithLogger(&logger{Logger: log}),
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
			return nil, fmt.Errorf("--kafka-ca: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--kafka-ca: %s: the file contains no certificate (it must be PEM)", o.CA)
		}
	}
	if o.Cert != "" || o.Key != "" {
		pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, fmt.Errorf("--kafka-cert=%s, --kafka-key=%s: %w", o.Cert, o.Key, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
