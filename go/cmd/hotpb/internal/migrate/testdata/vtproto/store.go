// Command shop serves a catalog, whose items it keeps as bytes.
package main

import (
	"errors"
	"sync"

	"example.com/shop/catalog"
)

var errNotFound = errors.New("no such item")

// store keeps items encoded.
type store struct {
	mu    sync.Mutex
	items map[string][]byte
}

func (s *store) put(item *catalog.Item) error {
	b, err := item.MarshalVT()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[item.Id] = b
	return nil
}

// get lends an item of the pool.
func (s *store) get(id string) (*catalog.Item, error) {
	s.mu.Lock()
	b, ok := s.items[id]
	s.mu.Unlock()
	if !ok {
		return nil, errNotFound
	}
	item := catalog.ItemFromVTPool()
	if err := item.UnmarshalVT(b); err != nil {
		item.ReturnToVTPool()
		return nil, err
	}
	return item, nil
}
