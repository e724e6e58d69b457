import { runProcess } from '@plinth/host';
import { agents } from './index';

void runProcess(agents);
