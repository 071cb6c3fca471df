import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { PASSING_MS } from '#lib/foresight/simulate/report/merged.ts';
import type {
  Band,
  PodSample,
  ReportedRevision,
  ResourceStory,
  RevisionCount,
  TimelineEntry,
} from '#lib/foresight/simulate/report/report.ts';
import { textOfObject } from '#lib/foresight/simulate/targets/find-object.ts';
import { type Said, saidBy } from './band.ts';
import type { PodState } from './pod-state.ts';
import { withRevisionLabels } from './revision-label.ts';

interface Count {
  ready: number;
  notReady: number;
  terminating: number;
}

const memberOf = ({ verb }: PodState): keyof Count | undefined => {
  if (verb === 'ready' || verb === 'terminating') return verb;
  return verb === 'created' || verb === 'not ready' ? 'notReady' : undefined;
};

/** Records the numbers of pods and the states of a resource over time. */
export class StoryRecorder {
  readonly text: string;
  readonly #root: ServerObject;
  readonly #counts = new Map<string, Count>();
  readonly #revisions = new Map<string, Omit<ReportedRevision, 'label'>>();
  readonly #samples: PodSample[] = [];
  readonly #said: { readonly atMs: number; readonly said: Said | undefined }[] = [];
  #wanted: number | undefined;
  #readyAtMs: number | undefined;

  constructor(root: ServerObject) {
    this.#root = root;
    this.text = textOfObject(root);
  }

  /** Whether the resource has pods or a state to show. */
  get isTold(): boolean {
    return this.#revisions.size > 0 || this.#said.length > 0;
  }

  /** Counts a pod in a state. */
  put(pod: PodState, atMs: number): void {
    const { revision, images } = pod;
    if (!this.#revisions.has(revision)) this.#revisions.set(revision, { id: revision, images });
    this.#change(pod, 1, atMs);
  }

  /** Stops counting a pod in a state. */
  take(pod: PodState, atMs: number): void {
    this.#change(pod, -1, atMs);
  }

  /** Sets the desired number of pods. */
  wants(wanted: number | undefined, atMs: number): void {
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#sample(atMs);
  }

  /**
   * Records the state of the resource. Returns the entry for the timeline; `undefined` when the state has no new text. A new
   * sentence makes an entry only in the first moment of the state, because sentences often count progress.
   */
  says(now: ServerObject | undefined, atMs: number): Pick<TimelineEntry, 'what' | 'isBad'> | undefined {
    const said = now === undefined ? undefined : saidBy(now);
    if (said?.isReady === true) this.#readyAtMs ??= atMs;
    const last = this.#said.at(-1);
    const before = last?.said;
    const isSame = said?.text === before?.text && said?.mood === before?.mood;
    const isPassing = last !== undefined && atMs - last.atMs < PASSING_MS;
    if (isSame && (!isPassing || said?.sentence === before?.sentence)) return undefined;
    if (last !== undefined && (isSame || last.atMs === atMs)) this.#said.pop();
    this.#said.push({ atMs: isSame && last ? last.atMs : atMs, said });
    if (said === undefined || (said.text === before?.text && !isPassing)) return undefined;
    return {
      what: said.sentence === '' ? said.text : `${said.text}: ${said.sentence}`,
      ...(said.mood === 'bad' && { isBad: true }),
    };
  }

  finish(endMs: number): ResourceStory {
    const { kind, metadata } = this.#root;
    return {
      object: this.text,
      kind,
      name: metadata.name,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      revisions: withRevisionLabels([...this.#revisions.values()]),
      samples: this.#samples,
      bands: this.#bands(endMs),
      ...(this.#readyAtMs !== undefined && { readyAtMs: this.#readyAtMs }),
    };
  }

  #bands(endMs: number): readonly Band[] {
    return this.#said.flatMap(({ atMs, said }, index): Band[] => {
      const toMs = this.#said[index + 1]?.atMs ?? endMs;
      return said === undefined || toMs <= atMs ? [] : [{ fromMs: atMs, toMs, text: said.text, mood: said.mood }];
    });
  }

  #change(pod: PodState, by: number, atMs: number): void {
    const member = memberOf(pod);
    if (member === undefined) return;
    const { revision } = pod;
    const count = this.#counts.get(revision) ?? { ready: 0, notReady: 0, terminating: 0 };
    count[member] += by;
    this.#counts.set(revision, count);
    this.#sample(atMs);
  }

  /** Records a sample of the numbers of pods. A sample replaces an earlier sample of the same time. */
  #sample(atMs: number): void {
    const pods = [...this.#counts].flatMap(([revision, count]): RevisionCount[] =>
      count.ready + count.notReady + count.terminating === 0 ? [] : [{ revision, ...count }],
    );
    if (this.#samples.at(-1)?.atMs === atMs) this.#samples.pop();
    this.#samples.push({ atMs, ...(this.#wanted !== undefined && { wanted: this.#wanted }), pods });
  }
}
