import type { Command, Option } from 'commander';

/** A word that may come next. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

const optionCalled = (command: Command, word: string): Option | undefined =>
  command.options.find((option) => option.short === word || option.long === word);

/** Where words lead: the command that they end in, and the option that waits for its value. */
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
 * What may stand in the place of the last word.
 *
 * @param program - all commands
 * @param words - as typed after the name of the program; the last one is being typed, and may be empty
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

/** Where an argument or the value of an option is a file, shells know better what there is. */
const FILES = /file|folder|path|manifests|config/i;

const takesFiles = ({ command, open }: ReturnType<typeof reached>): boolean =>
  open === undefined
    ? command.registeredArguments.some((argument) => FILES.test(argument.name()))
    : FILES.test(/<([^>]*)>/.exec(open.flags)?.[1] ?? '');

/**
 * How a shell shall go on from {@link completionsOf}, as `ShellCompDirective` of cobra counts: 0 files may come next, too; 4 no files.
 *
 * @see https://github.com/spf13/cobra/blob/main/site/content/completions/_index.md
 */
export const directiveOf = (program: Command, words: readonly string[]): 0 | 4 => {
  const isOption = (words.at(-1) ?? '').startsWith('-');
  return !isOption && takesFiles(reached(program, words.slice(0, -1))) ? 0 : 4;
};

/** Shells that there is a script for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** One of {@link SHELLS}. */
export type Shell = (typeof SHELLS)[number];

/** The program answers itself what may come next, so no script knows any command. */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_cdk8s_reconcile() {
  local IFS=$'\\n'
  COMPREPLY=($(cdk8s-reconcile __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _cdk8s_reconcile cdk8s-reconcile
`,
  zsh: `#compdef cdk8s-reconcile
_cdk8s_reconcile() {
  local -a lines
  lines=("\${(@f)$(cdk8s-reconcile __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  lines=("\${(@)lines//:/\\\\:}")
  lines=("\${(@)lines/$'\\t'/:}")
  if [[ -n "\${lines[1]}" ]]; then _describe 'cdk8s-reconcile' lines; else _files; fi
}
compdef _cdk8s_reconcile cdk8s-reconcile
`,
  fish: `complete -c cdk8s-reconcile -a '(cdk8s-reconcile __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

/** What a shell has to be told. */
export const completionScript = (shell: Shell): string => SCRIPTS[shell];
