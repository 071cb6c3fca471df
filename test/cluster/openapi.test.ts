import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import openApi from '#lib/apiserver/builtin/codec/openapi.json' with { type: 'json' };
import metadataTexts from '#lib/apiserver/http/discovery/metadata-texts.json' with { type: 'json' };
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { readBuiltInTypes } from '#test/sim/openapi/read.ts';
import { readMetadataTexts } from '#test/sim/openapi/texts.ts';

describe('the types of built-in kinds', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false, audit: false });
  });
  afterAll(async () => {
    await plane?.stop();
  });

  it('are committed as the API server publishes them; npm run openapi', async () => {
    expect(openApi).toEqual(await readBuiltInTypes(plane));
    expect(metadataTexts).toEqual(await readMetadataTexts(plane));
  });
});
