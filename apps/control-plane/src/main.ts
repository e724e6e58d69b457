import { runProcess } from '@plinth/host';
import { controlPlane } from './index';

void runProcess(controlPlane);
