-- Projects, what they measured, the profiles taken and what was concluded.
-- Rules for every table: migrations/README.md.

CREATE TABLE project (
    project_id uuid PRIMARY KEY,
    slug text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT project_slug_key UNIQUE (slug)
);
COMMENT ON TABLE project IS 'The unit of ownership and settings. A reference table when sharded.';
COMMENT ON COLUMN project.project_id IS 'UUIDv7 given by the server.';
COMMENT ON COLUMN project.slug IS 'The short name in URLs.';
COMMENT ON COLUMN project.created_at IS 'When the project was first named.';

CREATE TABLE policy (
    project_id uuid PRIMARY KEY REFERENCES project (project_id) ON DELETE CASCADE,
    document jsonb NOT NULL,
    version integer NOT NULL,
    updated_at timestamptz NOT NULL
);
COMMENT ON TABLE policy IS 'What a project considers worth reporting.';
COMMENT ON COLUMN policy.project_id IS 'The project that wrote it.';
COMMENT ON COLUMN policy.document IS 'Floors, kinds, budgets and categories as the API takes them.';
COMMENT ON COLUMN policy.version IS 'Counts saves from 1.';
COMMENT ON COLUMN policy.updated_at IS 'When it was last saved.';

CREATE TABLE api_token (
    project_id uuid NOT NULL REFERENCES project (project_id) ON DELETE CASCADE,
    token_id uuid NOT NULL,
    name text NOT NULL,
    token_hash bytea NOT NULL,
    scope text[] NOT NULL,
    role text NOT NULL CONSTRAINT api_token_role_check CHECK (role IN ('reader', 'writer', 'admin')),
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (project_id, token_id),
    CONSTRAINT api_token_hash_key UNIQUE (project_id, token_hash)
);
COMMENT ON TABLE api_token IS 'Secrets that let CI write to one project. Not read yet.';
COMMENT ON COLUMN api_token.project_id IS 'The project it opens.';
COMMENT ON COLUMN api_token.token_id IS 'UUIDv7, public.';
COMMENT ON COLUMN api_token.name IS 'What its owner calls it.';
COMMENT ON COLUMN api_token.token_hash IS 'SHA-256 of the secret; the secret itself is shown once and never stored.';
COMMENT ON COLUMN api_token.scope IS 'What it may be used for, such as runs:write; empty means all that its role may.';
COMMENT ON COLUMN api_token.role IS 'reader, writer or admin.';
COMMENT ON COLUMN api_token.created_at IS 'When it was made.';
COMMENT ON COLUMN api_token.last_used_at IS 'When it last opened anything, to the minute.';
COMMENT ON COLUMN api_token.expires_at IS 'When it stops working by itself; null is never.';
COMMENT ON COLUMN api_token.revoked_at IS 'When a person stopped it; null is not.';

CREATE TABLE testbed (
    project_id uuid NOT NULL REFERENCES project (project_id) ON DELETE CASCADE,
    testbed_id bigint GENERATED ALWAYS AS IDENTITY,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, testbed_id),
    CONSTRAINT testbed_name_key UNIQUE (project_id, name)
);
COMMENT ON TABLE testbed IS 'A class of machines whose numbers are comparable.';
COMMENT ON COLUMN testbed.project_id IS 'Its project.';
COMMENT ON COLUMN testbed.testbed_id IS 'Never leaves the server.';
COMMENT ON COLUMN testbed.name IS 'As the sender names it.';

CREATE TABLE branch (
    project_id uuid NOT NULL REFERENCES project (project_id) ON DELETE CASCADE,
    branch_id bigint GENERATED ALWAYS AS IDENTITY,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, branch_id),
    CONSTRAINT branch_name_key UNIQUE (project_id, name)
);
COMMENT ON TABLE branch IS 'A named line of commits that a series follows.';
COMMENT ON COLUMN branch.project_id IS 'Its project.';
COMMENT ON COLUMN branch.branch_id IS 'Never leaves the server.';
COMMENT ON COLUMN branch.name IS 'As the sender names it.';

