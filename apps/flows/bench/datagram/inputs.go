package datagram

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/generate"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

// An input is a datagram with flows, and the exporter's earlier datagrams: templates and options.
type input struct {
	templates []flow.Datagram
	data      flow.Datagram
	protocol  flow.Protocol
	flows     int
	about     string
}

// inputs are the cases: the datagrams of the article about Akvorado if HOTPB_DATA names the folder that has them; else a
// datagram from one of our captures or from the generator.
func inputs() map[string]func() (*input, error) {
	capture := func(file string) func() (*input, error) {
		return func() (*input, error) {
			root, err := root()
			if err != nil {
				return nil, err
			}
			return read(filepath.Join(root, "apps/flows/testdata"), file)
		}
	}
	cases := map[string]func() (*input, error){
		"netflow9": capture("softflowd_netflow9.dgrams"),
		"sflow":    made(flow.SFlow5), // goflow2 reads no header of our capture
		"netflow5": capture("softflowd_netflow5.dgrams"),
		"ipfix":    capture("softflowd_ipfix.dgrams"),
	}
	if data := os.Getenv("HOTPB_DATA"); data != "" {
		article := filepath.Join(data, "flows/akvorado")
		cases["netflow9"] = func() (*input, error) {
			return read(article, "options-template-257.pcap", "options-data-257.pcap", "template-260.pcap", "data-260.pcap")
		}
		cases["sflow"] = func() (*input, error) { return read(article, "data-1140.pcap") }
	}
	return cases
}

// made is the datagram with the most flows among the first ones of a generated exporter.
func made(p flow.Protocol) func() (*input, error) {
	return func() (*input, error) {
		g := generate.New(generate.Options{Seed: 1, Exporters: 1, Protocols: []flow.Protocol{p}})
		best, all, before := 0, []flow.Datagram{}, uint64(0)
		flows := []int{}
		for range 100 {
			d := g.Next()
			d.Payload = bytes.Clone(d.Payload)
			now := g.Exporters()[0].Flows
			all, flows, before = append(all, d), append(flows, int(now-before)), now
			if i := len(flows) - 1; flows[i] > flows[best] {
				best = i
			}
		}
		about := fmt.Sprintf("%d flows, generated", flows[best])
		return &input{templates: all[:best], data: all[best], protocol: p, flows: flows[best], about: about}, nil
	}
}

// root finds the repository from the folder of the program, or from the working directory.
func root() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for _, dir := range []string{filepath.Dir(program), here} {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, "apps/flows/flows.yaml")); err == nil {
				return dir, nil
			}
		}
	}
	return "", fmt.Errorf("neither %s nor %s is inside the repository", program, here)
}

// read uses the datagram with the most flows of an exporter's captures, and those before it, whose flows do not
// affect the result. All are read as if one exporter had sent them at one time, because the files differ in
// senders and times.
func read(folder string, files ...string) (*input, error) {
	paths := make([]string, len(files))
	for i, file := range files {
		paths[i] = filepath.Join(folder, file)
	}
	c, err := truth.Read(paths...)
	if err != nil {
		return nil, err
	}
	best := 0
	for i, s := range c.Sums {
		c.Datagrams[i].From = netip.MustParseAddrPort("192.0.2.1:2055")
		if t, ok := exported(c.Datagrams[i].Payload); ok {
			c.Datagrams[i].Received = t
		}
		if s.Flows > c.Sums[best].Flows {
			best = i
		}
	}
	in := &input{templates: c.Datagrams[:best], data: c.Datagrams[best], flows: int(c.Sums[best].Flows)}
	in.protocol = flow.Detect(in.data.Payload)
	in.about = fmt.Sprintf("%d flows, %s", in.flows, files[len(files)-1])
	return in, nil
}

// exported is the time in the header; sFlow has none.
func exported(payload []byte) (time.Time, bool) {
	at := map[flow.Protocol]int{flow.NetFlow5: 8, flow.NetFlow9: 8, flow.IPFIX: 4}[flow.Detect(payload)]
	if at == 0 || len(payload) < at+4 {
		return time.Time{}, false
	}
	return time.Unix(int64(binary.BigEndian.Uint32(payload[at:])), 0), true
}
