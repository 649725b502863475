//go:build !race

package lazyproto_test

const raceDetector = false