CREATE TABLE commit (
    project_id uuid NOT NULL REFERENCES project (project_id) ON DELETE CASCADE,
    sha text COLLATE "C" NOT NULL,
    parents text[] COLLATE "C" NOT NULL,
    committed_at timestamptz,
    PRIMARY KEY (project_id, sha)
);
COMMENT ON TABLE commit IS 'A revision that was measured. Its parents need not have been.';
COMMENT ON COLUMN commit.project_id IS 'Its project.';
COMMENT ON COLUMN commit.sha IS 'The hash, or whatever else names the revision.';
COMMENT ON COLUMN commit.parents IS 'First parent first; empty when unknown or none. May name commits without a row.';
COMMENT ON COLUMN commit.committed_at IS 'When it was committed, where the sender said so.';

CREATE TABLE run (
    project_id uuid NOT NULL REFERENCES project (project_id) ON DELETE CASCADE,
    run_id uuid NOT NULL,
    idempotency_key text COLLATE "C",
    branch_id bigint NOT NULL,
    commit_sha text COLLATE "C" NOT NULL,
    testbed_id bigint NOT NULL,
    role text NOT NULL CONSTRAINT run_role_check CHECK (role IN ('measured', 'profiled', 'confirming')),
    started_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    pull_request integer,
    base text,
    environment jsonb NOT NULL,
    labels jsonb NOT NULL,
    n_benchmarks integer NOT NULL,
    PRIMARY KEY (project_id, run_id),
    CONSTRAINT run_idempotency_key UNIQUE (project_id, idempotency_key),
    CONSTRAINT run_branch_fkey FOREIGN KEY (project_id, branch_id) REFERENCES branch (project_id, branch_id),
    CONSTRAINT run_commit_fkey FOREIGN KEY (project_id, commit_sha) REFERENCES commit (project_id, sha),
    CONSTRAINT run_testbed_fkey FOREIGN KEY (project_id, testbed_id) REFERENCES testbed (project_id, testbed_id)
);
CREATE INDEX run_of_branch ON run (project_id, branch_id, testbed_id, started_at, run_id);
CREATE INDEX run_of_commit ON run (project_id, commit_sha, run_id);
CREATE INDEX run_of_pull_request ON run (project_id, pull_request, run_id) WHERE pull_request IS NOT NULL;
COMMENT ON TABLE run IS 'One upload of one commit on one testbed. Its verdict state is its row in verdict, or none yet.';
COMMENT ON COLUMN run.project_id IS 'Its project.';
COMMENT ON COLUMN run.run_id IS 'UUIDv7 of the time received, so that its order is that of arrival.';
COMMENT ON COLUMN run.idempotency_key IS 'Given by the sender: the same key twice is the same run once.';
COMMENT ON COLUMN run.branch_id IS 'The branch measured.';
COMMENT ON COLUMN run.commit_sha IS 'The commit measured.';
COMMENT ON COLUMN run.testbed_id IS 'Where it was measured.';
COMMENT ON COLUMN run.role IS 'measured runs feed baselines; profiled and confirming ones never do.';
COMMENT ON COLUMN run.started_at IS 'When the sender says that it began.';
COMMENT ON COLUMN run.received_at IS 'When the server took it.';
COMMENT ON COLUMN run.pull_request IS 'Number of the pull request, if it is for one.';
COMMENT ON COLUMN run.base IS 'What the sender wants it compared with: a branch, a commit or a run id.';
COMMENT ON COLUMN run.environment IS 'Recorded facts of the machine.';
COMMENT ON COLUMN run.labels IS 'Whatever the sender attached.';
COMMENT ON COLUMN run.n_benchmarks IS 'Number of benchmarks, failed ones included.';

