//go:build unix

package environment_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/daemon/environment"
)

// entry is one entry of an archive of the tests.
type entry struct {
	name    string
	kind    byte // of tar; 0 is a regular file
	link    string
	content []byte
	size    int64 // claimed instead of the content's, if not 0
	mode    int64 // 0 is 0644
}

func tarOf(entries ...entry) []byte {
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Size: int64(len(e.content)), Mode: max(e.mode, 0o644)}
		switch e.kind {
		case 0:
			header.Typeflag = tar.TypeReg
		case tar.TypeXGlobalHeader:
			header.PAXRecords, header.Mode, header.Name = map[string]string{"comment": "x"}, 0, ""
		}
		if e.size != 0 {
			header.Size = e.size
		}
		must(writer.WriteHeader(header))
		_, err := writer.Write(e.content)
		must(err)
	}
	_ = writer.Close() // fails where a size was made up
	return out.Bytes()
}

func gzipOf(data []byte) []byte {
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, err := writer.Write(data)
	must(err)
	must(writer.Close())
	return out.Bytes()
}

func zipOf(entries ...entry) []byte {
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		header.SetMode(fs.FileMode(max(e.mode, 0o644)))
		if e.link != "" {
			header.SetMode(fs.ModeSymlink | 0o777)
			e.content = []byte(e.link)
		}
		if strings.HasSuffix(e.name, "/") {
			header.SetMode(fs.ModeDir | 0o755)
			header.Method = zip.Store
		}
		file, err := writer.CreateHeader(header)
		must(err)
		_, err = file.Write(e.content)
		must(err)
	}
	must(writer.Close())
	return out.Bytes()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// contents lists what stands in a folder.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		all = append(all, relative+"="+read(t, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// wire 3.8.2
func TestSkillsAndPluginsUnpackEveryFormat(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	files := []entry{{name: "pax", kind: tar.TypeXGlobalHeader}, {name: "./", kind: tar.TypeDir}, {name: "./d/", kind: tar.TypeDir}, {name: "./d/SKILL.md", content: []byte("text")}, {name: "run", content: []byte("#!"), mode: 0o755}}
	zipped := []entry{{name: "d/SKILL.md", content: []byte("text")}, {name: "d/"}, {name: "run", content: []byte("#!"), mode: 0o755}}
	for i, archive := range [][]byte{tarOf(files...), gzipOf(tarOf(files...)), zipOf(zipped...)} {
		want(t, "skill", b.skill(t, t.Context(), fmt.Sprintf("skill-%d", i), archive), environment.Completed, 0, nil)
		body, err := archiveBody(b.Environment, archive)
		if err != nil {
			t.Fatal(err)
		}
		want(t, "plugin", b.Plugin(t.Context(), body, i, "plug", "in"), environment.Completed, 0, nil)
		body.Discard()
		for _, place := range []string{fmt.Sprintf("skills/skill-%d/files", i), fmt.Sprintf("plugins/%d/files", i)} {
			if got := contents(t, filepath.Join(b.dir, place)); got != "d/SKILL.md=text run=#!" {
				t.Errorf("%s: got %s", place, got)
			}
			if info, err := os.Stat(filepath.Join(b.dir, place, "run")); err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("%s/run: got %v, %v; want mode 0755", place, info.Mode(), err)
			}
		}
	}
}

