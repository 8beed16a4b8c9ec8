//! Raw symbols and their categories, most of them from the profiles in `fixtures/`.

use frames::{Rules, canonical};
use model::policy::UserCategory;
use rstest::rstest;

fn category(rules: &Rules, raw: &str, module: Option<&str>) -> String {
    rules.category(&canonical(raw, module, None), module, None).name().to_owned()
}

#[rstest]
#[case::jvm(&[
    ("java/util/logging/StreamHandler.publish_[i]", "logging"), ("ch/qos/logback/classic/Logger.debug", "logging"),
    ("java/util/Arrays.copyOf", "copy"), ("jbyte_disjoint_arraycopy_avx3", "copy"), ("java/nio/ByteBuffer.putBuffer_[1]", "copy"),
    ("TypeArrayKlass::allocate_common(int, bool, Thread*)", "allocation"), ("OptoRuntime::new_array_C", "allocation"),
    ("oopDesc* PSPromotionManager::copy_to_survivor_space<false>(oopDesc*)", "gc"), ("ParallelTaskTerminator::offer_termination", "gc"),
    ("PhaseChaitin::Split(unsigned int, ResourceArea*)", "jit"), ("java/lang/ClassLoader.loadClass_[0]", "jit"), ("SpinPause", "lock"),
    ("java/util/concurrent/locks/ReentrantLock.lock", "lock"), ("com/fasterxml/jackson/databind/ObjectMapper.readValue", "serialization"),
    ("java/util/Formatter$FormatSpecifier.print_[1]", "formatting"), ("java/text/DecimalFormat.applyPattern_[1]", "formatting"),
    ("java/util/zip/Deflater.deflate", "compression"), ("java/util/zip/CRC32C.updateBytes", "checksum"), ("sun/security/ssl/SSLEngineImpl.wrap", "crypto"),
    ("sun/nio/ch/FileDispatcherImpl:.write0_[j]", "io"), ("Java_sun_nio_ch_FileDispatcherImpl_write0", "io"),
    ("sun/reflect/DelegatingMethodAccessorImpl:.invoke_[j]", "reflection"), ("java/lang/Throwable.fillInStackTrace", "exceptions"),
    ("StackWalk::walk", "exceptions"), ("java/util/regex/Pattern$Branch.match_[i]", "regex"), ("java/util/HashMap.getNode_[i]", "hashing"),
    ("com.x.Key.hashCode", "hashing"), ("java/lang/Thread.sleep", "idle"), ("PagerReads$Store.get_[i]", "other"),
])]
#[case::names_that_only_look_like_logging(&[
    ("kafka/log/UnifiedLog.append", "other"), ("kafka/log/LogSegment.read", "other"), ("kafka.log.LogManager.flush", "other"),
    ("org/apache/kafka/storage/internals/log/LogSegment.append", "other"), ("java/lang/Math.log", "other"), ("com/x/logging/Custom.write", "other"),
    ("example.test/log.Write", "other"), ("math.log", "other"), ("blog.Post", "other"), ("catalog::find", "other"),
])]
#[case::go(&[
    ("log.(*Logger).Output", "logging"), ("go.uber.org/zap.(*SugaredLogger).Debugf", "logging"), ("log/slog.(*Logger).Info", "logging"),
    ("runtime.mallocgc", "allocation"), ("runtime.convT64", "allocation"), ("runtime.growslice", "allocation"), ("runtime.gcDrain", "gc"),
    ("runtime.gcAssistAlloc1", "gc"), ("runtime.memmove", "copy"), ("bytes.(*Buffer).Write", "copy"), ("sync.(*Mutex).lockSlow", "lock"),
    ("encoding/json.Marshal", "serialization"), ("compress/flate.(*compressor).deflate", "compression"), ("hash/crc32.ieeeCLMUL", "checksum"),
    ("crypto/tls.(*Conn).Write", "crypto"), ("internal/poll.(*FD).Write", "io"), ("syscall.Syscall", "io"), ("reflect.Value.Call", "reflection"),
    ("fmt.Sprintf", "formatting"), ("strconv.AppendInt", "formatting"), ("runtime.gopanic", "exceptions"), ("runtime.mapaccess2_faststr", "hashing"),
    ("regexp.(*Regexp).doExecute", "regex"), ("runtime.schedule", "scheduler"), ("runtime.findRunnable", "idle"), ("main.main", "other"),
    ("example.test/echo.describe", "other"),
])]
#[case::rust(&[
    ("tracing_subscriber::fmt::Layer::on_event", "logging"), ("log::__private_api::log_impl", "logging"), ("alloc::raw_vec::finish_grow", "allocation"),
    ("core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "allocation"), ("<alloc::vec::Vec<T> as core::clone::Clone>::clone", "allocation"),
    ("bytes::bytes_mut::BytesMut::put_slice", "copy"), ("std::sys::sync::mutex::futex::Mutex::lock_contended", "lock"), ("serde_json::ser::to_vec", "serialization"),
    ("<serde_json::ser::Compound<W,F> as serde::ser::SerializeMap>::serialize_value", "serialization"), ("<app::Money as core::fmt::Display>::fmt", "formatting"),
    ("core::fmt::write", "formatting"), ("hashbrown::map::HashMap<K,V>::insert", "hashing"), ("crc32fast::Hasher::update", "checksum"),
    ("flate2::mem::Compress::compress", "compression"), ("rustls::conn::ConnectionCommon::process_new_packets", "crypto"),
    ("std::panicking::begin_panic_handler", "exceptions"), ("std::panicking::try::do_call", "other"), ("std::rt::lang_start_internal", "other"),
    ("regex_automata::meta::regex::Regex::search", "regex"), ("copytwice::checksum", "other"),
])]
#[case::native_and_kernel(&[
    ("__memmove_avx512_unaligned_erms", "copy"), ("__memset_avx512_unaligned_erms", "copy"), ("malloc", "allocation"), ("cfree@GLIBC_2.2.5", "allocation"),
    ("operator new(unsigned long)", "allocation"), ("je_arena_ralloc_no_move", "allocation"), ("__lll_lock_wait", "lock"), ("___pthread_cond_broadcast", "lock"),
    ("__vfprintf_internal", "formatting"), ("std::ostream::put", "formatting"), ("_Unwind_RaiseException", "exceptions"), ("ZSTD_compressBlock_fast", "compression"),
    ("crc32_z", "checksum"), ("EVP_EncryptUpdate", "crypto"), ("google::protobuf::MessageLite::SerializeToString", "serialization"), ("re_search_internal", "regex"),
    ("__GI___libc_write", "io"), ("epoll_wait", "idle"), ("_dl_relocate_object", "jit"), ("asm_exc_page_fault", "allocation"), ("clear_page_erms_[k]", "allocation"),
    ("tcp_sendmsg_[k]", "io"), ("vfs_write", "io"), ("do_syscall_64", "io"), ("copy_user_enhanced_fast_string", "copy"), ("finish_task_switch.isra.0_[k]", "scheduler"),
    ("native_safe_halt", "idle"), ("native_queued_spin_lock_slowpath", "lock"),
])]
#[case::scripts(&[
    ("debug (logging/__init__.py:1477)", "logging"), ("deepcopy (copy.py:146)", "copy"), ("iterencode (json/encoder.py:259)", "serialization"),
    ("<module> (json/__init__.py:1)", "jit"), ("match (re/__init__.py:166)", "regex"), ("wait (threading.py:320)", "lock"), ("readinto (socket.py:705)", "io"),
    ("format_exc (traceback.py:184)", "exceptions"), ("write (gzip.py:289)", "compression"), ("signature (inspect.py:3263)", "reflection"), ("pformat (pprof/pprint.py:1)", "other"),
    ("_find_and_load (<frozen importlib._bootstrap>:1007)", "jit"), ("_PyObject_Malloc", "allocation"), ("gc_collect_main", "gc"), ("take_gil", "lock"),
    ("LazyCompile:*asJson /app/node_modules/pino/lib/tools.js:100:10", "logging"), ("RegExp:[&<>]", "regex"), ("(garbage collector)", "gc"), ("(idle)", "idle"),
    ("JS:*formatWithOptions node:internal/util/inspect:2000:1", "formatting"), ("v8::internal::JsonStringifier::Serialize_<true>(v8::internal::Object)", "serialization"),
    ("v8::internal::MarkCompactCollector::CollectGarbage()", "gc"), ("LazyCompile:*render /app/render.js:3", "other"),
])]
#[case::dotnet(&[
    ("Microsoft.Extensions.Logging!Microsoft.Extensions.Logging.Logger.Log(int)", "logging"), ("System.Buffer.Memmove", "copy"), ("SVR::gc_heap::mark_object_simple", "gc"),
    ("System.Text.Json.JsonSerializer.Serialize", "serialization"), ("System.Threading.Monitor.Enter", "lock"),
])]
fn real_names_have_the_category_that_a_person_would_give(#[case] table: &[(&str, &str)]) {
    let rules = Rules::built_in();
    for (raw, expected) in table {
        assert_eq!(category(&rules, raw, None), *expected, "{raw} = {}", canonical(raw, None, None));
    }
}

