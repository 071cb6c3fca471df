import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import { controllerOf } from '#lib/loop/cache/objects.ts';
import { type CachedObject, projectionOf } from '#lib/loop/cache/projection/projection.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { runs } from '#test/properties.ts';

/** One event in the history. An event that is impossible at its time is skipped. */
type Happening =
  | {
      readonly does: 'create' | 'modify' | 'delete';
      readonly ours: boolean;
      readonly name: string;
      readonly owner: string;
    }
  | {
      readonly does: 'deliver event' | 'deliver answer' | 'take list' | 'deliver list' | 'bookmark';
      readonly pick: number;
    };

type Answer =
  | { readonly name: string; readonly object: ApiObject }
  | { readonly name: string; readonly gone: { readonly key: Key; readonly uid: string } };

const project = projectionOf(['status.phase']);

/** A server with its history, a late watch, pending answers, and the cache that the watch and the answers update. */
class World {
  readonly objects = new Map<string, ApiObject>();
  readonly everGone = new Set<string>();
  readonly resurrected: string[] = [];
  readonly misindexed: string[] = [];
  readonly reported = new Map<string, CachedObject>();
  readonly cache = new ObjectCache({
    project,
    onChange: ({ before, after }) => {
      if (after) this.reported.set(after.metadata.name, after);
      else if (before) this.reported.delete(before.metadata.name);
    },
  });
  readonly #history: WatchEvent[] = [];
  readonly #answers: Answer[] = [];
  #version = 100;
  #uids = 0;
  #delivered = 0;
  #list: { readonly items: ApiObject[]; readonly version: string; readonly position: number } | undefined;

  constructor() {
    this.cache.replace([], '100');
  }

  happen(it: Happening): void {
    if (it.does === 'create' || it.does === 'modify' || it.does === 'delete') this.#write(it);
    else if (it.does === 'deliver event') this.#deliverEvent();
    else if (it.does === 'deliver answer') this.#deliverAnswer(it.pick);
    else if (it.does === 'take list') this.#takeList();
    else if (it.does === 'deliver list') this.#deliverList();
    else this.#bookmark();
    this.#check();
  }

  /** Delivers everything that is still pending, in the order in which it was sent. */
  finish(): void {
    this.#list = undefined;
    while (this.#answers.length > 0) this.#deliverAnswer(0);
    while (this.#delivered < this.#history.length) this.#deliverEvent();
    this.#check();
  }

  #write({ does, ours, name, owner }: Extract<Happening, { readonly ours: boolean }>): void {
    const before = this.objects.get(name);
    if ((does === 'create') === (before !== undefined)) return;
    this.#version += 1;
    const metadata = {
      name,
      namespace: 'default',
      uid: before?.metadata.uid ?? `uid-${(this.#uids += 1)}`,
      resourceVersion: String(this.#version),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Set', name: owner, uid: owner, controller: true }],
    };
    const object = { apiVersion: 'v1', kind: 'Pod', metadata, status: { phase: `at ${this.#version}` } };
    const type = does === 'create' ? 'ADDED' : does === 'modify' ? 'MODIFIED' : 'DELETED';
    this.#history.push({ type, object });
    if (does === 'delete') this.objects.delete(name);
    else this.objects.set(name, object);
    if (!ours) return;
    const gone = { key: keyOf('default', name), uid: metadata.uid };
    this.#answers.push(does === 'delete' ? { name, gone } : { name, object });
  }

  #deliverEvent(): void {
    const event = this.#history[this.#delivered];
    if (!event || this.#list) return;
    this.#delivered += 1;
    this.cache.event(structuredClone(event));
  }

  /** Answers about one object arrive in order, those about several in any order. */
  #deliverAnswer(pick: number): void {
    const { name } = this.#answers[pick % this.#answers.length] ?? {};
    const index = this.#answers.findIndex((answer) => answer.name === name);
    const [answer] = index === -1 ? [] : this.#answers.splice(index, 1);
    if (!answer) return;
    if ('gone' in answer) this.cache.overlayGone(answer.gone.key, answer.gone.uid);
    else this.cache.overlay(structuredClone(answer.object));
  }

  #takeList(): void {
    const items = structuredClone([...this.objects.values()]);
    this.#list = { items, version: String(this.#version), position: this.#history.length };
  }

  #deliverList(): void {
    if (!this.#list) return;
    const { items, version, position } = this.#list;
    this.#list = undefined;
    this.#delivered = position;
    this.cache.replace(items, version);
  }

  #bookmark(): void {
    if (this.#list || this.#delivered < this.#history.length) return;
    this.cache.event({ type: 'BOOKMARK', resourceVersion: String(this.#version) });
  }

  /** Checks the properties that hold at every moment. */
  #check(): void {
    const held = [...this.cache.all()];
    const uids = new Set(held.map(({ metadata }) => metadata.uid));
    this.resurrected.push(...[...uids].filter((uid) => this.everGone.has(uid)));
    for (const uid of this.#seen) if (!uids.has(uid)) this.everGone.add(uid);
    this.#seen = uids;
    for (const owner of ['red', 'blue']) {
      const indexed = this.cache.ownedBy('default', owner).map(({ metadata }) => metadata.name);
      const owned = held.filter((object) => controllerOf(object)?.uid === owner).map(({ metadata }) => metadata.name);
      if (indexed.join() !== owned.toSorted().join()) this.misindexed.push(`${owner}: ${indexed.join()}`);
    }
  }

  #seen = new Set<string>();
}

const writes = fc.record({
  does: fc.constantFrom('create', 'modify', 'delete'),
  ours: fc.boolean(),
  name: fc.constantFrom('a', 'b', 'c'),
  owner: fc.constantFrom('red', 'blue'),
});

const deliveries = fc.record({
  does: fc.constantFrom('deliver event', 'deliver event', 'deliver answer', 'take list', 'deliver list', 'bookmark'),
  pick: fc.nat({ max: 10 }),
});

const histories = fc.array<Happening>(fc.oneof(writes, deliveries), { maxLength: 80, size: 'max' });

const played = (history: readonly Happening[]): World => {
  const world = new World();
  for (const happening of history) world.happen(happening);
  world.finish();
  return world;
};

const byName = (objects: Iterable<CachedObject>): CachedObject[] =>
  [...objects].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

/** The kept fields of an object, without its version. */
const strip = (list: readonly CachedObject[]) => list.map((it) => (it as unknown as { status: unknown }).status);

describe('ObjectCache', () => {
  it('ObjectCache ends as the server does, however answers and events were interleaved', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const { cache, objects } = played(history);
        const held = [...cache.all()];
        expect(byName(held)).toEqual(byName([...objects.values()].map((object) => project(structuredClone(object)))));
      }),
      { numRuns: runs(2000) },
    );
  });

  it('ObjectCache never shows an object again after it was gone', () => {
    fc.assert(
      fc.property(histories, (history) => {
        expect(played(history).resurrected).toEqual([]);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('ObjectCache finds objects by their controller at every moment', () => {
    fc.assert(
      fc.property(histories, (history) => {
        expect(played(history).misindexed).toEqual([]);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('ObjectCache reports every state that others brought about last', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const foreign = history.map((it) => ('ours' in it ? { ...it, ours: false } : it));
        const { reported, objects } = played(foreign);
        const expected = [...objects.values()].map((object) => project(structuredClone(object)));
        expect(strip(byName(reported.values()))).toEqual(strip(byName(expected)));
      }),
      { numRuns: runs(1000) },
    );
  });
});
