import 'reflect-metadata';
import { describeDurableTasks } from '@plinth/testing';
import { subject } from '../testing/build-tasks';

describeDurableTasks(subject, require.resolve('../testing/build-tasks'));
