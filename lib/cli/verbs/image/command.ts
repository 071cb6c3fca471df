import { Command } from 'commander';
import type { CliContext } from '../../shell/context.ts';
import { withExamples } from '../../shell/help.ts';
import type { ImageOptions } from './run.ts';

/** `image`: builds an image of the bundled operator. */
export const imageCommand = (context: CliContext): Command =>
  withExamples(
    new Command('image')
      .summary('an image of dist/operator, with or without Docker')
      .description(
        'Builds an image of dist/operator by the first of docker, podman and buildah that works here. Without one, and with --oci, --tar, --push or --platform, it writes the image itself, for linux/amd64 and linux/arm64; its last line is the image with its digest.',
      )
      .option('--tag <image>', 'its name and tag (default: name and version in package.json)')
      .option(
        '--base <image>',
        'what it is built on, best with a digest; "debian" for pinned packages of npm and Debian (default: as in the Dockerfile; "debian" where its registry does not respond)',
      )
      .option('--oci <folder>', 'writes an OCI layout, with all platforms')
      .option('--tar <file>', 'writes the layout as one archive')
      .option('--push', 'pushes it to the registry in its name, with the credentials of docker login')
      .option('--platform <list>', 'builds for these platforms, such as linux/amd64,linux/arm64')
      .action(async (options: ImageOptions) => {
        const { buildImage } = await import('./run.ts');
        await buildImage(context, options);
      }),
    [
      ['image', 'after npm run bundle'],
      ['image --push --tag registry.example.com/operator:1.2.3', 'without Docker, into a registry'],
      ['image --oci dist/image --base debian --tag operator:1.2.3', 'without Docker and without a registry'],
    ],
  );
