/** The factor of the size of a new object in the check for room. Because of this factor, large objects are refused first. */
const MARGIN = 8;

/** An object with its size, as the budget counts it. */
export interface Weighed {
  readonly uid: string;
  /** The namespace of the object; empty for a cluster-scoped object. */
  readonly namespace: string;
  /** A group of objects of the namespace with a separate limit. @default no group */
  readonly group?: string;
  readonly bytes: number;
}

const partyOf = ({ namespace, group }: Weighed): string => (group === undefined ? namespace : `${namespace}/${group}`);

/** The share by which an admitted object may grow without a new check of its party. Small changes then rarely make it a stub. */
const GROWTH = 0.25;

interface Entry extends Weighed {
  /** The size up to which the object stays admitted, if the budget has free bytes for the growth. */
  readonly upTo: number;
}

/** The entry of an object that is still in its party, and has grown by at most {@link GROWTH} since it was admitted. */
const keptPlace = (object: Weighed, entry: Entry | undefined): Entry | undefined =>
  entry && object.bytes <= entry.upTo && partyOf(entry) === partyOf(object) ? entry : undefined;

/** The access of one kind to a budget. */
export interface BudgetShare {
  /**
   * Takes the bytes of an object, in place of the bytes that the object already has. @returns false when there is no room; the
   * object then has no bytes in the budget
   */
  admits(object: Weighed): boolean;
  /** Whether {@link admits} would return true. */
  hasRoomFor(object: Weighed): boolean;
  /** Gives back the bytes of an object, if it has any. */
  release(uid: string): void;
  /**
   * Gives back the bytes of all objects of the kind, except for some.
   *
   * @param namespace - gives back only the bytes of this namespace; undefined for all namespaces
   * @param uids - returns the uids of the exceptions; called only if the kind has objects in the budget
   */
  retain(namespace: string | undefined, uids: () => ReadonlySet<string>): void;
}

/**
 * Limits the bytes of the objects that a process keeps, over all kinds and namespaces.
 *
 * Guarantees: the total is never more than `bytes`. A party is a namespace, or a group of objects in a namespace. When an object
 * is admitted, the bytes of its party are at most the free bytes. The first party therefore leaves about half of the bytes to
 * later parties. An admitted object stays, unless it grows or changes its party.
 *
 * Caveats: if a party has no more room, the order of its objects decides which ones are kept; in a list, this is the order of the
 * API server.
 *
 * @see Choudhury, Hahne: Dynamic queue length thresholds for shared-memory packet switches (1998), the source of this rule
 */
export class SizeBudget {
  readonly #bytes: number;
  readonly #byParty = new Map<string, number>();
  #total = 0;

  /** @param bytes - Infinity for no limit */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  get taken(): number {
    return this.#total;
  }

  /** Returns the access for one more kind. Two shares count an object twice, because both of their caches keep it. */
  share(): BudgetShare {
    const entries = new Map<string, Entry>();
    return {
      hasRoomFor: (object) => this.#hasRoomFor(object, entries.get(object.uid)),
      admits: (object) => {
        const entry = entries.get(object.uid);
        const hasRoom = this.#hasRoomFor(object, entry);
        const upTo = keptPlace(object, entry)?.upTo ?? object.bytes * (1 + GROWTH);
        this.#release(entries, object.uid);
        if (hasRoom) {
          entries.set(object.uid, { ...object, upTo });
          this.#add(partyOf(object), object.bytes);
        }
        return hasRoom;
      },
      release: (uid) => this.#release(entries, uid),
      retain: (namespace, uids) => {
        const own = [...entries.values()].filter((entry) => namespace === undefined || entry.namespace === namespace);
        if (own.length === 0) return;
        const kept = uids();
        for (const { uid } of own) if (!kept.has(uid)) this.#release(entries, uid);
      },
    };
  }

  #hasRoomFor(object: Weighed, entry: Entry | undefined): boolean {
    const { bytes } = object;
    const has = entry?.bytes ?? 0;
    const free = this.#bytes - (this.#total - has);
    if (keptPlace(object, entry)) return has >= bytes || bytes <= free;
    const party = partyOf(object);
    const used = (this.#byParty.get(party) ?? 0) - (entry && partyOf(entry) === party ? has : 0);
    return used + MARGIN * bytes <= free;
  }

  #release(entries: Map<string, Entry>, uid: string): void {
    const entry = entries.get(uid);
    if (entry === undefined) return;
    entries.delete(uid);
    this.#add(partyOf(entry), -entry.bytes);
  }

  #add(party: string, bytes: number): void {
    this.#total += bytes;
    const sum = (this.#byParty.get(party) ?? 0) + bytes;
    if (sum === 0) this.#byParty.delete(party);
    else this.#byParty.set(party, sum);
  }
}
