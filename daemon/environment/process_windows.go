package environment

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	pythonProgram = "python"
	venvPrograms  = "Scripts"
)

func shell(command string) (string, []string) {
	return os.Getenv("ComSpec"), []string{"/S", "/C", command}
}

// commandLine hands a shell command over as it is: the shell does not read quotes as other programs do. It is "" for
// other programs.
func commandLine(command *exec.Cmd) string {
	if len(command.Args) != 4 || command.Args[1] != "/S" || command.Args[2] != "/C" {
		return ""
	}
	return fmt.Sprintf(`"%s" /S /C "%s"`, command.Path, command.Args[3])
}

// systemVariables are those without which programs of the system do not start.
func systemVariables(temporary string) map[string]string {
	all := map[string]string{"TEMP": temporary, "TMP": temporary}
	for _, name := range []string{"SystemRoot", "ComSpec", "PATHEXT"} {
		all[name] = os.Getenv(name)
	}
	return all
}

// group is a job object, which its descendants cannot leave. The system ends them all with the last handle of the job,
// and so with this process.
type group struct{ job windows.Handle }

// newGroup needs no mark.
func newGroup(string) *group { return &group{} }

// start starts the command and puts it into a job.
func (g *group) start(command *exec.Cmd, _ func() error) error {
	if err := g.makeJob(); err != nil {
		return fmt.Errorf("make job: %w", err)
	}
	command.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, CmdLine: commandLine(command),
	}
	if err := command.Start(); err != nil {
		return err
	}
	if err := g.take(command.Process.Pid); err != nil {
		_ = command.Process.Kill()
		_ = command.Wait()
		return err
	}
	return nil
}

func (g *group) makeJob() (err error) {
	if g.job, err = windows.CreateJobObject(nil, nil); err != nil {
		return err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(g.job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	return err
}

func (g *group) take(pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return fmt.Errorf("open process: %w", err)
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(g.job, process); err != nil {
		return fmt.Errorf("put process into job: %w", err)
	}
	return nil
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	times                                 [4]int64
	pageFaults, total, active, terminated uint32
}

const basicAccounting = 1 // JobObjectBasicAccountingInformation

func (g *group) alive() bool {
	var found accounting
	err := windows.QueryInformationJobObject(g.job, basicAccounting, uintptr(unsafe.Pointer(&found)), uint32(unsafe.Sizeof(found)), nil)
	return err != nil || found.active > 0
}

// ask does nothing: there is no request that every program understands.
func (g *group) ask() {}

func (g *group) kill() { _ = windows.TerminateJobObject(g.job, 1) }

// record is not kept: nothing of a job survives this process.
func (g *group) record() (record, bool) { return record{}, false }

func survivors(record) *group { return nil }

func (g *group) watch() {}

func (g *group) left() []int { return nil }

// release lets go of the job. Nobody can act on its failure.
func (g *group) release() { _ = windows.CloseHandle(g.job) }
