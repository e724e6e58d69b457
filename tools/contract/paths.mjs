import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const generatedFolder = join(root, 'libs/contract/src/generated');

/** Types of the published client: the platform's document alone. */
export const clientFile = join(root, 'libs/client/src/generated/api.ts');
