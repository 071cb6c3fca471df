import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '#test/architecture/repository.ts';
import { catalogueText } from './catalogue.ts';

writeFileSync(join(repository, 'docs/errors.md'), catalogueText());
