import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConfigurationError } from '#lib/errors.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { DEFINITIONS } from '#lib/kube/client/definitions.ts';
import { seenConditionOf } from '../../../objects/readiness.ts';
import { tryInstalled } from '../../../project/definitions.ts';
import { type CrdVerdict, verdictOf } from '../../../project/difference.ts';
import { isFieldConflict } from './apply-manifests.ts';
import type { DevCluster } from './dev-cluster.ts';
import { DEV } from './rights.ts';

const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 20;

type Where = Pick<DevCluster, 'cluster' | 'isOurs'>;

interface Pair {
  readonly before: CustomResourceDefinition | undefined;
  readonly after: CustomResourceDefinition;
}

const withoutConversion = (definition: CustomResourceDefinition): CustomResourceDefinition => {
  const { conversion: _, ...spec } = definition.spec;
  return { ...definition, spec };
};

/** Refuses a breaking change on the current cluster if objects of the kind exist. */
const mayBreak = async (
  { cluster, isOurs }: Where,
  { before, verdict }: Pick<Pair, 'before'> & { readonly verdict: CrdVerdict },
): Promise<void> => {
  const served = before?.spec.versions.find((version) => version.served);
  if (isOurs || before === undefined || served === undefined) return;
  const { group, names, scope } = before.spec;
  const resource = { apiVersion: `${group}/${served.name}`, kind: names.kind, plural: names.plural, scope };
  const { items } = await cluster.api.list(resource, { limit: 1 });
  if (items.length === 0) return;
  const [first] = verdict.breaks;
  throw new ConfigurationError(
    `Cannot change ${verdict.name} in ${cluster.server}: it would break the objects that are there (${first?.path}: ${first?.message}); delete them, or develop on the embedded cluster`,
  );
};

/** Applies a CRD. On the current cluster, existing conversion settings and the fields of other field managers do not change. */
const apply = async ({ cluster, isOurs }: Where, { before, after }: Pair): Promise<void> => {
  const { name } = after.metadata;
  const definition = isOurs || before === undefined ? after : withoutConversion(after);
  try {
    await cluster.api.apply(DEFINITIONS, { name }, definition, { fieldManager: DEV, force: isOurs });
  } catch (error) {
    if (error instanceof ApiError && error.httpStatus === 422 && /field is immutable/.test(error.serverMessage)) {
      const way = isOurs
        ? 'end dev and start it again, which makes a new cluster, or'
        : 'take another name for the kind, or';
      throw new ConfigurationError(
        `Cannot change ${name} in ${cluster.server}: ${error.serverMessage}; ${way} delete it with its objects: kubectl delete crd ${name}`,
        { cause: error },
      );
    }
    if (!isFieldConflict(error)) throw error;
    throw new ConfigurationError(
      `Cannot change ${name} in ${cluster.server}: other managers own the fields that would change (${error.serverMessage}); install it as they do, or develop on the embedded cluster`,
      { cause: error },
    );
  }
};

/** Waits until a CRD is served. @throws {ConfigurationError} when it is not served in time */
export const untilEstablished = async ({ cluster }: Pick<DevCluster, 'cluster'>, name: string): Promise<void> => {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const definition = await cluster.api.get(DEFINITIONS, { name });
    if (seenConditionOf(definition, 'Established')?.status === 'True') return;
    await sleep(LOOK_EVERY_MS);
  }
  throw new ConfigurationError(`${name} is not served after ${PATIENCE_MS / 1000} s; see kubectl describe crd ${name}`);
};

/**
 * Installs the compiled CRDs that differ from the installed CRDs, and waits until they are served.
 *
 * @returns a verdict for each CRD
 * @throws {ConfigurationError} when a change would break existing objects; in this case, nothing is written
 * @throws {ConfigurationError} when another field manager owns a changed field, or a changed field is immutable
 * @throws {ConfigurationError} when a CRD is not served in time
 */
export const define = async (
  where: Where,
  definitions: readonly CustomResourceDefinition[],
): Promise<readonly CrdVerdict[]> => {
  const found = await Promise.all(
    definitions.map(async (after) => {
      const before = await tryInstalled(where.cluster.api, after.metadata.name);
      return { before, after, verdict: verdictOf(before, after) };
    }),
  );
  for (const { before, verdict } of found)
    if (verdict.verdict === 'breaking') await mayBreak(where, { before, verdict });
  const changed = found.filter(({ verdict }) => verdict.verdict !== 'same');
  for (const pair of changed) await apply(where, pair);
  await Promise.all(changed.map(({ after }) => untilEstablished(where, after.metadata.name)));
  return found.map(({ verdict }) => verdict);
};
