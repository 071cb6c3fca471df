import { expect, it } from 'vitest';
import { refusedBy } from '#lib/foresight/plan/refused.ts';

const refusalOf = (kind: string, message: string): string =>
  refusedBy({ response: { code: 422, body: { reason: 'Invalid', message } } }, { apiVersion: 'v1', kind }).message;

const message = 'X is invalid: data[key]: Invalid value: "aHVudGVyMg=="';

it('refusedBy() has only the field of a Secret, because the message can contain a value', () => {
  expect(refusalOf('Secret', message)).toMatch(/^data\[key\]: messages about Secrets are not shown/);
  expect(refusalOf('Secret', 'aHVudGVyMg==')).not.toContain('aHVud');
});

it('refusedBy() has the whole message about another object, without the object that the server repeats', () => {
  expect(refusalOf('ConfigMap', message)).toBe(message);
  const repeated = ' "" is invalid: patch: Invalid value: "{\\"a\\":1}": strict decoding error: unknown field "b"';
  expect(refusalOf('ConfigMap', repeated)).toBe('strict decoding error: unknown field "b"');
});
