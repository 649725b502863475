package datagram

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/hotpb/hotpb/examples/flows/internal/capture"
	"github.com/hotpb/hotpb/examples/flows/internal/flow"
)

// An input is a datagram with flows, and those that its exporter has sent before: templates and options.
type input struct {
	templates []flow.Datagram
	data      flow.Datagram
	protocol  flow.Protocol
	flows     int
	about     string
}

// inputs are the cases: the datagrams of the article about Akvorado where they are, beside the repository; else one of a
// capture of ours.
func inputs() map[string]func() (*input, error) {
	articles := func(flows int, files ...string) func() (*input, error) {
		return func() (*input, error) { return article(flows, files) }
	}
	captured := func(file string) func() (*input, error) {
		return func() (*input, error) { return ours(file) }
	}
	return map[string]func() (*input, error){
		"netflow9": either(articles(4, "options-template-257", "options-data-257", "template-260", "data-260"),
			captured("softflowd_netflow9.dgrams")),
		"sflow":    either(articles(5, "data-1140"), captured("pmacctd_sflow5.dgrams")),
		"netflow5": captured("softflowd_netflow5.dgrams"),
		"ipfix":    captured("softflowd_ipfix.dgrams"),
	}
}

func either(first, second func() (*input, error)) func() (*input, error) {
	return func() (*input, error) {
		in, err := first()
		if errors.Is(err, os.ErrNotExist) {
			return second()
		}
		return in, err
	}
}

// root finds the repository from where the program is, or was started.
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
			if _, err := os.Stat(filepath.Join(dir, "examples/flows/flows.yaml")); err == nil {
				return dir, nil
			}
		}
	}
	return "", fmt.Errorf("no repository above %s or %s", program, here)
}

func article(flows int, files []string) (*input, error) {
	root, err := root()
	if err != nil {
		return nil, err
	}
	in := &input{flows: flows, about: fmt.Sprintf("the article's datagram, %d flows", flows)}
	for _, file := range files {
		datagrams, err := read(filepath.Join(root, "../shared/data/flows/akvorado", file+".pcap"))
		if err != nil {
			return nil, err
		}
		in.templates = append(in.templates, datagrams...)
	}
	return in.split(len(in.templates) - 1), nil
}

// ours takes the datagram with the most flows, and those before it.
func ours(file string) (*input, error) {
	root, err := root()
	if err != nil {
		return nil, err
	}
	in := &input{}
	if in.templates, err = read(filepath.Join(root, "examples/flows/testdata", file)); err != nil {
		return nil, err
	}
	best, err := in.most()
	if err != nil {
		return nil, err
	}
	in.about = fmt.Sprintf("a datagram of %s, %d flows", file, in.flows)
	return in.split(best), nil
}

// split makes the datagram at an index the one that is measured. Those before it with flows count as well: they change
// nothing that it depends on.
func (in *input) split(at int) *input {
	in.templates, in.data = in.templates[:at], in.templates[at]
	in.protocol = flow.Detect(in.data.Payload)
	return in
}

// most finds the datagram with the most flows by goflow2.
func (in *input) most() (best int, err error) {
	all := in.templates
	for i := range all {
		c, err := newGoflow2(&input{templates: all[:i], data: all[i]})
		if err != nil {
			return 0, err
		}
		b, err := c.convert()
		if err != nil {
			return 0, err
		}
		messages, err := c.messages(b)
		if err != nil {
			return 0, err
		}
		if len(messages) > in.flows {
			best, in.flows = i, len(messages)
		}
		if i == 20 { // more cost time and are no larger
			break
		}
	}
	return best, nil
}

// read gives all datagrams of a capture.
func read(file string) (all []flow.Datagram, err error) {
	r, err := capture.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		dg, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		// As if one exporter had sent them now: what is there of the capture's times and addresses differs by file.
		dg.Payload = append([]byte(nil), dg.Payload...)
		dg.From = netip.MustParseAddrPort("192.0.2.1:2055")
		dg.Received = time.Unix(1_700_000_000, 0).UTC()
		all = append(all, dg)
	}
}
