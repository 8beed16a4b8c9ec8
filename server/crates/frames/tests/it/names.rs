//! Raw symbols and their canonical names, most of them from the profiles in `fixtures/`.

use frames::canonical;
use rstest::rstest;

fn check(table: &[(&str, &str)]) {
    for (raw, expected) in table {
        assert_eq!(canonical(raw, None, None), *expected, "{raw}");
    }
}

#[rstest]
fn jvm_names_are_dotted_and_without_generated_numbers() {
    check(&[
        ("java/util/Arrays.hashCode_[i]", "java.util.Arrays.hashCode"),
        ("PagerReads$Pager.logPage_[1]", "PagerReads$Pager.logPage"),
        ("PagerReads$Store.<init>_[1]", "PagerReads$Store.<init>"),
        ("PagerReads.<clinit>_[0]", "PagerReads.<clinit>"),
        (
            "java/util/regex/CharPredicates.lambda$ASCII_DIGIT$18_[0]",
            "java.util.regex.CharPredicates.lambda$ASCII_DIGIT",
        ),
        ("java/util/Formatter$FormatSpecifier.print_[1]", "java.util.Formatter$FormatSpecifier.print"),
        (
            "org/mozilla/javascript/ScriptableObject:.createSlot_[j]",
            "org.mozilla.javascript.ScriptableObject.createSlot",
        ),
        (
            "Lnet/spy/memcached/MemcachedConnection;::handleIO",
            "net.spy.memcached.MemcachedConnection.handleIO",
        ),
        ("java/io/FileOutputStream:::write", "java.io.FileOutputStream.write"),
        ("org/mozilla/javascript/MemberBox:::<init>", "org.mozilla.javascript.MemberBox.<init>"),
        ("LBusy:::main", "Busy.main"),
        ("void Locks.work(int)", "Locks.work"),
        ("java.lang.Object[] java.util.Arrays.copyOf", "java.util.Arrays.copyOf"),
        (
            "int java.util.concurrent.ThreadPoolExecutor$Worker.run",
            "java.util.concurrent.ThreadPoolExecutor$Worker.run",
        ),
        ("A$$Lambda$88+0x00007fdbb0007a08.1790421142.run", "A$$Lambda.run"),
        ("A$$Lambda$123/0x0000000800c1.run", "A$$Lambda.run"),
        ("a.B$$Lambda+0x00007f1234567890/543846639.run", "a.B$$Lambda.run"),
        ("A$$Lambda$lambda$wrap$2$2630016632.0x00000008012100dd.call", "A$$Lambda$lambda$wrap.call"),
        ("com/x/A$$Lambda$14.0x0000000800c03000.apply", "com.x.A$$Lambda.apply"),
        ("com.x.A.lambda$main$0", "com.x.A.lambda$main"),
        ("sun/reflect/GeneratedMethodAccessor12.invoke", "sun.reflect.GeneratedMethodAccessor_.invoke"),
        ("com.sun.proxy.$Proxy37.get", "com.sun.proxy.$Proxy_.get"),
        (
            "java/lang/invoke/LambdaForm$MH.0x00007f1c8c10b000.invokeExact_MT",
            "java.lang.invoke.LambdaForm$MH.invokeExact_MT",
        ),
        (
            "java/lang/invoke/DirectMethodHandle$Holder.invokeStatic",
            "java.lang.invoke.DirectMethodHandle$Holder.invokeStatic",
        ),
        ("com.x.Svc$$EnhancerBySpringCGLIB$$a1b2c3.call", "com.x.Svc$$EnhancerBySpringCGLIB$$_.call"),
        ("com.x.Svc$$FastClassBySpringCGLIB$$1f2e.invoke", "com.x.Svc$$FastClassBySpringCGLIB$$_.invoke"),
        ("scala.x.Y.$anonfun$f$6", "scala.x.Y.$anonfun$f"),
        ("java.lang.String.format(java.lang.String, java.lang.Object[])", "java.lang.String.format"),
        ("com.x.A.run:123", "com.x.A.run"),
        ("java/util/logging/LogManager$2.run_[0]", "java.util.logging.LogManager$2.run"),
    ]);
}

