import { awaitChange } from '../../objects/await-change.ts';
import { type ObjectFamily, readFamily, rootLists } from '../../objects/family.ts';
import { explained, resourcesFor } from '../../objects/find.ts';
import { type KnownResource, type NamedObject, namedObject } from '../../objects/resources.ts';
import { hiddenLines, nodeOf, rowsOf, type TreeRow, treeTable } from '../../objects/rows.ts';
import type { CliContext, Cluster } from '../../shell/context.ts';
import type { ProjectQueryOptions } from '../../shell/options.ts';
import { printable, printResult, renderTable } from '../../shell/output.ts';
import { UsageError } from '../../shell/report.ts';

/** Options of `tree`. */
export interface TreeOptions extends ProjectQueryOptions {
  readonly watch?: boolean;
}

/** The interval at which the ages on a terminal are updated, in milliseconds. */
const REPAINT_MS = 10_000;
const SETTLE_MS = 200;

interface Subject {
  readonly cluster: Cluster;
  readonly named: NamedObject;
  readonly known: readonly KnownResource[];
}

const familyOf = async ({ cluster, named, known }: Subject): Promise<ObjectFamily> =>
  readFamily(cluster.api, named, known).catch((error: unknown) => {
    throw explained(error, named);
  });

const colored = (context: CliContext, text: string, rows: readonly TreeRow[]): string =>
  text
    .split('\n')
    .map((line, at) => {
      if (at === 0) return context.color('dim', line);
      const row = rows[at - 1];
      return row === undefined || row.isReady ? line : context.color('yellow', line);
    })
    .join('\n');

const paint = (context: CliContext, family: ObjectFamily): void => {
  const rows = rowsOf(nodeOf(family.root), context.now());
  const text = renderTable(treeTable(rows), context.columns);
  // These sequences move the cursor to the upper left corner, and clear the screen.
  context.stdout.write(`\u001B[H\u001B[2J${colored(context, text, rows)}`);
};

const stateOf = ({ ready, reason, message }: TreeRow): string =>
  [ready, reason, message].filter((word) => word !== '').join('  ');

class LinePrinter {
  #before = new Map<string, string>();
  readonly #context: CliContext;

  constructor(context: CliContext) {
    this.#context = context;
  }

  print(family: ObjectFamily): void {
    const rows = rowsOf(nodeOf(family.root), this.#context.now());
    const now = new Map(rows.map((row) => [row.label, stateOf(row)]));
    for (const [label, state] of now) if (this.#before.get(label) !== state) this.#line(label, state);
    for (const label of this.#before.keys()) if (!now.has(label)) this.#line(label, 'gone');
    this.#before = now;
  }

  #line(label: string, state: string): void {
    const time = new Date(this.#context.now()).toISOString();
    this.#context.stdout.write(`${printable(`${time}  ${label}  ${state}`).replaceAll('\n', ' ')}\n`);
  }
}

const isGone = (error: unknown): boolean => error instanceof Error && error.message.startsWith('There is no ');

const watch = async (context: CliContext, subject: Subject): Promise<void> => {
  const lines = new LinePrinter(context);
  const { signal } = context;
  let isFirst = true;
  while (!signal.aborted) {
    try {
      const own = await rootLists(subject.cluster.api, subject.named);
      const family = await familyOf(subject);
      if (context.isTerminal) paint(context, family);
      else lines.print(family);
      const lists = [...own, ...family.lists];
      await awaitChange(subject.cluster.api, lists, { atMostMs: REPAINT_MS, settleMs: SETTLE_MS, signal });
    } catch (error) {
      if (signal.aborted) return;
      if (isFirst || !isGone(error)) throw error;
      context.stdout.write(`${subject.named.resource.kind}/${subject.named.target.name}  gone\n`);
      return;
    }
    isFirst = false;
  }
};

/**
 * Prints an object with its descendants once; with `watch`, after each change. A watch without a terminal prints only the changed
 * lines.
 *
 * @param context - the process
 * @param word - `<kind>/<name>`
 * @param options - the options that the user typed
 */
export const printTree = async (context: CliContext, word: string, options: TreeOptions): Promise<void> => {
  if (options.watch === true && options.output !== 'text')
    throw new UsageError(`--watch prints text, not ${options.output}: remove --watch or --output`);
  const known = await resourcesFor(context, options);
  const cluster = await context.connect(options);
  try {
    const named = namedObject(word, { known, namespace: cluster.namespace });
    if (options.watch === true) return await watch(context, { cluster, named, known });
    const family = await familyOf({ cluster, named, known });
    for (const line of hiddenLines(family)) context.stderr.write(`${printable(line)}\n`);
    const root = nodeOf(family.root);
    await printResult(context, root, { format: options.output, table: () => treeTable(rowsOf(root, context.now())) });
  } finally {
    await cluster.close();
  }
};
