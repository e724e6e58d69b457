import 'reflect-metadata';
import { describeDurableTasks } from '@plinth/testing';
import { subject } from '../../testing/revocation-tasks';

describeDurableTasks(subject, require.resolve('../../testing/revocation-tasks'));
