import { App, Chart } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import { CustomResource } from '#constructs/custom-resource.ts';
import { InvalidResourceError } from '#lib/errors.ts';
import type { Manifest } from '#test/contract/bad-input/case.ts';
import { BAD_INPUTS, CHANGES, GOOD_INPUTS } from '#test/contract/bad-input/table.ts';

const constructs = new Map(kinds.map((definition) => [definition.kind, CustomResource(definition)]));

/** Makes the construct of a manifest, as a caller without a type checker does. */
const synthesize = ({ kind, metadata, spec }: Manifest): object => {
  const Construct = constructs.get(kind);
  if (Construct === undefined) throw new Error(`no kind ${kind}`);
  return new Construct(new Chart(new App(), 'chart'), 'web', { metadata, spec }).toJson();
};

const issuesOf = (object: Manifest) => {
  try {
    synthesize(object);
  } catch (error) {
    if (error instanceof InvalidResourceError) return error.issues;
    throw error;
  }
  return [];
};

describe('bad input, judged at synth', () => {
  it.each(BAD_INPUTS)('$kind is refused with $reason, naming $field', ({ object, field, allowed }) => {
    const message = expect.stringContaining(allowed.synth) as string;
    expect(issuesOf(object)).toContainEqual(expect.objectContaining({ path: field, message }));
  });

  it.each(GOOD_INPUTS)('$kind is accepted: $reason', ({ object }) => {
    expect(synthesize(object)).toMatchObject({ spec: object.spec });
  });

  it('the table has more than a hundred cases, and some of every kind', () => {
    expect(BAD_INPUTS.length + GOOD_INPUTS.length + CHANGES.length).toBeGreaterThan(100);
    for (const table of [BAD_INPUTS, GOOD_INPUTS, CHANGES]) {
      expect(new Set(table.map(({ kind }) => kind))).toEqual(new Set(constructs.keys()));
    }
  });
});
