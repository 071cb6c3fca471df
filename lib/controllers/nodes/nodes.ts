import type { Actor, ActorStep } from '../actor.ts';

/** A node of the virtual cluster. Not stored as an object. */
export interface VirtualNode {
  readonly name: string;
  /** Labels for node selectors of pods. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Accepts no new pods. @default false */
  readonly isCordoned?: boolean;
  /** The time since which the node is unreachable, in epoch milliseconds. @default reachable */
  readonly lostSinceMs?: number;
  /** The host address that its kubelet reports with every pod. @default none */
  readonly address?: string;
}

interface VirtualNodesOptions {
  readonly nodes: readonly VirtualNode[];
  /** How long a lost node stays unreachable, in milliseconds. */
  readonly backAfterMs: number;
  readonly now: () => number;
}

/** The nodes, and which of them are unreachable. */
export class VirtualNodes implements Actor {
  readonly name = 'nodes';
  readonly #options: VirtualNodesOptions;
  readonly #lost = new Map<string, number>();
  readonly #handlers: ((name: string) => void)[] = [];
  #list: readonly ActorStep[] | undefined;

  constructor(options: VirtualNodesOptions) {
    this.#options = options;
    for (const { name, lostSinceMs } of options.nodes) if (lostSinceMs !== undefined) this.#lost.set(name, lostSinceMs);
  }

  /** The reachable nodes. */
  get reachable(): readonly VirtualNode[] {
    return this.#options.nodes.filter(({ name }) => !this.#lost.has(name));
  }

  get all(): readonly VirtualNode[] {
    return this.#options.nodes;
  }

  /** The time since which a node is lost, in epoch ms. */
  lostSince(name: string): number | undefined {
    return this.#lost.get(name);
  }

  /** Whether a node of this cluster exists and is reachable. */
  isReachable(name: string): boolean {
    return !this.#lost.has(name) && this.#options.nodes.some((node) => node.name === name);
  }

  /** Calls `handler` when a node is lost or returns. */
  subscribe(handler: (name: string) => void): void {
    this.#handlers.push(handler);
  }

  steps(): readonly ActorStep[] {
    this.#list ??= this.#options.nodes.map(({ name }) => this.#stepOf(name));
    return this.#list;
  }

  memory(): unknown {
    return this.#lost.size === 0 ? undefined : Object.fromEntries(this.#lost);
  }

  #stepOf(name: string): ActorStep {
    const since = this.#lost.get(name);
    if (since === undefined) return { label: `nodes: lose ${name}`, isFault: true, run: () => this.#set(name, true) };
    const notBefore = since + this.#options.backAfterMs;
    return { label: `nodes: ${name} comes back`, notBefore, run: () => this.#set(name, false) };
  }

  #set(name: string, isLost: boolean): void {
    if (isLost) this.#lost.set(name, this.#options.now());
    else this.#lost.delete(name);
    this.#list = undefined;
    for (const handler of this.#handlers) handler(name);
  }
}
