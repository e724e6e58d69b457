import { runProcess } from '@plinth/host';
import { runtime } from './index';

void runProcess(runtime);
