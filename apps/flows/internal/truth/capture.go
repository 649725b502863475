package truth

import (
	"errors"
	"io"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/capture"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Capture is what one exporter has sent.
type Capture struct {
	Datagrams []flow.Datagram
	Sums      []Sum // of each
}

// Read reads the captures of one exporter, one after the other.
func Read(files ...string) (*Capture, error) {
	exporter, err := NewExporter()
	if err != nil {
		return nil, err
	}
	c := &Capture{}
	for _, file := range files {
		if err := c.add(exporter, file); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Capture) add(exporter *Exporter, file string) error {
	r, err := capture.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	for {
		dg, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		dg.Payload = slices.Clone(dg.Payload)
		sum, err := exporter.Of(&dg)
		if err != nil {
			return err
		}
		c.Datagrams, c.Sums = append(c.Datagrams, dg), append(c.Sums, sum)
	}
}

// Sum returns the sum of all.
func (c *Capture) Sum() (all Sum) {
	for _, s := range c.Sums {
		all.Add(s)
	}
	return all
}
