import { describe, expect, it, onTestFinished } from 'vitest';
import { type BadInput, type Change, type GoodInput } from './case.ts';
import { BAD_INPUTS, CHANGES, GOOD_INPUTS } from './table.ts';

/** What an API server answers. */
export interface Verdict {
  readonly code: number;
  readonly message: string;
  /** Fields that the answer blames. */
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
}

/** An API server. Unknown fields are refused (`fieldValidation=Strict`). */
export type Judge = (request: JudgedRequest) => Promise<Verdict>;

const ACCEPTED = { code: 201, message: '' };

const create = (judge: Judge, object: BadInput['object'], dryRun = true): Promise<Verdict> =>
  judge({ ...object, verb: 'create', name: object.metadata.name, body: object, dryRun });

/** Unknown fields are told before anything else is looked at, in a message without causes. */
const blames = ({ fields, message }: Verdict, field: string): boolean =>
  fields.includes(field === '' ? '<nil>' : field) || message.includes(`unknown field "${field}"`);

const expectRefusal = (verdict: Verdict, { field, message }: { field: string; message: string }): void => {
  expect([400, 422]).toContain(verdict.code);
  expect(verdict.message).toContain(message);
  expect({ ...verdict, blames: field }).toMatchObject(blames(verdict, field) ? {} : { fields: [field] });
};

const change = async (judge: Judge, { from, patch, subresource }: Change): Promise<Verdict> => {
  const { apiVersion, kind, metadata } = from;
  const target = { apiVersion, kind, name: metadata.name };
  expect(await create(judge, from, false)).toMatchObject(ACCEPTED);
  onTestFinished(async () => {
    await judge({ ...target, verb: 'delete', dryRun: false });
  });
  return judge({ ...target, verb: 'patch', body: patch, dryRun: true, ...(subresource && { subresource }) });
};

/**
 * The table of bad input, judged by an API server.
 *
 * @param name - of the server
 * @param judge - asks it; it serves the kinds of the table by then
 */
export const describeJudge = (name: string, judge: Judge): void => {
  describe(`bad input, judged by ${name}`, () => {
    it.each(BAD_INPUTS)('$kind is refused with $reason, naming $field', async ({ object, field, allowed }) => {
      expectRefusal(await create(judge, object), { field, message: allowed.server });
    });

    it.each(GOOD_INPUTS)('$kind is accepted: $reason', async ({ object }: GoodInput) => {
      expect(await create(judge, object)).toMatchObject(ACCEPTED);
    });

    it.each(CHANGES.filter(({ refused }) => refused))('$kind is not changed: $reason', async (row) => {
      expectRefusal(await change(judge, row), row.refused ?? { field: '', message: '' });
    });

    it.each(CHANGES.filter(({ refused }) => !refused))('$kind is changed: $reason', async (row) => {
      expect(await change(judge, row)).toMatchObject({ code: 200, message: '' });
    });
  });
};
