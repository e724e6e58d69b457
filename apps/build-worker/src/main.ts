import { runProcess } from '@plinth/host';
import { buildWorker } from './index';

void runProcess(buildWorker);
