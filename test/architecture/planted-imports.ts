/** One forbidden import that the check must find. */
export interface PlantedImport {
  readonly reason: string;
  readonly file: string;
  readonly code: string;
  /** The violation: what the report shows, and the rules it names. */
  readonly edge: string;
  readonly rules: readonly string[];
}

const plant = (
  reason: string,
  [file, code]: readonly [string, string],
  [to, ...rules]: readonly [string, ...string[]],
): PlantedImport => ({ reason, file, code, edge: `${file} → ${to}`, rules });

/** Targets of the forbidden imports, and files whose imports are all allowed. */
export const lawfulFiles: Readonly<Record<string, string>> = {
  'lib/errors.ts': 'export const code = 1;',
  'lib/index.ts': "export { code } from '#lib/errors.ts';",
  'lib/runtime.ts': "export { code } from '#lib/errors.ts';",
  'lib/kind/shape.ts': "import type { Pod } from 'kubernetes-types/core/v1.js';\nexport type Shape = Pod;",
  'lib/desired/hash.ts': "import 'node:crypto';\nimport type { TSchema } from 'typebox';\nexport type S = TSchema;",
  'lib/plan/d.ts': "export type * from './c.ts';",
  'lib/kube/interface/api.ts': 'export interface Api {}',
  'lib/kube/client/client.ts': "import 'undici';\nimport 'node:fs';\nexport type { Api } from '../interface/api.ts';",
  'lib/sim/world/link/link.ts': "export type { Api } from '#lib/kube/interface/api.ts';",
  'lib/cli/tree.ts': "import '../errors.ts';\nimport '#lib/kind/shape.ts';",
  'constructs/index.ts': "export * from './app-service/index.ts';",
  'constructs/custom-resource.ts': "import 'cdk8s';\nimport type { TSchema } from 'typebox';\nexport type S = TSchema;",
  'constructs/pod-set/pods.ts': "export type { Shape } from '#lib/kind/shape.ts';",
  'constructs/app-service/kind.ts': "export type { Shape } from '../pod-set/pods.ts';",
  'constructs/app-service/index.ts': "import './kind.ts';\nimport '../custom-resource.ts';",
  'apps/synth.ts':
    "import 'cdk8s';\nimport 'cdk8s-plus-27';\nimport '#constructs/index.ts';\nimport 'cdk8s-reconcile/runtime';",
  'apps/demo.ts': "import './synth.ts';",
  'test/control-plane/start.ts': "import 'pino';",
};

/** Forbidden imports, one to a file. */
export const plantedImports: readonly PlantedImport[] = [
  plant('pure code reads a file', ['lib/plan/a.ts', "import 'node:fs';"], ['fs', 'lib/plan']),
  plant('a built-in without node:', ['lib/plan/b.ts', "import 'fs/promises';"], ['fs/promises', 'lib/plan']),
  plant('only node:crypto is allowed', ['lib/desired/a.ts', "import 'node:os';"], ['os', 'lib/desired']),
  plant('the loop knows cdk8s', ['lib/loop/a.ts', "import { App } from 'cdk8s';\nnew App();"], ['cdk8s', 'lib/loop']),
  plant(
    'a construct needs what users may leave out',
    ['constructs/operator/role.ts', "import 'cdk8s-plus-27';"],
    ['cdk8s-plus-27', 'constructs'],
  ),
  plant('a kind knows cdk8s', ['constructs/pod-set/kind.ts', "import 'cdk8s';"], ['cdk8s', 'constructs/pod-set']),
  plant(
    'a kind imports a construct',
    ['constructs/pod-set/desired.ts', "import '../custom-resource.ts';"],
    ['../custom-resource.ts', 'constructs/pod-set'],
  ),
  plant(
    'a kind builds on one that it may not',
    ['constructs/deployer/desired.ts', "import '../pod-set/pods.ts';"],
    ['../pod-set/pods.ts', 'constructs/deployer'],
  ),
  plant(
    'for a type only',
    ['lib/kind/a.ts', "import type { ApiObject } from 'cdk8s';\nexport type A = ApiObject;"],
    ['cdk8s', 'lib/kind'],
  ),
  plant(
    'for a type only, marked inside the braces',
    ['lib/kind/b.ts', "import { type App } from 'cdk8s';\nexport type A = App;"],
    ['cdk8s', 'lib/kind'],
  ),
  plant(
    'for a value where types are allowed',
    ['lib/desired/b.ts', "import { Type } from 'typebox';\nexport const t = Type;"],
    ['typebox', 'lib/desired'],
  ),
  plant('a re-export', ['lib/loop/b.ts', "export * from 'pino';"], ['pino', 'lib/loop', 'one-logger']),
  plant(
    'loaded while running',
    ['lib/loop/c.ts', "export const load = () => import('@kubernetes/client-node');"],
    ['@kubernetes/client-node', 'lib/loop', 'one-client'],
  ),
  plant(
    'in a file with a using declaration',
    ['lib/loop/d.ts', "export const load = async () => {\n  using x = (await import('typebox')).default;\n};"],
    ['typebox', 'lib/loop'],
  ),
  plant(
    'more of lib/kube than its interface',
    ['lib/sim/world/a.ts', "import '#lib/kube/client/client.ts';"],
    ['#lib/kube/client/client.ts', 'lib/sim/world'],
  ),
  plant(
    'a part of the virtual cluster imports one that builds on it',
    ['lib/apiserver/server/a.ts', "import '#lib/sim/world/link/link.ts';"],
    ['#lib/sim/world/link/link.ts', 'lib/apiserver/server'],
  ),
  plant(
    'through a door',
    ['lib/loop/e.ts', "import 'cdk8s-reconcile/runtime';"],
    ['cdk8s-reconcile/runtime', 'lib/loop'],
  ),
  plant(
    'up from lib',
    ['lib/cli/a.ts', "import '#constructs/index.ts';"],
    ['#constructs/index.ts', 'lib/cli', 'lib-at-the-bottom'],
  ),
  plant(
    'an entry point',
    ['constructs/operator/a.ts', "import '#apps/synth.ts';"],
    ['#apps/synth.ts', 'constructs', 'apps-at-the-top'],
  ),
  plant(
    'test code',
    ['apps/operator.ts', "import '../test/control-plane/start.ts';"],
    ['../test/control-plane/start.ts', 'apps', 'no-tests-inside'],
  ),
  plant(
    'test code in the demo',
    ['apps/demo/cluster.ts', "import '#test/control-plane/start.ts';"],
    ['#test/control-plane/start.ts', 'apps', 'no-tests-inside'],
  ),
  plant(
    'a name that nothing answers to',
    ['lib/kind/c.ts', "import '#lib/kind/gone.ts';"],
    ['#lib/kind/gone.ts', 'resolved'],
  ),
  plant('an unknown folder of lib', ['lib/misc/a.ts', "import '#lib/errors.ts';"], ['#lib/errors.ts', 'known-folder']),
  plant(
    'an unknown kind',
    ['constructs/cache/kind.ts', "import '#lib/errors.ts';"],
    ['#lib/errors.ts', 'known-folder'],
  ),
  plant('an unknown file that is all alone', ['lib/alone.ts', 'export const a = 1;'], ['lib/alone.ts', 'known-folder']),
  plant(
    'a cycle, closed by an import of types',
    ['lib/plan/c.ts', "import './d.ts';"],
    ['lib/plan/d.ts → lib/plan/c.ts', 'no-cycle'],
  ),
];
