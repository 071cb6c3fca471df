import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';

const text = readFileSync(join(repository, 'Dockerfile'), 'utf8');
const instructions = DockerfileParser.parse(text).getInstructions();

const argumentsOf = (keyword: string): readonly string[] =>
  instructions
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getRawArgumentsContent() ?? '');

describe('the Dockerfile', () => {
  it('is what Docker expects', () => {
    expect(validate(text)).toEqual([]);
  });

  it('has one base, given from outside', () => {
    expect(argumentsOf('FROM').join('\n')).toMatch(/^\$\{BASE\}$/);
    expect(argumentsOf('ARG')[0]).toMatch(/^BASE=gcr\.io\/distroless\/nodejs24-debian\d+:nonroot$/);
  });

  it('needs no shell, and nothing from the network', () => {
    for (const keyword of ['RUN', 'SHELL', 'ADD', 'HEALTHCHECK', 'CMD']) expect(argumentsOf(keyword)).toEqual([]);
    expect(JSON.parse(argumentsOf('ENTRYPOINT').join('\n'))).toEqual(['/nodejs/bin/node', '/app/operator.mjs']);
  });

  it('runs as the user and opens the ports of the Deployment', () => {
    const deployment = readFileSync(join(repository, 'synth-out/operator.k8s.yaml'), 'utf8');
    const numberAfter = (key: string): readonly string[] =>
      [...deployment.matchAll(new RegExp(`${key}: (\\d+)$`, 'gm'))].map(([, number = '']) => number);
    const [user] = numberAfter('runAsUser');
    const [group] = numberAfter('runAsGroup');
    // The folder is made as the first user.
    expect(argumentsOf('USER')).toEqual(['0:0', `${user}:${group}`]);
    // The kinds of this repository have one version each; a webhook for other kinds would listen on 9443.
    const ports = [...numberAfter('containerPort'), '9443'];
    expect(argumentsOf('EXPOSE').join(' ').split(' ').toSorted()).toEqual(ports.toSorted());
  });

  it('copies the bundle, which is all that it is shown', () => {
    expect(argumentsOf('COPY')).toEqual(['dist/operator/ ./']);
    expect(argumentsOf('WORKDIR')).toEqual(['/app']);
    expect(readFileSync(join(repository, '.dockerignore'), 'utf8')).toBe('*\n!dist/operator\n');
  });
});
