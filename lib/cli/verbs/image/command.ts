import { Command } from 'commander';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';

interface Options {
  readonly tag?: string;
  readonly base?: string;
}

const image = async (context: CliContext, { tag, base }: Options): Promise<void> => {
  const { buildImage } = await import('./run.ts');
  const command = await buildImage({ folder: context.cwd, tag, base, path: context.env['PATH'] });
  context.stdout.write(`Built by: ${command.join(' ')}\n`);
};

/** `image`: builds an image of the bundled operator. */
export const imageCommand = (context: CliContext): Command =>
  withExamples(
    new Command('image')
      .summary('an image of dist/operator, by docker, podman or buildah')
      .description('Builds an image of dist/operator by the first of docker, podman and buildah that is on PATH.')
      .option('--tag <image>', 'what it is called (default: name and version in package.json)')
      .option('--base <image>', 'what it is built on (default: as in the Dockerfile)')
      .action((options: Options) => image(context, options)),
    [
      ['image', 'after npm run bundle'],
      ['image --tag registry.example.com/operator:1.2.3', 'with a name of its own'],
    ],
  );