CREATE TABLE benchmark (
    project_id uuid NOT NULL REFERENCES project (project_id) ON DELETE CASCADE,
    benchmark_id bigint GENERATED ALWAYS AS IDENTITY,
    key_hash bytea NOT NULL,
    name text COLLATE "C" NOT NULL,
    parameters jsonb NOT NULL,
    kind text CONSTRAINT benchmark_kind_check CHECK (kind IN ('end-to-end', 'micro')),
    PRIMARY KEY (project_id, benchmark_id),
    CONSTRAINT benchmark_hash_key UNIQUE (project_id, key_hash)
);
CREATE INDEX benchmark_by_name ON benchmark (project_id, name);
COMMENT ON TABLE benchmark IS 'A named piece of work with its parameters.';
COMMENT ON COLUMN benchmark.project_id IS 'Its project.';
COMMENT ON COLUMN benchmark.benchmark_id IS 'Never leaves the server.';
COMMENT ON COLUMN benchmark.key_hash IS 'SHA-256 of the JSON [name, parameters] with sorted parameters.';
COMMENT ON COLUMN benchmark.name IS 'Without parameters.';
COMMENT ON COLUMN benchmark.parameters IS 'Object of texts.';
COMMENT ON COLUMN benchmark.kind IS 'end-to-end or micro, as the last sender who said so said.';

CREATE TABLE measure (
    project_id uuid NOT NULL REFERENCES project (project_id) ON DELETE CASCADE,
    measure_id bigint GENERATED ALWAYS AS IDENTITY,
    key_hash bytea NOT NULL,
    name text COLLATE "C" NOT NULL,
    unit text NOT NULL,
    better text NOT NULL CONSTRAINT measure_better_check CHECK (better IN ('higher', 'lower', 'neither')),
    PRIMARY KEY (project_id, measure_id),
    CONSTRAINT measure_hash_key UNIQUE (project_id, key_hash)
);
CREATE INDEX measure_by_name ON measure (project_id, name);
COMMENT ON TABLE measure IS 'What is measured. The same name in another unit is another measure.';
COMMENT ON COLUMN measure.project_id IS 'Its project.';
COMMENT ON COLUMN measure.measure_id IS 'Never leaves the server.';
COMMENT ON COLUMN measure.key_hash IS 'SHA-256 of the JSON [name, unit].';
COMMENT ON COLUMN measure.name IS 'The tool''s own name for it.';
COMMENT ON COLUMN measure.unit IS 'The base unit of its observations.';
COMMENT ON COLUMN measure.better IS 'Which way is better, as the last run said.';

CREATE TABLE series (
    project_id uuid NOT NULL,
    series_id bigint GENERATED ALWAYS AS IDENTITY,
    benchmark_id bigint NOT NULL,
    measure_id bigint NOT NULL,
    testbed_id bigint NOT NULL,
    PRIMARY KEY (project_id, series_id),
    CONSTRAINT series_key UNIQUE (project_id, benchmark_id, measure_id, testbed_id),
    CONSTRAINT series_benchmark_fkey FOREIGN KEY (project_id, benchmark_id)
        REFERENCES benchmark (project_id, benchmark_id) ON DELETE CASCADE,
    CONSTRAINT series_measure_fkey FOREIGN KEY (project_id, measure_id)
        REFERENCES measure (project_id, measure_id) ON DELETE CASCADE,
    CONSTRAINT series_testbed_fkey FOREIGN KEY (project_id, testbed_id)
        REFERENCES testbed (project_id, testbed_id) ON DELETE CASCADE
);
COMMENT ON TABLE series IS 'One measure of one benchmark on one testbed, over all branches.';
COMMENT ON COLUMN series.project_id IS 'Its project.';
COMMENT ON COLUMN series.series_id IS 'Never leaves the server but as a page cursor.';
COMMENT ON COLUMN series.benchmark_id IS 'What ran.';
COMMENT ON COLUMN series.measure_id IS 'What was measured.';
COMMENT ON COLUMN series.testbed_id IS 'Where.';

