package datagram

import (
	"path/filepath"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/stage"
)

func loadLayout() (*layout.Layout, error) {
	root, err := root()
	if err != nil {
		return nil, err
	}
	return layout.Load(filepath.Join(root, "apps/flows/flows.yaml"))
}

// newFused is the collector's own decoder.
func newFused(in *input) (converter, error) {
	l, err := loadLayout()
	if err != nil {
		return converter{}, err
	}
	return newOurs(in, l, nil, "the collector's decoder, flows.yaml; one buffer")
}

// newEnriched is the same with the tables of the repository: networks and AS numbers by the longest prefix of both
// addresses, names by both interfaces.
func newEnriched(in *input) (converter, error) {
	l, err := loadLayout()
	if err != nil {
		return converter{}, err
	}
	folder := filepath.Dir(l.Path)
	tables, err := stage.Load(stage.Files{
		Prefixes: filepath.Join(folder, "prefixes.csv"), Interfaces: filepath.Join(folder, "interfaces.csv"),
	}, nil)
	if err != nil {
		return converter{}, err
	}
	e, err := tables.Bind(l)
	if err != nil {
		return converter{}, err
	}
	c, err := newOurs(in, l, e, "the same with tables of prefixes and interfaces")
	c.fills = true
	return c, err
}

func newOurs(in *input, l *layout.Layout, e flow.Enricher, note string) (converter, error) {
	d, err := decode.New(session.NewStore(session.DefaultLimits(), new(count.Counters)), l, e)
	if err != nil {
		return converter{}, err
	}
	var out []byte
	for i := range in.templates {
		out, _ = d.Append(out[:0], &in.templates[i])
	}
	return converter{
		convert: func() ([]byte, error) {
			out, _ = d.Append(out[:0], &in.data)
			return out, nil
		},
		messages: func(b []byte) ([]message, error) { return ourMessages(l, b) },
		note:     note,
	}, nil
}
