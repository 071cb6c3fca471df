import { describe, expect, it, onTestFinished } from 'vitest';
import type { Change, GoodInput, Manifest } from './case.ts';
import { BAD_INPUTS, CHANGES, GOOD_INPUTS } from './table.ts';

/** The answer of an API server. */
export interface Verdict {
  readonly code: number;
  readonly message: string;
  /** Fields that the answer names. */
  readonly fields: readonly string[];
}

/** A request to an API server that serves the kinds; names are in the namespace default. */
export interface JudgedRequest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly verb: 'create' | 'patch' | 'delete';
  readonly name: string;
  readonly subresource?: 'status' | 'scale';
  readonly body?: object;
  readonly dryRun: boolean;
  readonly fieldValidation: 'Strict' | 'Warn';
}

/** An API server. */
export type Judge = (request: JudgedRequest) => Promise<Verdict>;

const ACCEPTED = { code: 201, message: '' };

const create = (judge: Judge, object: Manifest, more: Partial<JudgedRequest> = {}): Promise<Verdict> => {
  const { apiVersion, kind, metadata } = object;
  const request = { apiVersion, kind, verb: 'create', name: metadata.name, body: object } as const;
  return judge({ ...request, dryRun: true, fieldValidation: 'Strict', ...more });
};

/** Unknown fields are reported before all other checks, in a message without causes. */
const blames = ({ fields, message }: Verdict, field: string): boolean =>
  fields.includes(field === '' ? '<nil>' : field) || message.includes(`unknown field "${field}"`);

/** Describes how a refusal differs from the expected one. */
const faultOf = (verdict: Verdict, { field, message }: { field: string; message: string }): object | undefined => {
  const isRefused = verdict.code === 400 || verdict.code === 422;
  const isFine = isRefused && blames(verdict, field) && verdict.message.includes(message);
  return isFine ? undefined : { verdict, expected: { field, message } };
};

const change = async (judge: Judge, { from, patch, subresource }: Change): Promise<Verdict> => {
  const { apiVersion, kind, metadata } = from;
  const target = { apiVersion, kind, name: metadata.name, fieldValidation: 'Strict' } as const;
  expect(await create(judge, from, { dryRun: false })).toMatchObject(ACCEPTED);
  onTestFinished(async () => {
    await judge({ ...target, verb: 'delete', dryRun: false });
  });
  return judge({ ...target, verb: 'patch', body: patch, dryRun: true, ...(subresource && { subresource }) });
};

/**
 * Runs the table of bad input against an API server.
 *
 * @param name - of the server
 * @param judge - sends a request to the server, which must already serve the kinds of the table
 */
export const describeJudge = (name: string, judge: Judge): void => {
  describe(`bad input, judged by ${name}`, () => {
    it.each(BAD_INPUTS)('$kind is refused with $reason, naming $field', async ({ object, field, allowed }) => {
      const verdict = await create(judge, object, { fieldValidation: 'Strict' });
      expect(faultOf(verdict, { field, message: allowed.server })).toBeUndefined();
    });

    it.each(GOOD_INPUTS)('$kind is accepted: $reason', async ({ object }: GoodInput) => {
      expect(await create(judge, object)).toMatchObject(ACCEPTED);
    });

    it.each(CHANGES.filter(({ refused }) => refused))('$kind is not changed: $reason', async (row) => {
      expect(faultOf(await change(judge, row), row.refused ?? { field: '', message: '' })).toBeUndefined();
    });

    it.each(CHANGES.filter(({ refused }) => !refused))('$kind is changed: $reason', async (row) => {
      expect(await change(judge, row)).toMatchObject({ code: 200, message: '' });
    });
  });
};
