//! Java and its relatives, and the natives and stubs of HotSpot.

use model::Category::{
    Allocation, Checksum, Compression, Copy, Crypto, Exceptions, Formatting, Gc, Hashing, Idle, Io, Jit, Lock, Logging,
    Other, Reflection, Regex, Scheduler, Serialization,
};

use super::{Rule, rule};
use crate::ecosystem::Ecosystem::{Jvm, Native};

pub(super) static RULES: &[Rule] = &[
    rule("jvm.logging.frameworks", Jvm, Logging, &[
        "org.slf4j", "ch.qos.logback", "ch.qos.reload4j", "org.apache.log4j", "org.apache.logging", "org.apache.commons.logging",
        "org.jboss.logging", "org.jboss.logmanager", "com.google.common.flogger", "org.tinylog", "com.typesafe.scalalogging",
        "kafka.utils.Logging", "org.pmw.tinylog", "io.github.oshai.kotlinlogging", "mu.KLogger", "net.logstash.logback",
    ], "ch.qos.logback.classic.Logger.debug"),
    rule("jvm.logging.jdk", Jvm, Logging, &[
        "java.util.logging", "sun.util.logging", "sun.logging", "jdk.internal.logger", "java.lang.System$Logger",
    ], "java.util.logging.StreamHandler.publish"),
    // Level checks cost something even when nothing is logged.
    rule("jvm.logging.level-check", Jvm, Logging, &[
        "*.isDebugEnabled", "*.isTraceEnabled", "*.isInfoEnabled", "*.isLoggable",
    ], "com.example.Log.isDebugEnabled"),
    rule("jvm.copy.jdk", Jvm, Copy, &[
        "java.lang.System.arraycopy", "java.util.Arrays.copyOf*", "{jdk.internal.misc,sun.misc}.Unsafe.copyMemory*",
        "jdk.internal.misc.ScopedMemoryAccess.copyMemory*", "java.nio.Bits.copy*", "java.nio.{HeapByteBuffer,DirectByteBuffer,ByteBuffer}.{put,get,putArray,getArray,putBuffer}",
        "java.lang.String.getBytes", "java.lang.StringLatin1.{getChars,inflate}", "java.lang.StringUTF16.{compress,getChars}",
        "java.lang.StringCoding", "java.io.ByteArrayOutputStream.{write,toByteArray,writeTo}", "java.util.Arrays.fill",
    ], "java.util.Arrays.copyOfRange"),
    rule("jvm.copy.libraries", Jvm, Copy, &[
        "com.google.protobuf.NioByteString.writeTo*", "com.google.protobuf.ByteString.copyFrom", "com.google.protobuf.ByteString.{copyTo,toByteArray}",
        "io.netty.buffer.UnsafeByteBufUtil.{setBytes,getBytes}", "io.netty.util.internal.PlatformDependent.copyMemory",
        "org.apache.commons.io.IOUtils.copy*", "io.netty.util.internal.PlatformDependent0.copyMemory",
    ], "com.google.protobuf.NioByteString.writeTo"),
    rule("jvm.copy.stubs", Native, Copy, &[
        "{jbyte,jshort,jint,jlong,oop}_{arraycopy,disjoint_arraycopy,conjoint_arraycopy}*",
        "{arrayof_jbyte,arrayof_jshort,arrayof_jint,arrayof_jlong,arrayof_oop}_{disjoint_arraycopy,conjoint_arraycopy}*",
        "checkcast_arraycopy*", "unsafe_arraycopy", "generic_arraycopy", "Copy::{conjoint,disjoint,fill}*", "Unsafe_CopyMemory0",
        "Unsafe_CopySwapMemory0", "ObjArrayKlass::copy_array", "TypeArrayKlass::copy_array", "JVM_ArrayCopy",
        "AccessInternal::arraycopy_*",
    ], "jbyte_disjoint_arraycopy_avx3"),
    rule("jvm.allocation.jdk", Jvm, Allocation, &[
        "java.nio.ByteBuffer.allocate*", "java.nio.Bits.reserveMemory", "java.lang.reflect.Array.newInstance", "{jdk.internal.misc,sun.misc}.Unsafe.allocate*",
        "io.netty.buffer.{PooledByteBufAllocator,UnpooledByteBufAllocator,AbstractByteBufAllocator,PoolArena,PoolChunk,PoolThreadCache}",
        "{jdk.internal.misc,sun.misc}.Unsafe.{freeMemory,setMemory}*",
    ], "java.nio.ByteBuffer.allocateDirect"),
    rule("jvm.allocation.hotspot", Native, Allocation, &[
        "MemAllocator", "ObjAllocator", "ObjArrayAllocator", "CollectedHeap::{obj,array,class}_allocate*", "CollectedHeap::allocate*",
        "CollectedHeap::{common_mem_allocate,mem_allocate}*", "InstanceKlass::allocate_instance", "InstanceKlass::allocate_objArray",
        "TypeArrayKlass::{allocate,multi_allocate}*", "ObjArrayKlass::{allocate,multi_allocate}*", "OptoRuntime::{new_instance,new_array,multianewarray}*",
        "Runtime1::{new_,multi_array}*", "ThreadLocalAllocBuffer", "G1CollectedHeap::{mem_allocate,attempt_allocation,allocate}*", "InterpreterRuntime::{_new,newarray,anewarray,multianewarray}",
        "ParallelScavengeHeap::mem_allocate", "GenCollectedHeap::mem_allocate*", "GenCollectorPolicy::mem_allocate_work", "JVM_{NewArray,NewInstance}*",
        "Unsafe_{AllocateMemory,FreeMemory,AllocateInstance,SetMemory}*", "_new_{instance,array}_Java", "{new_instance,new_array,fast_new_instance}*",
        "DefNewGeneration::{allocate,par_allocate}", "ZObjectAllocator", "ShenandoahHeap::allocate*",
    ], "TypeArrayKlass::allocate_common"),
    rule("jvm.gc.g1", Native, Gc, &[
        "G1{ParScan,ParTask,Evac,Copy,CMTask,CM,Concurrent,Full,Root,Rem,Collected,Young,Update,Policy,Allocator,Barrier,Scan,Cld,STW,Clear,Plab,Block}*",
        "VM_G1*", "HeapRegion*", "OtherRegionsTable", "DirtyCardQueue*", "ConcurrentG1Refine*", "g1_{pre,post}_barrier*",
    ], "G1ParScanThreadState::trim_queue"),
    rule("jvm.gc.other", Native, Gc, &[
        "GCTaskThread", "GCTaskManager", "GangWorker", "AbstractGangWorker", "WorkerThread::run", "WorkerTask", "PSPromotionManager", "PSScavenge*", "PSParallelCompact*", "PSMarkSweep*",
        "ParCompactionManager", "ParMarkBitMap", "ParallelTaskTerminator", "TaskTerminator", "ScavengeRootsTask", "StealTask", "DefNewGeneration",
        "GenMarkSweep", "MarkSweep", "Generation::*", "TenuredGeneration", "CMS*", "ParNew*", "VM_GenCollect*", "VM_ParallelGC*", "VM_CollectForAllocation", "VM_CollectForMetadataAllocation", "VM_GC_Operation",
        "ZMark*", "ZRelocate*", "ZBarrier*", "ZHeap", "ZDriver*", "ZWorkers", "Shenandoah*", "OopOopIterateDispatch*", "OopOopIterate*", "GenCollectedHeap", "SerialHeap",
        "FastScanClosure", "FastEvacuateFollowersClosure", "ReferenceProcessor", "CardTable*", "BarrierSet*", "StrongRootsScope", "CollectedHeap::collect*",
        "InstanceKlass::oop_*", "oopDesc::{follow,push,oop_iterate}*", "StringTable::{unlink,oops}*", "ClassLoaderDataGraph", "ClassLoaderData::oops_do", "JavaThread::oops_do*", "nmethod::oops_do*", "SafepointSynchronize",
        "{ModRefBarrierSet,CardTableBarrierSet,G1BarrierSet,G1BarrierSetRuntime}", "BlockOffsetArray*", "SpaceManager", "Threads::{oops_do,possibly_parallel_oops_do}*",
        "AccessInternal::PostRuntimeDispatch",
    ], "PSPromotionManager::drain_stacks_depth"),
    rule("jvm.jit.compilers", Native, Jit, &[
        "CompileBroker", "CompileQueue", "CompileTask", "CompilationPolicy", "C2Compiler", "Compiler::compile_method", "Compilation::*", "Compile::*", "Phase*", "LinearScan*",
        "LIR*", "LIRGenerator", "GraphBuilder", "GraphKit", "IndexSet*", "IR::*", "IRScope*", "BlockBegin", "ci{Env,Method,ObjectFactory,TypeFlow,Klass,InstanceKlass,BytecodeStream,Object,Symbol,Signature,Field,MethodData,Type,MethodBlocks,CallProfile}*",
        "Parse::*", "ParseGenerator", "InlineTree", "RegMask", "MachNode", "MachSpillCopyNode", "NodeHash", "Unique_Node_List", "JVMState", "LiveRangeMap", "NTarjan", "VLoop*", "SuperWord*",
        "ConnectionGraph", "MethodLiveness*", "BCEscapeAnalyzer", "DebugInformationRecorder", "DirectCallGenerator", "LibraryCallKit", "LateInlineCallGenerator", "PredictedCallGenerator", "LRG",
        "CodeHeap", "CodeCache", "nmethod", "AdapterHandlerLibrary", "RangeCheckEliminator", "GlobalValueNumbering", "ValueMap", "LRG_List", "Node_Backward_Iterator", "Node_Array", "Node_List", "Dict",
        "RelocIterator", "TypeInt", "TypeInstPtr", "TypeTuple", "TypeAryPtr", "TypeOopPtr", "IfNode", "CallNode", "PhiNode", "LoadNode", "AddPNode", "MemNode", "StoreNode", "CallStaticJavaNode", "RegionNode", "LoopNode", "NMethodSweeper",
        "JVMCI*", "TieredThresholdPolicy", "SimpleThresholdPolicy", "CompilerThread", "methodHandle::~methodHandle", "ResolvedMethodTable",
    ], "PhaseChaitin::Split"),
    rule("jvm.jit.class-load-natives", Native, Jit, &[
        "SystemDictionary", "Verifier", "ClassVerifier", "ClassFileParser", "ClassFileStream", "ClassLoader::*", "LinkResolver", "Rewriter", "InstanceKlass::{link,initialize}*",
        "ConstantPool::*", "ConstantPoolCache", "SymbolTable", "Interpreter::*", "InterpreterRuntime::{resolve,frequency_counter}*", "JVM_{DefineClass,FindClass,LookupDefineClass}*", "KlassFactory", "vmSymbols", "MethodHandles::*", "MHN_*",
        "ClassPathImageEntry", "ClassPathZipEntry", "Symbol::*", "klassVtable", "klassItable", "LoaderConstraintTable", "DefaultMethods",
    ], "SystemDictionary::resolve_or_null"),
    rule("jvm.jit.class-load", Jvm, Jit, &[
        "java.lang.ClassLoader", "jdk.internal.loader", "java.net.URLClassLoader", "sun.misc.Launcher", "sun.launcher.LauncherHelper", "java.lang.invoke.{LambdaMetafactory,InnerClassLambdaMetafactory,AbstractValidatingLambdaMetafactory,StringConcatFactory,CallSite,BootstrapMethodInvoker,MethodHandleNatives,MethodHandles,MethodHandleImpl,LambdaFormEditor,LambdaFormBuffer,InvokerBytecodeGenerator,MemberName,TypeConvertingMethodAdapter,ClassSpecializer,BoundMethodHandle}",
        "java.lang.invoke.MethodType", "jdk.internal.org.objectweb.asm", "org.objectweb.asm", "java.lang.Class.{forName,forName0,initClassName}", "java.lang.module", "jdk.internal.module", "java.util.jar.JarFile", "java.util.ServiceLoader", "jdk.internal.jimage", "java.lang.Shutdown",
        "java.lang.System.initPhase*", "jdk.internal.classfile",
    ], "java.lang.ClassLoader.loadClass"),
    rule("jvm.lock.natives", Native, Lock, &[
        "ObjectMonitor", "ObjectSynchronizer", "SharedRuntime::{complete_monitor,monitor_exit}*", "OptoRuntime::{complete_monitor,monitor_notify}*", "Runtime1::monitor*", "Unsafe_{Park,Unpark}", "Parker", "Monitor::*", "Mutex::*", "MutexLocker*", "os::PlatformMonitor", "os::PlatformEvent", "PlatformMonitor", "PlatformEvent",
        "SpinPause", "JVM_Monitor*", "InterpreterRuntime::monitor*", "Thread::muxAcquire*", "LightweightSynchronizer", "PlatformMutex",
    ], "ObjectMonitor::enter"),
    rule("jvm.lock.jdk", Jvm, Lock, &[
        "java.util.concurrent.locks", "{jdk.internal.misc,sun.misc}.Unsafe.{park,unpark}", "java.util.concurrent.{CountDownLatch,Semaphore,CyclicBarrier,Phaser}", "java.lang.Object.notify*",
        "java.util.concurrent.{ArrayBlockingQueue,LinkedBlockingQueue,LinkedBlockingDeque}.{put,take,offer,poll}", "com.google.common.util.concurrent.Monitor",
    ], "java.util.concurrent.locks.ReentrantLock.lock"),
    rule("jvm.serialization.binary", Jvm, Serialization, &[
        "com.google.protobuf", "java.io.Object{In,Out}putStream*", "java.io.{ObjectInputStream,ObjectOutputStream,ObjectStreamClass,DataInputStream,DataOutputStream}", "com.esotericsoftware.kryo", "org.apache.avro", "org.apache.thrift.protocol", "org.msgpack", "io.fury", "org.apache.fory", "com.caucho.hessian", "com.alibaba.com.caucho.hessian",
        "org.nustaq.serialization", "io.protostuff", "com.google.flatbuffers", "org.agrona.sbe", "org.apache.kafka.common.serialization", "org.apache.hadoop.io.WritableUtils", "org.apache.parquet.column", "com.dyuproject.protostuff",
    ], "com.google.protobuf.CodedOutputStream$OutputStreamEncoder.writeTo"),
    rule("jvm.serialization.text", Jvm, Serialization, &[
        "com.fasterxml.jackson", "tools.jackson", "com.google.gson", "com.alibaba.fastjson*", "org.json", "org.codehaus.jackson", "javax.json", "jakarta.json", "com.squareup.moshi", "kotlinx.serialization", "org.yaml.snakeyaml", "javax.xml", "com.sun.org.apache.xerces", "com.sun.xml", "org.dom4j", "com.jsoniter", "play.api.libs.json", "io.circe", "org.glassfish.json",
    ], "com.fasterxml.jackson.databind.ObjectMapper.writeValueAsBytes"),
    rule("jvm.compression.jdk", Jvm, Compression, &[
        "java.util.zip", "org.apache.commons.compress",
    ], "java.util.zip.Deflater.deflate"),
    rule("jvm.compression.libraries", Jvm, Compression, &[
        "net.jpountz.lz4", "com.github.luben.zstd", "org.xerial.snappy", "io.airlift.compress", "org.anarres.lzo", "org.tukaani.xz", "com.aayushatharva.brotli4j", "com.jcraft.jzlib", "org.lz4", "org.apache.hadoop.io.compress",
    ], "net.jpountz.lz4.LZ4JNICompressor.compress"),
    rule("jvm.compression.natives", Native, Compression, &["Java_java_util_zip_*", "Java_com_github_luben_zstd*", "Java_net_jpountz_lz4*", "Java_org_xerial_snappy*"],
        "Java_java_util_zip_Deflater_deflateBytesBytes"),
    rule("jvm.checksum", Jvm, Checksum, &[
        "java.util.zip.{CRC32,CRC32C,Adler32,Checksum,CheckedInputStream,CheckedOutputStream}", "net.jpountz.xxhash", "org.apache.commons.codec.digest.{MurmurHash,XXHash32,PureJavaCrc32}*", "org.apache.hadoop.util.{PureJavaCrc32,DataChecksum,NativeCrc32}*", "org.apache.hadoop.ozone.common.Checksum*", "org.apache.kafka.common.utils.{Crc32,Checksums}*", "com.google.common.hash.Crc32c*",
    ], "java.util.zip.CRC32C.updateBytes"),
    rule("jvm.checksum.stubs", Native, Checksum, &["{updateBytesCRC32,updateBytesCRC32C,updateBytesAdler32,updateByteBufferCRC32}*", "Java_java_util_zip_{CRC32,Adler32}*"],
        "updateBytesCRC32C"),
    rule("jvm.crypto", Jvm, Crypto, &[
        "sun.security", "com.sun.crypto.provider", "javax.crypto", "javax.net.ssl", "java.security.{MessageDigest,Signature,SecureRandom,KeyFactory,KeyPairGenerator,Provider}", "org.conscrypt", "io.netty.handler.ssl", "org.bouncycastle", "io.netty.internal.tcnative", "com.amazon.corretto.crypto", "java.math.BigInteger.{oddModPow,implMontgomery}*",
    ], "sun.security.ssl.SSLEngineImpl.wrap"),
    rule("jvm.crypto.stubs", Native, Crypto, &[
        "aescrypt_*", "counterMode_AES*", "cipherBlockChaining_*", "electronicCodeBook_*", "galoisCounterMode_*", "ghash_processBlocks*", "{sha1,sha256,sha512,sha3,md5}_implCompress*", "montgomery{Multiply,Square}*", "squareToLen", "multiplyToLen", "base64_{encode,decode}Block", "chacha20Block", "poly1305_processBlocks",
    ], "sha256_implCompressMB"),
    rule("jvm.io.jdk", Jvm, Io, &[
        "sun.nio.ch", "sun.nio.fs", "java.io.{FileInputStream,FileOutputStream,RandomAccessFile,FileDescriptor,UnixFileSystem,File,FileWriter,FileReader}", "java.net.{SocketInputStream,SocketOutputStream,Socket,ServerSocket,PlainSocketImpl,DatagramSocket,InetAddress}", "java.nio.channels", "java.nio.file.Files", "java.io.{BufferedOutputStream,BufferedInputStream,BufferedWriter,PrintStream,FilterOutputStream,OutputStreamWriter,InputStreamReader,BufferedReader}", "sun.nio.cs.{StreamEncoder,StreamDecoder}",
        "io.netty.channel.{epoll.Native,unix,kqueue.Native,uring}", "io.netty.channel.socket.nio.NioSocketChannel.{doWrite,doReadBytes}", "jdk.net",
    ], "sun.nio.ch.FileDispatcherImpl.write0"),
    rule("jvm.io.natives", Native, Io, &["Java_sun_nio_ch_*", "Java_java_io_*", "Java_java_net_*", "Java_sun_nio_fs_*", "NET_{Read,Send,Poll,Timeout,Connect}*", "handle{Read,Write}", "writeBytes", "readBytes", "JVM_{Read,Write,Open,Close}", "io_util_*"],
        "Java_sun_nio_ch_FileDispatcherImpl_write0"),
    rule("jvm.reflection", Jvm, Reflection, &[
        "java.lang.reflect", "jdk.internal.reflect", "sun.reflect", "java.lang.invoke", "jdk.proxy*", "com.sun.proxy", "net.sf.cglib.reflect", "org.springframework.cglib.reflect", "org.springframework.util.ReflectionUtils", "java.lang.Class.{getMethod,getMethods,getMethod0,getDeclaredMethod,getDeclaredMethods,getField,getDeclaredField,getDeclaredFields,getConstructor,getDeclaredConstructor,privateGetDeclaredMethods,getMethodsRecursive,privateGetDeclaredFields,newInstance,getDeclaredMethods0,searchMethods,copyMethods,getAnnotation,reflectionData,getInterfaces,privateGetMethodRecursive,getConstructor0,getEnclosingMethod0}",
        "kotlin.reflect", "scala.reflect", "org.codehaus.groovy.reflection", "java.beans.Introspector", "sun.reflect.annotation", "java.lang.annotation",
    ], "java.lang.reflect.Method.invoke"),
    rule("jvm.reflection.natives", Native, Reflection, &["JVM_{InvokeMethod,NewInstanceFromConstructor,GetClassDeclared}*", "Reflection::*", "Java_jdk_internal_reflect_*", "Java_sun_reflect_*", "jni_IsAssignableFrom"], "JVM_InvokeMethod"),
    rule("jvm.exceptions.jdk", Jvm, Exceptions, &[
        "java.lang.Throwable", "java.lang.StackTraceElement", "java.lang.StackWalker*", "java.lang.StackStreamFactory", "java.lang.StackFrameInfo", "java.lang.{Exception,RuntimeException,Error,IllegalStateException,IllegalArgumentException,IndexOutOfBoundsException,NumberFormatException}.<init>",
        "java.lang.Thread.{getStackTrace,dumpThreads}", "*.fillInStackTrace",
    ], "java.lang.Throwable.fillInStackTrace"),
    rule("jvm.exceptions.natives", Native, Exceptions, &[
        "JVM_{FillInStackTrace,GetStackTraceElement,CallStackWalk,MoreStackWalk}*", "java_lang_Throwable", "java_lang_StackFrameInfo", "java_lang_StackTraceElement", "StackWalk", "JavaFrameStream", "LiveFrameStream", "BaseFrameStream", "Exceptions::*", "OptoRuntime::{handle_exception,rethrow}*", "SharedRuntime::{raw_exception_handler,throw_}*", "Runtime1::{handle_exception,unwind_exception,throw_}*", "InterpreterRuntime::{exception_handler,throw}*", "vframeStream*", "frame::sender*", "VFrame*",
    ], "java_lang_Throwable::fill_in_stack_trace"),
    rule("jvm.formatting.jdk", Jvm, Formatting, &[
        "java.util.Formatter", "java.lang.String.{format,formatted,valueOf,concat,join}", "java.lang.{AbstractStringBuilder,StringBuilder,StringBuffer,StringConcatHelper}", "java.text", "java.util.StringJoiner", "jdk.internal.math.{DoubleToDecimal,FloatToDecimal,FloatingDecimal,FormattedFloatingDecimal,MathUtils}", "java.lang.{Integer,Long}.{getChars,toString,parseInt,parseLong,stringSize,toHexString}", "java.lang.{Double,Float}.{toString,parseDouble}",
        "java.time.format", "java.math.{BigDecimal,BigInteger}.toString", "jdk.internal.util.{DecimalDigits,HexDigits}", "sun.util.locale", "sun.util.resources", "java.util.ResourceBundle", "java.util.HexFormat", "java.util.UUID.toString", "sun.util.calendar", "java.util.{GregorianCalendar,Calendar,Date}.toString", "org.apache.commons.lang3.time.FastDateFormat", "java.util.Base64*", "java.lang.Object.toString", "sun.text",
    ], "java.util.Formatter$FormatSpecifier.print"),
    rule("jvm.hashing.maps", Jvm, Hashing, &[
        "java.util.{HashMap,LinkedHashMap,HashSet,LinkedHashSet,Hashtable,IdentityHashMap,WeakHashMap}", "java.util.concurrent.ConcurrentHashMap", "com.google.common.hash", "java.util.{Arrays,Objects}.{hashCode,hash}", "java.util.ImmutableCollections$MapN", "it.unimi.dsi.fastutil", "org.agrona.collections", "scala.collection.{mutable.HashMap,immutable.HashMap,concurrent.TrieMap,concurrent.INode}", "io.netty.util.collection", "java.lang.String.hashCode", "java.lang.{StringLatin1,StringUTF16}.hashCode", "jdk.internal.util.ArraysSupport.{vectorizedHashCode,hashCode}*",
    ], "java.util.HashMap.getNode"),
    rule("jvm.hashing.any", Jvm, Hashing, &["*.hashCode"], "com.example.Key.hashCode"),
    rule("jvm.regex", Jvm, Regex, &["java.util.regex", "com.google.re2j", "org.joni", "dk.brics.automaton", "org.apache.oro.text.regex", "scala.util.matching"], "java.util.regex.Pattern$Branch.match"),
    rule("jvm.idle", Jvm, Idle, &[
        "java.lang.Thread.{sleep,sleep0,yield,yield0,join}", "java.lang.Object.{wait,wait0}", "java.util.concurrent.{ForkJoinPool.awaitWork,ThreadPoolExecutor.getTask,ForkJoinPool.runWorker.awaitWork}", "sun.nio.ch.{EPoll.wait,EPollArrayWrapper.epollWait,EPollSelectorImpl.doSelect,KQueue.poll,EPollArrayWrapper.poll}", "java.lang.VirtualThread.park*", "io.netty.channel.epoll.Native.epollWait*", "java.util.concurrent.{ScheduledThreadPoolExecutor$DelayedWorkQueue,DelayQueue,SynchronousQueue,LinkedTransferQueue}.{take,poll,xfer}", "java.util.concurrent.locks.LockSupport.park*", "java.lang.ref.{ReferenceQueue.remove,Reference.waitForReferencePendingList}",
    ], "java.lang.Thread.sleep"),
    rule("jvm.idle.natives", Native, Idle, &["JVM_{Sleep,MonitorWait,Yield}", "JavaThread::sleep", "CompileQueue::get", "WatcherThread::sleep", "VMThread::{loop,wait_for_vm_thread_id}", "os::{naked_sleep,sleep,naked_short_sleep}"], "JVM_Sleep"),
    rule("jvm.scheduler", Jvm, Scheduler, &["java.util.concurrent.ForkJoinPool.{scan,signalWork,runWorker.scan}", "java.lang.VirtualThread.{runContinuation,submitRunContinuation,yieldContinuation,unpark}", "jdk.internal.vm.Continuation.{yield,yield0}", "java.util.concurrent.ThreadPoolExecutor.{addWorker,execute}"], "java.util.concurrent.ForkJoinPool.scan"),
    // Dispatch in and around pools is the program's own, and so are streams that happen to be called copyInto.
    rule("jvm.other.entry-points", Jvm, Other, &["java.lang.Thread.run", "java.util.stream", "java.lang.invoke.{LambdaForm*,Invokers*,DirectMethodHandle*,DelegatingMethodHandle*,VarHandle*}"], "java.util.stream.AbstractPipeline.copyInto"),
];
