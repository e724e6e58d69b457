import 'reflect-metadata';
import { describeDurableTasks } from '@plinth/testing';
import { subject } from '../../testing/remote-tasks';

describeDurableTasks(subject, require.resolve('../../testing/remote-tasks'));
