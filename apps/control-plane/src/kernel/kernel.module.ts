import { Module } from '@nestjs/common';
import { AccessChanges } from './access-changes/access-changes.service';

@Module({ providers: [AccessChanges], exports: [AccessChanges] })
export class KernelModule {}
