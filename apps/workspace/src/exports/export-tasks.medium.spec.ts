import 'reflect-metadata';
import { describeDurableTasks } from '@plinth/testing';
import { subject } from '../testing/export-tasks';

describeDurableTasks(subject, require.resolve('../testing/export-tasks'));
