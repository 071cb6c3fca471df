/** Which built-in modules of Node a row may import: none, all, or those named (without `node:`). */
export type Builtins = 'none' | 'all' | readonly string[];

/** One row: some files, and everything they may import besides each other. What is not named is forbidden. */
export interface Row {
  /** Regular expression over paths from the root of the repository. */
  readonly files: string;
  /** Names of other rows. */
  readonly rows: readonly string[];
  /** npm packages. */
  readonly packages: readonly string[];
  /** npm packages of which only types may be imported, with `import type`. */
  readonly types: readonly string[];
  readonly builtins: Builtins;
  /** Shown with every violation. */
  readonly reason: string;
}

const row = (files: string, reason: string, allowed: Partial<Row> = {}): Row => ({
  rows: [],
  packages: [],
  types: [],
  builtins: 'none',
  ...allowed,
  files,
  reason,
});

/** CEL by Buf: it runs the conformance tests of the specification. Its regular expressions are RE2, so nothing can hang in them. */
const celLibrary: readonly string[] = ['@bufbuild/cel', '@bufbuild/cel-spec', '@bufbuild/protobuf', '@bufbuild/re2'];
/** The library behind this word is not chosen yet; until one is named here, none may be imported. */
const regularExpressionLibrary: readonly string[] = [];

const shapes = ['lib/json', 'lib/errors', 'lib/kind', 'lib/desired'];

/** The parts of the virtual cluster, each after those that it builds on. */
const sim: Readonly<Record<string, Row>> = {
  'lib/apiserver/machinery': row(
    '^lib/apiserver/machinery/',
    'the words that all parts of the virtual cluster share know none of them',
    {
      rows: ['lib/json', 'lib/kind'],
    },
  ),
  'lib/apiserver/schema': row('^lib/apiserver/schema/', 'what a schema says of a value is the same for every kind', {
    rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery'],
    packages: celLibrary,
    builtins: ['net'],
  }),
  'lib/apiserver/apply': row('^lib/apiserver/apply/', 'who owns a field depends on objects and schemas, not on kinds or requests', {
    rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery'],
    builtins: ['buffer'],
  }),
  'lib/apiserver/crd': row('^lib/apiserver/crd/', 'a definition and its kind are hooks for any server, so they know none', {
    rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery', 'lib/apiserver/schema'],
  }),
  'lib/apiserver/builtin': row(
    '^lib/apiserver/builtin/',
    'built-in kinds are hooks for any server, and are ported from Go types, not schemas',
    {
      rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery'],
      builtins: ['net'],
    },
  ),
  'lib/apiserver/server': row(
    '^lib/apiserver/server/',
    'the server is given its kinds, and makes only those that definitions define',
    {
      rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery', 'lib/apiserver/schema', 'lib/apiserver/apply', 'lib/apiserver/crd'],
      builtins: ['crypto', 'path'],
    },
  ),
  'lib/controllers': row('^lib/controllers/', 'actors see of the server only its interface', {
    rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery', 'lib/apiserver/builtin'],
  }),
  'lib/sim/world': row(
    '^lib/sim/world/',
    'the world takes the place of lib/kube, so it sees only its interface, and any server',
    {
      rows: [...shapes, 'lib/loop', 'lib/kube interface', 'lib/apiserver/machinery', 'lib/controllers'],
      builtins: ['timers/promises', 'worker_threads'],
    },
  ),
  'lib/apiserver/access': row('^lib/apiserver/access/', 'who may do what follows from what is stored, whoever stores it', {
    rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery'],
    builtins: ['crypto'],
  }),
  'lib/apiserver/http': row('^lib/apiserver/http/', 'the face of any server: what is served it learns from kinds and definitions', {
    rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery', 'lib/apiserver/access', 'lib/apiserver/crd', 'lib/apiserver/builtin'],
    packages: ['yaml'],
    builtins: ['crypto', 'http'],
  }),
  'lib/sim/explore': row('^lib/sim/explore/', 'whoever chooses between steps sees only worlds', {
    rows: ['lib/json', 'lib/errors', 'lib/kind', 'lib/apiserver/machinery', 'lib/sim/world'],
    builtins: ['crypto'],
  }),
};

