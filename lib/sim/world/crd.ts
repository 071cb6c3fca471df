import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import type { JsonObject } from '#lib/kind/json.ts';
import { namesOf } from '#lib/kind/names.ts';

type Crd = JsonObject & { readonly metadata: { readonly name: string } };

/** Every run of a scenario installs the same. */
const compiled = new WeakMap<AnyKindDefinition, Crd>();

/** The CustomResourceDefinition of a kind. */
export const crdOf = (kind: AnyKindDefinition): Crd => {
  const known = compiled.get(kind);
  if (known !== undefined) return known;
  const crd: Crd = { ...compileCrd(kind), metadata: { name: namesOf(kind).crdName } };
  compiled.set(kind, crd);
  return crd;
};
