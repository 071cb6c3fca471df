import { Command, InvalidArgumentError, Option } from 'commander';
import type { SteeringVerb } from '#lib/desired/steering.ts';
import type { CliContext } from '../../shell/context.ts';
import { type Example, withExamples } from '../../shell/help.ts';
import { withCluster, withConfig, withProject } from '../../shell/options.ts';
import type { StatusOptions } from './status.ts';
import type { SteerOptions } from './steer.ts';

/** Parses a duration in whole seconds, minutes or hours: `90`, `90s`, `10m`, `1h`. */
const seconds = (text: string): number => {
  const [, count, unit = 's'] = /^(\d{1,6})([smh])?$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Write seconds, or 90s, 10m, 1h.');
  return Number(count) * { s: 1, m: 60, h: 3600 }[unit as 's' | 'm' | 'h'];
};

const statusCommand = (context: CliContext): Command => {
  const command = new Command('status')
    .summary('how far it is; waits until it has arrived, or failed')
    .description(
      'Shows the progress of a resource towards its spec, and waits until it has arrived (exit code 0) or failed (1). Works for every kind of the project.',
    )
    .argument('<kind>/<name>', 'such as crollout/web')
    .option('--timeout <time>', 'how long to wait, as in 90s or 10m; then 1 (default: for ever)', seconds)
    .option('--no-watch', 'look once');
  return withExamples(
    withProject(command).action(async (word: string, options: StatusOptions) => {
      const { printRolloutStatus } = await import('./status.ts');
      await printRolloutStatus(context, word, options);
    }),
    [
      ['rollout status crollout/web --timeout 10m', 'in a pipeline, after kubectl apply'],
      ['rollout status podset/web --no-watch -o json', 'for programs'],
    ],
  );
};

interface Steering {
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly Example[];
  readonly options?: readonly Option[];
}

type Typed = SteerOptions & { readonly full?: boolean; readonly skip?: boolean };

const verbOf = (name: SteeringVerb, { full, skip }: Typed): SteeringVerb => {
  if (name !== 'promote') return name;
  return full === true ? 'promote-full' : skip === true ? 'skip' : 'promote';
};

const STEERING: Readonly<Partial<Record<SteeringVerb, Steering>>> = {
  pause: {
    summary: 'no new step, no new version',
    description:
      'Pauses a rollout: no new step and no new version; a sleep is suspended. Lost pods are still replaced.',
    examples: [['rollout pause crollout/web', 'stop and look']],
  },
  resume: {
    summary: 'go on after pause',
    description: 'Resumes a paused rollout at the same step.',
    examples: [['rollout resume crollout/web', 'after rollout pause']],
  },
  promote: {
    summary: 'on with the next step',
    description:
      'Continues a rollout that waits for a person with its next step. With --skip it ends a step before its sleep is over, with --full it goes to the end without further sleeps and checks.',
    examples: [
      ['rollout promote crollout/web', 'after a step with pause: true'],
      ['rollout promote deployer/web --full', 'the new version everywhere, now'],
    ],
    options: [
      new Option('--full', 'to 100 % at once').conflicts('skip'),
      new Option('--skip', 'leave this step before its time'),
    ],
  },
  abort: {
    summary: 'back to the version that ran before',
    description:
      'Aborts a rollout: the stable version gets all pods again, at once. It stays so until another version is requested, or retry.',
    examples: [['rollout abort crollout/web', 'the new version is bad']],
  },
  retry: {
    summary: 'roll out an aborted version again',
    description: 'Rolls out an aborted version again, from the first step.',
    examples: [['rollout retry crollout/web', 'the cause is mended']],
  },
  undo: {
    summary: 'ask for an earlier version',
    description:
      'Writes an earlier version into spec, which is then rolled out. During a rollout this is the stable version; otherwise the one before the current one. A GitOps tool that applies the spec will undo it.',
    examples: [
      ['rollout undo deployer/web', 'the version before'],
      ['rollout undo deployer/web --to 1.7.6', 'a certain one'],
    ],
    options: [new Option('--to <version>', 'a version, or the hash of its template (default: the one before)')],
  },
};

const steeringCommand = (context: CliContext, name: SteeringVerb, steering: Steering): Command => {
  const command = new Command(name)
    .summary(steering.summary)
    .description(steering.description)
    .argument('<kind>/<name>', 'such as crollout/web')
    .addOption(new Option('--wait <time>', "for the operator's answer").argParser(seconds).default(15, '15s'));
  for (const option of steering.options ?? []) command.addOption(option);
  return withExamples(
    withConfig(withCluster(command)).action(async (word: string, options: Typed) => {
      const { steerByPatch } = await import('./steer.ts');
      await steerByPatch(context, word, { ...options, verb: verbOf(name, options) });
    }),
    steering.examples,
  );
};

/** `rollout`: shows the progress of a rollout, and sends commands to it. */
export const rolloutCommand = (context: CliContext): Command => {
  const command = new Command('rollout')
    .summary('how far a rollout is; pause, resume, promote, abort, retry, undo')
    .description('Shows the progress of a rollout, and steers it.')
    .addCommand(statusCommand(context));
  for (const [name, steering] of Object.entries(STEERING))
    command.addCommand(steeringCommand(context, name as SteeringVerb, steering));
  return command;
};
