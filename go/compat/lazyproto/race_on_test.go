//go:build race

package lazyproto_test

const raceDetector = true // it makes pools drop what they hold
