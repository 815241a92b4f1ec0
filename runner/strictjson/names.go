package strictjson

import "bytes"

// few is how many names of one object are compared one by one before an index pays.
const few = 12

// nameSet holds the names of one object, compared after unescaping (runner 3, rule 5).
type nameSet struct {
	first [few][]byte // without quotes
	n     int
	index map[string]struct{} // all of them, once there are more
}

func (s *nameSet) size() int { return max(s.n, len(s.index)) }

// add takes a name with its quotes and gives false if it was there.
func (s *nameSet) add(quoted []byte) bool {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(Value{Text: quoted}.Decoded())
	}
	if s.index != nil {
		return s.addIndexed(name)
	}
	for _, other := range s.first[:s.n] {
		if bytes.Equal(name, other) {
			return false
		}
	}
	if s.n < few {
		s.first[s.n] = name
		s.n++
		return true
	}
	s.index = make(map[string]struct{}, 4*few)
	for _, other := range s.first {
		s.index[string(other)] = struct{}{}
	}
	return s.addIndexed(name)
}

func (s *nameSet) addIndexed(name []byte) bool {
	if _, found := s.index[string(name)]; found {
		return false
	}
	s.index[string(name)] = struct{}{}
	return true
}
