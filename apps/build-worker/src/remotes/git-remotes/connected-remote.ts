import { OwnedEffect } from '../../data-models';
import type { RemoteConnection } from './git-remote.entity';

export const connectedRemote = new OwnedEffect<RemoteConnection>('connectedRemote');
