import { apiserverRows } from './apiserver-rows.ts';
import { celLibrary, type Row, row } from './import-row.ts';

const shapes = ['lib/json', 'lib/errors', 'lib/kind', 'lib/desired'];

/** The rows of the virtual cluster: the API server, the controllers that act on it, and the simulated world with its time. */
const sim: Readonly<Record<string, Row>> = {
  ...apiserverRows,
  'lib/controllers': row('^lib/controllers/', 'actors use only the interface of the server', {
    rows: ['lib/json', 'lib/kind', 'lib/apiserver/machinery', 'lib/apiserver/builtin'],
  }),
  'lib/sim/world': row(
    '^lib/sim/world/',
    'the world takes the place of lib/kube, so it sees only its interface, and any server',
    {
      rows: [
        ...shapes,
        'lib/desired/runaway',
        'lib/loop',
        'lib/kube interface',
        'lib/apiserver/machinery',
        'lib/controllers',
      ],
      builtins: ['timers/promises', 'worker_threads'],
    },
  ),
  'lib/sim/explore': row('^lib/sim/explore/', 'the choice between steps sees only worlds', {
    rows: ['lib/json', 'lib/errors', 'lib/kind', 'lib/apiserver/machinery', 'lib/sim/world'],
    builtins: ['crypto', 'v8'],
  }),
};

const lib: Readonly<Record<string, Row>> = {
  'lib/json': row('^lib/json\\.ts$', 'a JSON value is the same everywhere'),
  'lib/errors': row('^lib/errors\\.ts$', 'every other file may import it, so it imports nothing'),
  'lib/kind': row('^lib/kind/', 'the shape of a resource is data: no I/O, no cdk8s', {
    rows: ['lib/json', 'lib/errors'],
    packages: ['typebox', ...celLibrary],
    types: ['kubernetes-types'],
  }),
  'lib/desired/runaway': row(
    '^lib/desired/runaway/',
    'a call of a function that may not return is limited in the same way at synth, in tests, in commands and in the operator',
    {
      rows: ['lib/json', 'lib/errors', 'lib/desired'],
      builtins: ['inspector', 'module', 'process', 'url', 'vm'],
    },
  ),
  'lib/desired': row('^lib/desired/(?!runaway/)', 'the contract of a kind is pure: no I/O, no clock, no cdk8s', {
    rows: ['lib/json', 'lib/errors', 'lib/kind', 'lib/desired/runaway'],
    types: ['typebox', 'kubernetes-types'],
    builtins: ['crypto'],
  }),
  'lib/workload': row('^lib/workload/', 'the tools of kinds that run pods: kinds use them, and the loop knows none', {
    rows: shapes,
    types: ['kubernetes-types'],
  }),
  'lib/plan': row('^lib/plan/', 'a plan depends on nothing but what it is given: no I/O, no clock, no cdk8s', {
    rows: shapes,
  }),
  'lib/render': row(
    '^lib/render/',
    'one pass in a made-up situation: what the loop computes, and nothing that it does',
    {
      rows: [...shapes, 'lib/desired/runaway', 'lib/plan'],
      types: ['typebox'],
    },
  ),
  'lib/telemetry': row('^lib/telemetry/', 'logs, metrics and health know nothing of kinds or of the loop', {
    rows: ['lib/errors'],
    packages: ['pino'],
    builtins: 'all',
  }),
  'lib/kube interface': row('^lib/kube/interface/', 'what another implementation of KubeApi needs stands on its own', {
    rows: ['lib/errors'],
  }),
  'lib/kube': row('^lib/kube/(?!interface/)', 'the client of the API server knows nothing of kinds', {
    rows: ['lib/errors', 'lib/kube interface'],
    packages: ['undici', '@kubernetes/client-node', 'yaml'],
    builtins: 'all',
  }),
  'lib/loop': row('^lib/loop/', 'the loop knows keys, never kinds, and never cdk8s', {
    rows: [...shapes, 'lib/desired/runaway', 'lib/plan', 'lib/kube', 'lib/kube interface', 'lib/telemetry'],
    builtins: 'all',
  }),
  'lib/conversion': row('^lib/conversion/', 'converting between versions needs shapes and a server, not the loop', {
    rows: ['lib/json', 'lib/errors', 'lib/kind', 'lib/cel', 'lib/apiserver/machinery', 'lib/telemetry'],
    types: ['fast-check'],
    builtins: 'all',
  }),
  ...sim,
  'lib/sim': row('^lib/sim/[^/]+$', 'only here the parts of the virtual cluster are put together', {
    rows: Object.keys(sim),
  }),
  'lib/foresight/served': row('^lib/foresight/served/', 'what a cluster serves is known before anything runs in it', {
    rows: [...shapes, ...Object.keys(sim), 'lib/sim'],
  }),
  'lib/foresight/simulate': row('^lib/foresight/simulate/', 'a simulation goes from data to data: no I/O, no clock', {
    rows: [
      ...shapes,
      'lib/plan',
      'lib/kube interface',
      'lib/loop',
      ...Object.keys(sim),
      'lib/sim',
      'lib/foresight/served',
    ],
  }),
  'lib/foresight/picture': row('^lib/foresight/picture/', 'a picture is drawn from a report, and from nothing else', {
    rows: ['lib/foresight/simulate'],
  }),
  'lib/foresight': row(
    '^lib/foresight/(?:cluster|plan|upgrade|replay)/',
    'predictions come from the loop itself on a virtual cluster: it reads no files and prints nothing',
    {
      rows: [
        ...shapes,
        'lib/plan',
        'lib/loop',
        'lib/kube interface',
        ...Object.keys(sim),
        'lib/sim',
        'lib/foresight/served',
      ],
      builtins: ['timers/promises'],
    },
  ),
  'lib/foresight/page': row(
    '^lib/foresight/page/',
    'a report page is made from results of predictions, and from nothing else',
    {
      rows: [
        ...shapes,
        'lib/apiserver/machinery',
        'lib/foresight/simulate',
        'lib/foresight/check',
        'lib/foresight',
        'lib/sim/explore',
        'lib/plan',
      ],
      builtins: ['crypto'],
    },
  ),
  'lib/foresight/check': row('^lib/foresight/check/', 'a check chooses between schedules, and prints nothing', {
    rows: [
      ...shapes,
      'lib/foresight/served',
      'lib/foresight/simulate',
      'lib/foresight/picture',
      ...Object.keys(sim),
      'lib/sim',
    ],
  }),
  'lib/index': row('^lib/index\\.ts$', 'the door for authors of kinds loads neither the loop nor a client', {
    rows: [...shapes, 'lib/workload', 'lib/plan'],
  }),
  'lib/runtime': row(
    '^lib/runtime(?:\\.ts$|/)',
    'the door for containers only composes folders, and never loads cdk8s',
    {
      rows: [
        ...shapes,
        'lib/desired/runaway',
        'lib/kube',
        'lib/kube interface',
        'lib/loop',
        'lib/telemetry',
        'lib/conversion',
      ],
      builtins: ['crypto', 'os', 'fs/promises', 'url', 'v8', 'worker_threads'],
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
      'lib/foresight/served',
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
      packages: ['commander', 'yaml', 'undici', 'tar-stream', 'fflate', 'xz-decompress'],
      builtins: 'all',
    },
  ),
};

