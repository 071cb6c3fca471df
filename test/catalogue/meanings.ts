import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '#test/architecture/repository.ts';

/** The meaning of a rule, from its comment. */
export interface Meaning {
  readonly text: string;
  readonly sources: readonly string[];
}

const FOLDERS = ['lib/kind/rules', 'lib/kind/lint', 'lib/kind/versions'];

/** A doc comment, followed by its rule. */
const RULE = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:export )?const \w+(?:: \w+)? = (?:\{\s*id: |each\()'([^']+)'/g;

const meaningOf = (comment: string): Meaning => {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*? ?/, '').trim());
  const [text = '', ...sources] = lines.join(' ').split('@see ');
  const words = text
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim();
  return { text: words, sources: sources.map((source) => source.trim()) };
};

/** The comments of all rules over definitions, by the codes of the rules. */
export const ruleMeanings = (): ReadonlyMap<string, Meaning> =>
  new Map(
    FOLDERS.flatMap((folder) =>
      readdirSync(join(repository, folder)).map((name) => join(repository, folder, name)),
    ).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(RULE)].map(
        ([, comment = '', id = '']) => [id, meaningOf(comment)] as const,
      ),
    ),
  );
