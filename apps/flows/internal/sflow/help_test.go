package sflow

import (
	"bytes"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/capture"
	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/generate"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// An appender is one of the ways to decode.
type appender interface {
	Append(dst []byte, dg *flow.Datagram) (out []byte, flows int)
}

type maker[D appender] func(*layout.Layout, flow.Enricher, *count.Counters) (D, error)

// plain is a maker of any appender.
func plain[D appender](make maker[D]) maker[appender] {
	return func(l *layout.Layout, e flow.Enricher, c *count.Counters) (appender, error) { return make(l, e, c) }
}

// decoder makes one for a schema file.
func decoder[D appender](t testing.TB, make maker[D], path string, e flow.Enricher, c *count.Counters) D {
	t.Helper()
	l, err := layout.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := make(l, e, c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// idle is an enricher with nothing to do.
type idle struct{}

func (idle) Enrich(*schema.Record, netip.Addr) {}

// article is the capture of the article about Akvorado; "" if HOTPB_DATA names no folder of data.
func article() string {
	if data := os.Getenv("HOTPB_DATA"); data != "" {
		return filepath.Join(data, "flows/akvorado/data-1140.pcap")
	}
	return ""
}

// inputs are captures of sFlow: ours, a generated one, and where there is one, that of the article.
func inputs(t testing.TB) map[string][]flow.Datagram {
	t.Helper()
	all := map[string][]flow.Datagram{
		"pmacctd": read(t, "../../testdata/pmacctd_sflow5.dgrams"), "generated": generated(1, 500),
	}
	if path := article(); path != "" {
		all["article"] = read(t, path)
	} else {
		t.Log("without the article's capture: HOTPB_DATA is not set")
	}
	return all
}

func read(t testing.TB, path string) (ds []flow.Datagram) {
	t.Helper()
	r, err := capture.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		d, err := r.Next()
		if err == io.EOF {
			return ds
		}
		if err != nil {
			t.Fatal(err)
		}
		d.Payload = bytes.Clone(d.Payload)
		ds = append(ds, d)
	}
}

func generated(seed uint64, n int) (ds []flow.Datagram) {
	g := generate.New(generate.Options{Seed: seed, Protocols: []flow.Protocol{flow.SFlow5}})
	for range n {
		d := g.Next()
		d.Payload = bytes.Clone(d.Payload)
		ds = append(ds, d)
	}
	return ds
}
