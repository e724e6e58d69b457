import 'reflect-metadata';
import { describeDurableTasks } from '@plinth/testing';
import { subject } from '../testing/dbt-sync-tasks';

describeDurableTasks(subject, require.resolve('../testing/dbt-sync-tasks'));
