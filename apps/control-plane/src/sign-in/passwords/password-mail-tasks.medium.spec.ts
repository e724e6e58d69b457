import 'reflect-metadata';
import { describeDurableTasks } from '@plinth/testing';
import { subject } from '../../testing/password-mails';

describeDurableTasks(subject, require.resolve('../../testing/password-mails'));