-- Columns lie widest first, so that rows carry no padding.
CREATE TABLE metric (
    project_id uuid NOT NULL,
    run_id uuid NOT NULL,
    series_id bigint NOT NULL,
    branch_id bigint NOT NULL,
    started_at timestamptz NOT NULL,
    median double precision NOT NULL,
    lo double precision NOT NULL,
    hi double precision NOT NULL,
    min double precision NOT NULL,
    max double precision NOT NULL,
    n integer NOT NULL,
    position integer NOT NULL,
    summarised boolean NOT NULL,
    observations double precision[] NOT NULL CONSTRAINT metric_observations_check CHECK (cardinality(observations) > 0),
    PRIMARY KEY (project_id, run_id, series_id),
    CONSTRAINT metric_run_fkey FOREIGN KEY (project_id, run_id)
        REFERENCES run (project_id, run_id) ON DELETE CASCADE,
    CONSTRAINT metric_series_fkey FOREIGN KEY (project_id, series_id)
        REFERENCES series (project_id, series_id) ON DELETE CASCADE
) PARTITION BY HASH (project_id);
CREATE INDEX metric_history ON metric (project_id, series_id, branch_id, started_at, run_id);
COMMENT ON TABLE metric IS 'What one run read of one series. The table that grows.';
COMMENT ON COLUMN metric.project_id IS 'Its project.';
COMMENT ON COLUMN metric.run_id IS 'Its run.';
COMMENT ON COLUMN metric.series_id IS 'Its series.';
COMMENT ON COLUMN metric.branch_id IS 'The branch of its run, repeated so that a history is one range of one index.';
COMMENT ON COLUMN metric.started_at IS 'The start of its run, repeated for the same reason.';
COMMENT ON COLUMN metric.median IS 'Median of the observations, in the measure''s base unit.';
COMMENT ON COLUMN metric.lo IS 'Lower end of the 95 % interval of the median, or the smallest when there are too few.';
COMMENT ON COLUMN metric.hi IS 'Upper end of it, or the largest.';
COMMENT ON COLUMN metric.min IS 'Smallest observation.';
COMMENT ON COLUMN metric.max IS 'Largest observation.';
COMMENT ON COLUMN metric.n IS 'Number of observations.';
COMMENT ON COLUMN metric.position IS 'Place within the run as sent, so that it reads back in that order.';
COMMENT ON COLUMN metric.summarised IS 'The tool printed a summary instead of its readings: n is 1, and steadier than one reading.';
COMMENT ON COLUMN metric.observations IS 'Raw readings in the base unit, in the order taken.';

DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE metric_%s PARTITION OF metric FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
                       to_char(part, 'FM00'), part);
    END LOOP;
END
$$;

CREATE TABLE unmeasured (
    project_id uuid NOT NULL,
    run_id uuid NOT NULL,
    benchmark_id bigint NOT NULL,
    position integer NOT NULL,
    failed boolean NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (project_id, run_id, benchmark_id),
    CONSTRAINT unmeasured_run_fkey FOREIGN KEY (project_id, run_id)
        REFERENCES run (project_id, run_id) ON DELETE CASCADE,
    CONSTRAINT unmeasured_benchmark_fkey FOREIGN KEY (project_id, benchmark_id)
        REFERENCES benchmark (project_id, benchmark_id) ON DELETE CASCADE
);
COMMENT ON TABLE unmeasured IS 'Benchmarks of a run that failed, or that measured nothing. All others are known by their metrics.';
COMMENT ON COLUMN unmeasured.project_id IS 'Its project.';
COMMENT ON COLUMN unmeasured.run_id IS 'Its run.';
COMMENT ON COLUMN unmeasured.benchmark_id IS 'Its benchmark.';
COMMENT ON COLUMN unmeasured.position IS 'Place within the run as sent, on the same scale as metric.position.';
COMMENT ON COLUMN unmeasured.failed IS 'It did not run to its end.';
COMMENT ON COLUMN unmeasured.reason IS 'What the tool said; empty when it did not fail.';

