export { AccessChanges } from './access-changes/access-changes.service';
export { BoundedQueue } from './bounded-queue/bounded-queue';
export type { DomainSchema } from './domain-schema';
export { KernelModule } from './kernel.module';
export { twoStylePage } from './paging/two-style-page';
