import { join } from 'node:path';
import { supervise } from '@plinth/supervisor';

void supervise(join(__dirname, 'platform-process.js'), process.argv.slice(2));
