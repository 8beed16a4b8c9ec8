//! .NET's library, common libraries, and the natives of CoreCLR.

use model::Category::{
    Allocation, Checksum, Compression, Copy, Crypto, Exceptions, Formatting, Gc, Hashing, Idle, Io, Jit, Lock, Logging, Reflection, Regex,
    Scheduler, Serialization,
};

use super::{Rule, rule};
use crate::ecosystem::Ecosystem::{DotNet, Native};

pub(super) static RULES: &[Rule] = &[
    rule("dotnet.logging", DotNet, Logging, &["Microsoft.Extensions.Logging", "Serilog", "NLog", "log4net", "System.Diagnostics.{Trace,Debug,TraceSource,EventLog}", "System.Diagnostics.Tracing.EventSource", "Microsoft.Extensions.Telemetry.Logging"], "Microsoft.Extensions.Logging.Logger.Log"),
    rule("dotnet.gc.natives", Native, Gc, &["{SVR,WKS}::{gc_heap,GCHeap}", "SVR::t_join", "JIT_WriteBarrier*", "JIT_CheckedWriteBarrier*", "JIT_ByRefWriteBarrier", "RhpAssignRef*", "RhpCheckedAssignRef*", "GcInfoDecoder", "GCToEEInterface", "ThreadSuspend", "GCScan"], "SVR::gc_heap::mark_object_simple"),
    rule("dotnet.gc", DotNet, Gc, &["System.GC", "System.Runtime.GCSettings"], "System.GC.Collect"),
    rule("dotnet.allocation.natives", Native, Allocation, &["JIT_New*", "RhpNew*", "RhNew*", "AllocateObject", "AllocateSzArray", "AllocateString", "Alloc", "JIT_Box*", "FramedAllocateString"], "JIT_NewArr1"),
    rule("dotnet.allocation", DotNet, Allocation, &["System.GC.Allocate*", "System.Buffers.{ArrayPool,SharedArrayPool,ConfigurableArrayPool}*", "System.Runtime.InteropServices.NativeMemory", "System.Array.Resize", "System.Runtime.CompilerServices.CastHelpers.StelemRef", "System.String.FastAllocateString", "System.RuntimeType.CreateInstance*"], "System.GC.AllocateUninitializedArray"),
    rule("dotnet.copy", DotNet, Copy, &["System.Buffer", "System.SpanHelpers", "System.Array.{Copy,CopyTo,Clone}", "System.Span.CopyTo", "System.ReadOnlySpan.CopyTo", "System.IO.{MemoryStream.Write,Stream.CopyTo*}", "System.Runtime.CompilerServices.Unsafe.{CopyBlock,InitBlock}*"], "System.Buffer.Memmove"),
    rule("dotnet.lock", DotNet, Lock, &["System.Threading.{Monitor,SpinWait,SpinLock,Lock,ReaderWriterLockSlim,SemaphoreSlim,ManualResetEventSlim,Interlocked,Barrier,CountdownEvent,LowLevelLock}", "System.Threading.Channels"], "System.Threading.Monitor.Enter"),
    rule("dotnet.lock.natives", Native, Lock, &["JIT_Mon{Enter,Exit,TryEnter,Reliable}*", "AwareLock", "CLREvent", "Crst*", "ObjHeader::EnterObjMonitor*", "SyncBlock"], "AwareLock::Contention"),
    rule("dotnet.serialization", DotNet, Serialization, &["System.Text.Json", "Newtonsoft.Json", "Google.Protobuf", "ProtoBuf", "MessagePack", "MemoryPack", "System.Xml", "System.Runtime.Serialization", "Utf8Json", "YamlDotNet", "System.Formats", "ServiceStack.Text", "Bond", "System.Convert.{ToBase64String,FromBase64String}*"], "System.Text.Json.JsonSerializer.Serialize"),
    rule("dotnet.reflection", DotNet, Reflection, &["System.Reflection", "System.RuntimeType", "System.Attribute", "System.Linq.Expressions", "System.RuntimeMethodHandle", "System.RuntimeTypeHandle", "System.Activator", "System.ComponentModel.TypeDescriptor", "System.Dynamic", "Microsoft.CSharp.RuntimeBinder", "System.Delegate.DynamicInvoke*"], "System.Reflection.MethodBaseInvoker.InvokeWithNoArgs"),
    rule("dotnet.exceptions", DotNet, Exceptions, &["System.Diagnostics.{StackTrace,StackFrame,StackFrameHelper}", "System.Exception", "System.Runtime.EH", "System.ThrowHelper", "System.Runtime.ExceptionServices", "System.Runtime.CompilerServices.ExceptionServices"], "System.Diagnostics.StackTrace.CaptureStackTrace"),
    rule("dotnet.exceptions.natives", Native, Exceptions, &["IL_{Throw,Rethrow}*", "RhThrowEx", "RhpThrowEx", "ProcessCLRException", "ExceptionTracker", "StackFrameIterator", "RaiseTheException*", "DispatchManagedException"], "IL_Throw"),
    rule("dotnet.formatting", DotNet, Formatting, &["System.String.{Format,Concat,Join,Replace,Substring,Create}*", "System.Text.{StringBuilder,ValueStringBuilder,CompositeFormat,Encoding,UTF8Encoding,Unicode}", "System.Number", "System.{DateTimeFormat,DateTimeParse,TimeSpanFormat,Guid.ToString,HexConverter}", "System.Runtime.CompilerServices.DefaultInterpolatedStringHandler", "System.Globalization", "System.{Int32,Int64,Double,Decimal,DateTime}.{ToString,Parse,TryFormat,TryParse}", "*.TryFormat"], "System.Text.StringBuilder.Append"),
    rule("dotnet.hashing", DotNet, Hashing, &["System.Collections.Generic.{Dictionary,HashSet}", "System.Collections.Concurrent.ConcurrentDictionary", "System.Collections.Hashtable", "System.Marvin", "System.HashCode", "System.String.GetHashCode*", "System.Collections.Frozen", "*.GetHashCode"], "System.Collections.Generic.Dictionary.FindValue"),
    rule("dotnet.regex", DotNet, Regex, &["System.Text.RegularExpressions"], "System.Text.RegularExpressions.Regex.Match"),
    rule("dotnet.io", DotNet, Io, &["System.IO", "System.Net.Sockets", "System.Net.{Http,Dns}", "Microsoft.Win32.SafeHandles.SafeFileHandle", "Interop.Sys", "System.Console", "Microsoft.AspNetCore.Server.Kestrel.Transport"], "System.Net.Sockets.Socket.Send"),
    rule("dotnet.compression", DotNet, Compression, &["System.IO.Compression", "ICSharpCode.SharpZipLib", "K4os.Compression", "ZstdSharp", "Snappier"], "System.IO.Compression.DeflateStream.Write"),
    rule("dotnet.checksum", DotNet, Checksum, &["System.IO.Hashing", "Force.Crc32"], "System.IO.Hashing.Crc32.Append"),
    rule("dotnet.crypto", DotNet, Crypto, &["System.Security.Cryptography", "System.Net.Security", "Org.BouncyCastle", "Interop.Crypto", "Interop.Ssl", "Internal.Cryptography"], "System.Net.Security.SslStream.Write"),
    rule("dotnet.jit", DotNet, Jit, &["System.Runtime.Loader", "System.AppContext", "System.StubHelpers", "System.Runtime.CompilerServices.InitHelpers"], "System.Runtime.Loader.AssemblyLoadContext.LoadFromPath"),
    rule("dotnet.jit.natives", Native, Jit, &["jitNativeCode", "CILJit", "MethodDesc::{JitCompileCode,DoPrestub,PrepareILBasedCode}*", "PreStubWorker", "TieredCompilation*", "ThePreStub", "compCompile", "ClassLoader::LoadTypeHandle*", "LinearScan::resolveRegisters"], "MethodDesc::DoPrestub"),
    rule("dotnet.idle", DotNet, Idle, &["System.Threading.{Thread.Sleep,WaitHandle.Wait,WaitHandle.WaitOne,LowLevelLifoSemaphore,Thread.Join}*", "System.Threading.PortableThreadPool.{WorkerThread.WaitFor,GateThread}*", "System.Threading.LowLevelLifoSemaphore"], "System.Threading.Thread.Sleep"),
    rule("dotnet.scheduler", DotNet, Scheduler, &["System.Threading.{ThreadPoolWorkQueue,ThreadPool,PortableThreadPool,Timer,TimerQueue}", "System.Threading.Tasks.{TaskScheduler,ThreadPoolTaskScheduler,Task.Yield}", "System.Runtime.CompilerServices.YieldAwaitable"], "System.Threading.ThreadPoolWorkQueue.Dispatch"),
];
