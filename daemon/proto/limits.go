package proto

import "time"

// Sizes of the wire, in bytes unless said otherwise (wire 5.1, 5.2).
const (
	MaxFrame           = 4 << 20     // one complete inbound message (wire 1.5)
	MaxPrepareBegin    = 1 << 20     // a runtime_prepare begin, encoded again
	MaxReadPayload     = 8 << 10     // a workspace_read payload
	MaxTransferPayload = 96 << 10    // a workspace_write payload or a workspace_export frame
	MaxSuspension      = 1 << 10     // a quiesce or resume payload
	MaxChunk           = 64 << 10    // decoded data of one chunk
	MaxTransfer        = 50 << 20    // one transfer body
	MaxExport          = 553_648_128 // one whole export
	MaxReadBytes       = 1 << 20     // the raw result of a byte read
	MaxEntries         = 1024        // names of one directory result
	MaxName            = 255         // one of those names
	MaxCorrelation     = 128         // an operation id, handle or suspension id where bounded
	MaxTraceEcho       = 256         // a trace that a read reply repeats
	MaxPath            = 4096        // a path, logical or relative
	MaxInputID         = 256         // an active input's id
	MaxNativeID        = 512         // a native identity
	MaxHarnessConfig   = 16 << 10    // harness_config as text
	MaxHarnessDepth    = 32          // levels of harness_config
	MaxAPIKey          = 16_384      // a model provider's key
	MaxToolName        = 512         // a function's name
)

// Counts of the wire (wire 5.2, 3.8).
const (
	MaxSlot           = 49
	MaxSources        = 50 // skills, plugins and directories, each
	MaxEnv            = 1000
	MaxPackages       = 1000
	MaxExitCode       = 255
	MaxFunctionTools  = 64
	MaxItemPosition   = 1_073_741_823
	MaxInputsPerRun   = 256
	MaxReads          = 4
	MaxRecords        = 64 // admission records of a connection (behaviour 5.1)
	MaxActive         = 4  // Executors that are not idle
	MaxIdle           = 16
	MaxExecutors      = 20
	MaxAppliedResults = 1024 // remembered function results
)

// Queues of one connection (wire 1.7).
const (
	SendQueue           = 64
	ReceiveQueue        = 64
	OutputQueue         = 64 // frames between a Turn and its consumer
	RunBuffer           = 256
	PreparationBuffer   = 16
	MaxPreparations     = 64
	MaxSuspensionWaits  = 2
	QueueBytes          = 16 << 20 // our own bound beside the counts: frames waiting to be written, together
	MaxSilentBytes      = 2 * MaxFrame
	MaxBootstrapRequest = 16 << 10
	MaxBootstrapReply   = 64 << 10
)

// Times of the wire (wire 5.1, 5.2, 1.7; behaviour 3.1, 4.2, 5.1).
const (
	DefaultHeartbeat   = 15 * time.Second
	Silence            = 60 * time.Second // Core's read deadline, renewed by any frame
	WriteTimeout       = 10 * time.Second
	HandshakeTimeout   = 10 * time.Second
	BootstrapTimeout   = 10 * time.Second
	CloseTimeout       = 1 * time.Second
	AdmissionLife      = 5 * time.Minute
	IdleLife           = 1 * time.Hour
	SettlementTimeout  = 10 * time.Second
	ExecutorClose      = 10 * time.Second
	ReceiptTimeout     = 5 * time.Second // every receipt and status send
	StagingTimeout     = 2 * time.Minute
	MaxBudget          = 30 * time.Minute
	WriteWait          = 195 * time.Second // Core, workspace_write
	ReadNative         = 12 * time.Second
	ReadWait           = 17 * time.Second
	ExportTimeout      = 180 * time.Second
	ExportCancel       = 2 * time.Second
	QuiesceTimeout     = 5 * time.Second
	InputWriteTimeout  = 10 * time.Second
	WrittenWait        = 30 * time.Second
	AckWait            = 15 * time.Second // Core: cancellation and function-result receipts
	AppliedResultsLife = 1 * time.Hour
	ResumeAttempt      = 30 * time.Second
	AuthorityTimeout   = 3 * time.Second
)

// Closing codes of the WebSocket (wire 1.7).
const (
	CloseNormal    = 1000
	CloseGoingAway = 1001
	CloseProtocol  = 1002
	CloseTooBig    = 1009
	CloseRetired   = 4001 // deleted or retired: permanent
)

// ReplacedReason comes with CloseNormal when a newer connection of the same device takes over (behaviour 3.4). It is
// this Core's wording: another Core may give another reason, or none.
const ReplacedReason = "replaced by a newer connection"
