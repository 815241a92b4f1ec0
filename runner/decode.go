package runner

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/runner/strictjson"
)

// requestShape knows every key of both request schemas; which of them apply is decided after reading.
var requestShape = sync.OnceValue(func() *strictjson.Shape {
	return strictjson.NewShape(append(members("schema_version", "versions", "required_capabilities", "optional_capabilities",
		"run_key", "timeout_ms", "allow_paid_execution"),
		strictjson.Member{Name: "selection", Object: strictjson.NewShape(members("shard", "task", "trial", "attempt")...)},
		strictjson.Member{Name: "input", Object: strictjson.NewShape(members("shard", "eval", "task")...)})...)
})

func members(names ...string) []strictjson.Member {
	var all []strictjson.Member
	for _, name := range names {
		all = append(all, strictjson.Member{Name: name})
	}
	return all
}

// Faults are the findings about one document: the first MaxFindings of them, sorted by path, and how many more.
type Faults struct {
	Findings []Finding
	More     int
}

// Any tells whether there is a fault.
func (f Faults) Any() bool { return len(f.Findings) > 0 }

// ReadRequest reads a request document for a negotiation, compact or complete, and collects every fault of its shape
// (runner 3). The request is filled as far as it could be read, also when there are faults: a list with a fault in it is
// empty. The captured texts stay empty, as a negotiation does not look at them (runner 3.2).
func ReadRequest(data []byte) (*Request, Faults) { return readRequest(data, false) }

// ReadUnitRequest reads a complete request with its captured texts, for validate and run (runner 3.2).
func ReadUnitRequest(data []byte) (*Request, Faults) { return readRequest(data, true) }

func readRequest(data []byte, unit bool) (*Request, Faults) {
	if len(data) > MaxDocumentBytes {
		return &Request{}, oneFault(Finding{Code: CodeRequestTooLarge, Document: InRequest,
			Expected: fmt.Sprintf("at most %d bytes", MaxDocumentBytes), Found: fmt.Sprintf("%d", len(data))})
	}
	doc, fault := strictjson.Read(data, requestShape(), strictjson.Limits{Depth: MaxDepth, Keys: MaxKeys, Unknown: MaxFindings})
	if fault != nil {
		return &Request{}, oneFault(Finding{Code: CodeInvalidRequest, Document: InRequest, Path: fault.Path,
			Offset: fault.Offset, Expected: fault.Expected, Found: fault.Found})
	}
	if isRecord(doc) {
		return &Request{}, oneFault(Finding{Code: CodeInvalidRequest, Document: InRequest, Path: "/kind",
			Expected: "a request document", Found: "an exported record of the lab", Hint: "its request is the value at /request/json"})
	}
	d := &decoder{doc: doc, texts: unit}
	compact := !d.hasCompleteKey()
	request := d.request(unit || !compact)
	faults := d.faults()
	if unit && compact && faults.Any() {
		faults.Findings[0].Hint = cmp.Or(faults.Findings[0].Hint, "this is a compact request; negotiate takes it, validate and run take a complete one")
	}
	return request, faults
}

// RecordKind marks an exported record of the lab, which carries a request and is often taken for one.
const RecordKind = "parley.runner-record"

func isRecord(doc *strictjson.Document) bool {
	return slices.ContainsFunc(doc.Unknown, func(v strictjson.Value) bool {
		return v.Path == "/kind" && string(v.Text) == `"`+RecordKind+`"`
	})
}

// Locate gives the byte offset of a known value of a request document by its JSON Pointer, or of the nearest known value
// around it: where a finding about the request's meaning should point.
func Locate(data []byte, path string) int64 {
	doc, fault := strictjson.Read(data, requestShape(), strictjson.Limits{Depth: MaxDepth, Keys: MaxKeys})
	if fault != nil {
		return fault.Offset
	}
	for ; path != ""; path = path[:strings.LastIndexByte(path, '/')] {
		if v, ok := doc.Value(path); ok {
			return v.Offset
		}
	}
	return 0
}

func oneFault(f Finding) Faults { return Faults{Findings: []Finding{f}} }

// decoder checks the values of one document against its schema.
type decoder struct {
	doc      *strictjson.Document
	texts    bool // decode the captured texts too
	findings []Finding
	more     int
}

// hasCompleteKey decides between the two schemas: any complete-only key selects the complete one (runner 3.2).
func (d *decoder) hasCompleteKey() bool {
	for _, path := range [...]string{"/run_key", "/selection", "/input", "/timeout_ms", "/allow_paid_execution"} {
		if _, there := d.doc.Value(path); there {
			return true
		}
	}
	return false
}

