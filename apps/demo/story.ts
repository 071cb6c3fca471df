import { setTimeout } from 'node:timers/promises';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { startReflector } from '#lib/kube/reflector/reflector.ts';
import type { Line } from './lines.ts';
import type { Stage } from './stage.ts';

/** How far a watch may be behind, in milliseconds. */
const TELLING_MS = 100;

/** Tells what happens to objects of a namespace while the demo goes on. */
export interface Story extends AsyncDisposable {
  /** Resolves when all events so far are printed. */
  readonly told: () => Promise<void>;
}

/** Follows one resource and tells every object whose line changed. */
const follow = ({ access, namespace, screen, ended }: Stage, { kind, lineOf, isTold }: Followed) => {
  const told = new Map<string, string>();
  const tell = (object: ApiObject): void => {
    const { name } = object.metadata;
    const line = lineOf(object);
    if (isTold?.(name) === false || told.get(name) === line) return;
    screen.event(told.has(name) ? '~' : '+', `${kind.kind} ${name}: ${line}`);
    told.set(name, line);
  };
  const forget = (object: ApiObject): void => {
    if (told.delete(object.metadata.name)) screen.event('-', `${kind.kind} ${object.metadata.name}: gone`);
  };
  return startReflector({
    api: access.api,
    resource: kind,
    namespace,
    timers: systemTimers,
    random: Math.random,
    // In the end the connections are closed before the watches.
    onError: (error) => (ended.aborted ? undefined : screen.text(error.message)),
    sink: {
      replace: (items) => items.forEach(tell),
      event: (event) => {
        if (event.type === 'BOOKMARK') return;
        if (event.type === 'DELETED') forget(event.object);
        else tell(event.object);
      },
    },
  });
};

/** Objects to display. */
export interface Followed {
  readonly kind: KindRef;
  readonly lineOf: Line;
  /** Whether to display the object of this name. @default all */
  readonly isTold?: (name: string) => boolean;
}

/** Events arrive a moment after what caused them is answered. */
const told = async (): Promise<void> => {
  await setTimeout(TELLING_MS);
};

/** Begins to tell. The watches are the library's own: what the operator uses to see the cluster. */
export const tellStory = async (stage: Stage, followed: readonly Followed[]): Promise<Story> => {
  const reflectors = followed.map((one) => follow(stage, one));
  await Promise.all(reflectors.map((reflector) => reflector.synced));
  const stop = async (): Promise<void> => void (await Promise.all(reflectors.map((reflector) => reflector.stop())));
  return { told, [Symbol.asyncDispose]: stop };
};
