import { describe, expect, it } from 'vitest';
import { ApiCatalogue } from '#lib/apiserver/http/discovery/catalogue.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { definition, stored } from '#test/unit/apiserver/crd/definitions.ts';

const schema = { openAPIV3Schema: { type: 'object' } };
const versions = [
  { name: 'v1', served: true, storage: true, schema },
  { name: 'v1beta1', served: true, storage: false, schema },
  { name: 'v1alpha1', served: false, storage: false, schema },
];

const things = (isEstablished: boolean): ServerObject => ({
  ...stored(definition({ versions })),
  status: { conditions: [{ type: 'Established', status: isEstablished ? 'True' : 'False' }] },
});

const versionsOf = (crd: ServerObject): readonly string[] =>
  new ApiCatalogue([], () => [crd]).all.filter(({ plural }) => plural === 'things').map(({ version }) => version);

describe('ApiCatalogue', () => {
  it('has the served versions of an established CRD', () => {
    expect(versionsOf(things(true))).toEqual(['v1', 'v1beta1']);
    expect(versionsOf(things(false))).toEqual([]);
  });
});
