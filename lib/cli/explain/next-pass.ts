import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { isReconcileError } from '#lib/errors.ts';
import type { KubeObject } from '#lib/kind/reference.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import { projectResource } from '#lib/loop/cache/projection.ts';
import { render } from '#lib/render/render.ts';
import { type Family, listAll } from '../objects/family.ts';

/** What the operator would do next, if it looked now. */
export interface NextPass {
  /** `create Pod web-x7k2p (Missing)`; none when nothing is to be done. */
  readonly steps: readonly string[];
  /** Why it cannot be computed; the steps are none then. */
  readonly unknown?: string;
}

const related = async (
  api: Pick<KubeApi, 'list'>,
  { reads = [] }: AnyKindDefinition,
  namespace: string | undefined,
): Promise<readonly KubeObject[]> => {
  const lists = await Promise.all(
    reads.map(async (kind) => listAll(api, kind, kind.scope === 'Namespaced' ? { namespace } : {})),
  );
  return lists.flatMap(({ items }) => items as unknown as readonly KubeObject[]);
};

/**
 * One pass over a resource as it is in the cluster, computed here by the functions of its kind.
 *
 * Caveats: outcomes of effects, refusals and what the loop remembers are the operator's own; what hangs on them may differ.
 *
 * @param api - the API server
 * @param definition - the kind
 * @param options - the family of the resource, and epoch milliseconds
 */
export const nextPass = async (
  api: Pick<KubeApi, 'list'>,
  definition: AnyKindDefinition,
  { family, now }: { readonly family: Family; readonly now: number },
): Promise<NextPass> => {
  const { metadata, spec, status } = projectResource(family.root.object) as unknown as AnyResource;
  const children = family.root.children.map(({ object }) => object as unknown as KubeObject);
  try {
    const { children: steps } = render(definition, {
      metadata,
      spec,
      status,
      children,
      related: await related(api, definition, metadata.namespace),
      now: new Date(now).toISOString(),
    });
    const done = steps.filter(({ step }) => step !== 'skip');
    return { steps: done.map(({ step, kind, name, reason }) => `${step} ${kind} ${name} (${reason})`) };
  } catch (error) {
    if (!isReconcileError(error)) throw error;
    return { steps: [], unknown: error.message };
  }
};
