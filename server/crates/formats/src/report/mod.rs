//! Readers of benchmark output.

mod ab;
mod asv;
mod asv_history;
mod autocannon;
mod benchbase;
mod benchmark_js;
mod benchmarkdotnet;
mod benchmarkdotnet_tables;
mod benchstat;
mod bmf;
mod builder;
mod cassandra_stress;
mod catch2;
mod criterion;
mod csv_table;
mod dart_benchmark_harness;
mod divan;
mod entry;
mod fio;
mod freon;
mod gab_custom;
mod gab_history;
mod gatling;
mod go_bench;
mod go_test_json;
mod google_benchmark;
mod gungraun;
mod hadoop;
mod hdrhistogram;
mod heads;
mod hey;
mod history;
mod hyperfine;
mod iago;
mod iai;
mod iperf3;
mod jmeter;
mod jmh;
mod js_statistics;
mod json_lines;
mod julia_benchmarktools;
mod junit;
mod k6;
mod key_value;
mod libtest;
mod load;
mod locust;
mod locust_text;
mod mapping;
mod memtier;
mod mitata;
pub mod native;
mod node_test;
mod perf_stat;
mod pgbench;
mod prometheus;
mod pyperf;
mod pyperf_text;
mod pytest_benchmark;
mod pytest_benchmark_text;
mod reading;
mod redis_benchmark;
mod ruby_benchmark;
mod sides;
mod siege;
mod stress_ng;
mod sysbench;
mod table_text;
mod taurus;
mod time;
mod tinybench;
mod vegeta;
mod vitest;
mod warp;
mod wrk;
mod ycsb;

use crate::read::Reader;

/// Readers of folders that a tool keeps, as tar or zip. Nobody else is asked about an archive: the text of its members
/// lies in it and looks like theirs.
pub(crate) const ARCHIVES: &[Reader] = &[criterion::FOLDER, asv_history::READER];

/// Readers of this folder, most telling first.
pub(crate) const READERS: &[Reader] = &[
    // Formats made to be exchanged.
    native::READER,
    bmf::READER,
    gab_custom::READER,
    gab_custom::BIGGER,
    gab_custom::SMALLER,
    // Benchmark harnesses of the JVM, .NET, C++, Python, Ruby, Julia and Dart.
    jmh::JSON,
    jmh::TEXT,
    jmh::CSV,
    google_benchmark::JSON,
    google_benchmark::CONSOLE,
    google_benchmark::CSV,
    benchmarkdotnet::READER,
    benchmarkdotnet_tables::READER,
    pytest_benchmark::READER,
    pytest_benchmark_text::READER,
    pyperf::READER,
    pyperf_text::READER,
    asv::RESULT,
    asv::BENCHMARKS,
    asv::COMPARE,
    asv::TEXT,
    junit::READER,
    julia_benchmarktools::READER,
    dart_benchmark_harness::READER,
    ruby_benchmark::BENCHMARK,
    ruby_benchmark::IPS,
    node_test::TAP,
    node_test::SPEC,
    catch2::CONSOLE,
    catch2::XML,
    // Benchmark harnesses of Rust, command timers, machine benchmarks.
    criterion::MESSAGES,
    criterion::ESTIMATES,
    criterion::SAMPLE,
    criterion::BENCHMARK,
    criterion::TEXT,
    gungraun::READER,
    iai::READER,
    libtest::READER,
    divan::READER,
    hyperfine::JSON,
    hyperfine::CSV,
    hyperfine::MARKDOWN,
    hyperfine::TEXT,
    fio::JSON,
    fio::TEXT,
    iperf3::JSON,
    iperf3::TEXT,
    stress_ng::YAML,
    stress_ng::TEXT,
    sysbench::READER,
    perf_stat::TEXT,
    perf_stat::CSV,
    perf_stat::JSON,
    time::GNU,
    time::SHELL,
    // Load generators.
    cassandra_stress::READER,
    warp::TEXT,
    warp::JSON,
    warp::SEGMENTS,
    freon::READER,
    hadoop::READER,
    k6::JSON,
    k6::POINTS,
    k6::TEXT,
    locust::CSV,
    locust::JSON,
    locust_text::READER,
    jmeter::CSV,
    jmeter::XML,
    jmeter::LOG,
    jmeter::STATISTICS,
    jmeter::AGGREGATE,
    gatling::JSON,
    gatling::TEXT,
    gatling::LOG,
    taurus::XML,
    taurus::CSV,
    iago::READER,
    autocannon::JSON,
    autocannon::TEXT,
    wrk::READER,
    hdrhistogram::READER,
    hdrhistogram::LOG,
    vegeta::JSON,
    vegeta::TEXT,
    hey::TEXT,
    hey::CSV,
    ab::READER,
    ab::PERCENTILES,
    ab::REQUESTS,
    siege::JSON,
    siege::TEXT,
    // Databases, JavaScript, metrics.
    pgbench::READER,
    redis_benchmark::TEXT,
    redis_benchmark::CSV,
    memtier::JSON,
    memtier::TEXT,
    ycsb::TEXT,
    ycsb::JSON,
    benchbase::READER,
    benchmark_js::READER,
    tinybench::JSON,
    tinybench::TABLE,
    vitest::JSON,
    vitest::TEXT,
    mitata::JSON,
    mitata::TEXT,
    mitata::MARKDOWN,
    prometheus::READER,
    gab_history::READER,
    mapping::READER,
    // Go.
    go_test_json::READER,
    go_bench::READER,
    benchstat::READER,
    // Anything with a shape: these come last.
    table_text::READER,
    key_value::READER,
    json_lines::READER,
    csv_table::READER,
];