const lib: Readonly<Record<string, Row>> = {
  'lib/errors': row('^lib/errors\\.ts$', 'every other file may import it, so it imports nothing'),
  'lib/json': row('^lib/json\\.ts$', 'a JSON value is the same everywhere'),
  'lib/kind': row('^lib/kind/', 'the shape of a resource is data: no I/O, no cdk8s', {
    rows: ['lib/json', 'lib/errors'],
    packages: ['typebox', ...regularExpressionLibrary, ...celLibrary],
    types: ['kubernetes-types'],
  }),
  'lib/desired': row('^lib/desired/', 'the contract of a kind is pure: no I/O, no clock, no cdk8s', {
    rows: ['lib/json', 'lib/errors', 'lib/kind'],
    types: ['typebox', 'kubernetes-types'],
    builtins: ['crypto'],
  }),
  'lib/plan': row('^lib/plan/', 'a plan depends on nothing but what it is given: no I/O, no clock, no cdk8s', {
    rows: shapes,
  }),
  'lib/render': row(
    '^lib/render/',
    'one pass in a made-up situation: what the loop computes, and nothing that it does',
    {
      rows: [...shapes, 'lib/plan'],
      types: ['typebox'],
    },
  ),
  'lib/telemetry': row('^lib/telemetry/', 'logs, metrics and health know nothing of kinds or of the loop', {
    rows: ['lib/json', 'lib/errors'],
    packages: ['pino', 'prom-client'],
    builtins: 'all',
  }),
  'lib/kube interface': row(
    '^lib/kube/(?:api|answer|bookmark|http|object-check|timers|status-error|resource-version|json)\\.ts$',
    'what another implementation of KubeApi needs stands on its own',
    { rows: ['lib/json', 'lib/errors'] },
  ),
  'lib/kube': row(
    '^lib/kube/(?!(?:api|answer|bookmark|http|object-check|timers|status-error|resource-version|json)\\.ts$)',
    'the client of the API server knows nothing of kinds',
    {
      rows: ['lib/json', 'lib/errors', 'lib/kube interface'],
      packages: ['undici', '@kubernetes/client-node'],
      builtins: 'all',
    },
  ),
  'lib/loop': row('^lib/loop/', 'the loop knows keys, never kinds, and never cdk8s', {
    rows: [...shapes, 'lib/plan', 'lib/kube', 'lib/kube interface', 'lib/telemetry'],
    builtins: 'all',
  }),
  'lib/conversion': row('^lib/conversion/', 'converting between versions needs shapes and a server, not the loop', {
    rows: ['lib/json', 'lib/errors', 'lib/kind', 'lib/telemetry'],
    types: ['fast-check'],
    builtins: 'all',
  }),
  ...sim,
  'lib/sim': row('^lib/sim/[^/]+$', 'only here the parts of the virtual cluster are put together', {
    rows: Object.keys(sim),
  }),
  'lib/foresight/simulate': row('^lib/foresight/simulate/', 'a simulation goes from data to data: no I/O, no clock', {
    rows: [...shapes, 'lib/plan', 'lib/kube interface', 'lib/loop', ...Object.keys(sim), 'lib/sim'],
  }),
  'lib/foresight/picture': row('^lib/foresight/picture/', 'a picture is drawn from a report, and from nothing else', {
    rows: ['lib/foresight/simulate'],
  }),
  'lib/foresight': row(
    '^lib/foresight/(?:cluster|plan|upgrade|replay)/',
    'what will happen is told by the loop itself on a virtual cluster: it reads no files and prints nothing',
    {
      rows: [...shapes, 'lib/plan', 'lib/loop', 'lib/kube interface', ...Object.keys(sim), 'lib/sim'],
      builtins: ['timers/promises'],
    },
  ),
  'lib/foresight/check': row('^lib/foresight/check/', 'a check chooses between schedules, and prints nothing', {
    rows: [...shapes, 'lib/foresight/simulate', 'lib/foresight/picture', ...Object.keys(sim), 'lib/sim'],
  }),
  'lib/index': row('^lib/index\\.ts$', 'the door for authors of kinds loads neither the loop nor a client', {
    rows: [...shapes, 'lib/plan'],
  }),
  'lib/runtime': row(
    '^lib/runtime(?:\\.ts$|/)',
    'the door for containers only composes folders, and never loads cdk8s',
    {
      rows: [...shapes, 'lib/kube', 'lib/kube interface', 'lib/loop', 'lib/telemetry', 'lib/conversion'],
      builtins: ['crypto', 'os', 'fs/promises'],
    },
  ),
  'lib/process': row('^lib/process/', 'how a process lives and ends is the same whatever it does', {
    builtins: ['crypto', 'fs', 'fs/promises', 'os', 'path', 'worker_threads'],
  }),
  'lib/embedded': row('^lib/embedded/', 'the virtual cluster on a real clock: it composes, and opens a port', {
    rows: ['lib/json', 'lib/errors', 'lib/kind', 'lib/process', ...Object.keys(sim), 'lib/sim', 'lib/conversion'],
    builtins: 'all',
  }),
  'lib/testing': row('^lib/testing\\.ts$', 'the door for tests only composes folders', {
    rows: [
      'lib/embedded',
      ...Object.keys(sim),
      'lib/sim',
      'lib/conversion',
      'lib/render',
      'lib/foresight/simulate',
      'lib/foresight/picture',
      'lib/foresight/check',
    ],
  }),
};

