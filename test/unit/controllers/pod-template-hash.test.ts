import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasTemplateOf, podTemplateHash } from '#lib/controllers/workloads/pod-template-hash.ts';
import { deployment, replicaSet } from './objects.ts';

const template = (image: string, labels: Record<string, string> = {}) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'app', image }] },
});

describe('podTemplateHash()', () => {
  it('is the same for the same template, in letters that are safe in names', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const [hashA, hashB] = [podTemplateHash(template(a), undefined), podTemplateHash(template(b), undefined)];
        expect(hashA === hashB).toBe(a === b);
        expect(hashA).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/);
      }),
    );
  });

  it('differs after a collision', () => {
    const hashes = [undefined, 1, 2].map((collisions) => podTemplateHash(template('a'), collisions));
    expect(new Set(hashes).size).toBe(3);
  });
});

describe('hasTemplateOf()', () => {
  it('looks at everything but the hash label', () => {
    const wanted = deployment(1, { spec: { template: template('a', { app: 'web' }) } });
    const withTemplate = (labels: Record<string, string>, image = 'a') => {
      const set = replicaSet('web-1', 1);
      return { ...set, spec: { ...set.spec, template: template(image, labels) } };
    };
    expect(hasTemplateOf(withTemplate({ app: 'web', 'pod-template-hash': 'x' }), wanted)).toBe(true);
    expect(hasTemplateOf(withTemplate({ app: 'web', other: 'x' }), wanted)).toBe(false);
    expect(hasTemplateOf(withTemplate({ app: 'web' }, 'b'), wanted)).toBe(false);
  });
});
