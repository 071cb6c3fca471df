/** An object is kept whole while there is room for this many of its size: large ones are the first that find none. */
const MARGIN = 8;

/** An object as the budget counts it. */
export interface Weighed {
  readonly uid: string;
  /** The objects that have room together, such as those of a namespace. */
  readonly party: string;
  readonly bytes: number;
}

interface Entry extends Weighed {
  readonly share: object;
}

/** One kind's access to a budget. */
export interface BudgetShare {
  /** Takes the bytes of an object, in place of those that it has. @returns false when there is no room: then it has none any more */
  admits(object: Weighed): boolean;
  /** Whether {@link admits} would say so. */
  hasRoomFor(object: Weighed): boolean;
  /** Gives back the bytes of an object that is gone. */
  release(uid: string): void;
  /** Gives back the bytes of all objects of the kind but these. @param uids - called only if the kind has some */
  retain(uids: () => ReadonlySet<string>): void;
}

/**
 * How many bytes of objects a process keeps, over all kinds and namespaces.
 *
 * Guarantees: never more than `bytes`. A party, such as a namespace, has no more than what is still free for all others, so one alone
 * has half, and a party that comes later always finds room. What has been admitted stays, unless it grows.
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
        this.#release(object.uid);
        if (hasRoom) this.#take({ ...object, share });
        return hasRoom;
      },
      release: (uid) => this.#release(uid),
      retain: (uids) => {
        const own = [...this.#entries.values()].filter((entry) => entry.share === share);
        if (own.length === 0) return;
        const kept = uids();
        for (const { uid } of own) if (!kept.has(uid)) this.#release(uid);
      },
    };
    return share;
  }

  #hasRoomFor({ uid, party, bytes }: Weighed): boolean {
    const has = this.#entries.get(uid)?.bytes ?? 0;
    if (has >= bytes) return true;
    const free = this.#bytes - (this.#total - has);
    const used = (this.#byParty.get(party) ?? 0) - has;
    return used + MARGIN * bytes <= free;
  }

  #take(entry: Entry): void {
    this.#entries.set(entry.uid, entry);
    this.#add(entry.party, entry.bytes);
  }

  #release(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    this.#entries.delete(uid);
    this.#add(entry.party, -entry.bytes);
  }

  #add(party: string, bytes: number): void {
    this.#total += bytes;
    const sum = (this.#byParty.get(party) ?? 0) + bytes;
    if (sum === 0) this.#byParty.delete(party);
    else this.#byParty.set(party, sum);
  }
}
