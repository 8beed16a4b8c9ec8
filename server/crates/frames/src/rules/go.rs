//! Go's runtime, standard library and common libraries.

use model::Category::{
    Allocation, Checksum, Compression, Copy, Crypto, Exceptions, Formatting, Gc, Hashing, Idle, Io, Lock, Logging, Other,
    Reflection, Regex, Scheduler, Serialization,
};

use super::{Rule, rule};
use crate::ecosystem::Ecosystem::{Go, Native};

pub(super) static RULES: &[Rule] = &[
    rule("go.logging.std", Go, Logging, &["log.(*Logger)", "log.{Print,Fatal,Panic,Output,formatHeader,itoa}*", "log/slog", "log/internal"], "log.(*Logger).Output"),
    rule("go.logging.libraries", Go, Logging, &[
        "go.uber.org/zap", "github.com/sirupsen/logrus", "github.com/rs/zerolog", "k8s.io/klog", "github.com/golang/glog", "github.com/go-kit/log", "github.com/go-kit/kit/log", "github.com/go-logr", "github.com/hashicorp/go-hclog", "github.com/apex/log", "github.com/inconshreveable/log15", "github.com/charmbracelet/log", "github.com/phuslu/log", "github.com/natefinch/lumberjack", "gopkg.in/natefinch/lumberjack",
    ], "go.uber.org/zap.(*SugaredLogger).Debugf"),
    rule("go.allocation", Go, Allocation, &[
        "runtime.mallocgc*", "runtime.{newobject,newarray,makeslice*,growslice*,makemap*,makechan*,rawstring*,rawbyteslice,rawruneslice,nextFreeFast,persistentalloc*,deductAssistCredit,publicationBarrier,profilealloc,mProf_Malloc,memclrNoHeapPointersChunked,heapSetType*,nextslicecap,roundupsize,getMCache,tracealloc,postMallocgc*,sysAlloc*,sysMap*,sysUsed*}",
        "runtime.convT*", "runtime.{concatstring*,slicebytetostring*,stringtoslice*,slicerunetostring,intstring,stringtoslicebyte}", "runtime.{(*mcache),(*mcentral),(*mheap),(*mspan),(*pageAlloc),(*fixalloc),(*heapBits*),(*pageCache),(*pallocData),(*pallocBits),heapBits,writeHeapBits,(*profAtomic),(*userArena)}", "runtime.{mallocTiny,heapBitsSetType}*", "runtime.mallocPanic*",
        "sync.(*Pool)", "runtime.{stackalloc,stackfree,newstack,copystack,morestack,stackcache*,stackpool*}", "runtime.{allocNeedsZero,setGCPhase,divRoundUp,(*gcBits),newMarkBits,newAllocBits}", "strings.Clone", "bytes.Clone",
    ], "runtime.mallocgc"),
    rule("go.gc", Go, Gc, &[
        "runtime.gc*", "runtime.scan*", "runtime.{greyobject,tryDeferToSpanScan,shade,markroot*,bgsweep,bgscavenge,wbBuf*,sweepone,findObject,typePointers,tryMarkObject,spanOfHeap,markBits,(*gcWork),(*gcControllerState),(*wbBuf),(*markBits),(*lfstack),(*sweepLocked),(*sweepLocker),(*activeSweep),(*spanSet),(*spanInlineMarkBits),(*spanQueue),(*spanScanOwnership),(*scavengerState),(*gcCPULimiterState),(*limiterEvent),(*atomicOffAddr)}",
        "runtime.{getempty,putfull,putempty,trygetfull,getfull,handoff,freeSomeWbufs,prepareFreeWorkbufs,clearpools,bulkBarrierPreWrite*,heapBitsSmallForAddr,getGCMask*,pollWork,forEachP*,freeDeadSpanSPMCs,finishsweep_m,sweep*,deductSweepCredit,(*unwinder).scan,adjustframe,drainMarkWorkerPool}", "runtime.typePointers", "runtime.(*mspan).{typePointersOf,typePointersOfUnchecked,heapBitsSmallForAddr,sweep,markBitsForIndex,markBitsForBase,moveInlineMarks,initInlineMarkBits,writeHeapBitsSmall}", "runtime.(*mheap).{nextSpanForSweep,reclaim,reclaimChunk}", "internal/runtime/gc",
        "runtime.(*unwinder).scan*",
    ], "runtime.gcDrain"),
    rule("go.copy", Go, Copy, &[
        "runtime.{memmove*,typedmemmove*,typedslicecopy,duffcopy,slicecopy,reflect_typedmemmove,memclr*,duffzero*,wbMove,wbZero,reflectcallmove}", "bytes.(*Buffer).{Write,WriteString,WriteByte,grow,Grow,ReadFrom,tryGrowByReslice,WriteTo,Read}", "io.{copyBuffer,Copy,CopyN,CopyBuffer,ReadAll,ReadFull,ReadAtLeast}", "bytes.growSlice", "bufio.(*Writer).{Write,WriteString,WriteByte}", "bufio.(*Reader).{Read,fill}", "bytes.{Join,Repeat,Buffer}", "slices.{Clone,Insert,Grow}", "maps.Clone", "internal/reflectlite.{Swapper,typedmemmove}",
    ], "runtime.memmove"),
    rule("go.lock", Go, Lock, &[
        "sync.{(*Mutex),(*RWMutex),(*Cond),(*WaitGroup),(*Once),(*Map),runtime_Semacquire*,runtime_Semrelease*,runtime_notifyList*,runtime_canSpin,runtime_doSpin}", "internal/sync", "runtime.{lock,lock2,lockWithRank*,unlock,unlock2*,unlockWithRank,semacquire*,semrelease*,semasleep,semawakeup,chansend*,chanrecv*,selectgo,selectnb*,procyield*,closechan,sellock,selunlock,readyWithTime,mutexContended,mutexPreferLowLatency,sync_runtime_*,internal_sync_*,(*semaRoot),(*rwmutex),acquireSudog,releaseSudog,notifyList*,send,recv,cansemacquire,semroot*}", "golang.org/x/sync/{semaphore,singleflight,errgroup}",
    ], "sync.(*Mutex).lockSlow"),
    rule("go.scheduler", Go, Scheduler, &[
        "runtime.{schedule,park_m,mcall,goschedImpl,gosched_m,Gosched,startm,wakep,resetspinning,execute,gogo,goready*,ready,newproc*,goexit0,goexit1,gdestroy,gfget,gfput,runqget,runqput*,runqgrab,runqsteal,globrunqget*,globrunqput*,stealWork,checkTimers,(*timers),(*timer),runtimer,casgstatus,casGToWaiting*,casGFromPreempted,dropg,retake,preemptone,preemptall,asyncPreempt*,sysmon,handoffp,acquirep,releasep*,injectglist,mPark,pidleget*,pidleput,exitsyscall*,entersyscall*,reentersyscall,gopreempt_m,preemptPark,suspendG,resumeG,stopTheWorld*,startTheWorld*,checkRunqsNoP,checkIdleGCNoP,wirep,(*randomOrder),(*randomEnum),preemptM,signalM,sighandler,sigtramp*,sigtrampgo,doSigPreempt,wantAsyncPreempt,isAsyncSafePoint,sigFetchG,adjustSignalStack}", "runtime.systemstack*", "time.{goFunc,sendTime}", "runtime.{nanotime*,cputicks,walltime*}",
    ], "runtime.schedule"),
    rule("go.idle", Go, Idle, &["runtime.{gopark*,findRunnable,findrunnable,stopm,notesleep,notetsleep*,notewakeup,futex*,netpoll*,usleep*,osyield*,epollwait,mstart*,templateThread,timerproc,goparkunlock}", "time.Sleep", "internal/runtime/syscall.EpollWait", "runtime.internal/syscall.EpollWait"], "runtime.gopark"),
    rule("go.io", Go, Io, &[
        "syscall", "internal/runtime/syscall", "runtime/internal/syscall", "internal/syscall", "internal/poll", "runtime.{cgocall,asmcgocall*,write*,read,open,closefd,vdsoCall*}", "os.(*File)", "os.{Open*,ReadFile,WriteFile,Stat,Lstat,ReadDir,Create,Remove*,Rename,newFile*}", "net.{(*conn),(*netFD),(*TCPConn),(*UDPConn),(*UnixConn),(*Dialer),(*Resolver),(*Buffers),(*sysDialer)}", "golang.org/x/sys/unix", "bufio.(*Writer).Flush", "internal/runtime/syscall/linux",
    ], "internal/poll.(*FD).Write"),
    rule("go.serialization.std", Go, Serialization, &["encoding/{json,gob,xml,binary,csv,asn1,base64,hex,pem}"], "encoding/json.Marshal"),
    rule("go.serialization.libraries", Go, Serialization, &[
        "google.golang.org/protobuf", "github.com/{golang,gogo,planetscale}/{protobuf,vtprotobuf}", "github.com/json-iterator/go", "github.com/bytedance/sonic", "github.com/goccy/go-json", "github.com/mailru/easyjson", "github.com/vmihailenco/msgpack", "github.com/tinylib/msgp", "github.com/ugorji/go", "gopkg.in/yaml", "gopkg.in/yaml.v2", "gopkg.in/yaml.v3", "sigs.k8s.io/yaml", "sigs.k8s.io/json", "github.com/fxamacker/cbor", "github.com/apache/thrift", "github.com/segmentio/encoding", "github.com/buger/jsonparser", "k8s.io/apimachinery/pkg/runtime/serializer", "github.com/BurntSushi/toml", "github.com/apache/dubbo-go-hessian2", "github.com/tidwall/gjson",
    ], "google.golang.org/protobuf/proto.Marshal"),
    rule("go.compression", Go, Compression, &["compress", "github.com/klauspost/compress", "github.com/klauspost/pgzip", "github.com/golang/snappy", "github.com/pierrec/lz4", "github.com/andybalholm/brotli", "github.com/DataDog/zstd", "github.com/ulikunitz/xz", "github.com/valyala/gozstd", "archive"], "compress/flate.(*compressor).deflate"),
    rule("go.checksum", Go, Checksum, &["hash/{crc32,crc64,adler32,fnv}", "github.com/cespare/xxhash", "github.com/OneOfOne/xxhash", "github.com/zeebo/xxh3", "github.com/spaolacci/murmur3", "github.com/minio/{highwayhash,md5-simd,sha256-simd}", "github.com/dgryski"], "hash/crc32.ieeeCLMUL"),
    rule("go.crypto", Go, Crypto, &["crypto", "golang.org/x/crypto", "vendor/golang.org/x/crypto", "github.com/cloudflare/circl", "github.com/golang-jwt", "math/big.addMulVVW*", "github.com/minio/sio"], "crypto/tls.(*Conn).Write"),
    rule("go.reflection", Go, Reflection, &["reflect", "internal/reflectlite", "runtime.{assertE2I*,assertI2I*,getitab,typeAssert,ifaceeq,efaceeq,(*itabTableType),typelinksinit,resolve*,interfaceSwitch,reflect_*,(*_type)}", "internal/abi.(*Type)", "text/template.(*state)"], "reflect.Value.Call"),
    rule("go.formatting", Go, Formatting, &["fmt", "strconv", "strings.(*Builder)", "strings.{Join,Repeat,Replace,ReplaceAll,Map,ToLower,ToUpper}", "strings.(*Replacer)", "time.{Time.Format,Time.AppendFormat,Time.String,Time.appendFormat*,appendInt,Parse*,parse*,Duration.String,Duration.format,appendNano}", "unicode/utf8", "internal/strconv", "internal/fmtsort"], "fmt.Sprintf"),
    rule("go.exceptions", Go, Exceptions, &["runtime.{gopanic*,gorecover,Callers,Caller,callers*,CallersFrames,(*Frames),gentraceback,tracebackPCs,traceback*,pcvalue*,pcdatavalue*,funcline*,funcname,funcNameForPrint,FuncForPC,findfunc,funcspdelta,funcfile,printpanics,panic*,deferproc*,deferreturn,addOneOpenDeferFrame,readvarint,step,(*unwinder),(*inlineUnwinder),stkbucket,newInlineUnwinder,fpTracebackPCs,fpTracebackPartialExpand,stackmapdata,getStackMap,(*stkframe),saveBlockEventStack,(*pcvalueCache*),findmoduledatap,Stack,newdefer,freedefer,popDefer}", "errors", "github.com/pkg/errors", "github.com/cockroachdb/errors", "runtime/debug.{Stack,PrintStack}"], "runtime.gopanic"),
    rule("go.hashing", Go, Hashing, &["runtime.map{access,assign,iter,delete,clear}*", "runtime.map*", "internal/runtime/maps", "runtime.{aeshash*,memhash*,strhash*,nilinterhash,interhash,typehash,f64hash,hashGrow,growWork*,evacuate*,(*bmap),(*hmap),(*maptype),bucketShift,tophash,overLoadFactor,efacehash}", "hash/maphash", "internal/abi.(*SwissMapType)", "github.com/dolthub/swiss"], "runtime.mapaccess2_faststr"),
    rule("go.regex", Go, Regex, &["regexp", "github.com/dlclark/regexp2", "github.com/wasilibs/go-re2", "github.com/grafana/regexp"], "regexp.(*Regexp).doExecute"),
    // Entry points and wrappers, which say nothing about the work below them.
    rule("go.other.entry-points", Go, Other, &["runtime.{main,goexit,rt0_go,doInit*}", "reflect.{makeFuncStub,callMethod,methodValueCall}", "net/http"], "runtime.main"),
    // In perf's stacks the runtime's assembly has no package.
    rule("go.assembly.copy", Native, Copy, &["memclrNoHeapPointers", "runtime.memmove"], "memclrNoHeapPointers"),
    rule("go.assembly.gc", Native, Gc, &["gcWriteBarrier*", "gcDrain*"], "gcWriteBarrier"),
    rule("go.assembly.hashing", Native, Hashing, &["aeshashbody", "memhash*"], "aeshashbody"),
];
