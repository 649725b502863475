package main

import (
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"time"

	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"

	"github.com/hotpb/hotpb/apps/flows/internal/capture"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/generate"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

// captures are the files of testdata and the senders to use for them, because the files do not name any.
var captures = []struct {
	file string
	from netip.AddrPort
}{
	{"softflowd_netflow5.dgrams", netip.MustParseAddrPort("192.0.2.205:2055")},
	{"softflowd_netflow9.dgrams", netip.MustParseAddrPort("192.0.2.209:2055")},
	{"softflowd_ipfix.dgrams", netip.MustParseAddrPort("192.0.2.210:4739")},
	{"pmacctd_sflow5.dgrams", netip.MustParseAddrPort("192.0.2.206:6343")}, // in which pmacctd names its agent
}

// captured replays the captures through feed, and returns what goflow2, an independent program, has read in them.
func captured(folder string, feed func(source) error) (account, error) {
	in := account{}
	for _, c := range captures {
		path := filepath.Join(folder, c.file)
		if err := inCapture(in, path, c.from); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		r, err := capture.Open(path)
		if err != nil {
			return nil, err
		}
		r.From = c.from
		err = feed(r)
		r.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return in, nil
}

// source returns datagrams.
type source interface {
	Next() (flow.Datagram, error)
}

func inCapture(in account, path string, from netip.AddrPort) error {
	r, err := capture.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	r.From = from
	exporter, err := truth.NewExporter()
	if err != nil {
		return err
	}
	for {
		dg, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		err = exporter.Produce(&dg, func(m *protoproducer.ProtoProducerMessage) error {
			address, ok := netip.AddrFromSlice(m.SamplerAddress)
			if !ok {
				return fmt.Errorf("a flow without exporter: %v", m.SamplerAddress)
			}
			in.add(address, truth.SumOf(&m.FlowMessage))
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// generated feeds generated datagrams until they have the number of flows, and returns the generator's own account
// of them.
func generated(seed uint64, flows int, feed func(source) error) (account, error) {
	g := generate.New(generate.Options{Seed: seed, Start: time.Now().Add(-time.Hour).Truncate(time.Hour)})
	if err := feed(&bounded{g, uint64(flows)}); err != nil {
		return nil, err
	}
	in := account{}
	for _, e := range g.Exporters() {
		in.add(e.Address, truth.Sum{Flows: e.Flows, Bytes: e.Bytes, Packets: e.Packets})
	}
	return in, nil
}

// bounded is a generator with an end.
type bounded struct {
	*generate.Generator
	flows uint64
}

func (b *bounded) Next() (flow.Datagram, error) {
	if b.Sums().Flows >= b.flows {
		return flow.Datagram{}, io.EOF
	}
	return b.Generator.Next(), nil
}
