package ops

import "container/heap"

// heavy finds the keys with the most bytes among any number of keys, with a bounded number of counters
// (Metwally's space-saving). A key without a counter takes over the smallest counter, whose count becomes the
// key's error.
type heavy[K comparable] struct {
	limit   int
	byKey   map[K]*weight[K]
	heap    weights[K]
	ordered bool       // heap is one
	last    *weight[K] // the one that was added to last
}

// weight is the count of one key.
type weight[K comparable] struct {
	key     K
	bytes   float64 // at most
	foreign float64 // bytes among them that may belong to others
	packets float64 // at least, as flows are
	flows   float64
	at      int // index in the heap
}

func newHeavy[K comparable](limit int) *heavy[K] {
	return &heavy[K]{limit: limit, byKey: make(map[K]*weight[K])}
}

func (h *heavy[K]) add(key K, bytes, packets float64) {
	w := h.last
	if w == nil || w.key != key {
		w = h.byKey[key]
	}
	switch {
	case w != nil:
	case len(h.heap) < h.limit:
		w = &weight[K]{key: key, at: len(h.heap)}
		h.byKey[key] = w
		h.heap = append(h.heap, w)
	default:
		w = h.heap[0]
		delete(h.byKey, w.key)
		w.key, w.foreign, w.packets, w.flows = key, w.bytes, 0, 0
		h.byKey[key] = w
	}
	h.last = w
	w.bytes += bytes
	w.packets += packets
	w.flows++
	switch {
	case h.ordered:
		heap.Fix(&h.heap, w.at)
	case len(h.heap) == h.limit: // from now on the smallest one is needed
		heap.Init(&h.heap)
		h.ordered = true
	}
}

func (h *heavy[K]) reset() {
	clear(h.byKey)
	clear(h.heap)
	h.heap, h.ordered, h.last = h.heap[:0], false, nil
}

// weights is a heap, the smallest first.
type weights[K comparable] []*weight[K]

func (w weights[K]) Len() int           { return len(w) }
func (w weights[K]) Less(i, j int) bool { return w[i].bytes < w[j].bytes }
func (w weights[K]) Swap(i, j int) {
	w[i], w[j] = w[j], w[i]
	w[i].at, w[j].at = i, j
}

func (w *weights[K]) Push(x any) {
	x.(*weight[K]).at = len(*w)
	*w = append(*w, x.(*weight[K]))
}

func (w *weights[K]) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
}
