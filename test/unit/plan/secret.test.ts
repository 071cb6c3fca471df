import { expect, it } from 'vitest';
import { isSecret } from '#lib/kind/handles/secret-kind.ts';
import { HIDDEN, LAST_APPLIED, withoutSecretValues } from '#lib/plan/secret.ts';

const secret = (more: object) => ({ apiVersion: 'v1', kind: 'Secret', ...more });

it.each([
  { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'x' } },
  { apiVersion: 'example.com/v1', kind: 'Secret', data: { a: 'x' } },
  { kind: 'Secret', data: { a: 'x' } },
])('withoutSecretValues() returns $apiVersion $kind unchanged', (object) => {
  expect(isSecret(object)).toBe(false);
  expect(withoutSecretValues(object)).toBe(object);
});

it('withoutSecretValues() replaces each value in data and stringData, and keeps the names', () => {
  const object = secret({ type: 'Opaque', data: { a: 'eA==', b: '' }, stringData: { c: 'x' } });
  expect(withoutSecretValues(object)).toStrictEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    data: { a: HIDDEN, b: HIDDEN },
    stringData: { c: HIDDEN },
  });
});

it('withoutSecretValues() keeps null, which removes a value in a patch', () => {
  expect(withoutSecretValues(secret({ data: { a: null, b: 'x' } }))).toHaveProperty('data', { a: null, b: HIDDEN });
});

it('withoutSecretValues() replaces data that is not an object as a whole', () => {
  expect(withoutSecretValues(secret({ data: 'eA==', stringData: ['x'] }))).toMatchObject({
    data: HIDDEN,
    stringData: HIDDEN,
  });
});

it('withoutSecretValues() removes the annotations with the values or with a hash of them, and keeps the others', () => {
  const annotations = { [LAST_APPLIED]: '{"data":{"a":"eA=="}}', 'cdk8s-reconcile/intent': 'abc', note: 'n' };
  const object = secret({ metadata: { name: 'a', annotations } });
  expect(withoutSecretValues(object)).toStrictEqual(secret({ metadata: { name: 'a', annotations: { note: 'n' } } }));
});

it('LAST_APPLIED is the annotation that kubectl sets', () => {
  expect(LAST_APPLIED).toBe('kubectl.kubernetes.io/last-applied-configuration');
});

it.each([
  { metadata: { name: 'a' }, reason: 'it has no annotations' },
  { metadata: 'broken', reason: 'it is not an object' },
])('withoutSecretValues() keeps the metadata when $reason', ({ metadata }) => {
  expect(withoutSecretValues(secret({ metadata }))).toStrictEqual(secret({ metadata }));
});

it('withoutSecretValues() adds no member to a Secret without metadata and values', () => {
  expect(withoutSecretValues(secret({}))).toStrictEqual(secret({}));
});

it('withoutSecretValues() takes the replacement from its second argument', () => {
  const hidden = withoutSecretValues(secret({ data: { a: 'xyz' } }), (value) => `${String(value).length} characters`);
  expect(hidden).toHaveProperty('data.a', '3 characters');
});