CREATE TABLE profile (
    project_id uuid NOT NULL,
    profile_id uuid NOT NULL,
    run_id uuid NOT NULL,
    position integer NOT NULL,
    event text NOT NULL,
    unit text NOT NULL,
    benchmark text,
    period double precision,
    duration_ns double precision,
    operations double precision,
    samples bigint NOT NULL,
    weight double precision NOT NULL,
    rules_version integer NOT NULL,
    partial boolean NOT NULL,
    handwritten boolean NOT NULL,
    call_tree bytea NOT NULL,
    PRIMARY KEY (project_id, profile_id),
    CONSTRAINT profile_run_fkey FOREIGN KEY (project_id, run_id)
        REFERENCES run (project_id, run_id) ON DELETE CASCADE
);
-- Already compressed: trying again costs time and saves nothing.
ALTER TABLE profile ALTER COLUMN call_tree SET STORAGE EXTERNAL;
CREATE INDEX profile_of_run ON profile (project_id, run_id, position, profile_id);
COMMENT ON TABLE profile IS 'A bag of stacks of one event from one run.';
COMMENT ON COLUMN profile.project_id IS 'Its project.';
COMMENT ON COLUMN profile.profile_id IS 'UUIDv7 given by the server.';
COMMENT ON COLUMN profile.run_id IS 'Its run.';
COMMENT ON COLUMN profile.position IS 'Place among the profiles of its run, as sent.';
COMMENT ON COLUMN profile.event IS 'What the profiler counted.';
COMMENT ON COLUMN profile.unit IS 'The unit of weights.';
COMMENT ON COLUMN profile.benchmark IS 'The benchmark that ran, as printed with its parameters; null when not said.';
COMMENT ON COLUMN profile.period IS 'Units of weight between two samples, where known.';
COMMENT ON COLUMN profile.duration_ns IS 'How long the profiler ran, in nanoseconds, where known.';
COMMENT ON COLUMN profile.operations IS 'How many operations the run did, where the sender said so.';
COMMENT ON COLUMN profile.samples IS 'Number of samples.';
COMMENT ON COLUMN profile.weight IS 'What they stand for, in unit.';
COMMENT ON COLUMN profile.rules_version IS 'Version of the rules that named and categorised its frames.';
COMMENT ON COLUMN profile.partial IS 'Parts are known to be missing: shown, never tested.';
COMMENT ON COLUMN profile.handwritten IS 'Shares typed by a person, not sampled.';
COMMENT ON COLUMN profile.call_tree IS 'The whole profile: zstd of a version byte and postcard.';

CREATE TABLE frame (
    project_id uuid NOT NULL REFERENCES project (project_id) ON DELETE CASCADE,
    frame_id bigint GENERATED ALWAYS AS IDENTITY,
    key_hash bytea NOT NULL,
    name text COLLATE "C" NOT NULL,
    category text NOT NULL,
    PRIMARY KEY (project_id, frame_id),
    CONSTRAINT frame_hash_key UNIQUE (project_id, key_hash)
);
COMMENT ON TABLE frame IS 'A function that was once hot in the project.';
COMMENT ON COLUMN frame.project_id IS 'Its project.';
COMMENT ON COLUMN frame.frame_id IS 'Never leaves the server.';
COMMENT ON COLUMN frame.key_hash IS 'SHA-256 of the JSON of the name.';
COMMENT ON COLUMN frame.name IS 'Canonical name.';
COMMENT ON COLUMN frame.category IS 'What it is for, by the rules of the last profile that had it.';

