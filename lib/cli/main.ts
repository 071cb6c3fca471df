#!/usr/bin/env node
import { relative } from 'node:path';
import { isReconcileError } from '#lib/errors.ts';
import { addKind } from './add-kind.ts';
import { type Command, commandOf, HELP } from './command.ts';
import { buildImage } from './image.ts';
import { initProject, type Made } from './init.ts';
import { ownVersion } from './template.ts';

const listed = ({ files }: Made): string => files.map((file) => `  ${file}\n`).join('');

const inited = (made: Made): string => {
  const way = relative(process.cwd(), made.folder);
  return `Made in ${way || 'this folder'}:\n${listed(made)}\nNext: ${way === '' ? '' : `cd ${way} && `}npm install && npm test\n`;
};

const perform = async (command: Command): Promise<string> => {
  const folder = process.cwd();
  switch (command.command) {
    case 'help':
      return HELP;
    case 'version':
      return `${await ownVersion()}\n`;
    case 'init':
      return inited(await initProject(command));
    case 'add-kind':
      return `Written:\n${listed(await addKind({ ...command, folder }))}\nNext: npm test\n`;
    case 'image':
      return `Built by: ${(await buildImage({ ...command, folder })).join(' ')}\n`;
  }
};

try {
  process.stdout.write(await perform(commandOf(process.argv.slice(2))));
} catch (error) {
  // A mistake of whoever typed it deserves one clear line; a mistake of ours, its stack.
  process.stderr.write(
    isReconcileError(error)
      ? `cdk8s-reconcile: ${error.message}\n`
      : `${String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exitCode = 1;
}
