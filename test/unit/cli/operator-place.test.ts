import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { ran } from './run-cli.ts';

let cwd: string;

const from = (path: string): string => JSON.stringify(join(repository, path));

/** A configuration with the kind Probe, whose children may be in any namespace. */
const config = (more: string): string => `
import { probe } from ${from('test/unit/support/probe-kind.ts')};
import { elsewhere } from ${from('lib/kind/handles/elsewhere.ts')};
import { PriorityClass } from ${from('lib/kind/handles/built-in-handles.ts')};
import { ConfigMap } from ${from('lib/kind/handles/reference.ts')};
const owns = [elsewhere(ConfigMap, { namespaces: 'any' }), ConfigMap, elsewhere(PriorityClass)];
export default { kinds: [{ ...probe, owns${more} }] };
`;

const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: operators }\n';

const PROBE = `apiVersion: demo.example.com/v1
kind: Probe
metadata: { name: web, namespace: default, finalizers: [demo.example.com/cdk8s-reconcile] }
spec: { text: a, targets: [operators] }
`;

const STORED = PROBE.replace('metadata: {', 'metadata: { uid: 1-2, resourceVersion: "5", generation: 1,');

const OPERATOR = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: op
  namespace: operators
  labels: { app.kubernetes.io/component: operator, app.kubernetes.io/managed-by: cdk8s-reconcile }
spec:
  replicas: 0
  selector: { matchLabels: { a: b } }
  template: { metadata: { labels: { a: b } }, spec: { containers: [{ name: a, image: a }] } }
`;

/** Reports a ConfigMap in the namespace of the operator as a failure. */
const INVARIANTS = `const maps = { group: '', plural: 'configmaps' };
const check = (view) => (view.objects(maps, 'operators').length > 0 ? 'ConfigMap operators/' : undefined);
export const invariants = () => [{ name: 'no child there', check }];
`;

const REFUSAL = 'must be a namespace other than kube-* and that of the operator';

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'place-'));
  const idle = `, desired: () => ({ children: [], status: {}, state: { state: 'ready', reason: 'Idle', message: '' } })`;
  const files = {
    'reconcile.config.ts': config(''),
    'idle.ts': config(idle),
    'without.yaml': [NAMESPACE, PROBE].join('---\n'),
    'with.yaml': [NAMESPACE, OPERATOR, PROBE].join('---\n'),
    'dump-without.yaml': STORED,
    'dump-with.yaml': [STORED, OPERATOR].join('---\n'),
    'place.mjs': INVARIANTS,
    'changed.yaml': PROBE.replace('text: a', 'text: b'),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
});
afterAll(() => rm(cwd, { recursive: true }));

describe('elsewhere() with any, in commands without a cluster', () => {
  it.each([
    { command: 'plan', line: 'plan -f changed.yaml --against dump-', said: REFUSAL },
    {
      command: 'upgrade preview',
      line: 'upgrade preview --details --from idle.ts --against dump-',
      said: 'Probe: 1 there, 1 would be touched',
    },
    { command: 'simulate', line: 'simulate ', said: REFUSAL },
    { command: 'check', line: 'check Probe --schedules 0 --states 0 --invariants place.mjs ', said: REFUSAL },
  ])('$command allows no child in the namespace of the operator that is given', async ({ line, said }) => {
    const child = /ConfigMap operators\//;
    expect((await ran(`${line}without.yaml`, { cwd })).stdout).toMatch(child);
    const { stdout, stderr } = await ran(`${line}with.yaml`, { cwd });
    expect(stdout).not.toMatch(child);
    expect(`${stdout}${stderr}`).toContain(said);
  });
});
