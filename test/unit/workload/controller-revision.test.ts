import * as fc from 'fast-check';
import type { ControllerRevision as KubeControllerRevision } from 'kubernetes-types/apps/v1.js';
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import { canonical } from '#lib/desired/canonical/canonical.ts';
import { DIGEST_ANNOTATION, digestOf } from '#lib/desired/canonical/digest.ts';
import type { Revision } from '#lib/desired/steering.ts';
import {
  currentRevision,
  revisionObject,
  revisionsOf,
  surplusRevisions,
  tryRevision,
} from '#lib/workload/controller-revision.ts';
import { historyOf } from '#lib/workload/controller-revision-history.ts';
import { REVISION_LABEL, templateHash, withPodLabels } from '#lib/workload/pod-template.ts';

const templateOf = (image: string, more: object = {}): PodTemplateSpec => ({
  spec: { containers: [{ name: 'web', image }], ...more },
});

const observed = (object: object, more: object = {}): KubeControllerRevision => {
  const copy = structuredClone(object) as KubeControllerRevision;
  return { ...copy, metadata: { ...copy.metadata, uid: `uid-of-${copy.metadata?.name}`, ...more } };
};

const keptAs = (image: string, number: number): KubeControllerRevision => {
  const template = templateOf(image);
  return observed(revisionObject({ owner: 'web', hash: templateHash(template), number, template }));
};

const summary = ({ intents }: ReturnType<typeof historyOf>) =>
  intents.map(({ verb, object }) => `${verb} ${object.metadata?.name}`);

const hashOf = (image: string): string => templateHash(templateOf(image));
const nameFor = (image: string): string => `web-${hashOf(image)}`;

describe('templateHash()', () => {
  it('templateHash() is the same for templates that say the same', () => {
    const template = { metadata: { labels: { a: '1', b: '2' } }, spec: { containers: [] } };
    const same = { spec: { containers: [], nodeName: undefined }, metadata: { labels: { b: '2', a: '1' } } };
    expect(templateHash(same as unknown as PodTemplateSpec)).toBe(templateHash(template));
    expect(templateHash({ ...template, metadata: { ...template.metadata, creationTimestamp: null } } as never)).toBe(
      templateHash(template),
    );
  });

  it('templateHash() differs when anything else differs, the count of collisions included', () => {
    const template = templateOf('a');
    const others = [templateOf('b'), templateOf('a', { hostNetwork: true }), templateOf('a', { volumes: [] })];
    const hashes = [templateHash(template), templateHash(template, 1), ...others.map((other) => templateHash(other))];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(templateHash(template, 0)).toBe(templateHash(template));
    for (const hash of hashes) expect(hash).toMatch(/^[a-z0-9]{10}$/);
  });
});

describe('withPodLabels()', () => {
  it('withPodLabels() adds labels to the pods and changes nothing else', () => {
    const template = { metadata: { labels: { app: 'web' }, annotations: { a: 'b' } }, spec: { containers: [] } };
    expect(withPodLabels(template, { [REVISION_LABEL]: 'x' })).toEqual({
      ...template,
      metadata: { labels: { app: 'web', [REVISION_LABEL]: 'x' }, annotations: { a: 'b' } },
    });
    expect(withPodLabels({}, { a: 'b' })).toEqual({ metadata: { labels: { a: 'b' } } });
  });
});

describe('revisionObject()', () => {
  it('revisionObject() names and labels the object by the hash', () => {
    const template = templateOf('nginx');
    const input = { owner: 'web', hash: 'h', number: 3, template, labels: { app: 'web' }, annotations: { v: '1.7' } };
    expect(revisionObject(input)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: 'web-h',
        labels: { app: 'web', 'controller.kubernetes.io/hash': 'h' },
        annotations: { v: '1.7' },
      },
      revision: 3,
      data: { template: '{"spec":{"containers":[{"image":"nginx","name":"web"}]}}' },
    });
  });

  it('revisionObject() writes data that Go and JavaScript write alike, whatever the template says', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const template = templateOf('a', { value, [text]: `${text}<>&\u2028\u007f\u{1F600}` });
        const { data } = revisionObject({ owner: 'web', hash: 'h', number: 1, template });
        const sent = JSON.stringify(data);
        expect(Object.keys(data)).toEqual(['template']);
        // Only printable ASCII without `<`, `>` and `&`, because Go and JavaScript encode other characters differently.
        expect(sent).toMatch(/^[ !-%'-;=?-~]*$/);
        const read = tryRevision(observed(revisionObject({ owner: 'web', hash: 'h', number: 1, template })));
        expect(read?.template).toEqual(JSON.parse(JSON.stringify(canonical(template))));
      }),
    );
  });

  it('revisionObject() keeps lists and maps that are empty', () => {
    const template = templateOf('a', { volumes: [{ name: 'v', emptyDir: {} }], tolerations: [] });
    const object = revisionObject({ owner: 'web', hash: 'h', number: 1, template });
    expect(tryRevision(observed(object))?.template).toEqual(template);
  });
});