CREATE TABLE profile_frame (
    project_id uuid NOT NULL,
    profile_id uuid NOT NULL,
    frame_id bigint NOT NULL,
    self_samples bigint NOT NULL,
    total_samples bigint NOT NULL,
    self_weight double precision NOT NULL,
    total_weight double precision NOT NULL,
    PRIMARY KEY (project_id, profile_id, frame_id),
    CONSTRAINT profile_frame_profile_fkey FOREIGN KEY (project_id, profile_id)
        REFERENCES profile (project_id, profile_id) ON DELETE CASCADE,
    CONSTRAINT profile_frame_frame_fkey FOREIGN KEY (project_id, frame_id)
        REFERENCES frame (project_id, frame_id) ON DELETE CASCADE
);
CREATE INDEX profile_frame_history ON profile_frame (project_id, frame_id, profile_id);
COMMENT ON TABLE profile_frame IS 'The hot frames of each profile, for lists and histories; all others are in its call tree.';
COMMENT ON COLUMN profile_frame.project_id IS 'Its project.';
COMMENT ON COLUMN profile_frame.profile_id IS 'Its profile.';
COMMENT ON COLUMN profile_frame.frame_id IS 'Its frame.';
COMMENT ON COLUMN profile_frame.self_samples IS 'Samples whose leaf it is.';
COMMENT ON COLUMN profile_frame.total_samples IS 'Samples whose stack holds it, each counted once.';
COMMENT ON COLUMN profile_frame.self_weight IS 'The weight of the former, in the profile''s unit.';
COMMENT ON COLUMN profile_frame.total_weight IS 'The weight of the latter.';

CREATE TABLE verdict (
    project_id uuid NOT NULL,
    run_id uuid NOT NULL,
    base_run_id uuid,
    outcome text NOT NULL CONSTRAINT verdict_outcome_check CHECK (outcome IN
        ('regressed', 'improved', 'mixed', 'unchanged', 'unstable', 'inconclusive', 'no-baseline')),
    confidence text NOT NULL CONSTRAINT verdict_confidence_check CHECK (confidence IN ('noise', 'likely', 'confirmed')),
    sentence text NOT NULL,
    document jsonb NOT NULL,
    rules_version integer NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, run_id),
    CONSTRAINT verdict_run_fkey FOREIGN KEY (project_id, run_id)
        REFERENCES run (project_id, run_id) ON DELETE CASCADE,
    CONSTRAINT verdict_base_run_fkey FOREIGN KEY (project_id, base_run_id) REFERENCES run (project_id, run_id)
);
CREATE INDEX verdict_by_outcome ON verdict (project_id, outcome, run_id);
CREATE INDEX verdict_by_base ON verdict (project_id, base_run_id);
COMMENT ON TABLE verdict IS 'What a run came to. A run without a row has not been judged yet.';
COMMENT ON COLUMN verdict.project_id IS 'Its project.';
COMMENT ON COLUMN verdict.run_id IS 'The candidate.';
COMMENT ON COLUMN verdict.base_run_id IS 'The baseline; null when there was none.';
COMMENT ON COLUMN verdict.outcome IS 'As in the document, for lists.';
COMMENT ON COLUMN verdict.confidence IS 'As in the document, for lists.';
COMMENT ON COLUMN verdict.sentence IS 'As in the document, for lists.';
COMMENT ON COLUMN verdict.document IS 'The whole verdict, as every reader shows it.';
COMMENT ON COLUMN verdict.rules_version IS 'Version of the rules of detection.';
COMMENT ON COLUMN verdict.created_at IS 'When it was reached.';