func (d *decoder) request(complete bool) *Request {
	r := &Request{Complete: complete}
	limit, longest := MaxCompactEntries, MaxCompactVersion
	if r.Complete {
		limit, longest = 0, 0 // only the size of the document bounds them (runner 3.3)
	}
	r.SchemaVersion = d.schemaVersion()
	r.Versions = d.list("/versions", listRule{least: 1, most: limit, longest: longest, match: isVersion, what: "a version such as \"1.0\""})
	r.Required = d.list("/required_capabilities", listRule{most: limit, match: isName, what: capabilityWords})
	r.Optional = d.list("/optional_capabilities", listRule{most: limit, match: isName, what: capabilityWords})
	if r.Complete {
		d.complete(r)
	}
	d.unknown(r.Complete)
	d.overlap(r)
	return r
}

func (d *decoder) complete(r *Request) {
	r.RunKey = d.key("/run_key")
	if d.object("/selection", "an object with shard, task, trial and attempt") {
		r.Selection = Selection{
			Shard:   d.key("/selection/shard"),
			Task:    d.key("/selection/task"),
			Trial:   int(d.integer("/selection/trial", ordinal())),
			Attempt: int(d.integer("/selection/attempt", ordinal())),
		}
	}
	if d.object("/input", "an object with shard, eval and task") {
		r.Input = Input{Shard: d.key("/input/shard"), Eval: d.text("/input/eval"), Task: d.text("/input/task")}
	}
	r.TimeoutMS = d.integer("/timeout_ms", timeout())
	r.AllowPaidExecution = d.boolean("/allow_paid_execution")
}

// unknown reports keys that the schema does not have (runner 3, rule 6).
func (d *decoder) unknown(complete bool) {
	schema := "a key of the compact request"
	if complete {
		schema = "a key of the complete request"
	}
	for _, v := range d.doc.Unknown {
		d.report(Finding{Code: CodeInvalidRequest, Path: v.Path, Offset: v.Offset, Expected: schema, Found: "an unknown key", Hint: keyHint(v.Path)})
	}
	d.more += d.doc.MoreUnknown
}

// keyHint helps with a key that is spelled in another case, or stands one level too high.
func keyHint(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	parent := strings.TrimSuffix(path, "/"+name)
	var below []string
	for _, m := range requestShape().Members() {
		if parent == "" && strings.EqualFold(m.Name, name) || parent == "/"+m.Name && knows(m.Object, name) != "" {
			return fmt.Sprintf("did you mean %q", cmp.Or(knows(m.Object, name), m.Name))
		}
		if parent == "" && knows(m.Object, name) != "" {
			below = append(below, m.Name)
		}
	}
	if len(below) > 0 {
		return "it belongs below " + strings.Join(below, " or ")
	}
	return ""
}

// knows gives the member of a shape that is spelled so in some case.
func knows(s *strictjson.Shape, name string) string {
	if s == nil {
		return ""
	}
	for _, m := range s.Members() {
		if strings.EqualFold(m.Name, name) {
			return m.Name
		}
	}
	return ""
}

// overlap refuses a name that is both required and optional (runner 2.2).
func (d *decoder) overlap(r *Request) {
	required := newSet(r.Required)
	if !slices.ContainsFunc(r.Optional, required.has) {
		return
	}
	list, _ := d.doc.Value("/optional_capabilities")
	for i, entry := range list.Entries {
		if name := r.Optional[i]; required.has(name) {
			d.report(Finding{Path: entryPath(list.Path, i), Offset: entry.Offset, Expected: "a name that is not also required",
				Found: strconv.Quote(name) + ", which required_capabilities has too", Hint: "keep it in one of the two lists"})
		}
	}
}

func (d *decoder) report(f Finding) {
	if d.full() {
		d.more++
		return
	}
	f.Document = InRequest
	if f.Code == "" {
		f.Code = CodeInvalidRequest
	}
	f.Path = clip(f.Path)
	d.findings = append(d.findings, f)
}

// full tells that further findings are only counted.
func (d *decoder) full() bool { return len(d.findings) == MaxFindings }

// clip bounds a path that hostile names made long.
func clip(path string) string {
	const most = 160
	runes := []rune(path)
	if len(runes) <= most {
		return path
	}
	return string(runes[:most]) + "…"
}

func (d *decoder) faults() Faults {
	slices.SortStableFunc(d.findings, func(a, b Finding) int { return cmp.Compare(a.Path, b.Path) })
	return Faults{Findings: d.findings, More: d.more}
}
