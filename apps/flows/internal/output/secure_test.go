package output

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
)

// certificate makes one of 127.0.0.1 that signs itself, and a file with it.
func certificate(t *testing.T) (c tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "broker"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

func TestBrokersThatAskForTLSAndAPasswordAreWrittenTo(t *testing.T) {
	own, ca := certificate(t)
	for name, method := range map[string]string{"plain": "PLAIN", "scram-sha-256": "SCRAM-SHA-256", "scram-sha-512": "SCRAM-SHA-512"} {
		cluster := newCluster(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{own}}), kfake.EnableSASL(),
			kfake.Superuser(method, "flows", "secret"), kfake.Superuser("PLAIN", "reader", "secret"))
		b := newBench(t, cluster, func(o *KafkaOptions) {
			o.TLS, o.CA, o.SASL, o.User, o.Password = true, ca, name, "flows", "secret"
		})
		b.send(b.chunk(100, 20))
		if err := b.close(20 * time.Second); err != nil {
			t.Fatal(name, err)
		}
		b.want(0, 0)
		pool := x509.NewCertPool()
		text, _ := os.ReadFile(ca)
		pool.AppendCertsFromPEM(text)
		flows, _ := b.read(cluster, kgo.DialTLSConfig(&tls.Config{RootCAs: pool}),
			kgo.SASL(plain.Auth{User: "reader", Pass: "secret"}.AsMechanism()))
		b.complete(flows)
	}
}

// Nothing is sent to a broker that is not who it should be, or lets us not in.
func TestBrokersThatCannotBeTrustedAreNotWrittenTo(t *testing.T) {
	t.Parallel()
	own, ca := certificate(t)
	_, stranger := certificate(t)
	cluster := newCluster(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{own}}), kfake.EnableSASL(),
		kfake.Superuser("PLAIN", "flows", "secret"))
	for name, change := range map[string]func(*KafkaOptions){
		"another certificate": func(o *KafkaOptions) { o.CA = stranger },
		"a wrong password":    func(o *KafkaOptions) { o.Password = "guess" },
		"no TLS":              func(o *KafkaOptions) { o.TLS, o.CA = false, "" },
	} {
		b := newBench(t, cluster, func(o *KafkaOptions) {
			o.TLS, o.CA, o.SASL, o.User, o.Password, o.Timeout = true, ca, "plain", "flows", "secret", time.Second
			change(o)
		})
		b.send(b.chunk(10, 10))
		if err := b.close(20 * time.Second); err != nil {
			t.Error(name, err)
		}
		if b.counts.Delivered.Load() != 0 || b.dropped() != 10 {
			t.Errorf("%s: %d delivered, lost: %s", name, b.counts.Delivered.Load(), b.drops())
		}
	}
}

func TestOptionsThatCannotBeAreRefused(t *testing.T) {
	_, ca := certificate(t)
	for want, change := range map[string]func(*KafkaOptions){
		`unknown compression "lzma"`:                      func(o *KafkaOptions) { o.Compression = "lzma" },
		"--kafka-brokers is empty":                        func(o *KafkaOptions) { o.Brokers = []string{""} },
		"--kafka-topic= cannot":                           func(o *KafkaOptions) { o.Topic = "" },
		"--kafka-topic=a b cannot":                        func(o *KafkaOptions) { o.Topic = "a b" },
		"--kafka-record-bytes=1000: it must be from 1 to": func(o *KafkaOptions) { o.BatchBytes = 1000 },
		"--kafka-timeout must be 1s or more":              func(o *KafkaOptions) { o.Timeout = time.Millisecond },
		"--kafka-partitions":                              func(o *KafkaOptions) { o.Partitions = -1 },
		`unknown SASL mechanism "kerberos"`:               func(o *KafkaOptions) { o.SASL, o.User = "kerberos", "u" },
		"--kafka-sasl=plain needs --kafka-user":           func(o *KafkaOptions) { o.SASL = "plain" },
		"--kafka-user needs --kafka-sasl":                 func(o *KafkaOptions) { o.SASL, o.User = "none", "u" },
		"need --kafka-tls":                                func(o *KafkaOptions) { o.CA = ca },
		"no such file":                                    func(o *KafkaOptions) { o.TLS, o.CA = true, "/nowhere" },
		"the file contains no certificate":                func(o *KafkaOptions) { o.TLS, o.CA = true, "secure_test.go" },
		"need each other":                                 func(o *KafkaOptions) { o.TLS, o.CA, o.Cert = true, ca, ca },
		"--kafka-key=/nowhere: open":                      func(o *KafkaOptions) { o.TLS, o.CA, o.Cert, o.Key = true, ca, ca, "/nowhere" },
	} {
		o := KafkaOptions{Brokers: []string{"127.0.0.1:1"}, Topic: "t", Compression: "none", RecordBytes: 1000, BatchBytes: 1 << 20, Timeout: time.Second}
		change(&o)
		if _, err := NewKafka(o, NewQueue(1), &count.Counters{}, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A broker that takes what it is sent and says nothing does not hold up the end.
func TestABrokerThatHangsIsNotWaitedForLongerThanAllowed(t *testing.T) {
	cluster := newCluster(t)
	b := newBench(t, cluster, nil)
	b.send(b.chunk(10, 10))
	for b.counts.Delivered.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	release := make(chan struct{})
	defer close(release)
	cluster.ControlKey(0, hang(cluster, release))
	b.send(b.chunk(10, 10))
	time.Sleep(100 * time.Millisecond)
	began := time.Now()
	if err := b.close(100 * time.Millisecond); err != context.DeadlineExceeded {
		t.Error(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Error("it took", took)
	}
	b.want(count.Shutdown, 10)
}
