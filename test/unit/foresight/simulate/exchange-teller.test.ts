import { expect, it } from 'vitest';
import { ExchangeTeller } from '#lib/foresight/simulate/exchange-teller.ts';
import type { HttpRequest } from '#lib/kube/interface/http.ts';
import { Outside, type OutsideOptions } from '#lib/sim/world/link/outside.ts';

const request: HttpRequest = {
  method: 'POST',
  url: new URL('https://hooks.example.com/T000/s3cret'),
  headers: {},
  maxBytes: 1,
  signal: new AbortController().signal,
};

/** The timeline entries of lost requests, in a cluster without any Secret. */
const entriesOf = (...requests: readonly HttpRequest[]): readonly string[] => {
  const outside = new Outside({ script: undefined } as OutsideOptions);
  for (const each of requests) outside.send('operator-1', each).lose();
  const entries: string[] = [];
  const world = { outside, server: { objects: () => [] } };
  const observer = { tell: ({ what }: { readonly what: string }) => void entries.push(what) };
  new ExchangeTeller({ world, observer } as unknown as ConstructorParameters<typeof ExchangeTeller>[0]).look();
  return entries;
};

it('ExchangeTeller shows only the origin of an address that came out of a Secret, also when the Secret is gone', () => {
  expect(entriesOf({ ...request, isUrlSecret: true }, request)).toEqual([
    'POST https://hooks.example.com/… → lost',
    'POST https://hooks.example.com/T000/s3cret → lost',
  ]);
});