// hostile-inputs F-3
func TestHostileArchivesAreRefused(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("d/", 32) + "file"
	many := make([]entry, 10_001)
	for i := range many {
		many[i] = entry{name: fmt.Sprintf("f%d", i)}
	}
	zeros := make([]byte, 20<<20)
	ok := entry{name: "ok", content: []byte("x")}
	x := []byte("x")
	for _, row := range []struct {
		name    string
		archive []byte
		entry   string // named by the refusal
	}{
		{"parent", tarOf(ok, entry{name: "../evil", content: x}), "../evil"},
		{"parent inside", tarOf(ok, entry{name: "a/../../evil", content: x}), "a/../../evil"},
		{"absolute", tarOf(ok, entry{name: "/tmp/evil", content: x}), "/tmp/evil"},
		{"backslash", tarOf(ok, entry{name: `a\..\evil`, content: x}), `a\\..\\evil`},
		{"symlink, then through it", tarOf(ok, entry{name: "l", kind: tar.TypeSymlink, link: "/"}, entry{name: "l/evil", content: x}), "l"},
		{"hard link", tarOf(ok, entry{name: "l", kind: tar.TypeLink, link: "/etc/passwd"}), "l"},
		{"character device", tarOf(ok, entry{name: "null", kind: tar.TypeChar}), "null"},
		{"block device", tarOf(ok, entry{name: "disk", kind: tar.TypeBlock}), "disk"},
		{"pipe", tarOf(ok, entry{name: "pipe", kind: tar.TypeFifo}), "pipe"},
		{"twice", tarOf(ok, entry{name: "ok", content: []byte("y")}), "ok"},
		{"twice, spelled apart", tarOf(ok, entry{name: "./ok", content: x}), "./ok"},
		{"case", tarOf(ok, entry{name: "OK", content: x}), "OK"},
		{"case of a letter with two lower forms", tarOf(entry{name: "\u03c3"}, entry{name: "\u03c2"}), "\u03c2"},
		{"case of a folder", tarOf(entry{name: "d/a"}, entry{name: "D/b"}), "D/b"},
		{"file and folder", tarOf(ok, entry{name: "ok/below", content: x}), "ok/below"},
		{"folder and file", tarOf(entry{name: "d/a"}, entry{name: "d", content: x}), "d"},
		{"too deep", tarOf(ok, entry{name: deep}), deep},
		{"long name", tarOf(ok, entry{name: strings.Repeat("n", 1025)}), strings.Repeat("n", 100)},
		{"many entries", gzipOf(tarOf(many...)), "f10000"},
		{"many entries, zip", zipOf(many...), "10000 entries"},
		{"size beyond the end", tarOf(ok, entry{name: "short", content: x, size: 5000}), "short"},
		{"bomb, gzip", gzipOf(tarOf(ok, entry{name: "bomb", content: zeros})), "bomb"},
		{"bomb, zip", zipOf(ok, entry{name: "bomb", content: zeros}), "bomb"},
		{"parent, zip", zipOf(ok, entry{name: "../evil", content: x}), "../evil"},
		{"absolute, zip", zipOf(ok, entry{name: "/evil", content: x}), "/evil"},
		{"symlink, zip", zipOf(ok, entry{name: "l", link: "/"}), "l"},
		{"twice, zip", zipOf(ok, ok), "ok"},
		{"size differs, zip", lie(zipOf(entry{name: "short", content: []byte("0123456789")})), "short"},
		{"cut off", gzipOf(tarOf(ok, entry{name: "a", content: bytes.Repeat(x, 5000)}))[:60], "damaged"},
		{"cut off, zip", zipOf(ok)[:40], "damaged"},
		{"no archive", []byte("# SKILL\nsome text, which is none"), "no tar, tar.gz or zip"},
		{"empty body", nil, "no file"},
		{"empty tar", tarOf(), "no file"},
		{"folders only", tarOf(entry{name: "d/", kind: tar.TypeDir}), "no file"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, systemPath)
			got := b.skill(t, t.Context(), "skill", row.archive)
			want(t, row.name, got, environment.Rejected, 0, environment.ErrRefused)
			if got.Err != nil && !strings.Contains(got.Err.Error(), row.entry) {
				t.Errorf("got %v, want %q named", got.Err, row.entry)
			}
			if left := contents(t, filepath.Join(b.dir, "skills")); left != "" {
				t.Errorf("skills: got %s, want none", left)
			}
			if left := contents(t, b.workspace.Dir()); left != "" {
				t.Errorf("workspace: got %s, want nothing", left)
			}
		})
	}
}

// lie changes the uncompressed sizes that a zip archive of one entry claims.
func lie(archive []byte) []byte {
	at := bytes.Index(archive, []byte("PK\x01\x02")) + 24
	archive[at] = 5
	return archive
}

