//go:build !hotpbdebug

package view_test

const debugBuild = false