CREATE TABLE finding (
    project_id uuid NOT NULL,
    run_id uuid NOT NULL,
    series_id bigint NOT NULL,
    position integer NOT NULL,
    outcome text NOT NULL CONSTRAINT finding_outcome_check CHECK (outcome IN ('regressed', 'improved')),
    confidence text NOT NULL CONSTRAINT finding_confidence_check CHECK (confidence IN ('noise', 'likely', 'confirmed')),
    change double precision,
    PRIMARY KEY (project_id, run_id, series_id),
    CONSTRAINT finding_verdict_fkey FOREIGN KEY (project_id, run_id)
        REFERENCES verdict (project_id, run_id) ON DELETE CASCADE,
    CONSTRAINT finding_series_fkey FOREIGN KEY (project_id, series_id)
        REFERENCES series (project_id, series_id) ON DELETE CASCADE
);
CREATE INDEX finding_of_series ON finding (project_id, series_id, run_id);
COMMENT ON TABLE finding IS 'What changed, one row a series, for lists; everything else is in the verdict''s document.';
COMMENT ON COLUMN finding.project_id IS 'Its project.';
COMMENT ON COLUMN finding.run_id IS 'The run whose verdict it is of.';
COMMENT ON COLUMN finding.series_id IS 'The benchmark and measure, on the run''s testbed.';
COMMENT ON COLUMN finding.position IS 'Place in the verdict, most important first.';
COMMENT ON COLUMN finding.outcome IS 'regressed or improved.';
COMMENT ON COLUMN finding.confidence IS 'How sure that is.';
COMMENT ON COLUMN finding.change IS 'Relative change of the level: -0.13 is 13 % less.';

CREATE TABLE alert (
    project_id uuid NOT NULL,
    alert_id uuid NOT NULL DEFAULT gen_random_uuid(),
    series_id bigint NOT NULL,
    branch_id bigint NOT NULL,
    first_run_id uuid NOT NULL,
    last_run_id uuid NOT NULL,
    state text NOT NULL CONSTRAINT alert_state_check CHECK (state IN ('open', 'resolved')),
    confidence text NOT NULL CONSTRAINT alert_confidence_check CHECK (confidence IN ('noise', 'likely', 'confirmed')),
    change double precision,
    base_level double precision,
    opened_at timestamptz NOT NULL,
    resolved_at timestamptz,
    PRIMARY KEY (project_id, alert_id),
    CONSTRAINT alert_series_fkey FOREIGN KEY (project_id, series_id)
        REFERENCES series (project_id, series_id) ON DELETE CASCADE,
    CONSTRAINT alert_branch_fkey FOREIGN KEY (project_id, branch_id) REFERENCES branch (project_id, branch_id),
    CONSTRAINT alert_first_run_fkey FOREIGN KEY (project_id, first_run_id) REFERENCES run (project_id, run_id),
    CONSTRAINT alert_last_run_fkey FOREIGN KEY (project_id, last_run_id) REFERENCES run (project_id, run_id)
);
CREATE UNIQUE INDEX alert_open_key ON alert (project_id, series_id, branch_id) WHERE state = 'open';
CREATE INDEX alert_by_time ON alert (project_id, state, opened_at, alert_id);
COMMENT ON TABLE alert IS 'A regression with a life. At most one is open for a series on a branch.';
COMMENT ON COLUMN alert.project_id IS 'Its project.';
COMMENT ON COLUMN alert.alert_id IS 'Random UUID.';
COMMENT ON COLUMN alert.series_id IS 'What got worse, and where.';
COMMENT ON COLUMN alert.branch_id IS 'On which branch.';
COMMENT ON COLUMN alert.first_run_id IS 'The run that opened it.';
COMMENT ON COLUMN alert.last_run_id IS 'The last run that was found worse again, or that resolved it.';
COMMENT ON COLUMN alert.state IS 'open or resolved.';
COMMENT ON COLUMN alert.confidence IS 'Of the last finding.';
COMMENT ON COLUMN alert.change IS 'Relative change of the level in the last finding.';
COMMENT ON COLUMN alert.base_level IS 'The median before it got worse: it is over when the level is back there.';
COMMENT ON COLUMN alert.opened_at IS 'When the verdict that opened it was reached.';
COMMENT ON COLUMN alert.resolved_at IS 'When the verdict that resolved it was reached.';
