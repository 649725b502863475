package pool

// Rewind makes all elements free, as the next decode does.
func (s *Slab[T]) Rewind() { s.visit(&Walk{what: rewind}) }
