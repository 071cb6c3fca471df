import type { Actor, ActorStep } from './actor.ts';

/** A node of the virtual cluster. Nodes are no objects of its API. */
export interface VirtualNode {
  readonly name: string;
  /** For node selectors of pods. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Takes no new pods. @default false */
  readonly isCordoned?: boolean;
  /** Cannot be reached from the start, since then, in epoch milliseconds. @default it can */
  readonly lostSinceMs?: number;
  /** The address that its kubelet reports with every pod. @default none */
  readonly address?: string;
}

interface VirtualNodesOptions {
  readonly nodes: readonly VirtualNode[];
  /** How long a lost node stays away, in milliseconds. */
  readonly backAfterMs: number;
  readonly now: () => number;
}

/** The nodes, and which of them cannot be reached. */
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

  /** Those that can be reached. */
  get reachable(): readonly VirtualNode[] {
    return this.#options.nodes.filter(({ name }) => !this.#lost.has(name));
  }

  get all(): readonly VirtualNode[] {
    return this.#options.nodes;
  }

  /** Since when a node is lost, in epoch ms. */
  lostSince(name: string): number | undefined {
    return this.#lost.get(name);
  }

  /** Whether a kubelet of this cluster runs there and can be reached. */
  isReachable(name: string): boolean {
    return !this.#lost.has(name) && this.#options.nodes.some((node) => node.name === name);
  }

  /** Calls `handler` when a node is lost or back. */
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