#[rstest]
fn go_names_lose_instantiations_and_numbers() {
    check(&[
        ("runtime.mallocgc", "runtime.mallocgc"),
        ("example.test/echo.(*Conn).SendEager", "example.test/echo.(*Conn).SendEager"),
        ("example.test/echo.BenchmarkSend.func1", "example.test/echo.BenchmarkSend.func"),
        ("runtime.gcBgMarkWorker.func2", "runtime.gcBgMarkWorker.func"),
        ("main.main.func1.2", "main.main.func"),
        ("main.run.func1.gowrap2", "main.run.func"),
        ("main.run.gowrap1", "main.run.func"),
        ("main.Walk-range1", "main.Walk"),
        ("main.(*T[...]).M", "main.(*T).M"),
        ("slices.SortFunc[go.shape.[]int,go.shape.int]", "slices.SortFunc"),
        ("runtime.memmove.abi0", "runtime.memmove"),
        ("glob..func1", "glob..func"),
        ("main.init.0", "main.init"),
        ("net/http.(*conn).serve-fm", "net/http.(*conn).serve"),
        ("gopkg.in/yaml%2ev2.(*encoder).emitScalar", "gopkg.in/yaml.v2.(*encoder).emitScalar"),
        ("x.io/app/vendor/github.com/pkg/errors.WithStack", "github.com/pkg/errors.WithStack"),
        ("runtime\u{b7}memmove", "runtime.memmove"),
        ("go.uber.org/zap.(*SugaredLogger).Debugf", "go.uber.org/zap.(*SugaredLogger).Debugf"),
    ]);
}

#[rstest]
fn rust_names_are_demangled_without_hashes_and_generics() {
    check(&[
        ("_ZN9copytwice15copy_to_staging17h0123456789abcdefE", "copytwice::copy_to_staging"),
        ("copytwice::copy_to_wire::h0123456789abcdef", "copytwice::copy_to_wire"),
        ("_RINvNtCse0yjq9ZQveU_3std2rt10lang_startuECs8K9WJNlS7Dz_5trace", "std::rt::lang_start"),
        ("_RNvCs8K9WJNlS7Dz_5trace17multiply_matrices", "trace::multiply_matrices"),
        (
            "_RNvXsb_NtCsfiKabdrepoq_5alloc3vecINtB5_3VecdEINtNtNtCsTACXlTRjQ_4core3ops5index5IndexjE5indexCs8K9WJNlS7Dz_5trace",
            "<alloc::vec::Vec as core::ops::index::Index>::index",
        ),
        ("std::rt::lang_start::{{closure}}", "std::rt::lang_start::{{closure}}"),
        ("app::run::{closure#3}", "app::run::{{closure}}"),
        ("app[5d17f3a5c1ea5a42]::run", "app::run"),
        (
            "<collections::vec::Vec<T> as core::ops::DerefMut>::deref_mut",
            "<collections::vec::Vec as core::ops::DerefMut>::deref_mut",
        ),
        (
            "core::cmp::impls::_<impl core::cmp::PartialOrd for usize>::lt",
            "core::cmp::impls::<impl core::cmp::PartialOrd for usize>::lt",
        ),
        ("<collections::vec::Vec<T>>::set_len", "collections::vec::Vec::set_len"),
        (
            "core::slice::_<impl core::ops::IndexMut<core::ops::RangeFrom<usize>> for [T]>::index_mut",
            "core::slice::<impl core::ops::IndexMut for [T]>::index_mut",
        ),
        ("core::ptr::drop_in_place::<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place"),
        ("core::ptr::drop_in_place<core::option::Option<fn(u8) -> u8>>", "core::ptr::drop_in_place"),
        (
            "_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..clone..Clone$GT$::clone::h0123456789abcdef",
            "<alloc::vec::Vec as core::clone::Clone>::clone",
        ),
        ("core::fmt::write", "core::fmt::write"),
        ("core::num::<impl u64>::wrapping_add", "core::num::<impl u64>::wrapping_add"),
        ("app::main.llvm.1234567890", "app::main"),
    ]);
}

