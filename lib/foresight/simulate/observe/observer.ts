import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isEvents } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { Informers } from '#lib/controllers/informer.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ownershipsOf } from '#lib/desired/marks/ownership.ts';
import type { ResourceStory, TimelineEntry } from '#lib/foresight/simulate/report/report.ts';
import { textOfObject } from '#lib/foresight/simulate/targets/find-object.ts';
import type { KnownKind, KnownKinds } from '#lib/foresight/simulate/targets/known-kinds.ts';
import { isPlainObject } from '#lib/json.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import { changesOfChild } from './child-changes.ts';
import type { ChildReason, SimulationListener } from './listener.ts';
import { type PodState, podStateOf } from './pod-state.ts';
import { StoryRecorder } from './story.ts';

/** Options for {@link Observer}. */
export interface ObserverOptions {
  readonly server: ApiServer;
  readonly kinds: KnownKinds;
  readonly own: readonly AnyKindDefinition[];
  readonly elapsedMs: () => number;
  /** Receives each change. @default none */
  readonly listener?: SimulationListener | undefined;
}

const isWatched = ({ resource, kind }: KnownKind): boolean =>
  !isEvents(resource) && kind !== 'Lease' && kind !== 'Node';

const replicasOf = (object: ServerObject, path: string): number | undefined => {
  let value: unknown = object;
  for (const name of path.split('.').filter((part) => part !== ''))
    value = isPlainObject(value) ? value[name] : undefined;
  return typeof value === 'number' ? value : undefined;
};

/** Observes the objects of the cluster, except events, Leases and nodes, and records important changes in the timeline. */
export class Observer {
  readonly timeline: TimelineEntry[] = [];
  readonly #options: ObserverOptions;
  readonly #byUid = new Map<string, ServerObject>();
  readonly #stories = new Map<string, StoryRecorder>();
  /** State of each pod, by uid. */
  readonly #pods = new Map<string, PodState>();
  /** The topmost owner of each pod as text, such as `PodSet default/web`, by the pod as text. Entries of deleted pods stay. */
  readonly #owners = new Map<string, string>();
  readonly #ownKinds: ReadonlySet<string>;
  /** The actor of the current step. */
  #who = '';
  /** Whether the observer is handling a change of an object. New entries then belong to this change. */
  #isSeeing = false;

