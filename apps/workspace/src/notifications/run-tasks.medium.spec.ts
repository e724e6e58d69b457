import 'reflect-metadata';
import { describeDurableTasks } from '@plinth/testing';
import { subject } from '../testing/notification-runs';

describeDurableTasks(subject, require.resolve('../testing/notification-runs'));
