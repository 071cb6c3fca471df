import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { ownerLabels } from '#lib/desired/marks/names.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ControllerRevision, type ObjectMeta } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { historyOf } from '#lib/workload/controller-revision-history.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { applyObjects, type OwnOperator, startOwnOperator, statusWith } from './own-operator.ts';

const identity = { group: 'keep.example.com', version: 'v1', kind: 'Keeper' } as const;

/** Keeps only the history of its template. */
const keeper = defineKind({
  ...identity,
  spec: s.object({ template: s.podTemplate() }),
  status: s.object({
    current: s.string({ maxLength: 253 }),
    number: s.int64({ minimum: 0 }),
    images: s.list(s.string({ maxLength: 512 }), { maxItems: 20 }),
  }),
  selector: ({ metadata }) => ownerLabels(identity, metadata.name),
  owns: [ControllerRevision],
  desired({ resource, children, orphans }) {
    const { current, revisions, intents } = historyOf({
      owner: resource.metadata.name,
      template: resource.spec.template,
      children: children.of(ControllerRevision),
      orphans: orphans.of(ControllerRevision),
      limit: 2,
    });
    const images = revisions.map(({ template }) => template.spec?.containers[0]?.image ?? '');
    return {
      children: intents,
      status: { current: current.name, number: current.number, images },
      state: ready('Kept', 'the template is kept'),
    };
  },
});

/** Values that Go and JavaScript may encode differently, and values that are dropped from intents. */
const hard = {
  metadata: {
    annotations: {
      z: '<a href="x">&</a>',
      10: 'ten',
      9: 'nine',
      'e.com/\u{1F600}': '\u2028\u2029\u007f\u00e9\\"\n\t\b',
    },
  },
  spec: {
    containers: [{ name: 'web', image: 'nginx:1', args: [], resources: { limits: {} } }],
    volumes: [{ name: 'v', emptyDir: {} }],
    numbers: [1e21, 1e-7, 0.1, 1_000_000, -0, 9_007_199_254_740_991],
  },
};

const keeperOf = (name: string, template: object) => ({
  apiVersion: 'keep.example.com/v1',
  kind: 'Keeper',
  metadata: { name },
  spec: { template },
});
const imaged = (image: string) => ({ spec: { containers: [{ name: 'web', image }] } });

type Body = {
  readonly metadata: ObjectMeta;
  readonly data: unknown;
  readonly revision: number;
  readonly message?: string;
};

let plane: ControlPlane;
let operator: OwnOperator;
const keepers = '/apis/keep.example.com/v1/namespaces/default/keepers';
const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions';

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  operator = await startOwnOperator(plane, [keeper]);
});
afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

/** As JSON: YAML has no control characters. */
const create = async (name: string): Promise<void> => {
  expect(await plane.request('POST', keepers, keeperOf(name, hard))).toMatchObject({ status: 201 });
};

const statusOf = async (name: string, expected: object): Promise<{ readonly current: string }> =>
  (await statusWith(plane, `${keepers}/${name}`, expected)) as { readonly current: string };

const read = async (name: string): Promise<Body> => (await plane.request<Body>('GET', `${revisions}/${name}`)).body;

const ofOwner = async (owner: string): Promise<readonly Body[]> => {
  const { body } = await plane.request<{ items: Body[] }>('GET', revisions);
  return body.items.filter(({ metadata }) => metadata.name?.startsWith(`${owner}-`) === true);
};

describe('a template that is kept as a ControllerRevision', () => {
  it('may be patched in every way afterwards, whatever it says', async () => {
    await create('hard');
    const { current } = await statusOf('hard', { number: 1 });
    const before = await read(current);
    const patches = [
      ['application/merge-patch+json', { metadata: { labels: { by: 'merge' } } }],
      ['application/strategic-merge-patch+json', { metadata: { labels: { by: 'strategic' } } }],
      ['application/json-patch+json', [{ op: 'replace', path: '/metadata/labels/by', value: 'json' }]],
    ] as const;
    for (const [type, body] of patches) {
      const answer = await plane.request<Body>('PATCH', `${revisions}/${current}`, body, { contentType: type });
      expect({ type, status: answer.status, message: answer.body.message }).toEqual({
        type,
        status: 200,
        message: undefined,
      });
    }
    const { code, stderr } = await plane.kubectl(['label', 'controllerrevision', current, 'by=kubectl', '--overwrite']);
    expect(`${code} ${stderr}`).toBe('0 ');
    expect((await read(current)).data).toEqual(before.data);
  });

  it('is let go by kubectl delete --cascade=orphan, and taken up by the next resource of the name', async () => {
    await create('left');
    const { current } = await statusOf('left', { number: 1 });
    // The garbage collector discovers new kinds only every 30 s.
    const { code, stderr } = await plane.kubectl(['delete', 'keeper', 'left', '--cascade=orphan', '--timeout=120s']);
    expect(`${code} ${stderr}`).toBe('0 ');
    const { metadata, data } = await read(current);
    expect(metadata.ownerReferences).toBeUndefined();
    await applyObjects(plane, keeperOf('left', imaged('nginx:2')));
    await statusOf('left', { number: 2 });
    await waitFor(
      'the revision to be adopted',
      async () => (await read(current)).metadata.ownerReferences?.length === 1,
    );
    expect((await read(current)).data).toEqual(data);
  }, 600_000);

  it('gets a new number when it comes back, and the oldest go beyond the limit', async () => {
    for (const [at, image] of ['a', 'b', 'c', 'a', 'd'].entries()) {
      await applyObjects(plane, keeperOf('web', imaged(image)));
      await statusOf('web', { number: at + 1 });
    }
    await waitFor('the history to shrink', async () => (await ofOwner('web')).length === 3);
    const numbers = (await ofOwner('web')).map(({ revision }) => revision);
    expect(new Set(numbers)).toEqual(new Set([3, 4, 5]));
    const status = (await plane.request<{ status: object }>('GET', `${keepers}/web`)).body.status;
    expect(status).toMatchObject({ images: ['c', 'a', 'd'] });
  });

  it('needs no right that the kind does not have', async () => {
    expect(await operator.forbidden()).toEqual([]);
  });
});
