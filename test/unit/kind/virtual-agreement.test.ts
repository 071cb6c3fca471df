import { describe, expect, it } from 'vitest';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { namesOf } from '#lib/kind/names.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import { ACCEPTED_SPECS, probe, REFUSED_SPECS, resourceOf } from './resource-cases.ts';
import { ACCEPTED_BY_RULES, REFUSED_BY_RULES, ruled } from './ruled-cases.ts';

const server = createClusterServer(() => Date.UTC(2026, 0, 1));
const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };

const serve = (shape: KindShape): void => {
  const { code, body } = server.handle({ verb: 'create', resource: definitions, body: compileCrd(shape) });
  expect({ code, message: body['message'] }).toEqual({ code: 201, message: undefined });
};

const createIn = (shape: KindShape, object: object): ServerResponse => {
  const { group, version, kind } = shape;
  const body = { apiVersion: `${group}/${version}`, kind, ...object };
  const resource = { group, version, plural: namesOf(shape).plural };
  const options = { dryRun: true, fieldValidation: 'Strict' } as const;
  return server.handle({ verb: 'create', resource, namespace: 'default', body, options });
};

serve(probe);
serve(ruled);

/** A float in JSON. The virtual server gets JavaScript numbers, which do not distinguish floats from integers. */
const isFloat = ({ spec }: { readonly spec: unknown }): boolean =>
  (JSON.stringify(spec) ?? '').includes('9223372036854776000');

const refused = REFUSED_SPECS.filter((row) => row.ours !== true && !isFloat(row));

describe('values, judged by the virtual API server', () => {
  it.each(refused)('the server refuses $path, too: $reason', ({ spec }) => {
    expect([400, 422]).toContain(createIn(probe, resourceOf(spec)).code);
  });

  it.each(ACCEPTED_SPECS)('the server accepts, too: $reason', ({ spec }) => {
    expect(createIn(probe, resourceOf(spec))).toMatchObject({ code: 201 });
  });

  it.each(REFUSED_BY_RULES)(
    'the server refuses what breaks $reason, in the words of the rule',
    ({ spec, path, message }) => {
      const { code, body } = createIn(ruled, resourceOf(spec));
      expect(code).toBe(422);
      expect(body).toMatchObject({ message: expect.stringContaining(message) });
      expect(body).toMatchObject({ details: { causes: [{ field: path || '<nil>' }] } });
    },
  );

  it.each(ACCEPTED_BY_RULES)('the server accepts what keeps all rules: $reason', ({ spec }) => {
    expect(createIn(ruled, resourceOf(spec))).toMatchObject({ code: 201 });
  });
});
