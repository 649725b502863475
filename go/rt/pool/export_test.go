package pool

// Rewind frees all elements, as the next decode does.
func (s *Slab[T]) Rewind() { s.visit(&Walk{purpose: rewind}) }