#[rstest]
fn native_names_lose_arguments_templates_and_clones() {
    check(&[
        ("__memmove_avx512_unaligned_erms", "__memmove_avx512_unaligned_erms"),
        ("__libc_start_main@@GLIBC_2.34", "__libc_start_main"),
        ("cfree@GLIBC_2.2.5", "cfree"),
        ("memcpy@plt", "memcpy"),
        ("finish_task_switch.isra.0_[k]", "finish_task_switch"),
        ("vms_clear_ptes.part.0", "vms_clear_ptes"),
        ("copy_page.constprop.0", "copy_page"),
        ("parse.cold", "parse"),
        ("parse.part.3.cold.7", "parse"),
        ("vfs_write+0x1f", "vfs_write"),
        ("__GI___libc_write", "__libc_write"),
        ("PhaseIdealLoop::is_dominator(Node*, Node*) [clone .part.114]", "PhaseIdealLoop::is_dominator"),
        (
            "oopDesc* PSPromotionManager::copy_to_survivor_space<false>(oopDesc*)",
            "PSPromotionManager::copy_to_survivor_space",
        ),
        ("Arena::contains(void const*) const", "Arena::contains"),
        (
            "_ZN9JavaCalls12call_virtualEP9JavaValue11KlassHandleP6SymbolS4_P17JavaCallArgumentsP6Thread",
            "JavaCalls::call_virtual",
        ),
        ("_ZL12thread_entryP10JavaThreadP6Thread", "thread_entry"),
        ("_Z5deltav", "delta"),
        ("std::endl<char, std::char_traits<char> >", "std::endl"),
        (
            "AccessInternal::PostRuntimeDispatch<CardTableBarrierSet::AccessBarrier<548964ul, CardTableBarrierSet>, (AccessInternal::BarrierType)2, 548964ul>::oop_access_barrier",
            "AccessInternal::PostRuntimeDispatch::oop_access_barrier",
        ),
        ("FormatStringEventLog<256ul>::log", "FormatStringEventLog::log"),
        ("std::string::append[abi:cxx11](char const*)", "std::string::append"),
        ("operator new(unsigned long)", "operator new"),
        ("operator delete[](void*)", "operator delete[]"),
        ("std::operator<< <std::char_traits<char> >(std::ostream&, char)", "std::operator<<"),
        ("Foo::operator()(int) const", "Foo::operator()"),
        ("app::(anonymous namespace)::run(int)", "app::(anonymous namespace)::run"),
        ("main::{lambda(int)#2}::operator()(int) const", "main::{lambda}::operator()"),
        ("void run<int>(int)", "run"),
        ("non-virtual thunk to Foo::bar()", "Foo::bar"),
        (
            "v8::internal::Execution::Call(v8::internal::Isolate*, v8::internal::Handle<v8::internal::Object>, int, bool)",
            "v8::internal::Execution::Call",
        ),
        ("itable stub", "itable stub"),
        ("I2C/C2I adapters(0xa)", "I2C.C2I adapters"),
    ]);
}

#[rstest]
fn scripts_are_named_by_path_and_function() {
    check(&[
        ("deepcopy (copy.py:146)", "copy.py:deepcopy"),
        ("<module> (/home/ci/project/render.py:3)", "project/render.py:<module>"),
        ("resolve.<locals>.<listcomp> (render.py:12)", "render.py:resolve.<locals>.<listcomp>"),
        ("dumps (/usr/lib/python3.11/json/__init__.py:231)", "json/__init__.py:dumps"),
        ("get (/app/.venv/lib/python3.12/site-packages/requests/api.py:59)", "requests/api.py:get"),
        ("<frozen importlib._bootstrap>:_find_and_load:1007", "<frozen importlib._bootstrap>:_find_and_load"),
        (
            "_find_and_load (<frozen importlib._bootstrap>:1007)",
            "<frozen importlib._bootstrap>:_find_and_load",
        ),
        ("build - /home/ci/project/ruby/work.rb:2", "ruby/work.rb:build"),
        (
            "LazyCompile:*Async$consumeFunctionBuffer /apps/node/webapp/node_modules/async/lib/async.js:39",
            "async/lib/async.js:Async$consumeFunctionBuffer",
        ),
        ("LazyCompile:~f file.js:1:2", "file.js:f"),
        ("JS:^handle file:///home/ci/project/node/serve.js:10:3", "node/serve.js:handle"),
        ("Function:~f node:internal/timers:5:1", "node:internal/timers:f"),
        ("RegExp:[&<>]", "RegExp:[&<>]"),
    ]);
}