  constructor(options: ObserverOptions) {
    const { server, kinds, own } = options;
    this.#options = options;
    this.#ownKinds = new Set(own.map(({ kind }) => kind));
    const informers = new Informers(server);
    for (const known of kinds.all.filter(isWatched)) {
      informers.of(known.resource).subscribe((now, before) => this.#observe(known, now, before));
    }
  }

  byUid(owner: OwnerReference): ServerObject | undefined {
    return this.#byUid.get(owner.uid);
  }

  /** Sets the actor of the next step. */
  begins(who: string): void {
    this.#who = who;
    this.#options.listener?.begins();
  }

  /** Records the reason of a write to a child. */
  because(reason: ChildReason): void {
    this.#options.listener?.because(reason);
    const { kind, name, why } = reason;
    const own = name.slice(name.lastIndexOf('/') + 1);
    const isIt = ({ sort, object, why: known }: TimelineEntry): boolean =>
      sort === 'child' &&
      known === undefined &&
      object.startsWith(`${kind} `) &&
      object.slice(object.lastIndexOf('/') + 1) === own;
    const place = this.timeline.findLastIndex(isIt);
    const entry = this.timeline[place];
    if (entry !== undefined) this.timeline[place] = { ...entry, why };
  }

  /** Inserts an action into the timeline at an index, before the entries that the action caused. */
  tellBefore(place: number, entry: Parameters<Observer['tell']>[0]): void {
    this.tell(entry);
    const last = this.timeline.pop();
    if (last !== undefined) this.timeline.splice(place, 0, last);
  }

  tell(entry: Omit<TimelineEntry, 'atMs' | 'who'> & { readonly who?: string }): void {
    const of = this.#owners.get(entry.object);
    const told = { atMs: this.#options.elapsedMs(), who: this.#who, ...entry, ...(of !== undefined && { of }) };
    this.timeline.push(told);
    if (!this.#isSeeing) this.#options.listener?.told(told);
  }

  /** The stories of all resources that have pods or a state, in the order in which the resources were first seen. */
  stories(endMs: number): readonly ResourceStory[] {
    return [...this.#stories.values()].filter((story) => story.isTold).map((story) => story.finish(endMs));
  }

  #observe(known: KnownKind, now: ServerObject | undefined, before: ServerObject | undefined): void {
    const { listener, elapsedMs } = this.#options;
    if (listener === undefined) return this.#see(known, now, before);
    const place = this.timeline.length;
    this.#isSeeing = true;
    this.#see(known, now, before);
    this.#isSeeing = false;
    listener.changed({ atMs: elapsedMs(), who: this.#who, now, before, entries: this.timeline.slice(place) });
  }

  #see(known: KnownKind, now: ServerObject | undefined, before: ServerObject | undefined): void {
    const object = now ?? before;
    if (object === undefined) return;
    if (now !== undefined) this.#byUid.set(object.metadata.uid, now);
    if (known.kind === 'Pod') this.#seePod(now as StoredPod | undefined, before as StoredPod | undefined);
    else this.#seeObject(known, now, before);
    if (now === undefined) this.#byUid.delete(object.metadata.uid);
  }

  #rootOf(object: ServerObject): ServerObject {
    let root = object;
    for (let depth = 0; depth < 10; depth += 1) {
      const [ownership] = ownershipsOf(root);
      const above = ownership && this.#byUid.get(ownership.owner.uid);
      if (above === undefined) return root;
      root = above;
    }
    return root;
  }

  #storyOf(root: ServerObject): StoryRecorder {
    const { uid } = root.metadata;
    let story = this.#stories.get(uid);
    if (story === undefined) this.#stories.set(uid, (story = new StoryRecorder(root)));
    return story;
  }

  #seePod(now: StoredPod | undefined, before: StoredPod | undefined): void {
    const pod = now ?? before;
    if (pod === undefined) return;
    const { uid } = pod.metadata;
    const atMs = this.#options.elapsedMs();
    const old = this.#pods.get(uid);
    const root = this.#rootOf(pod);
    const state = now === undefined ? undefined : podStateOf(now, root === pod ? '' : root.metadata.uid, old);
    if (state === undefined) this.#pods.delete(uid);
    else this.#pods.set(uid, state);
    // The pod is removed from the story of its previous owner. A pod that never had an owner belongs to no story.
    if (old !== undefined && old.root !== '') this.#stories.get(old.root)?.take(old, atMs);
    if (state !== undefined && state.root !== '') {
      const story = this.#storyOf(root);
      story.put(state, atMs);
      this.#owners.set(textOfObject(pod), story.text);
    }
    const verb = state?.verb === old?.verb ? undefined : (state?.verb ?? 'gone');
    const about = state ?? old;
    if (verb === undefined || about === undefined || about.root === '') return;
    const story = this.#stories.get(about.root);
    if (story === undefined) return;
    const isFollowing = verb === 'gone' || (old?.verb === 'terminating' && verb === 'over');
    this.tell({
      sort: 'pods',
      object: story.text,
      what: verb,
      pods: { revision: about.revision, names: [pod.metadata.name] },
      ...(verb === 'failed' && { isBad: true }),
      ...(isFollowing && { isMinor: true }),
    });
  }

  #seeObject(known: KnownKind, now: ServerObject | undefined, before: ServerObject | undefined): void {
    const object = now ?? before;
    if (object === undefined) return;
    const root = this.#rootOf(object);
    const isRoot = root.metadata.uid === object.metadata.uid;
    if (isRoot && (this.#ownKinds.has(object.kind) || known.replicasPath !== undefined))
      this.#seeRoot(known, object, now);
    if (isRoot && !this.#ownKinds.has(object.kind)) return;
    this.#tellOfChild(object, { now, before, isRoot });
  }

  #seeRoot({ replicasPath }: KnownKind, object: ServerObject, now: ServerObject | undefined): void {
    const atMs = this.#options.elapsedMs();
    const story = this.#storyOf(object);
    story.wants(now === undefined || replicasPath === undefined ? undefined : replicasOf(now, replicasPath), atMs);
    if (!this.#ownKinds.has(object.kind)) return;
    const said = story.says(now, atMs);
    if (said !== undefined) this.tell({ sort: 'status', object: story.text, ...said });
  }

  #tellOfChild(
    object: ServerObject,
    {
      now,
      before,
      isRoot,
    }: { readonly now: ServerObject | undefined; readonly before: ServerObject | undefined; readonly isRoot: boolean },
  ): void {
    // Changes by users are already in the timeline, and changes by controllers can be derived from changes of their objects. The
    // method therefore reports only changes by operators, and deletions of objects without an owner.
    const isOperator = this.#who.startsWith('operator');
    if (isRoot ? now !== undefined : !isOperator) return;
    for (const what of changesOfChild(now, before)) {
      const isMinor = object.kind === 'ControllerRevision';
      this.tell({ sort: 'child', object: textOfObject(object), what, ...(isMinor && { isMinor }) });
    }
  }
}