describe('a revision whose data are read on demand', () => {
  const template = templateOf('large');
  const { data, ...object } = observed(
    revisionObject({ owner: 'web', hash: templateHash(template), number: 4, template }),
  );
  const annotations = { [DIGEST_ANNOTATION]: digestOf(data) };
  let looks = 0;
  const onDemand: KubeControllerRevision = {
    ...object,
    metadata: { ...object.metadata, annotations },
    get data() {
      looks += 1;
      return data as object;
    },
  };

  it('historyOf() knows its template by the digest, and another one, without a look at the data', () => {
    const same = historyOf({ owner: 'web', template, children: [onDemand], limit: 1 });
    const other = historyOf({ owner: 'web', template: templateOf('b'), children: [onDemand], limit: 1 });
    expect([same.current.number, other.current.number]).toEqual([4, 5]);
    expect(same.current.template).toBe(template);
    expect([summary(same), summary(other)]).toEqual([
      [`apply ${nameFor('large')}`],
      [`apply ${nameFor('b')}`, `keep ${nameFor('large')}`],
    ]);
    expect(looks).toBe(0);
  });

  it('tryRevision() gives its template when it is looked at', () => {
    expect(tryRevision(onDemand)?.template).toEqual(template);
    expect(looks).toBe(1);
  });

  it('tryRevision() throws where a record holds no data', () => {
    const { data: _, ...recorded } = { ...onDemand };
    expect(() => tryRevision(recorded as KubeControllerRevision)?.template).toThrow('holds no template');
  });
});

describe('tryRevision()', () => {
  const good = keptAs('a', 1);
  it.each([
    { reason: 'without data', object: { ...good, data: undefined } },
    { reason: 'of a StatefulSet', object: { ...good, data: { spec: { template: {} } } } },
    { reason: 'with a text that is no JSON', object: { ...good, data: { template: '{' } } },
    { reason: 'with a text that is no template', object: { ...good, data: { template: '[]' } } },
    { reason: 'without a hash', object: { ...good, metadata: { name: 'web-x' } } },
    { reason: 'whose name is not of its hash', object: { ...good, metadata: { ...good.metadata, name: 'web-x' } } },
    { reason: 'without metadata', object: { data: good.data, revision: 1 } },
  ])('tryRevision() reads nothing from an object $reason', ({ object }) => {
    expect(tryRevision(object as KubeControllerRevision)).toBeUndefined();
    expect(revisionsOf([object as KubeControllerRevision, good])).toEqual([tryRevision(good)]);
  });
});

describe('revisionsOf()', () => {
  it('revisionsOf() sorts by number, then by name', () => {
    const objects = [keptAs('c', 10), keptAs('a', 9), keptAs('b', 9)];
    const [first, second, last] = revisionsOf(objects);
    expect(last?.number).toBe(10);
    expect([first?.name, second?.name]).toEqual([nameFor('a'), nameFor('b')].toSorted());
    expect(revisionsOf(objects.toReversed())).toEqual(revisionsOf(objects));
  });
});

