// Command bundle makes the files under frontend/static from the scripts, styles and vendored sources beside them. It
// needs no node: esbuild is a Go library and every package it reads is in the tree.
//
//	go run ./build/bundle          write the bundles
//	go run ./build/bundle -check   write nothing, exit 1 when a committed bundle is stale
//
// It may be called by make, go generate and the tests. It never reads outside frontend and never uses the network.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	check := flag.Bool("check", false, "compare with the committed files instead of writing them")
	root := flag.String("root", "", "module root; found upwards from the working folder when empty")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	if root == "" {
		found, err := moduleRoot()
		if err != nil {
			return err
		}
		root = found
	}
	frontend := filepath.Join(root, "frontend")
	if err := verifyVendor(filepath.Join(frontend, "vendor")); err != nil {
		return err
	}
	files, err := bundles(frontend)
	if err != nil {
		return err
	}
	if check {
		return compare(frontend, files)
	}
	return write(frontend, files)
}

// moduleRoot is the nearest folder upwards that holds go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working folder: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("find go.mod: none in the working folder or above it")
		}
		dir = parent
	}
}
