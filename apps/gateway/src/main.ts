import { runProcess } from '@plinth/host';
import { gateway } from './index';

void runProcess(gateway);
