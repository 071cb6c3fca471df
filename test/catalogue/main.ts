import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '#test/architecture/repository.ts';
import { catalogueText } from './catalogue.ts';
import { servedKindsText } from './served-kinds.ts';

writeFileSync(join(repository, 'docs/errors.md'), catalogueText());
writeFileSync(join(repository, 'docs/served-kinds.md'), servedKindsText());