// A zip archive whose directory lists the same bytes under many names unpacks to far more than it is.
func TestZipBombOfSharedBytesIsStopped(t *testing.T) {
	t.Parallel()
	one := zipOf(entry{name: "000", content: make([]byte, 6<<20)})
	directory := bytes.Index(one, []byte("PK\x01\x02"))
	end := bytes.Index(one, []byte("PK\x05\x06"))
	bomb := bytes.Clone(one[:directory])
	const copies = 700
	for i := range copies {
		bomb = append(bomb, bytes.Replace(one[directory:end], []byte("000"), fmt.Appendf(nil, "%03d", i), 1)...)
	}
	tail := bytes.Clone(one[end:])
	binary.LittleEndian.PutUint16(tail[8:], copies)
	binary.LittleEndian.PutUint16(tail[10:], copies)
	binary.LittleEndian.PutUint32(tail[12:], uint32(len(bomb)-directory))
	b := newBench(t, systemPath)
	got := b.skill(t, t.Context(), "bomb", append(bomb, tail...))
	want(t, "bomb", got, environment.Rejected, 0, environment.ErrRefused)
	if !strings.Contains(got.Err.Error(), `"001": it unpacks to more than 200 times its size`) {
		t.Errorf("got %v, want the ratio named", got.Err)
	}
}

// Names of skills are texts, not paths.
func TestSkillNamesBecomeSafeFolders(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	names := []string{"plain", "Plain", "../../up", "/etc", "a/b", ".hidden", "con", strings.Repeat("long", 100), "日本", "~tilde", ".."}
	for _, name := range names {
		want(t, name, b.skill(t, t.Context(), name, tarOf(entry{name: "file"})), environment.Completed, 0, nil)
		want(t, name+" again", b.skill(t, t.Context(), name, tarOf(entry{name: "other"})), environment.Rejected, 0, environment.ErrRefused)
	}
	entries, err := os.ReadDir(filepath.Join(b.dir, "skills"))
	if err != nil || len(entries) != len(names) {
		t.Errorf("got %d folders, %v; want %d", len(entries), err, len(names))
	}
	outer, err := os.ReadDir(b.outer)
	if err != nil || len(outer) != 2 {
		t.Errorf("beside the Environment: got %v, %v; want nothing new", outer, err)
	}
	want(t, "no name", b.skill(t, t.Context(), "", tarOf(entry{name: "file"})), environment.Rejected, 0, environment.ErrRefused)
}

func TestPluginsTakeASlot(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	for _, row := range []struct {
		slot  int
		state environment.State
	}{{0, environment.Completed}, {49, environment.Completed}, {0, environment.Rejected}, {-1, environment.Rejected}, {50, environment.Rejected}} {
		body, err := archiveBody(b.Environment, tarOf(entry{name: "file"}))
		if err != nil {
			t.Fatal(err)
		}
		want(t, fmt.Sprint(row.slot), b.Plugin(t.Context(), body, row.slot, "plug", "in"), row.state, 0, nil)
		body.Discard()
	}
}

// hostile-inputs F-2: no space is a failure, and nothing is half there.
func TestUnpackingOnAFullDisk(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	small := filepath.Join(b.outer, "small")
	if err := os.Mkdir(small, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := mountSmall(small); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() {
		if err := unmount(small); err != nil {
			t.Error(err)
		}
	})
	e, err := environment.New(environment.Config{Dir: filepath.Join(small, "e"), Workspace: b.workspace, Path: systemPath})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	body, err := archiveBody(e, gzipOf(tarOf(entry{name: "a", content: []byte("x")}, entry{name: "big", content: make([]byte, 4<<20)})))
	if err != nil {
		t.Fatal(err)
	}
	defer body.Discard()
	got := e.Skill(t.Context(), body, "skill", "does")
	want(t, "skill", got, environment.Failed, 0, nil)
	if errors.Is(got.Err, environment.ErrRefused) {
		t.Errorf("got %v, want no refusal", got.Err)
	}
	if left := contents(t, filepath.Join(small, "e", "skills")); left != "" {
		t.Errorf("got %s, want nothing left", left)
	}
}
