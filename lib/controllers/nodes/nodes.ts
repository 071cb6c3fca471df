import type { Actor, ActorStep } from '../actor.ts';

/** A node of the virtual cluster. The node itself need not be a stored object. */
export interface VirtualNode {
  readonly name: string;
  /** Labels for node selectors of pods. */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Whether the scheduler assigns new pods to the node only if they tolerate `node.kubernetes.io/unschedulable`.
   *
   * @default false
   */
  readonly isCordoned?: boolean;
  /** The time since which the node is unreachable, in epoch milliseconds. @default the node is reachable */
  readonly lostSinceMs?: number;
  /** The host address that the kubelet of the node reports with every pod. @default none */
  readonly address?: string;
}

interface VirtualNodesOptions {
  readonly nodes: readonly VirtualNode[];
  /** Time after which a lost node comes back, in milliseconds. */
  readonly backAfterMs: number;
  readonly now: () => number;
}

/** The nodes of a virtual cluster. The steps of this actor lose reachable nodes (a fault) and bring back lost nodes. */
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

  /** The time since which a node is lost, in epoch milliseconds; undefined for a reachable node. */
  lostSince(name: string): number | undefined {
    return this.#lost.get(name);
  }

  /** Whether a node with this name exists and is reachable. */
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