describe('currentRevision()', () => {
  const revisions = revisionsOf([keptAs('a', 1), keptAs('b', 2)]);
  const options = { owner: 'web', revisions };

  it('currentRevision() numbers a new template after the newest', () => {
    expect(currentRevision(templateOf('c'), options)).toMatchObject({ name: nameFor('c'), number: 3 });
    expect(currentRevision(templateOf('c'), { owner: 'web', revisions: [] })).toMatchObject({ number: 1 });
  });

  it('currentRevision() finds the newest again, with its number', () => {
    expect(currentRevision(templateOf('b'), options)).toMatchObject({ name: nameFor('b'), number: 2 });
  });

  it('currentRevision() gives a template that comes back its old name and a new number', () => {
    expect(currentRevision(templateOf('a'), options)).toMatchObject({ name: nameFor('a'), number: 3 });
  });

  it('currentRevision() counts a collision when another template has the hash', () => {
    const other = { ...templateOf('other') };
    const taken: Revision = { name: nameFor('c'), hash: templateHash(templateOf('c')), number: 3, template: other };
    const current = currentRevision(templateOf('c'), { owner: 'web', revisions: [...revisions, taken] });
    expect(current).toMatchObject({ hash: templateHash(templateOf('c'), 1), collisionCount: 1, number: 4 });
    const seen = [...revisions, taken, current];
    expect(currentRevision(templateOf('c'), { owner: 'web', revisions: seen, collisionCount: 1 })).toEqual(current);
    // The name is also the same when the status with the count was lost.
    expect(currentRevision(templateOf('c'), { owner: 'web', revisions: seen }).name).toBe(current.name);
  });
});

describe('surplusRevisions()', () => {
  const revisions = revisionsOf(['a', 'b', 'c', 'd'].map((image, at) => keptAs(image, at + 1)));
  it.each([
    { limit: 10, used: [], gone: [] },
    { limit: 3, used: ['d'], gone: [] },
    { limit: 2, used: ['d'], gone: ['a'] },
    { limit: 0, used: ['d'], gone: ['a', 'b', 'c'] },
    { limit: 0, used: ['a', 'd'], gone: ['b', 'c'] },
    { limit: 1, used: ['a', 'd'], gone: ['b'] },
  ])('surplusRevisions() drops $gone when $limit may stay besides $used', ({ limit, used, gone }) => {
    const surplus = surplusRevisions(revisions, { limit, used: new Set(used.map(hashOf)) });
    expect(surplus.map(({ hash }) => hash)).toEqual(gone.map(hashOf));
  });
});

describe('historyOf()', () => {
  const children = [keptAs('a', 1), keptAs('b', 2)];
  const input = { owner: 'web', template: templateOf('c'), children, limit: 10 };

  it('historyOf() applies the current revision and keeps the others', () => {
    expect(summary(historyOf(input))).toEqual([
      `apply ${nameFor('c')}`,
      `keep ${nameFor('a')}`,
      `keep ${nameFor('b')}`,
    ]);
  });

  it('historyOf() gives the same answer until the new revision is observed, and the same after that', () => {
    const { current } = historyOf(input);
    const again = historyOf({ ...input, children: [...children, keptAs('c', current.number)] });
    expect(again.current).toEqual(current);
    expect(summary(again).filter((line) => line.startsWith('apply'))).toEqual([`apply ${nameFor('c')}`]);
  });

  it('historyOf() removes the oldest unused revisions beyond the limit', () => {
    expect(summary(historyOf({ ...input, limit: 1 }))).toContain(`remove ${nameFor('a')}`);
    const used = [templateHash(templateOf('a'))];
    expect(summary(historyOf({ ...input, limit: 0, used }))).toEqual([
      `apply ${nameFor('c')}`,
      `keep ${nameFor('a')}`,
      `remove ${nameFor('b')}`,
    ]);
  });

  it('historyOf() adopts what a resource of this name left behind, and nothing else', () => {
    const stranger = observed(revisionObject({ owner: 'other', hash: 'x', number: 1, template: templateOf('x') }));
    const { intents, current } = historyOf({ ...input, children: [], orphans: [...children, stranger] });
    expect(intents.map(({ verb, object }) => `${verb} ${object.metadata?.name}`)).toEqual([
      `apply ${nameFor('c')}`,
      `adopt ${nameFor('a')}`,
      `adopt ${nameFor('b')}`,
    ]);
    expect(current.number).toBe(3);
    expect(summary(historyOf({ ...input, template: templateOf('b'), children: [], orphans: children }))).toEqual([
      `adopt ${nameFor('a')}`,
      `adopt ${nameFor('b')}`,
    ]);
  });

  it('historyOf() keeps children that it cannot read', () => {
    const unreadable = observed({ ...keptAs('x', 9), data: {} });
    expect(summary(historyOf({ ...input, limit: 0, children: [unreadable] }))).toEqual([
      `apply ${nameFor('c')}`,
      `keep ${nameFor('x')}`,
    ]);
  });
});
