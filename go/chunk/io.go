package chunk

import "io"

// IOSource writes chunks to an io.Writer. It writes a chunk as soon as no length in it or before it is open, and
// holds it in memory until then: a nested message that is longer than a chunk is held until it ends. Chunks are
// reused.
type IOSource struct {
	out     io.Writer
	size    int
	waiting []Full // those before index first have been written
	first   int
	firstID uint64 // of waiting[first]
	spare   [][]byte
	err     error
}

// NewIOSource returns a source with chunks of size bytes, at least MinSize.
func NewIOSource(out io.Writer, size int) *IOSource {
	return &IOSource{out: out, size: max(size, MinSize)}
}

// Err returns the error of the io.Writer, or nil. After an error there are no more chunks.
func (s *IOSource) Err() error { return s.err }

// Next implements Source.
func (s *IOSource) Next(full Full) (Chunk, bool) {
	s.leave(full)
	if s.err != nil {
		return Chunk{}, false
	}
	var data []byte
	if n := len(s.spare); n > 0 {
		data, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		data = make([]byte, s.size)
	}
	return Chunk{ID: s.firstID + uint64(len(s.waiting)-s.first), Data: data}, true
}

// Patch implements Source.
func (s *IOSource) Patch(patch Patch) {
	at := s.first + int(patch.ID-s.firstID)
	if at < s.first || at >= len(s.waiting) { // it has left, or never came
		return
	}
	chunk := &s.waiting[at]
	copy(chunk.Data[patch.Offset:], patch.Bytes[:])
	chunk.OpenSlots = patch.StillOpen
	s.write()
}

// Finish implements Source.
func (s *IOSource) Finish(last Full) { s.leave(last) }

func (s *IOSource) leave(full Full) {
	if full.Data == nil {
		return
	}
	if s.first == len(s.waiting) {
		s.waiting, s.first = s.waiting[:0], 0
	}
	s.waiting = append(s.waiting, full)
	s.write()
}

func (s *IOSource) write() {
	for ; s.first < len(s.waiting) && s.waiting[s.first].OpenSlots == 0; s.first++ {
		data := s.waiting[s.first].Data
		if s.err == nil && len(data) > 0 {
			var n int
			if n, s.err = s.out.Write(data); s.err == nil && n != len(data) {
				s.err = io.ErrShortWrite
			}
		}
		s.spare = append(s.spare, data[:s.size])
		s.waiting[s.first].Data = nil
		s.firstID++
	}
}
