package row

// table holds rows of words: those of one message type, or, one word wide, the elements of one list. The rows that
// belong to one message are consecutive; they are a run. It contains no pointers.
type table struct {
	slots []uint64 // zero after its length, up to its capacity
	width int
	count int
}

// A run is a word: its start, whether it has been moved, and its number of rows. A run that has not been moved
// grows as long as it is the table's last. A run that cannot grow is moved to the end, with room for the next
// power of two.
const (
	runLength = 1<<31 - 1
	runMoved  = 1 << 31
	runShift  = 32
)

// maxRows keeps runs within their bits.
const maxRows = 1<<31 - 1

// last reports whether the table's last rows are those of the run.
func (t *table) last(run uint64) bool {
	return run&runMoved == 0 && int(run>>runShift)+int(run&runLength) == t.count
}

// reset empties the table.
func (t *table) reset() {
	clear(t.slots)
	t.slots = t.slots[:0]
	t.count = 0
}

// take adds n rows at the end and returns the first one.
func (t *table) take(n int) (row int) {
	row = t.count
	end := (row + n) * t.width
	if end > cap(t.slots) {
		slots := make([]uint64, len(t.slots), max(2*cap(t.slots), end, 8*t.width))
		copy(slots, t.slots)
		t.slots = slots
	}
	t.slots = t.slots[:end]
	t.count += n
	return row
}

// push adds a row to a run and returns the position of its words, or a negative number if that needs too much
// memory.
func (d *Decoder) push(t *table, run uint64) (_ uint64, at int) {
	if d.memory -= 8 * t.width; d.memory < 0 || t.count >= maxRows {
		return run, -1
	}
	if run&runLength == 0 {
		row := t.take(1)
		return uint64(row)<<runShift | 1, row * t.width
	}
	if t.last(run) {
		return run + 1, t.take(1) * t.width
	}
	return d.pushElsewhere(t, run)
}

func (d *Decoder) pushElsewhere(t *table, run uint64) (_ uint64, at int) {
	start, n := int(run>>runShift), int(run&runLength)
	if run&runMoved != 0 && n&(n-1) != 0 {
		return run + 1, (start + n) * t.width
	}
	room := upTo(n + 1)
	if d.memory -= 8 * t.width * room; d.memory < 0 || t.count+room >= maxRows {
		return run, -1
	}
	to := t.take(room)
	from := t.slots[start*t.width : (start+n)*t.width]
	copy(t.slots[to*t.width:], from)
	clear(from)
	return uint64(to)<<runShift | runMoved | uint64(n+1), (to + n) * t.width
}

// rows are the words of a run.
func (t *table) rows(run uint64) []uint64 {
	start, end := int(run>>runShift)*t.width, (int(run>>runShift)+int(run&runLength))*t.width
	if end > len(t.slots) {
		return nil // from a row that has decoded again
	}
	return t.slots[start:end:end]
}
