package sflow

import (
	"bytes"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/hotpb/hotpb/flows/internal/capture"
	"github.com/hotpb/hotpb/flows/internal/count"
	"github.com/hotpb/hotpb/flows/internal/flow"
	"github.com/hotpb/hotpb/flows/internal/generate"
	"github.com/hotpb/hotpb/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

type maker func(*layout.Layout, flow.Enricher, *count.Counters) (*Decoder, error)

// decoder makes one for a schema file.
func decoder(t testing.TB, make maker, path string, e flow.Enricher, c *count.Counters) *Decoder {
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

// inputs are captures of sFlow: ours, a generated one, and where there is one, that of an article.
func inputs(t testing.TB) map[string][]flow.Datagram {
	t.Helper()
	all := map[string][]flow.Datagram{
		"pmacctd": read(t, "../../testdata/pmacctd_sflow5.dgrams"), "generated": generated(1, 500),
	}
	if article := articleCapture(); article != "" {
		all["article"] = read(t, article)
	}
	return all
}

// articleCapture is the capture of the article in the folder that HOTPB_DATA names; empty without it.
func articleCapture() string {
	data := os.Getenv("HOTPB_DATA")
	if data == "" {
		return ""
	}
	return filepath.Join(data, "flows/akvorado/data-1140.pcap")
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
