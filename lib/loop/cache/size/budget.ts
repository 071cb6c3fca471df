/** An object is kept whole while there is room for this many of its size: large ones are the first that find none. */
const MARGIN = 8;

/** An object as the budget counts it. */
export interface Weighed {
  readonly uid: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  /** Objects of a namespace that have room separately from its other objects. @default none */
  readonly group?: string;
  readonly bytes: number;
}

/** The objects that have room together. */
const partyOf = ({ namespace, group }: Weighed): string => (group === undefined ? namespace : `${namespace}/${group}`);

/** An admitted object may grow by this part without new room: it must not lose its place by a character more. */
const GROWTH = 0.25;

interface Entry extends Weighed {
  readonly share: object;
  /** Up to this size it keeps its place. */
  readonly upTo: number;
}

/** One kind's access to a budget. */
export interface BudgetShare {
  /** Takes the bytes of an object, in place of those that it has. @returns false when there is no room: then it has none any more */
  admits(object: Weighed): boolean;
  /** Whether {@link admits} would say so. */
  hasRoomFor(object: Weighed): boolean;
  /** Gives back the bytes of an object that is gone. */
  release(uid: string): void;
  /**
   * Gives back the bytes of all objects of the kind but these.
   *
   * @param namespace - whose objects are meant; undefined for all
   * @param uids - called only if there are some
   */
  retain(namespace: string | undefined, uids: () => ReadonlySet<string>): void;
}

/**
 * How many bytes of objects a process keeps, over all kinds and namespaces.
 *
 * Guarantees: never more than `bytes`. A party, such as a namespace, has no more than what is still free for all others, so one alone
 * has half, and a party that comes later always finds room. What has been admitted stays, while it fits.
 *
 * Caveats: which of the objects of a full party have room depends on their order; the order of a list is that of the API server.
 *
 * @see Choudhury, Hahne: Dynamic queue length thresholds for shared-memory packet switches (1998), whose rule it is
 */
export class SizeBudget {
  readonly #bytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #byParty = new Map<string, number>();
  #total = 0;

  /** @param bytes - Infinity for no limit */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Bytes that are taken. */
  get taken(): number {
    return this.#total;
  }

  /** The access of one more kind. */
  share(): BudgetShare {
    const share: BudgetShare = {
      hasRoomFor: (object) => this.#hasRoomFor(object),
      admits: (object) => {
        const hasRoom = this.#hasRoomFor(object);
        const upTo = this.#keepsPlace(object)?.upTo ?? object.bytes * (1 + GROWTH);
        this.#release(object.uid);
        if (hasRoom) this.#take({ ...object, share, upTo });
        return hasRoom;
      },
      release: (uid) => this.#release(uid),
      retain: (namespace, uids) => {
        const isMeant = (entry: Entry): boolean =>
          entry.share === share && (namespace === undefined || entry.namespace === namespace);
        const own = [...this.#entries.values()].filter(isMeant);
        if (own.length === 0) return;
        const kept = uids();
        for (const { uid } of own) if (!kept.has(uid)) this.#release(uid);
      },
    };
    return share;
  }

  /** The entry of an object that has not grown much since it was admitted. */
  #keepsPlace(object: Weighed): Entry | undefined {
    const entry = this.#entries.get(object.uid);
    return entry && object.bytes <= entry.upTo && partyOf(entry) === partyOf(object) ? entry : undefined;
  }

  #hasRoomFor(object: Weighed): boolean {
    const { bytes } = object;
    const entry = this.#entries.get(object.uid);
    const has = entry?.bytes ?? 0;
    const free = this.#bytes - (this.#total - has);
    if (this.#keepsPlace(object)) return has >= bytes || bytes <= free;
    const party = partyOf(object);
    const used = (this.#byParty.get(party) ?? 0) - (entry && partyOf(entry) === party ? has : 0);
    return used + MARGIN * bytes <= free;
  }

  #take(entry: Entry): void {
    this.#entries.set(entry.uid, entry);
    this.#add(partyOf(entry), entry.bytes);
  }

  #release(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    this.#entries.delete(uid);
    this.#add(partyOf(entry), -entry.bytes);
  }

  #add(party: string, bytes: number): void {
    this.#total += bytes;
    const sum = (this.#byParty.get(party) ?? 0) + bytes;
    if (sum === 0) this.#byParty.delete(party);
    else this.#byParty.set(party, sum);
  }
}
