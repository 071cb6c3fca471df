import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ApiError } from '#lib/errors.ts';
import { foreseenReleases } from '#lib/loop/related/held-releases.ts';
import { listAll } from '../../objects/family.ts';
import type { Cluster } from '../../shell/context.ts';
import { type DoctorFinding, warning } from './finding.ts';

const ofExtension = async (cluster: Cluster, definition: AnyKindDefinition): Promise<readonly DoctorFinding[]> => {
  const { extension, owns } = definition;
  if (extension === undefined) return [];
  const kinds = [extension.of, ...owns];
  const objects = await Promise.all(
    kinds.map(async (ref) => {
      const { items } = await listAll(cluster.api, ref);
      return items.map((item) => ({ ...item, apiVersion: ref.apiVersion, kind: ref.kind }));
    }),
  );
  const releases = foreseenReleases(definition, objects.flat());
  if (releases === undefined) return [];
  const fix = 'undo the change of where, or annotate each parent that may lose its children';
  return [warning('release', releases.text, fix)];
};

/**
 * Finds extensions that no longer select many of their parents. An operator would wait for consent before it releases the
 * children of these parents.
 */
export const releaseFindings = async (
  cluster: Cluster,
  kinds: readonly AnyKindDefinition[],
): Promise<readonly DoctorFinding[]> => {
  const found = await Promise.all(
    kinds.map(async (kind) => {
      try {
        return await ofExtension(cluster, kind);
      } catch (error) {
        // For example, a kind is not served, or its list is forbidden.
        if (error instanceof ApiError) return [];
        throw error;
      }
    }),
  );
  return found.flat();
};
