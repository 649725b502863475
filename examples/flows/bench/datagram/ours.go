package datagram

import (
	"path/filepath"

	"github.com/hotpb/hotpb/examples/flows/internal/layout"
)

func loadLayout() (*layout.Layout, error) {
	root, err := root()
	if err != nil {
		return nil, err
	}
	return layout.Load(filepath.Join(root, "examples/flows/flows.yaml"))
}
