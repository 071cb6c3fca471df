/** A resource is kept whole while there is room for this many of its size: large ones are the first that find none. */
const MARGIN = 8;

/** A resource as the budget counts it. */
export interface Weighed {
  readonly uid: string;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  readonly bytes: number;
}

interface Entry extends Weighed {
  readonly share: object;
}

/** One kind's access to a budget. */
export interface BudgetShare {
  /** Takes the bytes of a resource, in place of those that it has. @returns false when there is no room: then it has none any more */
  admits(resource: Weighed): boolean;
  /** Whether {@link admits} would say so. */
  hasRoomFor(resource: Weighed): boolean;
  /** Gives back the bytes of a resource that is gone. */
  release(uid: string): void;
  /** Gives back the bytes of all resources of the kind but these. */
  retain(uids: ReadonlySet<string>): void;
}

/**
 * How many bytes of resources a process keeps, over all kinds and namespaces.
 *
 * Guarantees: never more than `bytes`. A namespace has no more than what is still free for all others, so one alone has half, and
 * a namespace that comes later always finds room. What has been admitted stays, unless it grows.
 *
 * Caveats: which of the resources of a full namespace have room depends on their order; the order of a list is that of the API server.
 *
 * @see Choudhury, Hahne: Dynamic queue length thresholds for shared-memory packet switches (1998), whose rule it is
 */
export class SizeBudget {
  readonly #bytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #byNamespace = new Map<string, number>();
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
      hasRoomFor: (resource) => this.#hasRoomFor(resource),
      admits: (resource) => {
        const hasRoom = this.#hasRoomFor(resource);
        this.#release(resource.uid);
        if (hasRoom) this.#take({ ...resource, share });
        return hasRoom;
      },
      release: (uid) => this.#release(uid),
      retain: (uids) => {
        for (const entry of this.#entries.values())
          if (entry.share === share && !uids.has(entry.uid)) this.#release(entry.uid);
      },
    };
    return share;
  }

  #hasRoomFor({ uid, namespace, bytes }: Weighed): boolean {
    const has = this.#entries.get(uid)?.bytes ?? 0;
    if (has >= bytes) return true;
    const free = this.#bytes - (this.#total - has);
    const used = (this.#byNamespace.get(namespace) ?? 0) - has;
    return used + MARGIN * bytes <= free;
  }

  #take(entry: Entry): void {
    this.#entries.set(entry.uid, entry);
    this.#add(entry.namespace, entry.bytes);
  }

  #release(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    this.#entries.delete(uid);
    this.#add(entry.namespace, -entry.bytes);
  }

  #add(namespace: string, bytes: number): void {
    this.#total += bytes;
    const sum = (this.#byNamespace.get(namespace) ?? 0) + bytes;
    if (sum === 0) this.#byNamespace.delete(namespace);
    else this.#byNamespace.set(namespace, sum);
  }
}
