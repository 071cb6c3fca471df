import type { Command, Option } from 'commander';
import type { ClusterOptions, ConfigOptions } from '../../shell/options.ts';

/** A possible next word. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** A position on the command line with values that come from a project or a cluster. */
export interface CompletionPosition {
  readonly takes: 'object' | 'kind' | 'context' | 'namespace';
  /** The part of the word that the user has typed. */
  readonly typed: string;
  /** The options before the word. */
  readonly options: ClusterOptions & ConfigOptions;
}

const optionCalled = (command: Command, word: string): Option | undefined =>
  command.options.find((option) => option.short === word || option.long === word);

/** Finds the command in the words. If the last word is an option that needs a value, returns this option, too. */
const reached = (program: Command, words: readonly string[]): { readonly command: Command; readonly open?: Option } => {
  let command = program;
  let open: Option | undefined;
  for (const word of words) {
    if (open !== undefined) {
      open = undefined;
      continue;
    }
    const option = word.startsWith('-') ? optionCalled(command, word) : undefined;
    if (option?.required === true) open = option;
    command = command.commands.find((inner) => inner.name() === word) ?? command;
  }
  return { command, ...(open && { open }) };
};

const isHidden = (command: Command): boolean => command.name().startsWith('__');

/**
 * Lists the possible values of the last word that need no project and no cluster: commands, options and choices.
 *
 * @param program - the root command
 * @param words - the words after the program name; the last word is incomplete and may be empty
 */
export const completionsOf = (program: Command, words: readonly string[]): readonly Candidate[] => {
  const typed = words.at(-1) ?? '';
  const { command, open } = reached(program, words.slice(0, -1));
  const all = (): readonly Candidate[] => {
    if (open !== undefined) return (open.argChoices ?? []).map((word) => ({ word, about: '' }));
    if (typed.startsWith('-'))
      return command
        .createHelp()
        .visibleOptions(command)
        .map(({ long, short, description }) => ({ word: long ?? short ?? '', about: description }));
    const inner = command.commands.filter((each) => !isHidden(each));
    const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
    return [
      ...inner.map((each) => ({ word: each.name(), about: each.summary() })),
      ...choices.map((word) => ({ word, about: '' })),
    ];
  };
  return all().filter(({ word }) => word.startsWith(typed));
};

const CHOICES: ReadonlySet<string> = new Set(['kubeconfig', 'context', 'namespace', 'config']);

const choicesIn = (command: Command, words: readonly string[]): CompletionPosition['options'] => {
  const pairs = words.flatMap((word, at) => {
    const name = optionCalled(command, word)?.attributeName() ?? '';
    return CHOICES.has(name) ? [[name, words[at + 1]] as const] : [];
  });
  return Object.fromEntries(pairs);
};

/** Counts the arguments of a command: the words that are not commands, options or values of options. */
const argumentCount = (command: Command, words: readonly string[]): number => {
  const own = words.slice(words.lastIndexOf(command.name()) + 1);
  return own.filter((word, at) => {
    const isValue = optionCalled(command, own[at - 1] ?? '')?.required === true;
    return !word.startsWith('-') && !isValue;
  }).length;
};

const PLACES: Readonly<Record<string, CompletionPosition['takes']>> = { 'kind>/<name': 'object', kind: 'kind' };

/** The position of the last word, if its values come from a project or a cluster. */
export const placeOfLast = (program: Command, words: readonly string[]): CompletionPosition | undefined => {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { command, open } = reached(program, before);
  const options = choicesIn(command, before);
  if (open !== undefined) {
    const name = open.attributeName();
    return name === 'context' || name === 'namespace' ? { takes: name, typed, options } : undefined;
  }
  if (typed.startsWith('-')) return undefined;
  const argument = command.registeredArguments[argumentCount(command, before)];
  const takes = argument && PLACES[argument.name()];
  return takes && { takes, typed, options };
};

/** Matches names of arguments and options for files. The shell completes names of files itself. */
const FILES = /file|folder|path|manifests|config/i;

const takesFiles = ({ command, open }: ReturnType<typeof reached>): boolean =>
  open === undefined
    ? command.registeredArguments.some((argument) => FILES.test(argument.name()))
    : FILES.test(/<([^>]*)>/.exec(open.flags)?.[1] ?? '');

/** The result of {@link directiveOf} that means: no files, and no space after the word. */
const NO_SPACE = 6;

/**
 * The directive for the shell, as in cobra's `ShellCompDirective`. The shell receives it after the candidates. 0: the shell
 * completes files, too. 4: no files. 6: no files, and no space after the word.
 *
 * @see https://github.com/spf13/cobra/blob/main/site/content/completions/_index.md
 */
export const directiveOf = (program: Command, words: readonly string[]): 0 | 4 | 6 => {
  const isOption = (words.at(-1) ?? '').startsWith('-');
  const place = placeOfLast(program, words);
  // In `<kind>/<name>`, the name follows the kind without a space.
  if (place !== undefined) return place.takes === 'object' && !place.typed.includes('/') ? NO_SPACE : 4;
  return !isOption && takesFiles(reached(program, words.slice(0, -1))) ? 0 : 4;
};

/** Supported shells. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** One of {@link SHELLS}. */
export type Shell = (typeof SHELLS)[number];

/** The script for each shell. The scripts call the program for candidates, so they do not depend on the commands. */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_cdk8s_reconcile() {
  local IFS=$'\\n'
  COMPREPLY=($(cdk8s-reconcile __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
  if [[ \${#COMPREPLY[@]} -gt 0 && "\${COMPREPLY[0]}" == */ ]]; then compopt -o nospace; fi
}
complete -o default -F _cdk8s_reconcile cdk8s-reconcile
`,
  zsh: `#compdef cdk8s-reconcile
_cdk8s_reconcile() {
  local -a lines
  lines=("\${(@f)$(cdk8s-reconcile __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  lines=("\${(@)lines//:/\\\\:}")
  lines=("\${(@)lines/$'\\t'/:}")
  if [[ -n "\${lines[1]}" ]]; then if [[ "\${lines[1]}" == */:* ]]; then _describe 'cdk8s-reconcile' lines -S ''; else _describe 'cdk8s-reconcile' lines; fi; else _files; fi
}
compdef _cdk8s_reconcile cdk8s-reconcile
`,
  fish: `complete -c cdk8s-reconcile -a '(cdk8s-reconcile __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

/** The completion script of a shell. */
export const completionScript = (shell: Shell): string => SCRIPTS[shell];
