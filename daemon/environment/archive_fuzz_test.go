package environment

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// hostile-inputs F-3: whatever the bytes are, only files and folders appear, and only in the folder that was given.
func FuzzArchive(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, archive []byte) {
		outer := t.TempDir()
		if err := os.Mkdir(filepath.Join(outer, "inner"), 0o700); err != nil {
			t.Fatal(err)
		}
		folder, err := os.OpenRoot(filepath.Join(outer, "inner"))
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		err = unpack(t.Context(), io.NewSectionReader(bytes.NewReader(archive), 0, int64(len(archive))), folder)
		if err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("got %v, want a refusal", err)
		}
		if beside, err := os.ReadDir(outer); err != nil || len(beside) != 1 {
			t.Errorf("beside the folder: got %v, %v; want nothing", beside, err)
		}
		err = filepath.WalkDir(outer, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && !entry.Type().IsRegular() {
				t.Errorf("%s: got %s, want a file or folder", path, entry.Type())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func seeds(f *testing.F) [][]byte {
	f.Helper()
	all := [][]byte{nil, []byte("x")}
	for _, header := range []tar.Header{
		{Name: "a/b", Typeflag: tar.TypeReg, Mode: 0o644}, {Name: "../a", Typeflag: tar.TypeReg, Mode: 0o644},
		{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/", Mode: 0o777}, {Name: "d/", Typeflag: tar.TypeDir, Mode: 0o755},
	} {
		var plain, zipped bytes.Buffer
		writer, zipper := tar.NewWriter(&plain), zip.NewWriter(&zipped)
		entry := &zip.FileHeader{Name: header.Name, Method: zip.Deflate}
		entry.SetMode(header.FileInfo().Mode())
		_, entryErr := zipper.CreateHeader(entry)
		if err := errors.Join(writer.WriteHeader(&header), writer.Close(), entryErr, zipper.Close()); err != nil {
			f.Fatal(err)
		}
		all = append(all, plain.Bytes(), zipped.Bytes())
	}
	return all
}
