import { engineFilters } from '../data/engine-filters';
import type { PictureControls } from './picture';

/**
 * What is wrong with filters whatever the data model is like is told before anything is drawn.
 *
 * @throws AppError `request.invalid` (400)
 */
export function requireControls({ filters }: PictureControls): void {
  engineFilters(filters ?? [], { typeOf: () => undefined, timeZone: 'UTC', now: new Date() });
}