#[rstest]
fn dotnet_names_lose_arity_and_compiler_classes() {
    check(&[
        (
            "System.Private.CoreLib!System.String.Concat(class System.String,class System.String)",
            "System.String.Concat",
        ),
        ("App!Ns.Worker+<Run>d__12.MoveNext()", "Ns.Worker.Run"),
        ("App!Ns.Worker+<>c__DisplayClass3_0.<Run>b__1()", "Ns.Worker.Run lambda"),
        (
            "System.Collections.Generic.Dictionary`2[System.__Canon,System.__Canon].FindValue",
            "System.Collections.Generic.Dictionary.FindValue",
        ),
    ]);
}

#[rstest]
#[case("[unknown]", Some("/lib/x86_64-linux-gnu/libc.so.6"), "[libc.so.6]")]
#[case("0x7f12ab34cd", Some("libjvm.so"), "[libjvm.so]")]
#[case("[vmlinux-5.4.14-cloudflare-2020.1.11]", None, "[kernel]")]
#[case("[perf-10939.map]", Some("/tmp/perf-10939.map"), "[perf map]")]
#[case("/usr/lib/aarch64-linux-gnu/libc.so.6", None, "[libc.so.6]")]
#[case("bpf_prog_2b956549c660136a_uni_l4lb", None, "bpf_prog_uni_l4lb")]
#[case("0x7f12ab34cd", None, "[unknown]")]
#[case("", None, "[unknown]")]
#[case("unknown", None, "[unknown]")]
#[case("[[kernel.kallsyms]]", None, "[kernel]")]
#[case("[unknown]", Some("[kernel.kallsyms]"), "[kernel]")]
#[case("[unknown]", Some("/tmp/perf-10939.map"), "[perf map]")]
#[case("[unknown]", Some("/tmp/libzstd-jni-1.5.2-4123481135.so"), "[libzstd-jni-1.5.2-_.so]")]
#[case("[libstdc++.so.6.0.25]", None, "[libstdc++.so.6.0.25]")]
#[case("[DestroyJavaVM tid=5663]", None, "[DestroyJavaVM]")]
#[case("[C2 CompilerThre tid=5675]", None, "[C2 CompilerThre]")]
#[case("[pool-2-thread-13 tid=77]", None, "[pool-*-thread-*]")]
#[case("[GC Thread#3 tid=8]", None, "[GC Thread#*]")]
#[case("java-1234/5678", None, "java")]
#[case("P6360", None, "[process]")]
#[case("(garbage collector)", None, "(garbage collector)")]
fn frames_without_a_symbol_are_one_per_module(
    #[case] raw: &str,
    #[case] module: Option<&str>,
    #[case] expected: &str,
) {
    assert_eq!(canonical(raw, module, None), expected);
    assert_eq!(canonical(expected, module, None), expected);
}

#[test]
fn files_beside_a_name_are_part_of_a_scripts_name_only() {
    for (raw, file, expected) in [
        ("bodyLength", "file:///home/ci/project/node/serve.js", "node/serve.js:bodyLength"),
        ("", "file:///home/ci/project/node/serve.js", "node/serve.js:(anonymous)"),
        ("toRealPath", "node:internal/modules/helpers", "node:internal/modules/helpers:toRealPath"),
        ("run", "/srv/app/orders.py", "app/orders.py:run"),
        ("copytwice::main", "src/main.rs", "copytwice::main"),
        ("main.main", "/src/main.go", "main.main"),
    ] {
        let name = canonical(raw, None, Some(file));
        assert_eq!(name, expected);
        assert_eq!(canonical(&name, None, Some(file)), expected, "again");
    }
}

#[test]
fn long_names_are_cut_where_they_stay_readable() {
    let name = canonical(&"é".repeat(5000), None, None);
    assert!(name.ends_with('\u{2026}') && name.len() <= canonical::LONGEST);
}
