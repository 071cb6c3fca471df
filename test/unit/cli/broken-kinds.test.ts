import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { refOf } from '#lib/kind/names.ts';
import { portal, resourceOf, website } from '#test/unit/foresight/served/portal.ts';
import broken from './broken/reconcile.config.ts';
import { type Ran, ran } from './run-cli.ts';
import { type VirtualCluster, virtualCluster } from './virtual-cluster.ts';

const cwd = `${import.meta.dirname}/broken`;

let virtual: VirtualCluster;
beforeAll(async () => {
  virtual = await virtualCluster(() => undefined, { kinds: broken.kinds, isStill: true });
  for (const text of ['fine', 'throw', 'loop', 'empty', 'told']) {
    const object = { ...resourceOf('Website', text), spec: { text } };
    await virtual.api.create(refOf(website), object, { namespace: 'default', fieldManager: 'test' });
  }
  const gate: JsonObject = resourceOf('Portal', 'gate');
  await virtual.api.create(refOf(portal), gate, { namespace: 'default', fieldManager: 'test' });
});

const run = async (line: string): Promise<Ran> => ran(line, { ...virtual, cwd });

/** A resource that no cluster in memory serves. */
const RUNTIME_CLASSES = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  scope: 'Namespaced',
} as const;

const UNSERVED =
  'Portal owns RuntimeClass (node.k8s.io/v1), which this cluster does not serve; use a cluster that serves it';

describe('explain', () => {
  it('explain shows what the function throws, with file and line of its source', async () => {
    const { code, stdout } = await run('explain website/throw');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /The operator would now:\n {2}it cannot be computed here: desired\(\) of Website failed for default\/throw: boom \(kinds\.ts:8\)\n/,
    );
    expect(stdout).toContain('no operator has looked at it yet');
  });

  it('explain says what is wrong with what a function returns, and names no file of Node', async () => {
    const { stdout } = await run('explain website/empty');
    const [, words = ''] = /it cannot be computed here: (.*)/.exec(stdout) ?? [];
    expect(words).toMatch(/Cannot use the result of desired\(\) returned .*\(root\): must be an object/);
    expect(words).not.toContain('/process/');
  });

  it('explain shows a failure once, with what to do', async () => {
    const ready = { type: 'Ready', status: 'False', reason: 'DesiredFailed', message: 'boom', observedGeneration: 1 };
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const conditions = [ready, { ...ready, type: 'Stalled', status: 'True' }].map((one) => ({
      ...one,
      lastTransitionTime,
    }));
    const target = { namespace: 'default', name: 'told' };
    const { metadata } = await virtual.api.patchStatus(
      refOf(website),
      target,
      { status: { conditions } },
      { fieldManager: 'test' },
    );
    for (const [name, message] of [
      ['same', 'boom'],
      ['other', 'something else'],
    ] as const) {
      const event = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace: 'default' },
        involvedObject: { uid: metadata.uid },
        type: 'Warning',
        reason: 'DesiredFailed',
        message,
      };
      const events = { apiVersion: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;
      await virtual.api.create(events, event, { namespace: 'default', fieldManager: 'test' });
    }
    const { stdout } = await run('explain website/told');
    expect(stdout.replace(/[^ ]+ ago/, '1s ago')).toBe(`Website/told is not ready

Because:
  Website/told: it cannot go on by itself: DesiredFailed: boom

Warnings:
  1s ago, Website/told: DesiredFailed: something else

The operator would now:
  create ConfigMap told (Missing)

Next:
  correct the function of the kind
`);
  });

  it('explain ends a function that does not return, and shows the rest', async () => {
    const { code, stdout } = await run('explain website/loop');
    expect(code).toBe(0);
    expect(stdout).toContain('desired() of Website failed for default/loop: the function of this kind does not return');
    expect(stdout).toContain('no operator has looked at it yet');
  });

  it('explain says which owned kind the cluster does not serve, and shows the rest', async () => {
    const { code, stdout, stderr } = await run('explain portal/gate');
    expect(code).toBe(0);
    expect(stderr).toBe(`children of kind RuntimeClass are not shown: ${UNSERVED}\n`);
    expect(stdout).toContain(`it cannot be computed here: ${UNSERVED}\n`);
  });

  it('explain computes resources of other kinds as ever', async () => {
    const { stdout } = await run('explain website/fine');
    expect(stdout).toContain('The operator would now:\n  create ConfigMap fine (Missing)\n');
  });
});

describe('tree', () => {
  it('tree shows a resource although the cluster does not serve its children', async () => {
    const { code, stdout, stderr } = await run('tree portal/gate');
    expect(code).toBe(0);
    expect(stderr).toBe(`children of kind RuntimeClass are not shown: ${UNSERVED}\n`);
    expect(stdout).toContain('Portal/gate');
  });

  it('tree says that the cluster does not serve a built-in kind', async () => {
    const { api, cluster } = virtual;
    const get: typeof api.get = (_job, target) => api.get(RUNTIME_CLASSES, target);
    const without = { ...virtual, cwd, cluster: { ...cluster, api: { ...api, get } } };
    const { code, stderr } = await ran('tree job/report', without);
    expect(code).toBe(1);
    expect(stderr).toBe('cdk8s-reconcile: This cluster does not serve Job (batch/v1); use a cluster that serves it\n');
  });
});