#[test]
fn kernel_rules_do_not_reach_into_a_programs_own_functions() {
    let rules = Rules::built_in();
    assert_eq!(category(&rules, "tcp_handler", Some("/opt/game/server")), "other");
    assert_eq!(category(&rules, "tcp_handler", Some("[kernel.kallsyms]")), "io");
    assert_eq!(category(&rules, "malloc", Some("/lib/libc.so.6")), "allocation");
}

#[test]
fn a_projects_categories_win_by_name_and_by_module() {
    let rules = Rules::new(&[
        UserCategory {
            name: "buffer management".to_owned(),
            prefixes: vec![
                "org.apache.hadoop.hdds.scm.storage.BufferPool".to_owned(),
                "java/util/logging".to_owned(),
                "libpool.so".to_owned(),
            ],
        },
        UserCategory { name: "copy".to_owned(), prefixes: vec!["app::buffers".to_owned()] },
    ]);
    for (raw, module, expected) in [
        ("org/apache/hadoop/hdds/scm/storage/BufferPool.allocateBuffer", None, "buffer management"),
        ("org/apache/hadoop/hdds/scm/storage/BufferPool$1.run", None, "buffer management"),
        ("org/apache/hadoop/hdds/scm/storage/BufferPools.x", None, "other"),
        ("java/util/logging/Logger.log", None, "buffer management"),
        ("grab", Some("libpool.so"), "buffer management"),
        ("app::buffers::Ring::push", None, "copy"),
        ("<app::buffers::Ring as core::fmt::Debug>::fmt", None, "copy"),
    ] {
        assert_eq!(category(&rules, raw, module), expected, "{raw}");
    }
}