/**
 * The folders of kinds and of the engine that two kinds share, and the folders that each of them imports. A new kind needs one
 * more line.
 */
const kinds: Readonly<Record<string, readonly string[]>> = {
  'constructs/rollout': [],
  'constructs/pod-set': [],
  'constructs/immortal-container': [],
  'constructs/canary-rollout': ['constructs/rollout'],
  'constructs/deployer': ['constructs/rollout'],
  'constructs/app-service': ['constructs/pod-set'],
};

const kindRow = ([folder, basis]: readonly [string, readonly string[]]): readonly [string, Row] => [
  folder,
  row(
    `^${folder}/(?!index\\.ts$)`,
    'a kind is loaded by the operator, so all but its index.ts is pure and without cdk8s',
    {
      rows: ['lib/json', 'lib/kind', 'lib/desired', 'lib/workload', ...basis],
      types: ['kubernetes-types'],
    },
  ),
];

const constructRow = (files: string, types: readonly string[]): Row =>
  row(files, 'constructs only describe: they never reach for the loop or an API server', {
    rows: [...shapes, ...Object.keys(kinds), 'constructs', 'constructs/custom-resource', 'constructs/evaluate-rules'],
    packages: ['cdk8s', 'constructs'],
    types,
    builtins: ['fs', 'os', 'child_process'],
  });

const kindFolders = Object.keys(kinds).map((folder) => folder.replace('constructs/', ''));

const constructs: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(Object.entries(kinds).map(kindRow)),
  'constructs/evaluate-rules': row(
    '^constructs/(?:evaluate|check)-rules\\.ts$',
    'rules are compiled and evaluated at synth by what the virtual API server evaluates them with; the operator never loads it',
    { rows: ['lib/json', 'lib/errors', 'lib/kind', 'lib/cel', 'lib/apiserver/machinery'] },
  ),
  'constructs/custom-resource': constructRow('^constructs/custom-resource\\.ts$', ['typebox', 'kubernetes-types']),
  constructs: constructRow(
    `^constructs/(?:operator/|(?:${kindFolders.join('|')})/index\\.ts$|(?!(?:custom-resource|(?:evaluate|check)-rules)\\.ts$)[^/]+$)`,
    ['kubernetes-types'],
  ),
};

const entryPoint = {
  rows: [...libRows, 'lib/cli', ...Object.keys(constructs)],
  packages: ['cdk8s', 'constructs', 'cdk8s-plus-27'],
  types: ['kubernetes-types'],
  builtins: 'all',
} as const;

const apps: Readonly<Record<string, Row>> = {
  apps: row(
    '^apps/(?!(?:bundle|package|page|site)(?:\\.ts$|/))',
    'an entry point only puts together what lib and constructs export',
    entryPoint,
  ),
  'apps/bundle': row('^apps/(?:bundle|package)(?:\\.ts$|/)', 'what packs files does not run what is in them', {
    packages: ['esbuild', 'oxc-parser'],
    builtins: 'all',
  }),
  'apps/page': row(
    '^apps/page(?:\\.ts$|/)',
    'the client of a report page runs in a browser: it sees only the data of the page',
    {
      rows: ['lib/foresight/page'],
      packages: ['esbuild'],
      builtins: ['fs/promises', 'process', 'url'],
    },
  ),
  'apps/site': row(
    '^apps/site(?:\\.ts$|/)',
    'the documentation site is made of Markdown and types: it runs no code of lib',
    {
      packages: ['vitepress', 'typedoc'],
      builtins: 'all',
    },
  ),
};

/**
 * What each part of the repository may import. A file of `lib`, `constructs` or `apps` that no row names is a
 * violation.
 */
export const importTable: Readonly<Record<string, Row>> = { ...lib, ...cli, ...constructs, ...apps };
