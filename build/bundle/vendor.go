package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// vendored is one line of MANIFEST.txt: a file of a published package.
type vendored struct {
	name, version, file, sum string
}

func (v vendored) path(dir string) string {
	return filepath.Join(dir, filepath.FromSlash(v.name), v.file)
}

func readManifest(dir string) ([]vendored, error) {
	data, err := os.ReadFile(filepath.Join(dir, "MANIFEST.txt"))
	if err != nil {
		return nil, fmt.Errorf("read the vendor manifest: %w", err)
	}
	var list []vendored
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		parts := strings.Fields(lines.Text())
		if len(parts) != 4 {
			return nil, fmt.Errorf("read the vendor manifest: expected package, version, file and sha256, found %q", lines.Text())
		}
		list = append(list, vendored{parts[0], parts[1], parts[2], parts[3]})
	}
	return list, lines.Err()
}

// verifyVendor refuses sources that are not byte for byte what the manifest says was published.
func verifyVendor(dir string) error {
	list, err := readManifest(dir)
	if err != nil {
		return err
	}
	for _, v := range list {
		data, err := os.ReadFile(v.path(dir))
		if err != nil {
			return fmt.Errorf("read vendored file of %s: %w", v.name, err)
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != v.sum {
			return fmt.Errorf("verify %s %s: expected sha256 %s, found %s; restore the published file", v.name, v.file, v.sum, got)
		}
	}
	return nil
}

// licenceText is one document with the licence of every package in the bundles, served beside them.
func licenceText(dir string) ([]byte, error) {
	list, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("Licences of what the scripts of this page contain.\n")
	for _, v := range list {
		if v.file != "LICENSE" {
			continue
		}
		text, err := os.ReadFile(v.path(dir))
		if err != nil {
			return nil, fmt.Errorf("read licence of %s: %w", v.name, err)
		}
		fmt.Fprintf(&out, "\n%s %s\n\n%s\n", v.name, v.version, bytes.TrimSpace(text))
	}
	return out.Bytes(), nil
}
