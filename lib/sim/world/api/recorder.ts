import type { ServerEvent } from '#lib/apiserver/machinery/request.ts';
import { resourceNameOf } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { refOf } from '#lib/kind/names.ts';

interface Change {
  readonly plural: string;
  readonly type: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * The state of the server in addition to its objects, for fingerprints. This state has the changes that a watch may still
 * request. The state also counts the deletions for each name, because the next uid of an object with this name depends on the
 * count.
 */
export class ServerRecorder {
  readonly #changes: Change[] = [];
  readonly #freed = new Map<string, number>();

  constructor(server: ApiServer, kinds: readonly AnyKindDefinition[]) {
    const all = kinds.flatMap((kind) => [refOf(kind), ...kind.owns]);
    const byName = new Map(all.map((kind) => [`${kind.plural} ${kind.apiVersion}`, resourceNameOf(kind)]));
    for (const resource of byName.values()) {
      const { resourceVersion } = server;
      server.watch({ resource, resourceVersion }, (event) => this.#add(resource.plural, event));
    }
  }

  /**
   * Returns the recorded state as JSON.
   *
   * @param positions - the resource versions from which watches would continue. Changes up to the oldest of them are left out
   */
  describe(positions: readonly string[]): unknown {
    const oldest = Math.min(Infinity, ...positions.map(Number));
    const changes = this.#changes.filter(({ resourceVersion }) => Number(resourceVersion) > oldest);
    return [changes, [...this.#freed].toSorted(([a], [b]) => (a < b ? -1 : 1))];
  }

  #add(plural: string, event: ServerEvent): void {
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') return;
    const { uid, resourceVersion, namespace = '', name } = event.object.metadata;
    this.#changes.push({ plural, type: event.type, uid, resourceVersion });
    const key = `${plural} ${namespace}/${name}`;
    if (event.type === 'DELETED') this.#freed.set(key, (this.#freed.get(key) ?? 0) + 1);
  }
}
