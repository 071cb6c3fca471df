import { beforeAll, describe, expect, it } from 'vitest';
import { undocumentedExports } from './house/documentation.ts';
import { brokenExamples, examplesIn } from './house/examples.ts';
import { repeatedNames } from './house/exported-names.ts';
import { repositoryFiles } from './house/files.ts';
import type { Check, TextFile } from './house/finding.ts';
import { wideByDesign, wideFolders } from './house/folders.ts';
import { registryHosts } from './house/lock-file.ts';
import { emptyMatches } from './house/matchers.ts';
import {
  headlessComments,
  headlessMarkdown,
  headlessMessages,
  machinePaths,
  openNotes,
  vagueName,
} from './house/wording.ts';
import { repository } from './repository.ts';

const source = /^(?:lib|constructs|apps)\/.*\.ts$/;
const product = /^(?:lib|constructs|apps)\//;
const shipped = /^(?:lib|constructs)\/.*\.ts$/;
const commented = /^(?:lib|constructs|apps|test|templates)\/.*\.ts$/;
/** Texts that users see. */
const messages = /^(?:lib|apps|templates|constructs).*\.ts$/;

interface House {
  readonly rule: string;
  readonly scope: RegExp;
  /** The minimum number of files in the scope. */
  readonly atLeast: number;
  readonly check: Check;
}

const rules: readonly House[] = [
  { rule: 'exports have a doc comment', scope: shipped, atLeast: 100, check: undocumentedExports },
  { rule: 'examples are TypeScript', scope: shipped, atLeast: 100, check: brokenExamples },
  { rule: 'comments name their subject', scope: commented, atLeast: 1500, check: headlessComments },
  { rule: 'messages name their subject', scope: messages, atLeast: 800, check: headlessMessages },
  { rule: 'pages name their subject', scope: /\.md$/, atLeast: 60, check: headlessMarkdown },
  { rule: 'names say what is inside', scope: /./, atLeast: 150, check: vagueName },
  { rule: 'no work is left', scope: /./, atLeast: 150, check: openNotes },
  { rule: 'no file knows the machine it was written on', scope: /./, atLeast: 150, check: machinePaths },
  { rule: 'no matcher takes every object', scope: /^test\/.*\.ts$/, atLeast: 800, check: emptyMatches },
  { rule: 'the lock file names no registry', scope: /^package-lock\.json$/, atLeast: 1, check: registryHosts },
];

describe('house rules', () => {
  let files: readonly TextFile[];
  beforeAll(async () => {
    files = await repositoryFiles(repository);
  });

  it.for(rules)('$rule', ({ scope, atLeast, check }) => {
    const judged = files.filter(({ path }) => scope.test(path));
    expect(judged.length).toBeGreaterThanOrEqual(atLeast);
    expect(judged.flatMap(check)).toEqual([]);
  });

  it('folders show at most 15 entries, but for exceptions that need it', () => {
    const judged = files.filter(({ path }) => product.test(path));
    expect(judged.length).toBeGreaterThan(100);
    expect(wideFolders(judged, wideByDesign)).toEqual([]);
    expect(wideFolders(judged)).toHaveLength(Object.keys(wideByDesign).length);
  });

  it('an exported name stands once in lib, constructs and apps', () => {
    expect(repeatedNames(files.filter(({ path }) => source.test(path)))).toEqual([]);
  });

  it('finds examples to judge', () => {
    const examples = files.filter(({ path }) => shipped.test(path)).flatMap(({ path, text }) => examplesIn(path, text));
    expect(examples.length).toBeGreaterThan(20);
  });
});
