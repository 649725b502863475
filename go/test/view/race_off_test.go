//go:build !race

package view_test

const appendsTakeTwice = 1
