package ops

import (
	"container/heap"
	"net/netip"
)

// heavy finds the addresses with the most bytes among any number of addresses, with a bounded number of counters
// (Metwally's space-saving). An address without a counter takes over the smallest counter, whose count becomes the
// address's error.
type heavy struct {
	limit int
	byKey map[netip.Addr]*weight
	heap  weights
}

// weight is the count of one address.
type weight struct {
	key     netip.Addr
	bytes   float64 // at most
	foreign float64 // bytes among them that may belong to others
	packets float64
	at      int // index in the heap
}

func newHeavy(limit int) *heavy {
	return &heavy{limit: limit, byKey: make(map[netip.Addr]*weight)}
}

func (h *heavy) add(key netip.Addr, bytes, packets float64) {
	w := h.byKey[key]
	switch {
	case w != nil:
	case len(h.heap) < h.limit:
		w = &weight{key: key}
		h.byKey[key] = w
		heap.Push(&h.heap, w)
	default:
		w = h.heap[0]
		delete(h.byKey, w.key)
		w.key, w.foreign, w.packets = key, w.bytes, 0
		h.byKey[key] = w
	}
	w.bytes += bytes
	w.packets += packets
	heap.Fix(&h.heap, w.at)
}

func (h *heavy) reset() {
	clear(h.byKey)
	clear(h.heap)
	h.heap = h.heap[:0]
}

// weights is a heap, the smallest first.
type weights []*weight

func (w weights) Len() int           { return len(w) }
func (w weights) Less(i, j int) bool { return w[i].bytes < w[j].bytes }
func (w weights) Swap(i, j int) {
	w[i], w[j] = w[j], w[i]
	w[i].at, w[j].at = i, j
}

func (w *weights) Push(x any) {
	x.(*weight).at = len(*w)
	*w = append(*w, x.(*weight))
}

func (w *weights) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
}
