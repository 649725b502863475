package pool

// SetCountFrom moves the size from which elements are counted beforehand, for the benchmark that shows where it belongs.
func SetCountFrom(size int) (before int) {
	before, countFrom = countFrom, size
	return before
}