const libRows = Object.keys(lib);

const cli: Readonly<Record<string, Row>> = {
  'lib/cli': row(
    '^lib/cli/',
    'the command line composes folders, each loaded when a command needs it; kinds come from the configuration of a project',
    {
      rows: libRows,
      packages: ['commander', 'yaml'],
      builtins: 'all',
    },
  ),
};

/** Folders of kinds, and the kinds that each builds on. A new kind is one more line. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  'constructs/pod-set': [],
  'constructs/immortal-container': [],
  'constructs/canary-rollout': [],
  'constructs/deployer': ['constructs/canary-rollout'],
  'constructs/app-service': ['constructs/pod-set'],
};

const kindRow = ([folder, basis]: readonly [string, readonly string[]]): readonly [string, Row] => [
  folder,
  row(
    `^${folder}/(?!index\\.ts$)`,
    'a kind is loaded by the operator, so all but its index.ts is pure and without cdk8s',
    {
      rows: ['lib/json', 'lib/kind', 'lib/desired', ...basis],
      types: ['kubernetes-types'],
    },
  ),
];

const constructRow = (files: string, types: readonly string[]): Row =>
  row(files, 'constructs only describe: they never reach for the loop or an API server', {
    rows: [...shapes, ...Object.keys(kinds), 'constructs', 'constructs/custom-resource', 'constructs/evaluate-rules'],
    packages: ['cdk8s', 'constructs', 'cdk8s-plus-27'],
    types,
    builtins: ['fs', 'os', 'child_process'],
  });

const kindFolders = Object.keys(kinds).map((folder) => folder.replace('constructs/', ''));

const constructs: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(Object.entries(kinds).map(kindRow)),
  'constructs/evaluate-rules': row(
    '^constructs/(?:evaluate|check)-rules\\.ts$',
    'rules are compiled and evaluated at synth by what the virtual API server evaluates them with; the operator never loads it',
    { rows: ['lib/json', 'lib/errors', 'lib/kind', 'lib/apiserver/machinery', 'lib/apiserver/schema'] },
  ),
  'constructs/custom-resource': constructRow('^constructs/custom-resource\\.ts$', ['typebox', 'kubernetes-types']),
  constructs: constructRow(
    `^constructs/(?:operator/|(?:${kindFolders.join('|')})/index\\.ts$|(?!(?:custom-resource|(?:evaluate|check)-rules)\\.ts$)[^/]+$)`,
    ['kubernetes-types'],
  ),
};

const entryPoint = {
  rows: [...libRows, 'lib/cli', ...Object.keys(constructs)],
  packages: ['cdk8s', 'constructs'],
  types: ['kubernetes-types'],
  builtins: 'all',
} as const;

const apps: Readonly<Record<string, Row>> = {
  apps: row(
    '^apps/(?!(?:demo|bundle|package)(?:\\.ts$|/))',
    'an entry point only puts together what lib and constructs export',
    entryPoint,
  ),
  'apps/bundle': row('^apps/(?:bundle|package)(?:\\.ts$|/)', 'what packs files does not run what is in them', {
    packages: ['esbuild'],
    builtins: 'all',
  }),
  'apps/demo': row('^apps/demo(?:\\.ts$|/)', 'the demo is an entry point that also starts a control plane', {
    ...entryPoint,
    rows: [...entryPoint.rows, 'apps', 'test/control-plane'],
    packages: [...entryPoint.packages, 'yaml'],
  }),
};

/** What each part of the repository may import. Files of `lib`, `constructs` and `apps` that no row names are violations. */
export const importTable: Readonly<Record<string, Row>> = { ...lib, ...cli, ...constructs, ...apps };

/** Parts that a row may name, and whose own imports are nobody's business. */
export const outsideTable: Readonly<Record<string, string>> = { 'test/control-plane': '^test/control-plane/' };
